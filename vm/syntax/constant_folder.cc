// SPDX-License-Identifier: MIT
#include "constant_folder.h"

#include <cmath>
#include <optional>

namespace neap::vm {
namespace {

struct Number {
  bool is_integer = false;
  int64_t integer = 0;
  double real = 0;

  double AsReal() const { return is_integer ? static_cast<double>(integer) : real; }
};

constexpr Number FromInteger(uint64_t bits) {
  return {.is_integer = true, .integer = static_cast<int64_t>(bits)};
}
constexpr Number FromReal(double value) { return {.real = value}; }

std::optional<Number> NumberOf(const Expr& expr) {
  if (expr.kind == ExprKind::kInteger) {
    return Number{.is_integer = true, .integer = As<const Literal>(expr).integer};
  }
  if (expr.kind == ExprKind::kFloat) return FromReal(As<const Literal>(expr).real);
  return std::nullopt;
}

// The integer that the number equals, if there is one: what bitwise operators accept.
std::optional<uint64_t> BitsOf(const Number& number) {
  if (number.is_integer) return static_cast<uint64_t>(number.integer);
  const bool is_in_range = number.real >= -0x1p63 && number.real < 0x1p63;
  if (!is_in_range || std::floor(number.real) != number.real) return std::nullopt;
  return static_cast<uint64_t>(static_cast<int64_t>(number.real));
}

// --- Integers: all wrap around, division rounds down ---------------------------------------------

uint64_t ShiftLeft(uint64_t bits, int64_t count) {
  if (count <= -64 || count >= 64) return 0;
  return count >= 0 ? bits << count : bits >> -count;
}

int64_t DivideDown(int64_t a, int64_t b) {
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));  // no overflow
  const int64_t quotient = a / b;
  const bool is_rounded_up = a % b != 0 && (a % b < 0) != (b < 0);
  return is_rounded_up ? quotient - 1 : quotient;
}

int64_t ModuloDown(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double ModuloDown(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// --- One operation -------------------------------------------------------------------------------

std::optional<Number> Bitwise(BinaryOp op, const Number& a, const Number& b) {
  const std::optional<uint64_t> x = BitsOf(a);
  const std::optional<uint64_t> y = BitsOf(b);
  if (!x || !y) return std::nullopt;
  switch (op) {
    case BinaryOp::kBitAnd:
      return FromInteger(*x & *y);
    case BinaryOp::kBitOr:
      return FromInteger(*x | *y);
    case BinaryOp::kBitXor:
      return FromInteger(*x ^ *y);
    case BinaryOp::kShiftLeft:
      return FromInteger(ShiftLeft(*x, static_cast<int64_t>(*y)));
    default:  // kShiftRight; the least integer has no negative, its count is far out anyway
      return FromInteger(ShiftLeft(*x, static_cast<int64_t>(0 - *y)));
  }
}

std::optional<Number> IntegerArithmetic(BinaryOp op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a);
  const uint64_t y = static_cast<uint64_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return FromInteger(x + y);
    case BinaryOp::kSubtract:
      return FromInteger(x - y);
    case BinaryOp::kMultiply:
      return FromInteger(x * y);
    case BinaryOp::kIntegerDivide:
      return Number{.is_integer = true, .integer = DivideDown(a, b)};
    case BinaryOp::kModulo:
      return Number{.is_integer = true, .integer = ModuloDown(a, b)};
    default:
      return std::nullopt;  // division and power are of floats
  }
}

std::optional<Number> FloatArithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return FromReal(a + b);
    case BinaryOp::kSubtract:
      return FromReal(a - b);
    case BinaryOp::kMultiply:
      return FromReal(a * b);
    case BinaryOp::kDivide:
      return FromReal(a / b);
    case BinaryOp::kIntegerDivide:
      return FromReal(std::floor(a / b));
    case BinaryOp::kModulo:
      return FromReal(ModuloDown(a, b));
    case BinaryOp::kPower:
      return FromReal(b == 2 ? a * a : std::pow(a, b));
    default:
      return std::nullopt;
  }
}

bool IsDivision(BinaryOp op) {
  return op == BinaryOp::kDivide || op == BinaryOp::kIntegerDivide || op == BinaryOp::kModulo;
}

bool IsBitwise(BinaryOp op) { return op >= BinaryOp::kBitOr && op <= BinaryOp::kShiftRight; }
static_assert(BinaryOp::kBitOr < BinaryOp::kBitXor && BinaryOp::kBitXor < BinaryOp::kShiftRight &&
              BinaryOp::kShiftRight < BinaryOp::kConcat);

std::optional<Number> Arithmetic(BinaryOp op, const Number& a, const Number& b) {
  if (IsBitwise(op)) return Bitwise(op, a, b);
  if (IsDivision(op) && b.AsReal() == 0) return std::nullopt;
  if (a.is_integer && b.is_integer) {
    if (const auto result = IntegerArithmetic(op, a.integer, b.integer)) return result;
  }
  return FloatArithmetic(op, a.AsReal(), b.AsReal());
}

Literal* NewLiteral(SyntaxArena& arena, ExprKind kind, uint32_t line) {
  Literal* literal = arena.New<Literal>();
  literal->kind = kind;
  literal->line = line;
  return literal;
}

Literal* NewNumber(SyntaxArena& arena, const std::optional<Number>& number, uint32_t line) {
  if (!number) return nullptr;
  if (number->is_integer) {
    Literal* literal = NewLiteral(arena, ExprKind::kInteger, line);
    literal->integer = number->integer;
    return literal;
  }
  if (number->real == 0 || std::isnan(number->real)) return nullptr;
  Literal* literal = NewLiteral(arena, ExprKind::kFloat, line);
  literal->real = number->real;
  return literal;
}

bool IsTrue(const Expr& literal) {
  return literal.kind != ExprKind::kNil && literal.kind != ExprKind::kFalse;
}

}  // namespace

bool IsLiteral(const Expr& expr) { return expr.kind <= ExprKind::kString; }
static_assert(ExprKind::kNil == ExprKind{0} && ExprKind::kTrue < ExprKind::kString);

Literal* FoldUnary(SyntaxArena& arena, UnaryOp op, const Expr& operand) {
  if (op == UnaryOp::kNot && IsLiteral(operand)) {
    const ExprKind kind = IsTrue(operand) ? ExprKind::kFalse : ExprKind::kTrue;
    return NewLiteral(arena, kind, operand.line);
  }
  const std::optional<Number> number = NumberOf(operand);
  if (!number) return nullptr;
  if (op == UnaryOp::kNegate) {
    const Number zero = FromInteger(0);
    const std::optional<Number> result = number->is_integer
                                             ? Arithmetic(BinaryOp::kSubtract, zero, *number)
                                             : FromReal(-number->real);
    return NewNumber(arena, result, operand.line);
  }
  if (op == UnaryOp::kBitNot) {
    const Number ones = FromInteger(~uint64_t{0});
    return NewNumber(arena, Bitwise(BinaryOp::kBitXor, *number, ones), operand.line);
  }
  return nullptr;
}

Literal* FoldBinary(SyntaxArena& arena, BinaryOp op, const Expr& left, const Expr& right) {
  if (op == BinaryOp::kAnd || op == BinaryOp::kOr) {
    const bool gives_right = IsLiteral(left) && IsTrue(left) == (op == BinaryOp::kAnd);
    if (!gives_right || !IsLiteral(right)) return nullptr;
    Literal* result = arena.New<Literal>(As<const Literal>(right));
    result->constant = nullptr;
    return result;
  }
  const std::optional<Number> a = NumberOf(left);
  const std::optional<Number> b = NumberOf(right);
  if (!a || !b) return nullptr;
  return NewNumber(arena, Arithmetic(op, *a, *b), left.line);
}

}  // namespace neap::vm
