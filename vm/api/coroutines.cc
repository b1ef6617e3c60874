// SPDX-License-Identifier: MIT
//
// Coroutines from the host: resuming is a native function that asks the interpreter for the switch,
// as coroutine.resume does (library/coroutine_library.cc).
#include "core.h"
#include "interpreter/coroutine_close.h"
#include "text/concat.h"

namespace neap::lua {
namespace {

using vm::NativeCall;
using vm::NativeResult;
using vm::Value;

// Results: whether it succeeded, then the values or the error.
NativeResult ResumeFromHost(NativeCall& call) {
  if (call.entry_state() == vm::kNativeErrorState) {
    const Value error = call.top();
    call.PushBoolean(false);
    call.Push(error);
    return call.Return(2);
  }
  if (!call.CheckType(1, vm::LuaType::kThread)) return call.Failed();
  return call.Resume(vm::AsCoroutine(call.arg(1)), static_cast<uint32_t>(call.count()) - 1,
                     NativeCall::Passing::kWithTrue);
}

NativeResult CloseFromHost(NativeCall& call) {
  if (!call.CheckType(1, vm::LuaType::kThread)) return call.Failed();
  vm::Coroutine* co = vm::AsCoroutine(call.arg(1));
  if (co->in_chain()) return call.ReturnIf(call.Error("cannot close a running coroutine"));
  Value error;
  if (vm::CloseCoroutine(call.state(), co, &error)) return call.Return(0);
  return call.ReturnIf(call.state().Throw(error));
}

}  // namespace

Result<Any> Vm::NewCoroutine(const Any& function) {
  Work work(*core_, 1);
  if (!work.ok()) return core_->TakeError();
  vm::State& state = core_->state();
  if (!vm::IsFunction(core_->ValueOf(function))) {
    return Error{.message = vm::Concat("function expected, got ", function.type_name())};
  }
  vm::Coroutine* co = vm::NewCoroutine(state);
  if (co == nullptr || !vm::EnsureStack(co, co->top + 1)) {
    (void)state.MemoryError();
    return core_->TakeError();
  }
  state.mutator().Log(co);  // K2, for the store below
  co->stack[co->top++] = core_->ValueOf(function).word();
  return core_->Wrap(Value::FromObject(co));
}

Result<std::vector<Any>> Any::ResumeSpan(std::span<const Input> arguments) const {
  if (core_ == nullptr) return Error{.message = "coroutine expected, got nil"};
  Work work(*core_, arguments.size() + 3);
  vm::State& state = core_->state();
  std::vector<Input> inputs = {*this};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  uint32_t first = 0;
  if (!work.ok() || !core_->RunNative(ResumeFromHost, inputs, &first)) return core_->TakeError();
  if (!state.at(first).is_true()) {
    const Value coroutine = core_->ValueOf(*this);
    core_->NoteTraceback(vm::AsCoroutine(coroutine), 0);
    return core_->MakeError(state.at(first + 1), state.caught_kind());
  }
  std::vector<Any> values;
  for (uint32_t i = first + 1; i < state.running()->frame().top; ++i) {
    values.push_back(core_->Wrap(state.at(i)));
  }
  return values;
}

CoroutineStatus Any::status() const {
  if (kind() != Kind::kCoroutine) return CoroutineStatus::kDead;
  switch (vm::AsCoroutine(core_->ValueOf(*this))->status) {
    case vm::CoroutineStatus::kSuspended:
      return CoroutineStatus::kSuspended;
    case vm::CoroutineStatus::kRunning:
      return CoroutineStatus::kRunning;
    case vm::CoroutineStatus::kNormal:
      return CoroutineStatus::kNormal;
    default:
      return CoroutineStatus::kDead;
  }
}

Result<void> Any::Close() const {
  if (core_ == nullptr) return Error{.message = "coroutine expected, got nil"};
  Work work(*core_, 3);
  const Input inputs[] = {*this};
  uint32_t first = 0;
  if (!work.ok() || !core_->RunNative(CloseFromHost, inputs, &first)) return core_->TakeError();
  return {};
}

}  // namespace neap::lua
