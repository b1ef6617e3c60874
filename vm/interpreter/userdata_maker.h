// SPDX-License-Identifier: MIT
//
// Full userdata for native code: a zeroed payload, no metatable, tag 0.
#ifndef NEAP_VM_INTERPRETER_USERDATA_MAKER_H_
#define NEAP_VM_INTERPRETER_USERDATA_MAKER_H_

#include <cstddef>

#include "objects/userdata.h"

namespace neap::vm {

class State;

// Null: no memory. A safepoint.
Userdata* NewUserdata(State& state, size_t bytes, int user_values);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_USERDATA_MAKER_H_
