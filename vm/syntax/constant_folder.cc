// SPDX-License-Identifier: MIT
#include "constant_folder.h"

#include <cmath>
#include <optional>

#include "text/arithmetic.h"
#include "text/number.h"

namespace neap::vm {
namespace {

constexpr Number FromBits(uint64_t bits) { return static_cast<int64_t>(bits); }

std::optional<Number> NumberOf(const Expr& expr) {
  if (expr.kind == ExprKind::kInteger) return As<const Literal>(expr).integer;
  if (expr.kind == ExprKind::kFloat) return As<const Literal>(expr).real;
  return std::nullopt;
}

double RealOf(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

// The integer that the number equals, if there is one: what bitwise operators accept.
std::optional<int64_t> IntegerOf(const Number& number) {
  if (const int64_t* integer = std::get_if<int64_t>(&number)) return *integer;
  return FloatToInteger(std::get<double>(number), Rounding::kExact);
}

// --- One operation -------------------------------------------------------------------------------

std::optional<Number> Bitwise(BinaryOp op, const Number& a, const Number& b) {
  const std::optional<int64_t> x = IntegerOf(a);
  const std::optional<int64_t> y = IntegerOf(b);
  if (!x || !y) return std::nullopt;
  switch (op) {
    case BinaryOp::kBitAnd:
      return *x & *y;
    case BinaryOp::kBitOr:
      return *x | *y;
    case BinaryOp::kBitXor:
      return *x ^ *y;
    case BinaryOp::kShiftLeft:
      return ShiftLeft(*x, *y);
    default:  // kShiftRight
      return ShiftRight(*x, *y);
  }
}

std::optional<Number> IntegerArithmetic(BinaryOp op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a);
  const uint64_t y = static_cast<uint64_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return FromBits(x + y);
    case BinaryOp::kSubtract:
      return FromBits(x - y);
    case BinaryOp::kMultiply:
      return FromBits(x * y);
    case BinaryOp::kIntegerDivide:
      return FloorDivide(a, b);
    case BinaryOp::kModulo:
      return FloorModulo(a, b);
    default:
      return std::nullopt;  // division and power are of floats
  }
}

std::optional<Number> FloatArithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSubtract:
      return a - b;
    case BinaryOp::kMultiply:
      return a * b;
    case BinaryOp::kDivide:
      return a / b;
    case BinaryOp::kIntegerDivide:
      return FloorDivide(a, b);
    case BinaryOp::kModulo:
      return FloorModulo(a, b);
    case BinaryOp::kPower:
      return Power(a, b);
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
  if (IsDivision(op) && RealOf(b) == 0) return std::nullopt;
  const int64_t* x = std::get_if<int64_t>(&a);
  const int64_t* y = std::get_if<int64_t>(&b);
  if (x != nullptr && y != nullptr) {
    if (const auto result = IntegerArithmetic(op, *x, *y)) return result;
  }
  return FloatArithmetic(op, RealOf(a), RealOf(b));
}

Literal* NewLiteral(SyntaxArena& arena, ExprKind kind, uint32_t line) {
  Literal* literal = arena.New<Literal>();
  literal->kind = kind;
  literal->line = line;
  return literal;
}

Literal* NewNumber(SyntaxArena& arena, const std::optional<Number>& number, uint32_t line) {
  if (!number) return nullptr;
  if (const int64_t* integer = std::get_if<int64_t>(&*number)) {
    Literal* literal = NewLiteral(arena, ExprKind::kInteger, line);
    literal->integer = *integer;
    return literal;
  }
  const double real = std::get<double>(*number);
  if (real == 0 || std::isnan(real)) return nullptr;
  Literal* literal = NewLiteral(arena, ExprKind::kFloat, line);
  literal->real = real;
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
    const int64_t* integer = std::get_if<int64_t>(&*number);
    const Number result = integer != nullptr ? FromBits(0 - static_cast<uint64_t>(*integer))
                                             : Number(-std::get<double>(*number));
    return NewNumber(arena, result, operand.line);
  }
  if (op == UnaryOp::kBitNot) {
    return NewNumber(arena, Bitwise(BinaryOp::kBitXor, *number, int64_t{-1}), operand.line);
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
