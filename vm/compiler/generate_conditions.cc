// SPDX-License-Identifier: MIT
//
// Truth as a place in the code: conditions, and, or, not.
//
// A condition jumps or falls through; its value is never made. `a and b or c` as a value leaves
// through exits: an operand that decides is put into the target on its way out, and those that are
// comparisons share one kLoadFalse and one kLoadTrue at the end.
#include "constant_folder.h"
#include "generator.h"

namespace neap::vm {
namespace {

bool IsTrue(const Expr& literal) {
  return literal.kind != ExprKind::kNil && literal.kind != ExprKind::kFalse;
}

bool IsLogical(const Expr& expr) {
  if (expr.kind != ExprKind::kBinary) return false;
  const BinaryOp op = As<const Binary>(expr).op;
  return op == BinaryOp::kAnd || op == BinaryOp::kOr;
}

bool IsNot(const Expr& expr) {
  return expr.kind == ExprKind::kUnary && As<const Unary>(expr).op == UnaryOp::kNot;
}

// The truth of an operand that decides the whole, which is then that operand's value.
bool DecidingTruth(const Binary& binary) { return binary.op == BinaryOp::kOr; }

}  // namespace

// A comparison of something, negated or not, or the negation of and/or: true or false, known only
// by where the code goes.
bool Generator::HasJumps(const Expr& expr) {
  if (expr.kind == ExprKind::kBinary)
    return IsComparison(As<const Binary>(expr).op) || IsLogical(expr);
  return IsNot(expr) && HasJumps(*As<const Unary>(expr).operand);
}

// --- Jumps ---------------------------------------------------------------------------------------

void Generator::JumpIf(const Expr& expr, bool sense, JumpList& list, uint32_t line) {
  if (IsLiteral(expr)) {
    if (IsTrue(expr) == sense) builder_.EmitJump(line, Op::kJump, 0, 0, list);
    return;
  }
  if (IsNot(expr)) return JumpIf(*As<const Unary>(expr).operand, !sense, list, line);
  if (expr.kind == ExprKind::kBinary) {
    const Binary& binary = As<const Binary>(expr);
    if (IsLogical(expr)) return JumpIfLogical(binary, sense, list);
    if (IsComparison(binary.op)) return JumpIfComparison(binary, sense, list);
  }
  const Register mark = builder_.free();
  const Register value = EvaluateToRegister(expr);
  builder_.Release(mark);
  builder_.EmitJump(line, sense ? Op::kJumpIfTrue : Op::kJumpIfFalse, value, 0, list);
}

void Generator::JumpIfComparison(const Binary& binary, bool sense, JumpList& list) {
  const Register mark = builder_.free();
  const Operand left = EvaluateLeft(binary, kNoRegister);
  const Comparison comparison = PrepareComparison(binary, left, kNoRegister);
  builder_.Release(mark);
  builder_.EmitJump(binary.line, sense ? comparison.holds : comparison.fails, comparison.a,
                    comparison.b, list);
}

// Puts the operands of a chain of the same operator into the spine, the first one last. Gives the
// size of the spine before.
size_t Generator::CollectOperands(const Binary& binary) {
  const size_t first = spine_.size();
  const Expr* expr = &binary;
  while (expr->kind == ExprKind::kBinary && As<const Binary>(*expr).op == binary.op) {
    spine_.push_back(As<const Binary>(*expr).right);
    expr = As<const Binary>(*expr).left;
  }
  spine_.push_back(expr);
  return first;
}

void Generator::JumpIfLogical(const Binary& binary, bool sense, JumpList& list) {
  const bool deciding = DecidingTruth(binary);
  const size_t first = CollectOperands(binary);
  JumpList decided;  // otherwise
  for (size_t i = spine_.size() - 1; i > first; --i) {
    const Expr& operand = *spine_[i];
    JumpIf(operand, deciding, sense == deciding ? list : decided, operand.line);
  }
  const Expr& last = *spine_[first];
  spine_.resize(first);
  JumpIf(last, sense, list, last.line);
  builder_.PatchHere(decided);
}

// --- Values --------------------------------------------------------------------------------------

void Generator::EvaluateBoolean(const Expr& expr, Register target) {
  JumpList load_true;
  JumpIf(expr, true, load_true, expr.line);
  EmitBoolean(load_true, target, expr.line);
}

void Generator::EvaluateLogical(const Binary& binary, Register target) {
  const bool deciding = DecidingTruth(binary);
  const size_t first = CollectOperands(binary);
  Exits exits;
  for (size_t i = spine_.size() - 1; i > first; --i) ExitIf(*spine_[i], deciding, target, exits);
  const Expr& last = *spine_[first];
  spine_.resize(first);
  FinishLogical(last, target, exits);
}

// Leaves with the value in the target if its truth is `sense`.
void Generator::ExitIf(const Expr& expr, bool sense, Register target, Exits& exits) {
  if (IsLiteral(expr)) {
    if (IsTrue(expr) != sense) return;
    EvaluateInto(expr, target);
    return builder_.EmitJump(expr.line, Op::kJump, 0, 0, exits.done);
  }
  if (IsLogical(expr)) return ExitIfLogical(As<const Binary>(expr), sense, target, exits);
  if (HasJumps(expr) || IsNot(expr)) {
    return JumpIf(expr, sense, sense ? exits.load_true : exits.load_false, expr.line);
  }
  const Register mark = builder_.free();
  const Register value = EvaluateToRegister(expr, ScratchOf(target));
  builder_.Release(mark);
  if (value == target) {
    const Op op = sense ? Op::kJumpIfTrue : Op::kJumpIfFalse;
    return builder_.EmitJump(expr.line, op, value, 0, exits.done);
  }
  const Op op = sense ? Op::kJumpIfTrueKeep : Op::kJumpIfFalseKeep;
  builder_.EmitJump(expr.line, op, target, value, exits.done);
}

void Generator::ExitIfLogical(const Binary& binary, bool sense, Register target, Exits& exits) {
  const bool deciding = DecidingTruth(binary);
  const size_t first = CollectOperands(binary);
  JumpList decided;
  for (size_t i = spine_.size() - 1; i > first; --i) {
    const Expr& operand = *spine_[i];
    if (deciding == sense) {
      ExitIf(operand, sense, target, exits);
    } else {
      JumpIf(operand, deciding, decided, operand.line);
    }
  }
  const Expr& last = *spine_[first];
  spine_.resize(first);
  ExitIf(last, sense, target, exits);
  builder_.PatchHere(decided);
}

void Generator::FinishLogical(const Expr& last, Register target, Exits& exits) {
  const uint32_t line = last.line;
  if (!IsLogical(last) && HasJumps(last)) {
    JumpIf(last, true, exits.load_true, line);
    builder_.PatchHere(exits.load_false);
    EmitBoolean(exits.load_true, target, line);
    return builder_.PatchHere(exits.done);
  }
  EvaluateInto(last, target);
  const bool needs_false = !exits.load_false.empty();
  const bool needs_true = !exits.load_true.empty();
  if (needs_false || needs_true) builder_.EmitJump(line, Op::kJump, 0, 0, exits.done);
  builder_.PatchHere(exits.load_false);
  if (needs_false) builder_.Emit(line, needs_true ? Op::kLoadFalseSkip : Op::kLoadFalse, target);
  builder_.PatchHere(exits.load_true);
  if (needs_true) builder_.Emit(line, Op::kLoadTrue, target);
  builder_.PatchHere(exits.done);
}

}  // namespace neap::vm
