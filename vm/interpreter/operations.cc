// SPDX-License-Identifier: MIT
#include "interpreter/operations.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"
#include "interpreter/runtime_errors.h"
#include "objects/equality.h"
#include "text/arithmetic.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

bool IsBitwise(Op op) { return op >= Op::kBitAnd && op <= Op::kShiftRight; }

Computed Failed(State& s, std::string_view message) {
  s.RuntimeError(message);
  return Computed::kFailed;
}

Computed Integer(State& s, int64_t i, Value* result) {
  *result = s.objects().NewInteger(i);
  if (!result->is_nil()) return Computed::kYes;
  s.MemoryError();
  return Computed::kFailed;
}

Computed Double(double d, Value* result) {
  *result = Value::Double(d);
  return Computed::kYes;
}

uint64_t Unsigned(int64_t i) { return static_cast<uint64_t>(i); }

Computed OfIntegers(State& s, Op op, int64_t a, int64_t b, Value* result) {
  uint64_t bits = 0;
  switch (op) {
    case Op::kAdd:
      bits = Unsigned(a) + Unsigned(b);
      break;
    case Op::kSubtract:
      bits = Unsigned(a) - Unsigned(b);
      break;
    case Op::kMultiply:
      bits = Unsigned(a) * Unsigned(b);
      break;
    case Op::kBitAnd:
      bits = Unsigned(a & b);
      break;
    case Op::kBitOr:
      bits = Unsigned(a | b);
      break;
    case Op::kBitXor:
      bits = Unsigned(a ^ b);
      break;
    case Op::kShiftLeft:
      bits = Unsigned(ShiftLeft(a, b));
      break;
    case Op::kShiftRight:
      bits = Unsigned(ShiftRight(a, b));
      break;
    case Op::kModulo:
      if (b == 0) return Failed(s, "attempt to perform 'n%0'");
      bits = Unsigned(FloorModulo(a, b));
      break;
    case Op::kIntegerDivide:
      if (b == 0) return Failed(s, "attempt to divide by zero");
      bits = Unsigned(FloorDivide(a, b));
      break;
    case Op::kPower:
      return Double(Power(static_cast<double>(a), static_cast<double>(b)), result);
    default:
      return Double(static_cast<double>(a) / static_cast<double>(b), result);
  }
  return Integer(s, static_cast<int64_t>(bits), result);
}

Computed OfDoubles(Op op, double a, double b, Value* result) {
  switch (op) {
    case Op::kAdd:
      return Double(a + b, result);
    case Op::kSubtract:
      return Double(a - b, result);
    case Op::kMultiply:
      return Double(a * b, result);
    case Op::kModulo:
      return Double(FloorModulo(a, b), result);
    case Op::kIntegerDivide:
      return Double(FloorDivide(a, b), result);
    case Op::kPower:
      return Double(Power(a, b), result);
    default:
      return Double(a / b, result);
  }
}

// No string: those have metamethods for arithmetic, and none for bits.
std::optional<Number> NumberFrom(Value v) {
  if (v.is_double()) return Number(v.as_double());
  if (IsInteger(v)) return Number(IntegerOf(v));
  return std::nullopt;
}

std::optional<int64_t> BitsOf(const Number& n) {
  if (const auto* i = std::get_if<int64_t>(&n)) return *i;
  return FloatToInteger(std::get<double>(n), Rounding::kExact);
}

}  // namespace

// --- Computing -----------------------------------------------------------------------------------

Computed RawArithmetic(State& s, Op op, Value a, Value b, Value* result) {
  if (IsInteger(a) && IsInteger(b)) [[likely]]
    return OfIntegers(s, op, IntegerOf(a), IntegerOf(b), result);
  if (IsBitwise(op)) {
    const auto x = NumberFrom(a), y = NumberFrom(b);
    if (!x || !y) return Computed::kNo;
    const auto i = BitsOf(*x), j = BitsOf(*y);
    if (!i || !j) return Computed::kNo;
    return OfIntegers(s, op, *i, *j, result);
  }
  if (!IsNumber(a) || !IsNumber(b)) return Computed::kNo;
  return OfDoubles(op, NumberOf(a), NumberOf(b), result);
}

Computed RawUnary(State& s, Op op, Value a, Value* result) {
  if (op == Op::kNegate) {
    if (IsInteger(a)) return Integer(s, static_cast<int64_t>(0 - Unsigned(IntegerOf(a))), result);
    return a.is_double() ? Double(-a.as_double(), result) : Computed::kNo;
  }
  const auto n = NumberFrom(a);
  const auto bits = n ? BitsOf(*n) : std::nullopt;
  return bits ? Integer(s, ~*bits, result) : Computed::kNo;
}

Computed RawLess(Value a, Value b, bool* result) {
  if (IsString(a) && IsString(b)) {
    *result = StringCompare(AsString(a), AsString(b)) < 0;
    return Computed::kYes;
  }
  const auto x = NumberFrom(a), y = NumberFrom(b);
  if (!x || !y) return Computed::kNo;
  *result = NumberLess(*x, *y);
  return Computed::kYes;
}

Computed RawLessEqual(Value a, Value b, bool* result) {
  if (IsString(a) && IsString(b)) {
    *result = StringCompare(AsString(a), AsString(b)) <= 0;
    return Computed::kYes;
  }
  const auto x = NumberFrom(a), y = NumberFrom(b);
  if (!x || !y) return Computed::kNo;
  *result = NumberLessEqual(*x, *y);
  return Computed::kYes;
}

// --- With metamethods ----------------------------------------------------------------------------

Value BinaryMetamethod(State& s, Event event, Value a, Value b) {
  const Value first = s.MetamethodOf(a, event);
  return first.is_nil() ? s.MetamethodOf(b, event) : first;
}

Step Arithmetic(State& s, Op op, Value a, Value b, int register_a, int register_b, Word* result) {
  Value value;
  *result = 0;
  // The operands are in registers or constants: they survive the making of a box.
  switch (RawArithmetic(s, op, a, b, &value)) {
    case Computed::kYes:
      *result = value.word();
      return Step::kDone;
    case Computed::kFailed:
      return Step::kError;
    case Computed::kNo:
      break;
  }
  const Value metamethod = BinaryMetamethod(s, EventOf(op), a, b);
  if (!metamethod.is_nil()) return Interpreter::CallMetamethod(s, metamethod, a, b);
  ArithmeticError(s, EventOf(op), a, b, register_a, register_b);
  return Step::kError;
}

Step Unary(State& s, Op op, Value a, int register_a) {
  Value value;
  switch (RawUnary(s, op, a, &value)) {
    case Computed::kYes:
      return Interpreter::FinishInstruction(s, value);
    case Computed::kFailed:
      return Step::kError;
    case Computed::kNo:
      break;
  }
  const Event event = op == Op::kNegate ? Event::kNegate : Event::kBitNot;
  const Value metamethod = s.MetamethodOf(a, event);
  if (!metamethod.is_nil()) return Interpreter::CallMetamethod(s, metamethod, a, a);
  ArithmeticError(s, event, a, a, register_a, register_a);
  return Step::kError;
}

Step Compare(State& s, Event event, Value a, Value b, Outcome* outcome) {
  bool result = false;
  const Computed computed =
      event == Event::kLess ? RawLess(a, b, &result) : RawLessEqual(a, b, &result);
  if (computed == Computed::kYes) {
    *outcome = result ? Outcome::kTrue : Outcome::kFalse;
    return Step::kDone;
  }
  *outcome = Outcome::kFinished;
  const Value metamethod = BinaryMetamethod(s, event, a, b);
  if (!metamethod.is_nil()) return Interpreter::CallMetamethod(s, metamethod, a, b);
  CompareError(s, a, b);
  return Step::kError;
}

Step EqualValues(State& s, Value a, Value b, Outcome* outcome) {
  *outcome = RawEqual(a, b) ? Outcome::kTrue : Outcome::kFalse;
  if (*outcome == Outcome::kTrue) return Step::kDone;
  const bool may_differ = (IsTable(a) && IsTable(b)) || (IsUserdata(a) && IsUserdata(b));
  if (!may_differ) return Step::kDone;
  const Value metamethod = BinaryMetamethod(s, Event::kEqual, a, b);
  if (metamethod.is_nil()) return Step::kDone;
  *outcome = Outcome::kFinished;
  return Interpreter::CallMetamethod(s, metamethod, a, b);
}

Step Length(State& s, Value v, int register_index) {
  if (IsString(v)) {
    const auto length = static_cast<int64_t>(AsString(v)->length);
    return Interpreter::FinishInstruction(s, Value::InlineInteger(length));
  }
  const Value metamethod = s.MetamethodOf(v, Event::kLength);
  if (!metamethod.is_nil()) return Interpreter::CallMetamethod(s, metamethod, v, v);
  if (IsTable(v)) {
    const int64_t border = Border(s.objects(), AsTable(v));
    return Interpreter::FinishInstruction(s, Value::InlineInteger(border));
  }
  TypeErrorOf(s, v, "get length of", register_index);
  return Step::kError;
}

// --- Concatenation -------------------------------------------------------------------------------

namespace {

bool IsText(Value v) { return IsString(v) || IsNumber(v); }

// The bytes of an operand; a number's text is written to `buffer`.
std::string_view TextPiece(Value v, std::string* buffer) {
  if (IsString(v)) return AsString(v)->view();
  *buffer = State::TextOf(v);
  return *buffer;
}

// Joins `count` strings and numbers that stand at stack index `first`; the result replaces the
// first. The frame's top is behind them.
bool Join(State& s, uint32_t first, uint32_t count) {
  std::string number;
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Value v = s.at(first + i);
    total += TextPiece(v, &number).size();
    if (total > kMaxStringBytes) return s.RuntimeError("string length overflow");
  }
  String* joined = s.objects().NewStringOf(total);
  if (joined == nullptr) return s.MemoryError();
  char* to = joined->data();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string_view piece = TextPiece(s.at(first + i), &number);
    std::copy(piece.begin(), piece.end(), to);
    to += piece.size();
  }
  s.running()->stack[first] = gc::ToWord(joined);
  return true;
}

}  // namespace

Step Concat(State& s, uint32_t first, uint32_t count) {
  Coroutine* co = s.running();
  Frame& frame = co->frame();
  uint32_t left = frame.saved_count != 0 ? frame.saved_count : count;
  frame.saved_count = 0;
  const uint32_t at = frame.base + first;
  while (left > 1) {
    const Value a = s.at(at + left - 2), b = s.at(at + left - 1);
    if (!IsText(a) || !IsText(b)) {
      const Value metamethod = BinaryMetamethod(s, Event::kConcat, a, b);
      if (metamethod.is_nil()) {
        ConcatError(s, a, b, static_cast<int>(first + left - 2),
                    static_cast<int>(first + left - 1));
        return Step::kError;
      }
      frame.saved_count = left;
      return Interpreter::CallMetamethod(s, metamethod, a, b);
    }
    uint32_t run = 2;
    while (run < left && IsText(s.at(at + left - run - 1))) ++run;
    frame.top = at + left;
    const bool ok = Join(s, at + left - run, run);
    co->frame().top = co->frame().base + co->frame().code->registers;
    if (!ok) return Step::kError;
    left -= run - 1;
  }
  return Step::kDone;
}

// --- Tables --------------------------------------------------------------------------------------

namespace {
constexpr int kMaxChain = 2000;  // of __index or __newindex, as the reference implementation
}  // namespace

Lookup FindIndex(State& s, Value object, Value key) {
  for (int i = 0; i < kMaxChain; ++i) {
    Value metamethod;
    if (IsTable(object)) {
      const Value value = RawGet(s.objects(), AsTable(object), key);
      Table* metatable = AsTable(object)->metatable();
      if (!value.is_nil() || metatable == nullptr) return {Lookup::kValue, value, object};
      metamethod = s.MetamethodOf(metatable, Event::kIndex);
      if (metamethod.is_nil()) return {Lookup::kValue, Value::Nil(), object};
    } else {
      metamethod = s.MetamethodOf(object, Event::kIndex);
      if (metamethod.is_nil()) return {Lookup::kFail, Value::Nil(), object};
    }
    if (IsFunction(metamethod)) return {Lookup::kCall, metamethod, object};
    object = metamethod;
  }
  return {Lookup::kLoop, Value::Nil(), object};
}

Lookup FindStore(State& s, Value object, Value key) {
  for (int i = 0; i < kMaxChain; ++i) {
    Value metamethod;
    if (IsTable(object)) {
      Table* metatable = AsTable(object)->metatable();
      if (metatable == nullptr) return {Lookup::kValue, Value::Nil(), object};
      metamethod = s.MetamethodOf(metatable, Event::kNewIndex);
      if (metamethod.is_nil() || !RawGet(s.objects(), AsTable(object), key).is_nil()) {
        return {Lookup::kValue, Value::Nil(), object};
      }
    } else {
      metamethod = s.MetamethodOf(object, Event::kNewIndex);
      if (metamethod.is_nil()) return {Lookup::kFail, Value::Nil(), object};
    }
    if (IsFunction(metamethod)) return {Lookup::kCall, metamethod, object};
    object = metamethod;
  }
  return {Lookup::kLoop, Value::Nil(), object};
}

bool CheckKey(State& s, Value key) {
  if (key.is_nil()) return s.RuntimeError("table index is nil");
  if (key.is_double() && key.as_double() != key.as_double()) {
    return s.RuntimeError("table index is NaN");
  }
  return true;
}

Step Index(State& s, Value object, Value key, int object_register) {
  const Lookup found = FindIndex(s, object, key);
  switch (found.kind) {
    case Lookup::kValue:
      return Interpreter::FinishInstruction(s, found.value);
    case Lookup::kCall:
      return Interpreter::CallMetamethod(s, found.value, found.holder, key);
    case Lookup::kFail:
      IndexError(s, found.holder, found.holder == object ? object_register : -1);
      return Step::kError;
    case Lookup::kLoop:
      s.RuntimeError("'__index' chain too long; possibly a loop");
      return Step::kError;
  }
  return Step::kError;
}

Step Store(State& s, Value object, Value key, Value value, int object_register) {
  const Lookup found = FindStore(s, object, key);
  switch (found.kind) {
    case Lookup::kValue:
      if (!CheckKey(s, key)) return Step::kError;
      if (RawSet(s.objects(), AsTable(found.holder), key, value)) return Step::kDone;
      s.MemoryError();
      return Step::kError;
    case Lookup::kCall:
      return Interpreter::CallMetamethod(s, found.value, found.holder, key, value);
    case Lookup::kFail:
      IndexError(s, found.holder, found.holder == object ? object_register : -1);
      return Step::kError;
    case Lookup::kLoop:
      s.RuntimeError("'__newindex' chain too long; possibly a loop");
      return Step::kError;
  }
  return Step::kError;
}

}  // namespace neap::vm
