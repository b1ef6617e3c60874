// SPDX-License-Identifier: MIT
//
// The base library on errors: assert, error, pcall, xpcall.
//
// A protected call is a native frame with a flag. The frame lays its slots out so that a success
// needs no moving of results, however many there are:
//
//   pcall     true | function, arguments     ->  true | results
//   xpcall    handler | true | function, ... ->  handler | true | results
//
// An error unwinds to the frame and enters it with kNativeErrorState and the error value on top.
#include "library/base_parts.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr uint32_t kAfterCall = 1;

NativeResult ReturnFalseAndError(NativeCall& call) {
  const Value error = call.top();
  call.PushBoolean(false);
  call.Push(error);
  return call.Return(2);
}

// Throws slot 1, a string with the position of `level` in front.
NativeResult ThrowAt(NativeCall& call, Value value, int64_t level) {
  if (IsString(value) && level > 0) {
    const std::string text(AsString(value)->view());
    const int depth = level > INT32_MAX ? INT32_MAX : static_cast<int>(level);
    if (!call.PushString(Concat(call.state().Where(depth), text))) return call.Failed();
    value = call.top();
  }
  return call.ReturnIf(call.state().Throw(value));
}

}  // namespace

NativeResult BaseAssert(NativeCall& call) {
  if (call.arg(1).is_truthy()) return call.Return(static_cast<uint32_t>(call.count()));
  if (!call.CheckAny(1)) return call.Failed();
  if (call.has(2)) return ThrowAt(call, call.arg(2), 1);
  if (!call.PushString("assertion failed!")) return call.Failed();
  return ThrowAt(call, call.top(), 1);
}

NativeResult BaseError(NativeCall& call) {
  int64_t level = 1;
  if (!call.OptInteger(2, &level)) return call.Failed();
  return ThrowAt(call, call.arg(1), level);
}

NativeResult BasePcall(NativeCall& call) {
  if (call.entry_state() == kAfterCall) return call.Return(call.height());
  if (call.entry_state() == kNativeErrorState) return ReturnFalseAndError(call);
  if (!call.CheckAny(1)) return call.Failed();
  call.Insert(1, Value::Boolean(true));
  call.Protect();
  return call.CallThen(static_cast<uint32_t>(call.count()) - 1, -1, kAfterCall);
}

NativeResult BaseXpcall(NativeCall& call) {
  if (call.entry_state() == kAfterCall) return call.Return(call.height() - 1);
  if (call.entry_state() == kNativeErrorState) return ReturnFalseAndError(call);
  if (!call.CheckFunction(2)) return call.Failed();
  const Value function = call.arg(1);
  call.set_arg(1, call.arg(2));
  call.set_arg(2, function);
  call.Insert(2, Value::Boolean(true));
  call.ProtectWithHandler();
  return call.CallThen(static_cast<uint32_t>(call.count()) - 2, -1, kAfterCall);
}

}  // namespace neap::vm
