// SPDX-License-Identifier: MIT
//
// native_setup.h. Objects that a safepoint may move are read from the stack again after it.
#include "library/native_setup.h"

namespace neap::vm {

bool PushClosure(State& state, NativeFunction function, int values) {
  NativeClosure* closure = NewNativeClosure(state, function, values);
  if (closure == nullptr) return state.MemoryError();
  for (int i = 0; i < values; ++i) {
    const Value v = state.FromTop(static_cast<uint32_t>(values - i));
    state.mutator().Store(closure, closure->values() + i, v.word());
  }
  state.Pop(static_cast<uint32_t>(values));
  state.Push(Value::FromObject(closure));
  return true;
}

bool PushNewTable(State& state) {
  Table* table = state.objects().NewTable();
  if (table == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(table));
  return true;
}

bool PushText(State& state, std::string_view text) { return NativeCall(state).PushString(text); }

bool SetTextField(State& state, std::string_view name, std::string_view text) {
  return PushText(state, text) && SetFieldFromTop(state, name);
}

bool SetIntegerField(State& state, std::string_view name, int64_t i) {
  return NativeCall(state).PushInteger(i) && SetFieldFromTop(state, name);
}

bool SetBooleanField(State& state, std::string_view name, bool b) {
  state.Push(Value::Boolean(b));
  return SetFieldFromTop(state, name);
}

bool PushRegistryTable(State& state, std::string_view name) {
  const Value old = RawField(state, state.registry(), name);
  if (IsTable(old)) {
    state.Push(old);
    return true;
  }
  if (!PushNewTable(state)) return false;
  const Value made = state.FromTop(1);
  state.Push(state.registry_value());
  state.Push(made);
  if (!SetFieldFromTop(state, name)) return false;
  state.Pop(1);
  return true;
}

bool MakeMetatable(State& state, std::string_view type_name, const NativeEntry* methods,
                   const NativeEntry* metamethods) {
  state.Push(state.registry_value());
  if (!PushNewTable(state) || !SetTextField(state, "__name", type_name) || !PushNewTable(state) ||
      !SetFunctions(state, methods) || !SetFieldFromTop(state, "__index") ||
      !SetFunctions(state, metamethods) || !SetFieldFromTop(state, type_name)) {
    return false;
  }
  state.Pop(1);
  return true;
}

Value RawField(State& state, const Table* table, std::string_view name) {
  const String* atom = state.objects().atoms().Find(name);
  if (atom == nullptr) return Value::Nil();  // no table has a key of this text
  return RawGet(state.objects(), table, Value::FromObject(atom));
}

}  // namespace neap::vm
