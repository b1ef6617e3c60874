// SPDX-License-Identifier: MIT
//
// Arithmetic and comparisons. Both are spines to the left, mixed: a + b * c == d < e is evaluated
// in a loop from the inside out, the value so far in one register.
#include "generator.h"

namespace neap::vm {
namespace {

// In the order of the operators and of the instructions alike.
constexpr int kFirstArithmetic = static_cast<int>(Op::kAdd);
constexpr int kToConstant = static_cast<int>(Op::kAddK) - static_cast<int>(Op::kAdd);

Op ArithmeticOp(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return Op::kAdd;
    case BinaryOp::kSubtract:
      return Op::kSubtract;
    case BinaryOp::kMultiply:
      return Op::kMultiply;
    case BinaryOp::kModulo:
      return Op::kModulo;
    case BinaryOp::kPower:
      return Op::kPower;
    case BinaryOp::kDivide:
      return Op::kDivide;
    case BinaryOp::kIntegerDivide:
      return Op::kIntegerDivide;
    case BinaryOp::kBitAnd:
      return Op::kBitAnd;
    case BinaryOp::kBitOr:
      return Op::kBitOr;
    case BinaryOp::kBitXor:
      return Op::kBitXor;
    case BinaryOp::kShiftLeft:
      return Op::kShiftLeft;
    default:
      return Op::kShiftRight;
  }
}

// The same operation with a constant as right operand.
Op WithConstant(Op op) { return static_cast<Op>(static_cast<int>(op) + kToConstant); }
static_assert(static_cast<int>(Op::kShiftRightK) - static_cast<int>(Op::kShiftRight) ==
              kToConstant);
static_assert(kFirstArithmetic + 11 == static_cast<int>(Op::kShiftRight));

bool IsNumeral(const Expr& expr) {
  return expr.kind == ExprKind::kInteger || expr.kind == ExprKind::kFloat;
}

// Literals of these kinds are operands of kEqualK.
bool IsComparable(const Expr& expr) {
  return IsNumeral(expr) || expr.kind == ExprKind::kNil || expr.kind == ExprKind::kFalse ||
         expr.kind == ExprKind::kTrue || expr.kind == ExprKind::kString;
}

bool IsCommutative(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kMultiply || op == BinaryOp::kBitAnd ||
         op == BinaryOp::kBitOr || op == BinaryOp::kBitXor;
}

bool IsInSpine(const Expr& expr) {
  if (expr.kind != ExprKind::kBinary) return false;
  const BinaryOp op = As<const Binary>(expr).op;
  return op != BinaryOp::kAnd && op != BinaryOp::kOr && op != BinaryOp::kConcat;
}

// What an ordering of a register and a constant compiles to.
struct ConstantOrder {
  Op holds;
  Op fails;
};

ConstantOrder OrderWithConstant(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLess:
      return {Op::kLessK, Op::kNotLessK};
    case BinaryOp::kLessEqual:
      return {Op::kLessEqualK, Op::kNotLessEqualK};
    case BinaryOp::kGreater:
      return {Op::kGreaterK, Op::kNotGreaterK};
    case BinaryOp::kGreaterEqual:
      return {Op::kGreaterEqualK, Op::kNotGreaterEqualK};
    default:
      break;
  }
  if (op == BinaryOp::kNotEqual) return {Op::kNotEqualK, Op::kEqualK};
  return {Op::kEqualK, Op::kNotEqualK};
}

// The operator with its operands swapped.
BinaryOp Mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLess:
      return BinaryOp::kGreater;
    case BinaryOp::kLessEqual:
      return BinaryOp::kGreaterEqual;
    case BinaryOp::kGreater:
      return BinaryOp::kLess;
    case BinaryOp::kGreaterEqual:
      return BinaryOp::kLessEqual;
    default:
      return op;
  }
}

bool IsOrdering(BinaryOp op) { return op != BinaryOp::kEqual && op != BinaryOp::kNotEqual; }

}  // namespace

// --- Operands ------------------------------------------------------------------------------------

Generator::Operand Generator::EvaluateOperand(const Expr& expr, Register scratch) {
  if (IsComparable(expr)) return {.literal = &As<const Literal>(expr)};
  return {.reg = EvaluateToRegister(expr, scratch)};
}

Register Generator::Load(const Operand& operand, Register scratch) {
  if (operand.literal == nullptr) return operand.reg;
  return EvaluateToRegister(*operand.literal, scratch);
}

// The left operand of a spine's outermost operator.
Generator::Operand Generator::EvaluateLeft(const Binary& root, Register scratch) {
  const Register mark = builder_.free();
  const size_t first = spine_.size();
  const Expr* leaf = root.left;
  while (IsInSpine(*leaf)) {
    spine_.push_back(leaf);
    leaf = As<const Binary>(*leaf).left;
  }
  Operand value = EvaluateOperand(*leaf, scratch);
  while (spine_.size() > first) {
    const Binary& node = As<const Binary>(*spine_.back());
    spine_.pop_back();
    const auto take_target = [&] {
      builder_.Release(mark);
      return scratch != kNoRegister ? scratch : builder_.Reserve();
    };
    if (IsComparison(node.op)) {
      const Comparison comparison = PrepareComparison(node, value, scratch);
      JumpList load_true;
      builder_.EmitJump(node.line, comparison.holds, comparison.a, comparison.b, load_true);
      value = {.reg = take_target()};
      EmitBoolean(load_true, value.reg, node.line);
    } else {
      const Arithmetic parts = PrepareArithmetic(node, value, scratch);
      value = {.reg = take_target()};
      builder_.Emit(node.line, parts.op, value.reg, parts.b, parts.c, parts.d);
    }
  }
  return value;
}

// --- Arithmetic ----------------------------------------------------------------------------------

void Generator::EvaluateArithmetic(const Binary& binary, Register target) {
  const Register mark = builder_.free();
  const Register scratch = ScratchOf(target);
  const Operand left = EvaluateLeft(binary, scratch);
  const Arithmetic parts = PrepareArithmetic(binary, left, scratch);
  builder_.Release(mark);
  builder_.Emit(binary.line, parts.op, target, parts.b, parts.c, parts.d);
}

// Evaluates the right operand. `scratch` is free for it if the left one is not there.
Generator::Arithmetic Generator::PrepareArithmetic(const Binary& node, const Operand& left,
                                                   Register scratch) {
  const Op op = ArithmeticOp(node.op);
  if (left.literal == nullptr && IsNumeral(*node.right)) {
    if (const auto constant = builder_.SmallConstant(As<const Literal>(*node.right))) {
      return {WithConstant(op), left.reg, *constant, 0};
    }
  }
  const bool may_swap = left.literal != nullptr && IsNumeral(*left.literal) &&
                        IsCommutative(node.op) && !IsComparable(*node.right);
  if (may_swap) {
    if (const auto constant = builder_.SmallConstant(*left.literal)) {
      return {WithConstant(op), EvaluateToRegister(*node.right, scratch), *constant, 1};
    }
  }
  const Register b = Load(left, scratch);
  if (left.literal != nullptr && IsNumeral(*node.right)) {
    if (const auto constant = builder_.SmallConstant(As<const Literal>(*node.right))) {
      return {WithConstant(op), b, *constant, 0};
    }
  }
  const Register c = EvaluateToRegister(*node.right, b == scratch ? kNoRegister : scratch);
  return {op, b, c, 0};
}

// --- Comparisons ---------------------------------------------------------------------------------

Generator::Comparison Generator::PrepareComparison(const Binary& node, const Operand& left,
                                                   Register scratch) {
  const auto constant_of = [&](const Expr& expr) -> std::optional<int> {
    const bool may_be = IsOrdering(node.op) ? IsNumeral(expr) : IsComparable(expr);
    if (!may_be) return std::nullopt;
    return builder_.SmallConstant(As<const Literal>(expr));
  };
  if (const auto constant = constant_of(*node.right)) {
    const ConstantOrder order = OrderWithConstant(node.op);
    return {order.holds, order.fails, Load(left, scratch), *constant};
  }
  if (left.literal != nullptr && !IsComparable(*node.right)) {
    if (const auto constant = constant_of(*left.literal)) {
      const ConstantOrder order = OrderWithConstant(Mirrored(node.op));
      return {order.holds, order.fails, EvaluateToRegister(*node.right, scratch), *constant};
    }
  }
  const Register a = Load(left, scratch);
  const Register b = EvaluateToRegister(*node.right, a == scratch ? kNoRegister : scratch);
  switch (node.op) {
    case BinaryOp::kLess:
      return {Op::kLess, Op::kNotLess, a, b};
    case BinaryOp::kLessEqual:
      return {Op::kLessEqual, Op::kNotLessEqual, a, b};
    case BinaryOp::kGreater:
      return {Op::kLess, Op::kNotLess, b, a};
    case BinaryOp::kGreaterEqual:
      return {Op::kLessEqual, Op::kNotLessEqual, b, a};
    case BinaryOp::kNotEqual:
      return {Op::kNotEqual, Op::kEqual, a, b};
    default:
      return {Op::kEqual, Op::kNotEqual, a, b};
  }
}

// Behind a jump that is taken if the value is true.
void Generator::EmitBoolean(JumpList& load_true, Register target, uint32_t line) {
  builder_.Emit(line, Op::kLoadFalseSkip, target);
  builder_.PatchHere(load_true);
  builder_.Emit(line, Op::kLoadTrue, target);
}

}  // namespace neap::vm
