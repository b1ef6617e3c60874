// SPDX-License-Identifier: MIT
//
// Closing a coroutine that does not run (coroutine.close, and wrap after an error).
#ifndef NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_
#define NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_

#include "interpreter/coroutine.h"

namespace neap::vm {

class State;

// Closes the pending variables of a suspended or failed coroutine, which is dead afterwards. False:
// it had failed, or closing did; *error is the error value (to be rooted before the next
// safepoint). When error_kind() is kStop then, the caller fails, too. A safepoint.
bool CloseCoroutine(State& state, Coroutine* co, Value* error);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_
