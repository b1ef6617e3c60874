// SPDX-License-Identifier: MIT
#include "interpreter/native_call.h"

#include <cstring>

#include "interpreter/debug_info.h"
#include "text/concat.h"

namespace neap::vm {

// --- Arguments -----------------------------------------------------------------------------------

void NativeCall::SetCount(int count) {
  Frame& f = frame();
  const auto wanted = static_cast<uint32_t>(count);
  for (uint32_t i = f.saved_count; i < wanted; ++i) Push(Value::Nil());
  f.top = f.base + wanted;
  f.saved_count = wanted;
}

namespace {

NativeClosure* RunningClosure(State& state) {
  return static_cast<NativeClosure*>(state.at(state.running()->frame().function).object());
}

}  // namespace

void NativeCall::set_upvalue(int i, Value v) {
  NativeClosure* closure = RunningClosure(state_);
  state_.mutator().Store(closure, closure->values() + (i - 1), v.word());
}

// --- Errors --------------------------------------------------------------------------------------

bool NativeCall::ArgumentError(int i, std::string_view message) {
  return state_.ErrorAt(1, ArgumentErrorText(state_, i, message));
}

bool NativeCall::TypeError(int i, std::string_view expected) {
  std::string got;
  if (!has(i)) {
    got = "no value";
  } else if (IsLightUserdata(arg(i))) {
    got = "light userdata";
  } else {
    const Value name = state_.MetamethodOf(arg(i), Event::kName);
    got = IsString(name) ? State::TextOf(name) : TypeName(TypeOf(arg(i)));
  }
  return ArgumentError(i, Concat(expected, " expected, got ", got));
}

bool NativeCall::TextError(const TextStatus& status, int at_hand) {
  if (status.kind() == TextStatus::Kind::kArgument) {
    const int i = status.argument() == TextStatus::kValueAtHand ? at_hand : status.argument();
    return ArgumentError(i, status.message());
  }
  if (status.kind() == TextStatus::Kind::kOutOfWork) return state_.Stop(status.message());
  return Error(status.message());
}

// --- Checks --------------------------------------------------------------------------------------

bool NativeCall::CheckAny(int i) { return has(i) || ArgumentError(i, "value expected"); }

bool NativeCall::CheckInteger(int i, int64_t* value) {
  const Value v = arg(i);
  if (v.is_inline_integer()) [[likely]] {
    *value = v.inline_integer();
    return true;
  }
  if (State::ToInteger(v, value)) return true;
  double d;
  if (State::ToNumber(v, &d)) return ArgumentError(i, "number has no integer representation");
  return TypeError(i, "number");
}

bool NativeCall::CheckNumber(int i, double* value) {
  return State::ToNumber(arg(i), value) || TypeError(i, "number");
}

bool NativeCall::OptInteger(int i, int64_t* value) {
  return is_none_or_nil(i) || CheckInteger(i, value);
}

bool NativeCall::OptNumber(int i, double* value) {
  return is_none_or_nil(i) || CheckNumber(i, value);
}

bool NativeCall::CheckString(int i, String** value) {
  Value v = arg(i);
  if (!IsString(v)) {
    if (!IsNumber(v)) return TypeError(i, "string");
    String* text = objects().NewString(State::TextOf(v));
    if (text == nullptr) return state_.MemoryError();
    v = Value::FromObject(text);
    set_arg(i, v);
  }
  *value = AsString(v);
  return true;
}

bool NativeCall::OptString(int i, String** value) {
  return is_none_or_nil(i) || CheckString(i, value);
}

bool NativeCall::CheckTable(int i) { return IsTable(arg(i)) || TypeError(i, "table"); }

bool NativeCall::CheckFunction(int i) { return IsFunction(arg(i)) || TypeError(i, "function"); }

bool NativeCall::CheckType(int i, LuaType type) {
  return (has(i) && TypeOf(arg(i)) == type) || TypeError(i, TypeName(type));
}

bool NativeCall::CheckUserdata(int i, const void* tag, const char* type_name, void** payload) {
  const Value v = arg(i);
  if (!IsUserdata(v) || AsUserdata(v)->tag != reinterpret_cast<uint64_t>(tag)) {
    return TypeError(i, type_name);
  }
  *payload = AsUserdata(v)->payload();
  return true;
}

bool NativeCall::CheckOption(int i, const char* otherwise, const char* const* names, int* index) {
  std::string text;
  if (otherwise != nullptr && is_none_or_nil(i)) {
    text = otherwise;
  } else {
    String* string = nullptr;
    if (!CheckString(i, &string)) return false;
    text = string->view();
  }
  for (int k = 0; names[k] != nullptr; ++k) {
    if (text != names[k]) continue;
    *index = k;
    return true;
  }
  return ArgumentError(i, Concat("invalid option '", text, "'"));
}

// --- Pushing -------------------------------------------------------------------------------------

bool NativeCall::PushString(std::string_view text) {
  String* string = objects().NewString(text);
  if (string == nullptr) return state_.MemoryError();
  Push(Value::FromObject(string));
  return true;
}

bool NativeCall::PushInteger(int64_t i) {
  const Value v = objects().NewInteger(i);
  if (v.is_nil()) return state_.MemoryError();
  Push(v);
  return true;
}

NativeResult NativeCall::ReturnFailure(std::string_view message, int64_t code) {
  PushNil();
  if (!PushString(message) || !PushInteger(code)) return Failed();
  return Return(3);
}

NativeResult NativeCall::CallThen(uint32_t arguments, int32_t wanted, uint32_t then) {
  call_arguments = arguments;
  call_wanted = wanted;
  frame().state = then;
  return NativeResult::kCall;
}

// --- Making --------------------------------------------------------------------------------------

NativeClosure* NewNativeClosure(State& state, NativeFunction function, int values) {
  if (values > kCommonUpvalues) RegisterNativeClosureType(values);
  auto* closure = static_cast<NativeClosure*>(
      state.mutator().TryAllocate(static_cast<gc::TypeId>(kNativeClosureType + values)));
  if (closure != nullptr) closure->function = function;
  return closure;
}

bool SetFunctions(State& state, const NativeEntry* entries) {
  for (; entries->name != nullptr; ++entries) {
    NativeClosure* closure = NewNativeClosure(state, entries->function);
    if (closure == nullptr) return state.MemoryError();
    state.Push(Value::FromObject(closure));
    if (!SetFieldFromTop(state, entries->name)) return false;
  }
  return true;
}

bool SetFieldFromTop(State& state, std::string_view name) {
  String* key = state.objects().NewAtom(name);
  if (key == nullptr) return state.MemoryError();
  const bool ok = RawSet(state.objects(), AsTable(state.FromTop(2)), Value::FromObject(key),
                         state.FromTop(1), KeyOrigin::kConstant);
  state.Pop(1);
  return ok || state.MemoryError();
}

}  // namespace neap::vm
