// SPDX-License-Identifier: MIT
//
// What io and os return for the outcome of a system call.
#ifndef NEAP_VM_LIBRARY_SYSTEM_RESULT_H_
#define NEAP_VM_LIBRARY_SYSTEM_RESULT_H_

#include <cerrno>

#include "interpreter/native_call.h"

namespace neap::vm {

// true; or nil, "name: reason", the number. `error` is errno of right after the call; without a
// name (null) the message is the reason alone.
NativeResult ReturnFileResult(NativeCall& call, bool ok, const char* name, int error);
// true or nil, "exit" or "signal", the number: of a status of system() or pclose().
NativeResult ReturnExitStatus(NativeCall& call, int status, int error);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_SYSTEM_RESULT_H_
