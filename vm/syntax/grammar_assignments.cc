// SPDX-License-Identifier: MIT
//
// Statements without blocks: definitions, assignments, calls, jumps.
#include "constant_folder.h"
#include "grammar.h"
#include "text/concat.h"

namespace neap::vm {

// --- Definitions ---------------------------------------------------------------------------------

Stat* Grammar::ParseFunctionStat(uint32_t line) {
  Assign* stat = NewStat<Assign>(StatKind::kAssign, line);
  lexer_.Next();
  const uint32_t name_line = lexer_.line();
  Expr* target = scopes_.Resolve(ExpectName(), name_line);
  while (At('.')) target = ParseField(target);
  const bool is_method = At(':');
  if (is_method) target = ParseField(target);
  Expr* value = ParseFunctionExpr(line, is_method);
  MarkAssigned(*target);
  stat->targets = arena_.Copy(std::span<Expr* const>(&target, 1));
  stat->values = arena_.Copy(std::span<Expr* const>(&value, 1));
  stat->store_line = line;
  return stat;
}

// The function may call itself: its local is visible in its own body.
Stat* Grammar::ParseLocalFunction(uint32_t line) {
  LocalFunction* stat = NewStat<LocalFunction>(StatKind::kLocalFunction, line);
  stat->local = scopes_.Declare(ExpectName());
  scopes_.Show(stat->local);
  stat->function = ParseFunction(lexer_.line(), false);
  return stat;
}

Attribute Grammar::ParseAttribute() {
  if (!Accept('<')) return Attribute::kNone;
  const std::string_view name = ExpectName()->view();
  Expect('>');
  if (name == "const") return Attribute::kConst;
  if (name == "close") return Attribute::kClose;
  lexer_.Fail(Concat("unknown attribute '", name, "'"));
}

Stat* Grammar::ParseLocal(uint32_t line) {
  LocalStat* stat = NewStat<LocalStat>(StatKind::kLocal, line);
  List<Local*> locals(locals_);
  bool has_close = false;
  do {
    Local* local = scopes_.Declare(ExpectName());
    local->attribute = ParseAttribute();
    const bool is_close = local->attribute == Attribute::kClose;
    if (is_close && has_close) {
      lexer_.Fail("multiple to-be-closed variables in local list");
    }
    has_close |= is_close;
    locals.Add(local);
  } while (Accept(','));
  stat->locals = locals.Finish(arena_);
  if (Accept('=')) stat->values = ParseExprList();
  ShowLocals(*stat);
  return stat;
}

// Only the last local of a list can be a compile-time constant, as in the reference implementation.
void Grammar::ShowLocals(const LocalStat& stat) {
  Local* last = stat.locals.back();
  const bool has_own_value = stat.values.size() == stat.locals.size();
  if (has_own_value && last->attribute == Attribute::kConst && IsLiteral(*stat.values.back())) {
    Literal* value = arena_.New<Literal>(As<Literal>(*stat.values.back()));
    value->constant = last;
    last->constant = value;
  }
  for (Local* local : stat.locals) scopes_.Show(local);
}

// --- Assignments and calls -----------------------------------------------------------------------

Stat* Grammar::ParseExprStat(uint32_t line) {
  Expr* expr = ParseSuffixed();
  if (At('=') || At(',')) return ParseAssign(line, expr);
  if (expr->kind != ExprKind::kCall && expr->kind != ExprKind::kMethodCall) {
    lexer_.FailNear("syntax error");
  }
  CallStat* stat = NewStat<CallStat>(StatKind::kCall, line);
  stat->call = expr;
  return stat;
}

Stat* Grammar::ParseAssign(uint32_t line, Expr* first) {
  Assign* stat = NewStat<Assign>(StatKind::kAssign, line);
  List<Expr*> targets(exprs_);
  targets.Add(first);
  ParseTargets(targets, stat);
  stat->targets = targets.Finish(arena_);
  return stat;
}

// The last target was read; reads the others and then the values, inside a level for each comma.
void Grammar::ParseTargets(List<Expr*>& targets, Assign* stat) {
  CheckAssignable(*targets.back());
  if (Accept(',')) {
    targets.Add(ParseSuffixed());
    const Level level(*this);
    ParseTargets(targets, stat);
    return;
  }
  Expect('=');
  stat->values = ParseExprList();
  stat->store_line = lexer_.last_line();
}

void Grammar::CheckAssignable(const Expr& target) {
  const bool is_variable = target.kind == ExprKind::kLocal || target.kind == ExprKind::kUpvalue ||
                           target.kind == ExprKind::kIndex;
  const bool is_constant = IsLiteral(target) && As<const Literal>(target).constant != nullptr;
  if (!is_variable && !is_constant) lexer_.FailNear("syntax error");
  MarkAssigned(target);
}

void Grammar::MarkAssigned(const Expr& target) {
  const Local* constant = IsLiteral(target) ? As<const Literal>(target).constant : nullptr;
  if (constant != nullptr) FailConst(*constant);
  Local* local = nullptr;
  if (target.kind == ExprKind::kLocal) local = As<const LocalRef>(target).local;
  if (target.kind == ExprKind::kUpvalue) local = As<const UpvalueRef>(target).variable;
  if (local == nullptr) return;
  if (local->attribute != Attribute::kNone) FailConst(*local);
  local->is_assigned = true;
}

void Grammar::FailConst(const Local& local) {
  lexer_.Fail(Concat("attempt to assign to const variable '", local.name->view(), "'"));
}

// --- Jumps ---------------------------------------------------------------------------------------

Stat* Grammar::ParseReturn(uint32_t line) {
  Return* stat = NewStat<Return>(StatKind::kReturn, line);
  lexer_.Next();
  if (!EndsBlock(true) && !At(';')) stat->values = ParseExprList();
  Accept(';');
  const bool is_call = stat->values.size() == 1 && stat->values[0]->is_multiple() &&
                       stat->values[0]->kind != ExprKind::kVararg;
  stat->is_tail_call = is_call && !scopes_.is_inside_close();
  return stat;
}

Goto* Grammar::NewGoto(const Symbol* name, uint32_t line) {
  Goto* jump = NewStat<Goto>(StatKind::kGoto, line);
  jump->name = name;
  jump->last_line = line;
  scopes_.Jump(jump);
  return jump;
}

Stat* Grammar::ParseGoto() {
  lexer_.Next();
  const uint32_t line = lexer_.line();
  return NewGoto(ExpectName(), line);
}

Stat* Grammar::ParseBreak() {
  const uint32_t line = lexer_.line();
  lexer_.Next();
  return NewGoto(break_, line);
}

}  // namespace neap::vm
