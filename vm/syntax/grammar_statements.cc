// SPDX-License-Identifier: MIT
//
// Blocks and the statements that contain blocks; the others are in grammar_assignments.cc.
#include "grammar.h"

namespace neap::vm {

// --- Blocks --------------------------------------------------------------------------------------

bool Grammar::EndsBlock(bool with_until) const {
  switch (kind()) {
    case Kind::kElse:
    case Kind::kElseif:
    case Kind::kEnd:
    case Kind::kEof:
      return true;
    case Kind::kUntil:
      return with_until;
    default:
      return false;
  }
}

// `first`, if not null, was read already and comes before the rest.
void Grammar::ParseStatements(Block* block, Stat* first) {
  List<Stat*> list(stats_);
  if (first != nullptr) list.Add(first);
  bool is_complete = false;
  while (!is_complete && !EndsBlock(true)) {
    is_complete = At(Kind::kReturn);
    ParseStatement(list);
  }
  block->statements = list.Finish(arena_);
}

Block* Grammar::ParseBlock() {
  Block* block = arena_.New<Block>();
  BlockScope scope;
  scopes_.OpenBlock(&scope, block);
  ParseStatements(block);
  scopes_.CloseBlock();
  return block;
}

void Grammar::ParseStatement(List<Stat*>& list) {
  const uint32_t line = lexer_.line();
  const Level level(*this);
  if (Accept(';')) return;
  if (Accept(Kind::kDoubleColon)) {
    ParseLabel(list, line);
    return;
  }
  Stat* stat = ParseOneStatement(line);
  stat->last_line = lexer_.last_line();
  list.Add(stat);
}

Stat* Grammar::ParseOneStatement(uint32_t line) {
  switch (kind()) {
    case Kind::kIf:
      return ParseIf(line);
    case Kind::kWhile:
      return ParseWhile(line);
    case Kind::kDo:
      return ParseDo(line);
    case Kind::kFor:
      return ParseFor(line);
    case Kind::kRepeat:
      return ParseRepeat(line);
    case Kind::kFunction:
      return ParseFunctionStat(line);
    case Kind::kLocal:
      lexer_.Next();
      return Accept(Kind::kFunction) ? ParseLocalFunction(line) : ParseLocal(line);
    case Kind::kReturn:
      return ParseReturn(line);
    case Kind::kBreak:
      return ParseBreak();
    case Kind::kGoto:
      return ParseGoto();
    default:
      return ParseExprStat(line);
  }
}

Stat* Grammar::ParseDo(uint32_t line) {
  Do* stat = NewStat<Do>(StatKind::kDo, line);
  lexer_.Next();
  stat->body = ParseBlock();
  ExpectClosing(Kind::kEnd, Kind::kDo, line);
  return stat;
}

// --- Conditions ----------------------------------------------------------------------------------

Stat* Grammar::ParseIf(uint32_t line) {
  If* stat = NewStat<If>(StatKind::kIf, line);
  List<IfClause> clauses(clauses_);
  clauses.Add(ParseIfClause());
  while (At(Kind::kElseif)) clauses.Add(ParseIfClause());
  if (Accept(Kind::kElse)) stat->otherwise = ParseBlock();
  ExpectClosing(Kind::kEnd, Kind::kIf, line);
  stat->clauses = clauses.Finish(arena_);
  return stat;
}

// A break right behind `then` takes no level of nesting, as in the reference implementation.
IfClause Grammar::ParseIfClause() {
  lexer_.Next();
  Expr* condition = ParseExpr();
  Expect(Kind::kThen);
  Settle(condition);
  const uint32_t then_line = lexer_.last_line();
  Block* body = arena_.New<Block>();
  BlockScope scope;
  scopes_.OpenBlock(&scope, body);
  ParseStatements(body, At(Kind::kBreak) ? ParseBreak() : nullptr);
  scopes_.CloseBlock();
  return {.condition = condition, .body = body, .then_line = then_line};
}

// --- Loops ---------------------------------------------------------------------------------------

Stat* Grammar::ParseWhile(uint32_t line) {
  While* stat = NewStat<While>(StatKind::kWhile, line);
  lexer_.Next();
  stat->condition = ParseExpr();
  Settle(stat->condition);
  stat->exit = NewLabel(break_, line);
  Block around;  // has no locals
  BlockScope loop;
  scopes_.OpenLoop(&loop, &around, stat->exit);
  Expect(Kind::kDo);
  stat->body = ParseBlock();
  ExpectClosing(Kind::kEnd, Kind::kWhile, line);
  scopes_.CloseBlock();
  return stat;
}

Stat* Grammar::ParseRepeat(uint32_t line) {
  Repeat* stat = NewStat<Repeat>(StatKind::kRepeat, line);
  stat->exit = NewLabel(break_, line);
  stat->body = arena_.New<Block>();
  Block around;  // has no locals
  BlockScope loop;
  BlockScope body;
  scopes_.OpenLoop(&loop, &around, stat->exit);
  scopes_.OpenBlock(&body, stat->body);
  lexer_.Next();
  ParseStatements(stat->body);
  ExpectClosing(Kind::kUntil, Kind::kRepeat, line);
  stat->condition = ParseExpr();
  Settle(stat->condition);
  scopes_.CloseBlock();
  scopes_.CloseBlock();
  return stat;
}

Stat* Grammar::ParseFor(uint32_t line) {
  Block* outer = arena_.New<Block>();
  Label* exit = NewLabel(break_, line);
  BlockScope loop;
  scopes_.OpenLoop(&loop, outer, exit);
  lexer_.Next();
  const Symbol* name = ExpectName();
  Loop* stat = nullptr;
  if (At('=')) {
    stat = ParseNumericFor(line, name, outer);
  } else if (At(',') || At(Kind::kIn)) {
    stat = ParseGenericFor(line, name, outer);
  } else {
    lexer_.FailNear("'=' or 'in' expected");
  }
  stat->exit = exit;
  ExpectClosing(Kind::kEnd, Kind::kFor, line);
  scopes_.CloseBlock();
  return stat;
}

std::span<Local*> Grammar::DeclareForState(size_t count) {
  List<Local*> state(locals_);
  for (size_t i = 0; i < count; ++i) state.Add(scopes_.Declare(for_state_));
  return state.Finish(arena_);
}

Loop* Grammar::ParseNumericFor(uint32_t line, const Symbol* name, Block* outer) {
  NumericFor* stat = NewStat<NumericFor>(StatKind::kNumericFor, line);
  const auto bound = [this] {
    Expr* value = ParseExpr();
    Settle(value);
    return value;
  };
  stat->outer = outer;
  stat->state = DeclareForState(3);
  stat->variable = scopes_.Declare(name);
  Expect('=');
  stat->start = bound();
  Expect(',');
  stat->limit = bound();
  if (Accept(',')) stat->step = bound();
  for (Local* local : stat->state) scopes_.Show(local);
  stat->body = ParseForBody({&stat->variable, 1}, &stat->do_line);
  return stat;
}

Loop* Grammar::ParseGenericFor(uint32_t line, const Symbol* name, Block* outer) {
  GenericFor* stat = NewStat<GenericFor>(StatKind::kGenericFor, line);
  stat->outer = outer;
  stat->state = DeclareForState(4);
  List<Local*> variables(locals_);
  variables.Add(scopes_.Declare(name));
  while (Accept(',')) variables.Add(scopes_.Declare(ExpectName()));
  stat->variables = variables.Finish(arena_);
  Expect(Kind::kIn);
  stat->call_line = lexer_.line();
  stat->values = ParseExprList();
  stat->state.back()->attribute = Attribute::kClose;
  for (Local* local : stat->state) scopes_.Show(local);
  stat->body = ParseForBody(stat->variables, &stat->do_line);
  return stat;
}

Block* Grammar::ParseForBody(std::span<Local* const> variables, uint32_t* do_line) {
  Expect(Kind::kDo);
  *do_line = lexer_.last_line();
  Block* body = arena_.New<Block>();
  BlockScope scope;
  scopes_.OpenBlock(&scope, body);
  for (Local* local : variables) scopes_.Show(local);
  ParseStatements(body);
  scopes_.CloseBlock();
  return body;
}

// --- Labels --------------------------------------------------------------------------------------

Label* Grammar::NewLabel(const Symbol* name, uint32_t line) {
  Label* label = NewStat<Label>(StatKind::kLabel, line);
  label->name = name;
  return label;
}

// Behind the first "::". Statements that do nothing are read first: a label that only such follow
// stands at the end of its block.
void Grammar::ParseLabel(List<Stat*>& list, uint32_t line) {
  Label* label = NewLabel(ExpectName(), line);
  Expect(Kind::kDoubleColon);
  while (At(';') || At(Kind::kDoubleColon)) ParseStatement(list);
  scopes_.Place(label, EndsBlock(false));
  label->last_line = line;
  list.Add(label);
}

}  // namespace neap::vm
