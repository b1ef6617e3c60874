// SPDX-License-Identifier: MIT
//
// Operations with metamethods for native code: operands are values, results are pushed. They call
// metamethods by State::Call, so that coroutines cannot yield across them.
#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"
#include "interpreter/operations.h"
#include "interpreter/runtime_errors.h"
#include "interpreter/state.h"
#include "library/base_parts.h"
#include "objects/equality.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
// Calls a metamethod with up to three arguments; its result, if one is wanted, is pushed.
bool State::CallPushed(Value function, Value a, Value b, const Value* c, int wanted) {
  if (!EnsureSlots(4 + kNativeSlots)) return false;
  Push(function);
  Push(a);
  Push(b);
  if (c != nullptr) Push(*c);
  return Call(c != nullptr ? 3 : 2, wanted);
}

bool State::PushIndex(Value object, Value key) {
  const Lookup found = FindIndex(*this, object, key);
  switch (found.kind) {
    case Lookup::kValue:
      Push(found.value);
      return true;
    case Lookup::kCall:
      return CallPushed(found.value, found.holder, key, nullptr, 1);
    case Lookup::kFail:
      return IndexError(*this, found.holder, kNoOperand);
    case Lookup::kLoop:
      return RuntimeError("'__index' chain too long; possibly a loop");
  }
  return false;
}

bool State::PushField(Value object, std::string_view name) {
  Push(object);
  String* key = objects_.NewAtom(name);
  if (key == nullptr) return MemoryError();
  object = FromTop(1);
  Pop(1);
  return PushIndex(object, Value::FromObject(key));
}

bool State::SetIndex(Value object, Value key, Value value) {
  const Lookup found = FindStore(*this, object, key);
  switch (found.kind) {
    case Lookup::kValue:
      if (!CheckKey(*this, key)) return false;
      return RawSet(objects_, AsTable(found.holder), key, value) || MemoryError();
    case Lookup::kCall:
      return CallPushed(found.value, found.holder, key, &value, 0);
    case Lookup::kFail:
      return IndexError(*this, found.holder, kNoOperand);
    case Lookup::kLoop:
      return RuntimeError("'__newindex' chain too long; possibly a loop");
  }
  return false;
}

bool State::PushLength(Value object) {
  if (IsString(object)) {
    Push(Value::InlineInteger(static_cast<int64_t>(AsString(object)->length)));
    return true;
  }
  const Value metamethod = MetamethodOf(object, Event::kLength);
  if (!metamethod.is_nil()) return CallPushed(metamethod, object, object, nullptr, 1);
  if (!IsTable(object)) return TypeErrorOf(*this, object, "get length of", kNoOperand);
  Push(Value::InlineInteger(Border(objects_, AsTable(object))));
  return true;
}

bool State::LengthOf(Value object, int64_t* length) {
  if (!PushLength(object)) return false;
  const bool ok = ToInteger(FromTop(1), length);
  Pop(1);
  return ok || ErrorAt(1, "object length is not an integer");
}

bool State::Equal(Value a, Value b, bool* result) {
  *result = RawEqual(a, b);
  if (*result) return true;
  const bool may_differ = (IsTable(a) && IsTable(b)) || (IsUserdata(a) && IsUserdata(b));
  const Value metamethod = may_differ ? BinaryMetamethod(*this, Event::kEqual, a, b) : Value::Nil();
  if (metamethod.is_nil()) return true;
  if (!CallPushed(metamethod, a, b, nullptr, 1)) return false;
  *result = FromTop(1).is_truthy();
  Pop(1);
  return true;
}

bool State::Less(Value a, Value b, bool* result) {
  if (RawLess(a, b, result) == Computed::kYes) return true;
  const Value metamethod = BinaryMetamethod(*this, Event::kLess, a, b);
  if (metamethod.is_nil()) return CompareError(*this, a, b);
  if (!CallPushed(metamethod, a, b, nullptr, 1)) return false;
  *result = FromTop(1).is_truthy();
  Pop(1);
  return true;
}

bool State::PushArithmetic(Op op, Value a, Value b) {
  const bool unary = op == Op::kNegate || op == Op::kBitNot;
  Value result;
  const Computed computed =
      unary ? RawUnary(*this, op, a, &result) : RawArithmetic(*this, op, a, b, &result);
  if (computed == Computed::kYes) Push(result);
  if (computed != Computed::kNo) return computed == Computed::kYes;
  const Event event = op == Op::kNegate   ? Event::kNegate
                      : op == Op::kBitNot ? Event::kBitNot
                                          : EventOf(op);
  const Value metamethod = BinaryMetamethod(*this, event, a, b);
  if (metamethod.is_nil()) return ArithmeticError(*this, event, a, b, kNoOperand, kNoOperand);
  return CallPushed(metamethod, a, b, nullptr, 1);
}

bool State::PushTostring(Value v) {
  const Value metamethod = MetamethodOf(v, Event::kTostring);
  if (!metamethod.is_nil()) {
    if (!EnsureSlots(2 + kNativeSlots)) return false;
    Push(metamethod);
    Push(v);
    if (!Call(1, 1)) return false;
    v = FromTop(1);
    if (!IsString(v) && !IsNumber(v)) return ErrorAt(1, "'__tostring' must return a string");
    Pop(1);
  }
  if (IsString(v)) {
    Push(v);
    return true;
  }
  std::string text;
  if (IsNumber(v)) {
    text = TextOf(v);
  } else if (v.is_nil()) {
    text = "nil";
  } else if (v.is_boolean()) {
    text = v.is_true() ? "true" : "false";
  } else {
    const Value name = MetamethodOf(v, Event::kName);
    text = IsString(name) ? TextOf(name) : TypeName(TypeOf(v));
    AppendAddress(IdentityOf(v), &text);
  }
  String* string = objects_.NewString(text);
  if (string == nullptr) return MemoryError();
  Push(Value::FromObject(string));
  return true;
}

// As the reference implementation writes addresses: ": 0x" and at least 12 digits.
void State::AppendAddress(uint64_t identity, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  text->append(": 0x");
  for (int shift = 44; shift >= 0; shift -= 4) text->push_back(kDigits[(identity >> shift) & 15]);
}

// --- Protected calls -----------------------------------------------------------------------------

bool State::ProtectedCall(int arguments, int wanted, uint32_t handler, uint16_t flags) {
  Coroutine* co = running_;
  const uint32_t function = co->frame().top - static_cast<uint32_t>(arguments) - 1;
  const bool handled = handler != 0;
  const uint32_t more = handled ? 2 : 1;
  if (!EnsureSlots(more + kNativeSlots)) return false;
  const Value handler_value = handled ? at(handler) : Value::Nil();
  for (uint32_t i = 0; i < more; ++i) Push(Value::Nil());
  const uint32_t top = co->frame().top;
  for (uint32_t i = top - 1; i >= function + more; --i) co->stack[i] = co->stack[i - more];
  co->stack[function] = Value::kNil;
  if (handled) {
    // xpcall(f, handler, ...)
    co->stack[function + 1] = co->stack[function + 2];
    co->stack[function + 2] = handler_value.word();
  }
  NativeClosure* protector = NewNativeClosure(*this, handled ? BaseXpcall : BasePcall);
  if (protector == nullptr) return MemoryError();
  co->stack[function] = gc::ToWord(protector);
  if (!Call(arguments + static_cast<int>(more), -1, flags)) {
    // kStop, or no memory or stack for the call itself. Nobody has unwound: captured variables live
    // on in their closures, those to be closed are forgotten.
    CloseUpvalues(*this, running_, function);
    std::erase_if(running_->to_close, [=](uint32_t index) { return index >= function; });
    Frame& frame = running_->frame();
    frame.top = function;
    Push(error());
    return false;
  }
  const bool ok = at(function).is_true();
  Frame& frame = running_->frame();
  const uint32_t got = frame.top - function - 1;
  const uint32_t kept = !ok ? 1 : wanted < 0 ? got : static_cast<uint32_t>(wanted);
  for (uint32_t i = 0; i < kept; ++i) {
    co->stack[function + i] = i < got ? co->stack[function + 1 + i] : Value::kNil;
  }
  frame.top = function + kept;
  return ok;
}

}  // namespace neap::vm
