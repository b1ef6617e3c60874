// SPDX-License-Identifier: MIT
//
// Expressions by kind, lists of them, and the kinds that are short: literals, closures, unary
// operators, concatenation.
#include <algorithm>
#include <limits>

#include "constant_folder.h"
#include "generator.h"

namespace neap::vm {
namespace {

Op OpOf(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNegate:
      return Op::kNegate;
    case UnaryOp::kNot:
      return Op::kNot;
    case UnaryOp::kLength:
      return Op::kLength;
    case UnaryOp::kBitNot:
      break;
  }
  return Op::kBitNot;
}

bool FitsInstruction(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

// --- One value -----------------------------------------------------------------------------------

void Generator::EvaluateInto(const Expr& expr, Register target) {
  switch (expr.kind) {
    case ExprKind::kVararg:
      return builder_.Emit(expr.line, Op::kVararg, target, 2);
    case ExprKind::kFunction:
      return EvaluateClosure(*As<const FunctionExpr>(expr).function, target);
    case ExprKind::kLocal:
      return MoveInto(target, As<const LocalRef>(expr).local->slot, expr.line);
    case ExprKind::kUpvalue:
      return builder_.Emit(expr.line, Op::kGetUpvalue, target, As<const UpvalueRef>(expr).index);
    case ExprKind::kIndex:
    case ExprKind::kCall:
    case ExprKind::kMethodCall:
      return EvaluateSuffix(expr, target);
    case ExprKind::kUnary:
      return EvaluateUnary(As<const Unary>(expr), target);
    case ExprKind::kBinary:
      return EvaluateBinary(As<const Binary>(expr), target);
    case ExprKind::kTable:
      return EvaluateTable(As<const TableConstructor>(expr), target);
    case ExprKind::kParen:
      return EvaluateInto(*As<const Paren>(expr).inner, target);
    default:
      return LoadLiteral(As<const Literal>(expr), target);
  }
}

Register Generator::EvaluateToRegister(const Expr& expr, Register scratch) {
  const Expr& bare = Bare(expr);
  if (bare.kind == ExprKind::kLocal) return As<const LocalRef>(bare).local->slot;
  if (scratch == kNoRegister) return EvaluateToTop(bare);
  EvaluateInto(bare, scratch);
  return scratch;
}

Register Generator::EvaluateToTop(const Expr& expr) {
  const Register top = builder_.Reserve();
  EvaluateInto(expr, top);
  return top;
}

Register Generator::TopFor(Register target) {
  const bool is_usable = builder_.IsTemporary(target) && builder_.IsTopmost(target);
  return is_usable ? target : builder_.Reserve();
}

void Generator::LoadLiteral(const Literal& literal, Register target) {
  switch (literal.kind) {
    case ExprKind::kNil:
      return LoadNils(target, 1, literal.line);
    case ExprKind::kFalse:
      return builder_.Emit(literal.line, Op::kLoadFalse, target);
    case ExprKind::kTrue:
      return builder_.Emit(literal.line, Op::kLoadTrue, target);
    case ExprKind::kInteger:
      if (FitsInstruction(literal.integer)) {
        const auto value = static_cast<int32_t>(literal.integer);
        return builder_.EmitWide(literal.line, Op::kLoadInteger, target, 0,
                                 static_cast<uint32_t>(value));
      }
      break;
    default:
      break;
  }
  builder_.EmitWide(literal.line, Op::kLoadConstant, target, 0, builder_.Constant(literal));
}

void Generator::LoadNils(Register first, int count, uint32_t line) {
  builder_.Emit(line, Op::kLoadNil, first, count);
}

void Generator::MoveInto(Register target, Register source, uint32_t line) {
  if (target != source) builder_.Emit(line, Op::kMove, target, source);
}

// --- Lists ---------------------------------------------------------------------------------------

void Generator::EvaluateMultiple(const Expr& expr, int results) {
  const Register mark = builder_.free();
  if (expr.kind == ExprKind::kVararg) {
    if (results > 0) builder_.Touch(mark, results);
    builder_.Emit(expr.line, Op::kVararg, builder_.Reserve(), results + 1);
  } else {
    EvaluateSpine(expr, builder_.Reserve(), results);
  }
  builder_.Release(mark);
}

// A value too many: it is evaluated for what that does.
void Generator::EvaluateAndDrop(const Expr& expr) {
  if (IsLiteral(expr) || expr.kind == ExprKind::kVararg) return;
  const Register mark = builder_.free();
  if (expr.is_multiple()) {
    EvaluateMultiple(expr, 0);
  } else {
    EvaluateToRegister(expr);
  }
  builder_.Release(mark);
}

void Generator::EvaluateList(Exprs values, int wanted, uint32_t line) {
  const size_t count = values.size();
  const bool is_open = count > 0 && values.back()->is_multiple();
  const size_t single = is_open ? count - 1 : count;
  int missing = wanted;
  for (size_t i = 0; i < single; ++i) {
    if (missing > 0) {
      EvaluateToTop(*values[i]);
      --missing;
    } else {
      EvaluateAndDrop(*values[i]);
    }
  }
  if (is_open) {
    if (missing == 0) return EvaluateAndDrop(*values.back());
    EvaluateMultiple(*values.back(), missing);
    builder_.Reserve(missing);
  } else if (missing > 0) {
    LoadNils(builder_.Reserve(missing), missing, line);
  }
}

int Generator::EvaluateOpenList(Exprs values) {
  if (values.empty()) return 0;
  for (const Expr* value : values.first(values.size() - 1)) EvaluateToTop(*value);
  if (values.back()->is_multiple()) {
    EvaluateMultiple(*values.back(), -1);
    return -1;
  }
  EvaluateToTop(*values.back());
  return static_cast<int>(values.size());
}

// --- Closures and operators ----------------------------------------------------------------------

void Generator::EvaluateClosure(const Function& function, Register target) {
  const Register mark = builder_.free();
  const uint32_t child = builder_.AddChild(Generator(function, chunk_name_).Generate());
  const Register top = builder_.IsTopmost(target) ? target : builder_.Reserve();  // G3
  builder_.EmitWide(function.last_line, Op::kClosure, top, 0, child);
  MoveInto(target, top, function.last_line);
  builder_.Release(mark);
}

void Generator::EvaluateUnary(const Unary& unary, Register target) {
  if (unary.op == UnaryOp::kNot && HasJumps(*unary.operand)) return EvaluateBoolean(unary, target);
  const Register mark = builder_.free();
  const Register operand = EvaluateToRegister(*unary.operand, ScratchOf(target));
  builder_.Release(mark);
  builder_.Emit(unary.line, OpOf(unary.op), target, operand);
}

void Generator::EvaluateBinary(const Binary& binary, Register target) {
  switch (binary.op) {
    case BinaryOp::kOr:
    case BinaryOp::kAnd:
      return EvaluateLogical(binary, target);
    case BinaryOp::kConcat:
      return EvaluateConcat(binary, target);
    default:
      break;
  }
  if (IsComparison(binary.op)) return EvaluateBoolean(binary, target);
  EvaluateArithmetic(binary, target);
}

// a .. (b .. (c .. d)) is one instruction.
void Generator::EvaluateConcat(const Binary& binary, Register target) {
  const Register mark = builder_.free();
  const Register first = TopFor(target);
  EvaluateInto(*binary.left, first);
  const Binary* last = &binary;
  while (last->right->kind == ExprKind::kBinary &&
         As<const Binary>(*last->right).op == BinaryOp::kConcat) {
    last = &As<const Binary>(*last->right);
    EvaluateToTop(*last->left);
  }
  EvaluateToTop(*last->right);
  builder_.Emit(last->line, Op::kConcat, first, builder_.free() - first);
  MoveInto(target, first, last->line);
  builder_.Release(mark);
}

}  // namespace neap::vm
