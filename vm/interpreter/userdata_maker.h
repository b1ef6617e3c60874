// SPDX-License-Identifier: MIT
//
// Makes full userdata (objects/userdata.h).
#ifndef NEAP_VM_INTERPRETER_USERDATA_MAKER_H_
#define NEAP_VM_INTERPRETER_USERDATA_MAKER_H_

#include <cstddef>

#include "objects/userdata.h"

namespace neap::vm {

class State;

// A userdata with `bytes` of zeros as payload, no metatable, no tag, and `user_values` values that
// are nil. A safepoint; null: no memory.
Userdata* NewUserdata(State& state, size_t bytes, int user_values);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_USERDATA_MAKER_H_
