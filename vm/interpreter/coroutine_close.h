// SPDX-License-Identifier: MIT
//
// Closing a coroutine that does not run: its variables are closed, and it is dead.
#ifndef NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_
#define NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_

#include "interpreter/coroutine.h"

namespace neap::vm {

// `co` is suspended, failed or dead. Runs its __close metamethods; a safepoint, and `co` must be
// reachable by itself. False: `*error` is the error of a metamethod, or the one that had ended the
// coroutine; a raw value, to be pushed at once.
[[nodiscard]] bool CloseCoroutine(State& state, Coroutine* co, Value* error);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_COROUTINE_CLOSE_H_
