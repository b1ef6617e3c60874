// SPDX-License-Identifier: MIT
//
// Definitions and assignments. All targets are evaluated first, as far as they are expressions,
// then all values, then the stores happen from the last target to the first. The last value needs
// no temporary if it is for the last target: nothing is evaluated after it.
#include "field_forecast.h"
#include "generator.h"

namespace neap::vm {
namespace {

bool Assigns(std::span<Expr* const> targets, const Expr& variable) {
  for (const Expr* target : targets) {
    if (target->kind != variable.kind) continue;
    if (target->kind == ExprKind::kLocal &&
        As<const LocalRef>(*target).local == As<const LocalRef>(variable).local) {
      return true;
    }
    if (target->kind == ExprKind::kUpvalue &&
        As<const UpvalueRef>(*target).index == As<const UpvalueRef>(variable).index) {
      return true;
    }
  }
  return false;
}

// The table constructor whose value the expression has: {...} or setmetatable({...}, ...).
const TableConstructor* ConstructorOf(const Expr& expr) {
  if (expr.kind == ExprKind::kTable) return &As<const TableConstructor>(expr);
  if (expr.kind != ExprKind::kCall) return nullptr;
  const Call& call = As<const Call>(expr);
  if (call.callee->kind != ExprKind::kIndex || !As<const Index>(*call.callee).is_global) {
    return nullptr;
  }
  const Expr& name = *As<const Index>(*call.callee).key;
  const bool is_setmetatable = As<const Literal>(name).text->view() == "setmetatable";
  if (!is_setmetatable || call.arguments.empty()) return nullptr;
  const Expr& first = *call.arguments[0];
  return first.kind == ExprKind::kTable ? &As<const TableConstructor>(first) : nullptr;
}

}  // namespace

// --- Definitions ---------------------------------------------------------------------------------

void Generator::EmitLocal(const LocalStat& stat) {
  std::span<Local* const> locals = stat.locals;
  Exprs values = stat.values;
  const bool has_constant = locals.back()->constant != nullptr;  // A2: no register, no code
  if (has_constant) {
    locals = locals.first(locals.size() - 1);
    values = values.first(values.size() - 1);
  }
  const TableConstructor* table =
      values.size() == 1 && locals.size() == 1 ? ConstructorOf(*values[0]) : nullptr;
  if (table != nullptr) {
    forecast_of_ = table;
    forecast_fields_ = ForecastFields(*locals[0], *table, following_);
  }
  EvaluateList(values, static_cast<int>(locals.size()), stat.last_line);
  for (const Local* local : locals) builder_.ShowLocal(*local);
  for (const Local* local : locals) {
    if (local->attribute == Attribute::kClose) {
      builder_.Emit(stat.last_line, Op::kToBeClosed, local->slot);
    }
  }
}

void Generator::EmitLocalFunction(const LocalFunction& stat) {
  builder_.TakeSlot(*stat.local);
  EvaluateClosure(*stat.function, stat.local->slot);
  builder_.NameLocal(*stat.local);
}

// --- Assignments ---------------------------------------------------------------------------------

void Generator::EmitAssign(const Assign& stat) {
  const Register mark = builder_.free();
  const Exprs all = stat.targets;
  std::vector<Target> targets;
  targets.reserve(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    targets.push_back(PrepareTarget(*all[i], all.subspan(i + 1)));
  }
  const Exprs values = stat.values;
  Register value = builder_.free();
  if (values.size() == targets.size()) {
    const int others = static_cast<int>(targets.size()) - 1;
    EvaluateList(values.first(values.size() - 1), others, stat.store_line);
    AssignValue(targets.back(), *values.back(), stat.store_line);
    value += others;
    targets.pop_back();
  } else {
    const int wanted = static_cast<int>(targets.size());
    EvaluateList(values, wanted, stat.store_line);
    value += wanted;
  }
  while (!targets.empty()) {
    Store(targets.back(), --value, stat.store_line);
    targets.pop_back();
  }
  builder_.Release(mark);
}

void Generator::AssignValue(const Target& target, const Expr& value, uint32_t line) {
  if (target.kind == Target::Kind::kLocal) return EvaluateInto(value, target.place);
  const Register mark = builder_.free();
  Store(target, EvaluateToRegister(value), line);
  builder_.Release(mark);
}

// `later` are the targets that are stored to before this one.
Generator::Target Generator::PrepareTarget(const Expr& expr, Exprs later) {
  switch (expr.kind) {
    case ExprKind::kLocal:
      return {
          .kind = Target::Kind::kLocal, .place = As<const LocalRef>(expr).local->slot, .key = {}};
    case ExprKind::kUpvalue:
      return {.kind = Target::Kind::kUpvalue, .place = As<const UpvalueRef>(expr).index, .key = {}};
    default:
      break;
  }
  const Index& index = As<const Index>(expr);
  if (index.is_global && index.object->kind == ExprKind::kUpvalue) {
    return PrepareGlobal(index, later);
  }
  const Register object = ProtectedRegister(*index.object, later);
  Key key = PrepareKey(*index.key);
  if (key.kind == Key::Kind::kRegister && Assigns(later, Bare(*index.key))) {
    key.value = EvaluateToTop(*index.key);
  }
  return {.kind = Target::Kind::kIndex, .place = object, .key = key};
}

Generator::Target Generator::PrepareGlobal(const Index& index, Exprs later) {
  if (!Assigns(later, *index.object)) {
    const Key key = PrepareKey(*index.key);
    if (key.kind == Key::Kind::kField) {
      return {.kind = Target::Kind::kGlobal,
              .place = As<const UpvalueRef>(*index.object).index,
              .key = key};
    }
    const Register object = EvaluateToTop(*index.object);
    return {.kind = Target::Kind::kIndex, .place = object, .key = key};
  }
  const Register object = EvaluateToTop(*index.object);
  return {.kind = Target::Kind::kIndex, .place = object, .key = PrepareKey(*index.key)};
}

// The value of a part of a target. A local that will be assigned to before it is used is copied.
Register Generator::ProtectedRegister(const Expr& expr, Exprs later) {
  return Assigns(later, Bare(expr)) ? EvaluateToTop(expr) : EvaluateToRegister(expr);
}

void Generator::Store(const Target& target, Register value, uint32_t line) {
  switch (target.kind) {
    case Target::Kind::kLocal:
      return MoveInto(target.place, value, line);
    case Target::Kind::kUpvalue:
      return builder_.Emit(line, Op::kSetUpvalue, value, target.place);
    case Target::Kind::kGlobal:
      return builder_.Emit(line, Op::kSetGlobal, value, target.place, target.key.value,
                           target.key.cache);
    case Target::Kind::kIndex:
      return EmitStore(target.place, target.key, value, line);
  }
}

}  // namespace neap::vm
