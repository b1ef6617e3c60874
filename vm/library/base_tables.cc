// SPDX-License-Identifier: MIT
//
// The base library on tables: raw access, metatables, traversal.
//
// `pairs` and `ipairs` run once a loop, `next` and the step of `ipairs` once a round: none of them
// allocates for a plain table, and each looks at the array part first.
#include "library/base_iterators.h"
#include "library/base_parts.h"
#include "objects/equality.h"

namespace neap::vm {
namespace {

constexpr uint32_t kAfterMetamethod = 1;

bool CheckKey(NativeCall& call, Value key) {
  if (key.is_nil()) return call.state().RuntimeError("table index is nil");
  if (key.is_double() && key.as_double() != key.as_double()) {
    return call.state().RuntimeError("table index is NaN");
  }
  return true;
}

}  // namespace

NativeResult BaseGetMetatable(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  Table* metatable = call.state().MetatableOf(call.arg(1));
  if (metatable == nullptr) return call.ReturnValue(Value::Nil());
  const Value shown = call.state().MetamethodOf(metatable, Event::kMetatable);
  return call.ReturnValue(shown.is_nil() ? Value::FromObject(metatable) : shown);
}

NativeResult BaseSetMetatable(NativeCall& call) {
  State& state = call.state();
  if (!call.CheckTable(1)) return call.Failed();
  const bool is_metatable = IsTable(call.arg(2)) || (call.has(2) && call.arg(2).is_nil());
  if (!is_metatable) return call.ReturnIf(call.TypeError(2, "nil or table"));
  if (!state.MetamethodOf(call.arg(1), Event::kMetatable).is_nil()) {
    return call.ReturnIf(call.Error("cannot change a protected metatable"));
  }
  Table* metatable = call.arg(2).is_nil() ? nullptr : AsTable(call.arg(2));
  if (!SetMetatable(call.objects(), AsTable(call.arg(1)), metatable)) {
    return call.ReturnIf(state.MemoryError());
  }
  if (!call.arg(2).is_nil() && !state.MetamethodOf(AsTable(call.arg(2)), Event::kGc).is_nil()) {
    state.RegisterFinalizer(call.arg(1).object());
  }
  return call.ReturnValue(call.arg(1));
}

NativeResult BaseRawEqual(NativeCall& call) {
  if (!call.CheckAny(1) || !call.CheckAny(2)) return call.Failed();
  return call.ReturnValue(Value::Boolean(RawEqual(call.arg(1), call.arg(2))));
}

NativeResult BaseRawGet(NativeCall& call) {
  if (!call.CheckTable(1) || !call.CheckAny(2)) return call.Failed();
  return call.ReturnValue(RawGet(call.objects(), AsTable(call.arg(1)), call.arg(2)));
}

NativeResult BaseRawLen(NativeCall& call) {
  const Value v = call.arg(1);
  if (IsTable(v)) return call.ReturnIf(call.PushInteger(Border(call.objects(), AsTable(v))));
  if (!IsString(v)) return call.ReturnIf(call.TypeError(1, "table or string"));
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(AsString(v)->length)));
}

NativeResult BaseRawSet(NativeCall& call) {
  if (!call.CheckTable(1) || !call.CheckAny(2) || !call.CheckAny(3)) return call.Failed();
  if (!CheckKey(call, call.arg(2))) return call.Failed();
  if (!RawSet(call.objects(), AsTable(call.arg(1)), call.arg(2), call.arg(3))) {
    return call.ReturnIf(call.state().MemoryError());
  }
  return call.ReturnValue(call.arg(1));
}

NativeResult BaseNext(NativeCall& call) {
  if (!call.CheckTable(1)) return call.Failed();
  Value key = call.arg(2);
  Value value;
  switch (Next(call.objects(), AsTable(call.arg(1)), &key, &value)) {
    case NextResult::kFound:
      call.Push(key);
      call.Push(value);
      return call.Return(2);
    case NextResult::kEnd:
      return call.ReturnValue(Value::Nil());
    case NextResult::kInvalid:
      break;
  }
  return call.ReturnIf(call.state().RuntimeError("invalid key to 'next'"));
}

NativeResult BasePairs(NativeCall& call) {
  if (call.entry_state() == kAfterMetamethod) return call.Return(3);
  if (!call.CheckAny(1)) return call.Failed();
  const Value metamethod = call.state().MetamethodOf(call.arg(1), Event::kPairs);
  if (!metamethod.is_nil()) {
    call.Push(metamethod);
    call.Push(call.arg(1));
    return call.CallThen(1, 3, kAfterMetamethod);
  }
  call.Push(call.upvalue(1));
  call.Push(call.arg(1));
  call.PushNil();
  return call.Return(3);
}

NativeResult BaseIpairs(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  call.Push(call.upvalue(1));
  call.Push(call.arg(1));
  call.Push(Value::InlineInteger(0));
  return call.Return(3);
}

NativeResult BaseIpairsStep(NativeCall& call) {
  int64_t i = 0;
  if (!call.CheckInteger(2, &i)) return call.Failed();
  i = static_cast<int64_t>(static_cast<uint64_t>(i) + 1);  // wraps around
  if (IsTable(call.arg(1)) && Value::FitsInline(i)) {
    const Value element = RawGetInteger(call.objects(), AsTable(call.arg(1)), i);
    if (!element.is_nil()) {
      call.Push(Value::InlineInteger(i));
      call.Push(element);
      return call.Return(2);
    }
  }
  if (!call.PushInteger(i)) return call.Failed();
  if (!call.state().PushIndex(call.arg(1), call.top())) return call.Failed();
  return call.Return(call.top().is_nil() ? 1 : 2);
}

}  // namespace neap::vm
