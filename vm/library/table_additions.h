// SPDX-License-Identifier: MIT
//
// What other Luas have in `table`: clear (LuaJIT, Luau), clone (Luau). What they do is said in
// vm/library/meta/table.lua.
#ifndef NEAP_VM_LIBRARY_TABLE_ADDITIONS_H_
#define NEAP_VM_LIBRARY_TABLE_ADDITIONS_H_

#include "interpreter/native_call.h"

namespace neap::vm {

// Ended by a null name.
extern const NativeEntry kTableAdditions[];

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_TABLE_ADDITIONS_H_
