// SPDX-License-Identifier: MIT
//
// debug on values: upvalues, metatables of any type, user values.
//
// Upvalues move; their ids are the numbers that the heap gives to objects, as light userdata. The
// values of native closures have no object of their own: the closure's number and theirs, in the
// half of the numbers that objects never reach.
#include <string>

#include "interpreter/debug_info.h"
#include "library/debug_parts.h"

namespace neap::vm {
namespace {

constexpr uint64_t kNativeIdBit = uint64_t{1} << 63;
constexpr int kNativeIdShift = 8;  // a closure has at most 255 values

int UpvalueCount(Value function) {
  if (IsNativeClosure(function)) {
    return static_cast<NativeClosure*>(function.object())->value_count();
  }
  return static_cast<LuaClosure*>(function.object())->upvalue_count();
}

bool HasUpvalue(Value function, int64_t n) { return n >= 1 && n <= UpvalueCount(function); }

LuaClosure* AsLuaClosure(Value function) { return static_cast<LuaClosure*>(function.object()); }

std::string UpvalueName(Value function, int64_t n) {
  if (IsNativeClosure(function)) return "";
  const auto& upvalues = AsLuaClosure(function)->prototype->code->unit->upvalues;
  const auto i = static_cast<size_t>(n - 1);
  return i < upvalues.size() && !upvalues[i].name.empty() ? upvalues[i].name : "(no name)";
}

Value ReadUpvalueOf(Value function, int64_t n) {
  const auto i = static_cast<int>(n - 1);
  if (IsLuaClosure(function)) {
    return Value::FromWord(ReadUpvalue(AsLuaClosure(function)->upvalue(i)));
  }
  auto* closure = static_cast<NativeClosure*>(function.object());
  return Value::FromWord(gc::LoadSlot(closure->values() + i));
}

void WriteUpvalueOf(State& state, Value function, int64_t n, Value v) {
  const auto i = static_cast<int>(n - 1);
  if (IsLuaClosure(function)) {
    WriteUpvalue(state, AsLuaClosure(function)->upvalue(i), v.word());
    return;
  }
  auto* closure = static_cast<NativeClosure*>(function.object());
  state.mutator().Store(closure, closure->values() + i, v.word());
}

uint64_t UpvalueId(State& state, Value function, int64_t n) {
  if (IsLuaClosure(function)) {
    return state.mutator().Identity(AsLuaClosure(function)->upvalue(static_cast<int>(n - 1)));
  }
  const uint64_t identity = state.mutator().Identity(function.object());
  return kNativeIdBit | (identity << kNativeIdShift) | static_cast<uint64_t>(n - 1);
}

bool CheckUpvalue(NativeCall& call, int function, int64_t* n) {
  return call.CheckInteger(function + 1, n) && call.CheckFunction(function);
}

// The upvalue must exist, and be of a Lua function.
bool CheckJoined(NativeCall& call, int function, int64_t* n) {
  if (!CheckUpvalue(call, function, n)) return false;
  if (HasUpvalue(call.arg(function), *n)) return true;
  return call.ArgumentError(function + 1, "invalid upvalue index");
}

bool CheckLuaFunction(NativeCall& call, int i) {
  return IsLuaClosure(call.arg(i)) || call.ArgumentError(i, "Lua function expected");
}

// False: no memory.
bool ChangeMetatable(State& state, Value v, Table* metatable) {
  if (IsTable(v)) return SetMetatable(state.objects(), AsTable(v), metatable);
  if (IsUserdata(v)) {
    Userdata* userdata = AsUserdata(v);
    state.mutator().Store(userdata, userdata->metatable.slot(), metatable);
    return true;
  }
  state.set_type_metatable(TypeOf(v), metatable);
  return true;
}

// The slot of user value `n`; null: there is none.
Word* UserValueSlot(Value userdata, int64_t n) {
  auto* values = static_cast<gc::SlotArray*>(gc::ToObject(AsUserdata(userdata)->user_values));
  if (values == nullptr || n < 1 || static_cast<uint64_t>(n) > values->length) return nullptr;
  return &values->slots()[n - 1];
}

}  // namespace

NativeResult DebugGetMetatable(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  Table* metatable = call.state().MetatableOf(call.arg(1));
  return call.ReturnValue(metatable == nullptr ? Value::Nil() : Value::FromObject(metatable));
}

NativeResult DebugSetMetatable(NativeCall& call) {
  State& state = call.state();
  const bool is_metatable = IsTable(call.arg(2)) || (call.has(2) && call.arg(2).is_nil());
  if (!is_metatable) return call.ReturnIf(call.TypeError(2, "nil or table"));
  Table* metatable = call.arg(2).is_nil() ? nullptr : AsTable(call.arg(2));
  if (!ChangeMetatable(state, call.arg(1), metatable)) return call.ReturnIf(state.MemoryError());
  const bool has_finalizer =
      !call.arg(2).is_nil() && !state.MetamethodOf(AsTable(call.arg(2)), Event::kGc).is_nil();
  if (has_finalizer && (IsTable(call.arg(1)) || IsUserdata(call.arg(1)))) {
    state.RegisterFinalizer(call.arg(1).object());
  }
  return call.ReturnValue(call.arg(1));
}

NativeResult DebugGetUpvalue(NativeCall& call) {
  int64_t n = 0;
  if (!CheckUpvalue(call, 1, &n)) return call.Failed();
  if (!HasUpvalue(call.arg(1), n)) return call.Return(0);
  if (!call.PushString(UpvalueName(call.arg(1), n))) return call.Failed();
  call.Push(ReadUpvalueOf(call.arg(1), n));
  return call.Return(2);
}

NativeResult DebugSetUpvalue(NativeCall& call) {
  int64_t n = 0;
  if (!call.CheckAny(3) || !CheckUpvalue(call, 1, &n)) return call.Failed();
  if (!HasUpvalue(call.arg(1), n)) return call.Return(0);
  WriteUpvalueOf(call.state(), call.arg(1), n, call.arg(3));
  return call.ReturnIf(call.PushString(UpvalueName(call.arg(1), n)));
}

NativeResult DebugUpvalueId(NativeCall& call) {
  int64_t n = 0;
  if (!CheckUpvalue(call, 1, &n)) return call.Failed();
  if (!HasUpvalue(call.arg(1), n)) return call.ReturnValue(Value::Nil());
  const uint64_t id = UpvalueId(call.state(), call.arg(1), n);
  const Value v = call.objects().NewLightUserdata(reinterpret_cast<void*>(id));
  if (v.is_nil()) return call.ReturnIf(call.state().MemoryError());
  return call.ReturnValue(v);
}

NativeResult DebugUpvalueJoin(NativeCall& call) {
  int64_t n1 = 0;
  int64_t n2 = 0;
  if (!CheckJoined(call, 1, &n1) || !CheckJoined(call, 3, &n2) || !CheckLuaFunction(call, 1) ||
      !CheckLuaFunction(call, 3)) {
    return call.Failed();
  }
  LuaClosure* closure = AsLuaClosure(call.arg(1));
  Upvalue* upvalue = AsLuaClosure(call.arg(3))->upvalue(static_cast<int>(n2 - 1));
  call.mutator().Store(closure, closure->upvalues() + (n1 - 1), upvalue);
  return call.Return(0);
}

NativeResult DebugGetUserValue(NativeCall& call) {
  int64_t n = 1;
  if (!call.OptInteger(2, &n)) return call.Failed();
  const Word* slot = IsUserdata(call.arg(1)) ? UserValueSlot(call.arg(1), n) : nullptr;
  if (slot == nullptr) return call.ReturnValue(Value::Nil());
  call.Push(Value::FromWord(gc::LoadSlot(slot)));
  call.PushBoolean(true);
  return call.Return(2);
}

NativeResult DebugSetUserValue(NativeCall& call) {
  int64_t n = 1;
  if (!call.OptInteger(3, &n) || !call.CheckType(1, LuaType::kUserdata) || !call.CheckAny(2)) {
    return call.Failed();
  }
  if (UserValueSlot(call.arg(1), n) == nullptr) return call.ReturnValue(Value::Nil());
  auto* values = static_cast<gc::SlotArray*>(gc::ToObject(AsUserdata(call.arg(1))->user_values));
  call.mutator().Store(values, static_cast<uint64_t>(n - 1), call.arg(2).word());
  return call.ReturnValue(call.arg(1));
}

}  // namespace neap::vm
