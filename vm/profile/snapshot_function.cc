// SPDX-License-Identifier: MIT
#include "profile/snapshot_function.h"

#include <string>

#include "library/text_argument.h"
#include "profile/heap_snapshot.h"

namespace neap::vm {

NativeResult TakeHeapSnapshot(NativeCall& call) {
  std::string path;
  if (!CheckText(call, 1, &path)) return call.Failed();
  const absl::Status status = WriteHeapSnapshot(call.state(), path);
  if (status.ok()) return call.ReturnValue(Value::Boolean(true));
  call.PushNil();
  return call.ReturnIf(call.PushString(std::string(status.message())), 2);
}

}  // namespace neap::vm
