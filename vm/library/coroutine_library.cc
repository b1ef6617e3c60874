// SPDX-License-Identifier: MIT
//
// The coroutine library (manual 6.2). The switch itself is the interpreter's: resume and the
// functions that wrap makes leave with NativeResult::kResume, and what the other coroutine yields
// or returns are their results; no C++ frame waits in between, so that coroutines may nest as deep
// as calls. They are entered again for an error only, inside or because it cannot be resumed.
#include "interpreter/coroutine_close.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

bool MakeCoroutine(NativeCall& call) {
  if (!call.CheckFunction(1)) return false;
  Coroutine* co = NewCoroutine(call.state());
  if (co == nullptr) return call.state().MemoryError();
  call.Push(Value::FromObject(co));
  if (!EnsureStack(co, co->top + 1)) return call.state().MemoryError();
  call.mutator().Log(co);  // K2, for the store below
  co->stack[co->top++] = call.arg(1).word();
  return true;
}

NativeResult Create(NativeCall& call) { return call.ReturnIf(MakeCoroutine(call)); }

NativeResult Resume(NativeCall& call) {
  if (call.entry_state() == kNativeErrorState) {
    const Value error = call.top();
    call.PushBoolean(false);
    call.Push(error);
    return call.Return(2);
  }
  if (!call.CheckType(1, LuaType::kThread)) return call.Failed();
  return call.Resume(AsCoroutine(call.arg(1)), static_cast<uint32_t>(call.count()) - 1,
                     NativeCall::Passing::kWithTrue);
}

// The error on top leaves a wrapped coroutine: a failed one is closed, which may change the error,
// and a text says where the caller is.
NativeResult FailWrapped(NativeCall& call) {
  State& state = call.state();
  Coroutine* co = AsCoroutine(call.upvalue(1));
  if (co->status == CoroutineStatus::kFailed) {
    Value error = call.top();
    if (!CloseCoroutine(state, co, &error)) call.Push(error);
  }
  if (state.caught_kind() == ErrorKind::kMemory) return call.ReturnIf(state.MemoryError());
  if (IsString(call.top())) {
    const std::string text(AsString(call.top())->view());
    if (!call.PushString(Concat(state.Where(1), text))) return call.Failed();
  }
  return call.ReturnIf(state.Throw(call.top()));
}

NativeResult Wrapped(NativeCall& call) {
  if (call.entry_state() == kNativeErrorState) return FailWrapped(call);
  return call.Resume(AsCoroutine(call.upvalue(1)), static_cast<uint32_t>(call.count()),
                     NativeCall::Passing::kPlain);
}

NativeResult Wrap(NativeCall& call) {
  return call.ReturnIf(MakeCoroutine(call) && PushClosure(call.state(), Wrapped, 1));
}

NativeResult Yield(NativeCall& call) {
  call.results = static_cast<uint32_t>(call.count());
  return NativeResult::kYield;
}

const char* StatusName(CoroutineStatus status) {
  switch (status) {
    case CoroutineStatus::kSuspended:
      return "suspended";
    case CoroutineStatus::kRunning:
      return "running";
    case CoroutineStatus::kNormal:
      return "normal";
    default:
      return "dead";
  }
}

NativeResult Status(NativeCall& call) {
  if (!call.CheckType(1, LuaType::kThread)) return call.Failed();
  return call.ReturnIf(call.PushString(StatusName(AsCoroutine(call.arg(1))->status)));
}

NativeResult IsYieldable(NativeCall& call) {
  Coroutine* co = call.state().running();
  if (call.has(1)) {
    if (!call.CheckType(1, LuaType::kThread)) return call.Failed();
    co = AsCoroutine(call.arg(1));
  }
  return call.ReturnValue(Value::Boolean(!co->is_main && co->native_depth == 0));
}

NativeResult Running(NativeCall& call) {
  Coroutine* co = call.state().running();
  call.Push(Value::FromObject(co));
  call.PushBoolean(co->is_main);
  return call.Return(2);
}

NativeResult Close(NativeCall& call) {
  if (!call.CheckType(1, LuaType::kThread)) return call.Failed();
  Coroutine* co = AsCoroutine(call.arg(1));
  if (co->in_chain()) {
    return call.ReturnIf(
        call.Error(Concat("cannot close a ", StatusName(co->status), " coroutine")));
  }
  Value error;
  if (CloseCoroutine(call.state(), co, &error)) return call.ReturnValue(Value::Boolean(true));
  if (call.state().error_kind() == ErrorKind::kStop) return call.Failed();
  call.PushBoolean(false);
  call.Push(error);
  return call.Return(2);
}

constexpr NativeEntry kFunctions[] = {
    {"close", Close},   {"create", Create},   {"isyieldable", IsYieldable},
    {"resume", Resume}, {"running", Running}, {"status", Status},
    {"wrap", Wrap},     {"yield", Yield},     {nullptr, nullptr},
};

}  // namespace

bool OpenCoroutine(State& state) { return PushNewTable(state) && SetFunctions(state, kFunctions); }

}  // namespace neap::vm
