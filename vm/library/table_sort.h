// SPDX-License-Identifier: MIT
//
// table.sort.
#ifndef NEAP_VM_LIBRARY_TABLE_SORT_H_
#define NEAP_VM_LIBRARY_TABLE_SORT_H_

#include "interpreter/native_call.h"

namespace neap::vm {

NativeResult TableSort(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_TABLE_SORT_H_
