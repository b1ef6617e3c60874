// SPDX-License-Identifier: MIT
//
// system_result.h.
#include "library/system_result.h"

#include <sys/wait.h>

#include <cstring>

#include "text/concat.h"

namespace neap::vm {

NativeResult ReturnFileResult(NativeCall& call, bool ok, const char* name, int error) {
  if (ok) return call.ReturnValue(Value::Boolean(true));
  const char* reason = error != 0 ? std::strerror(error) : "(no extra info)";
  if (name == nullptr) return call.ReturnFailure(reason, error);
  return call.ReturnFailure(Concat(name, ": ", reason), error);
}

NativeResult ReturnExitStatus(NativeCall& call, int status, int error) {
  if (status != 0 && error != 0) return ReturnFileResult(call, false, nullptr, error);
  const char* how = "exit";
  if (WIFEXITED(status)) {
    status = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    status = WTERMSIG(status);
    how = "signal";
  }
  const bool is_success = *how == 'e' && status == 0;
  call.Push(is_success ? Value::Boolean(true) : Value::Nil());
  return call.ReturnIf(call.PushString(how) && call.PushInteger(status), 3);
}

}  // namespace neap::vm
