// SPDX-License-Identifier: MIT
//
// Indexing and calls: what stands behind a value. f(x).y:z() is a spine to the left, evaluated in a
// loop from the inside out. The value so far is in a local, at the start, or in the register
// `base`, which has to be the topmost one if there is a call.
#include <algorithm>

#include "generator.h"

namespace neap::vm {
namespace {

constexpr int64_t kMaxIntegerKey = 0xffff;  // of kGetInteger and kSetInteger

// A global variable is loaded in one instruction unless _ENV is a local.
bool IsPlainGlobal(const Expr& expr) {
  return expr.kind == ExprKind::kIndex && As<const Index>(expr).is_global &&
         As<const Index>(expr).object->kind == ExprKind::kUpvalue;
}

bool IsSuffix(const Expr& expr) {
  return (expr.kind == ExprKind::kIndex && !IsPlainGlobal(expr)) || expr.kind == ExprKind::kCall ||
         expr.kind == ExprKind::kMethodCall;
}

const Expr& FirstChild(const Expr& suffix) {
  switch (suffix.kind) {
    case ExprKind::kIndex:
      return *As<const Index>(suffix).object;
    case ExprKind::kCall:
      return *As<const Call>(suffix).callee;
    default:
      return *As<const MethodCall>(suffix).object;
  }
}

}  // namespace

// --- Spines --------------------------------------------------------------------------------------

void Generator::EvaluateSuffix(const Expr& expr, Register target) {
  if (IsPlainGlobal(expr)) return EvaluateGlobal(As<const Index>(expr), target);
  const Register mark = builder_.free();
  const Register place = EvaluateSpine(expr, target, 1);
  MoveInto(target, place, expr.line);
  builder_.Release(mark);
}

// Where the value is, or the first of the results of a call.
Register Generator::EvaluateSpine(const Expr& root, Register target, int results) {
  const size_t first = spine_.size();
  const Expr* leaf = &root;
  bool has_call = false;
  while (IsSuffix(*leaf)) {
    spine_.push_back(leaf);
    has_call |= leaf->kind != ExprKind::kIndex;
    leaf = &FirstChild(*leaf);
  }
  Register base = ScratchOf(target);
  if (has_call && !builder_.IsTopmost(target)) base = kNoRegister;
  Register value = EvaluateSpineLeaf(*leaf, spine_.back()->kind == ExprKind::kCall, &base);
  while (spine_.size() > first) {
    const Expr& node = *spine_.back();
    spine_.pop_back();
    const bool is_root = spine_.size() == first;
    const Register mark = builder_.free();
    if (node.kind == ExprKind::kIndex) {
      const Key key = PrepareKey(*As<const Index>(node).key);
      builder_.Release(mark);
      if (!is_root && base == kNoRegister) base = builder_.Reserve();
      const Register object = value;
      value = is_root ? target : base;
      EmitLoad(value, object, key, node.line);
      continue;
    }
    if (base == kNoRegister) base = builder_.Reserve();
    const int wanted = is_root ? results : 1;
    if (node.kind == ExprKind::kCall) {
      EmitCall(As<const Call>(node), base, wanted);
    } else {
      EmitMethodCall(As<const MethodCall>(node), value, base, wanted);
    }
    value = base;
  }
  return value;
}

// A function that is called has to be at the top; anything else may stay where it is.
Register Generator::EvaluateSpineLeaf(const Expr& leaf, bool is_callee, Register* base) {
  if (is_callee) {
    if (*base == kNoRegister) *base = builder_.Reserve();
    EvaluateInto(leaf, *base);
    return *base;
  }
  const Register value = EvaluateToRegister(leaf, *base);
  if (builder_.IsTemporary(value)) *base = value;
  return value;
}

// --- Indexing ------------------------------------------------------------------------------------

void Generator::EvaluateGlobal(const Index& index, Register target) {
  const int environment = As<const UpvalueRef>(*index.object).index;
  const Register mark = builder_.free();
  const Key key = PrepareKey(*index.key);
  if (key.kind == Key::Kind::kField) {
    builder_.Emit(index.line, Op::kGetGlobal, target, environment, key.value, key.cache);
  } else {
    const Register object = builder_.IsTemporary(target) ? target : builder_.Reserve();
    builder_.Emit(index.line, Op::kGetUpvalue, object, environment);
    EmitLoad(target, object, key, index.line);
  }
  builder_.Release(mark);
}

Generator::Key Generator::PrepareKey(const Expr& key) {
  const Literal& literal = As<const Literal>(key);
  if (key.kind == ExprKind::kString) {
    const std::optional<int> constant = builder_.SmallConstant(literal);
    const std::optional<int> cache = constant ? builder_.ReserveCache() : std::nullopt;
    if (cache) return {.kind = Key::Kind::kField, .value = *constant, .cache = *cache};
  }
  if (key.kind == ExprKind::kInteger && literal.integer >= 0 && literal.integer <= kMaxIntegerKey) {
    return {.kind = Key::Kind::kInteger, .value = static_cast<int>(literal.integer)};
  }
  return {.kind = Key::Kind::kRegister, .value = EvaluateToRegister(key)};
}

void Generator::EmitLoad(Register target, Register object, const Key& key, uint32_t line) {
  switch (key.kind) {
    case Key::Kind::kField:
      return builder_.Emit(line, Op::kGetField, target, object, key.value, key.cache);
    case Key::Kind::kInteger:
      return builder_.Emit(line, Op::kGetInteger, target, object, key.value);
    case Key::Kind::kRegister:
      return builder_.Emit(line, Op::kGetTable, target, object, key.value);
  }
}

void Generator::EmitStore(Register object, const Key& key, Register value, uint32_t line) {
  switch (key.kind) {
    case Key::Kind::kField:
      return builder_.Emit(line, Op::kSetField, object, key.value, value, key.cache);
    case Key::Kind::kInteger:
      return builder_.Emit(line, Op::kSetInteger, object, key.value, value);
    case Key::Kind::kRegister:
      return builder_.Emit(line, Op::kSetTable, object, key.value, value);
  }
}

// --- Calls ---------------------------------------------------------------------------------------

void Generator::EmitCall(const Call& call, Register base, int results) {
  const int arguments = EvaluateOpenList(call.arguments);
  builder_.Release(base + 1);
  if (results > 1) builder_.Touch(base, results);
  builder_.Emit(call.line, Op::kCall, base, arguments + 1, results + 1);
}

void Generator::EmitMethodCall(const MethodCall& call, Register object, Register base,
                               int results) {
  builder_.Reserve();  // the object as the first argument
  EmitSelf(call, object, base);
  const int arguments = EvaluateOpenList(call.arguments);
  builder_.Release(base + 1);
  if (results > 1) builder_.Touch(base, results);
  builder_.Emit(call.line, Op::kCall, base, arguments < 0 ? 0 : arguments + 2, results + 1);
}

void Generator::EmitSelf(const MethodCall& call, Register object, Register base) {
  const std::optional<int> name = builder_.SmallConstant(*call.method);
  const std::optional<int> cache = name ? builder_.ReserveCache() : std::nullopt;
  if (cache) return builder_.Emit(call.method_line, Op::kSelf, base, object, *name, *cache);
  builder_.Emit(call.method_line, Op::kMove, base + 1, object);
  const Register key = builder_.Reserve();
  builder_.EmitWide(call.method_line, Op::kLoadConstant, key, 0, builder_.Constant(*call.method));
  builder_.Emit(call.method_line, Op::kGetTable, base, base + 1, key);
  builder_.Release(key);
}

}  // namespace neap::vm
