// SPDX-License-Identifier: MIT
//
// table_additions.h. Both work on the table itself, without metamethods.
#include "library/table_additions.h"

namespace neap::vm {
namespace {

constexpr uint64_t kEntriesPerStep = 16;

NativeResult TableClear(NativeCall& call) {
  if (!call.CheckTable(1)) return call.Failed();
  Table* table = AsTable(call.arg(1));
  const ArrayPart* array = table->array.get();
  const uint64_t elements = array == nullptr ? 0 : array->length;
  Clear(call.objects(), table);
  return call.ReturnIf(call.state().Spend(elements / kEntriesPerStep), 0);
}

// A copy of the entries, with the same metatable; it must not be locked by __metatable.
NativeResult TableClone(NativeCall& call) {
  if (!call.CheckTable(1)) return call.Failed();
  State& state = call.state();
  Objects& objects = call.objects();
  if (!state.MetamethodOf(call.arg(1), Event::kMetatable).is_nil()) {
    return call.ReturnIf(call.ArgumentError(1, "table has a protected metatable"));
  }
  Table* made = objects.NewTable(AsTable(call.arg(1))->inline_fields());
  if (made == nullptr) return call.ReturnIf(state.MemoryError());
  call.Push(Value::FromObject(made));
  call.PushNil();  // the key
  const ArrayPart* array = AsTable(call.arg(1))->array.get();
  if (array != nullptr && !ReserveArray(objects, made, array->length)) {
    return call.ReturnIf(state.MemoryError());
  }
  for (;;) {
    Value key = call.top();
    Value value;
    if (Next(objects, AsTable(call.arg(1)), &key, &value) != NextResult::kFound) break;
    call.Pop();
    call.Push(key);
    if (!RawSet(objects, AsTable(call.top(2)), key, value)) {
      return call.ReturnIf(state.MemoryError());
    }
    if (!state.Spend(1)) return call.Failed();
  }
  call.Pop();
  Table* metatable = AsTable(call.arg(1))->metatable();
  if (metatable == nullptr) return call.Return(1);
  if (!SetMetatable(objects, AsTable(call.top()), metatable)) {
    return call.ReturnIf(state.MemoryError());
  }
  if (!state.MetamethodOf(call.top(), Event::kGc).is_nil()) {
    state.RegisterFinalizer(call.top().object());
  }
  return call.Return(1);
}

}  // namespace

const NativeEntry kTableAdditions[] = {
    {"clear", TableClear},
    {"clone", TableClone},
    {nullptr, nullptr},
};

}  // namespace neap::vm
