// SPDX-License-Identifier: MIT
//
// The chunk, function bodies, and what all rules share: expecting tokens.
#include "grammar.h"
#include "syntax_error.h"
#include "text/concat.h"

namespace neap::vm {

Grammar::Grammar(SyntaxArena& arena, SymbolTable& symbols, Lexer& lexer, Scopes& scopes,
                 const ParseOptions& options)
    : arena_(arena),
      symbols_(symbols),
      lexer_(lexer),
      scopes_(scopes),
      break_(symbols.Intern("break")),
      for_state_(symbols.Intern("(for state)")),
      level_limit_(options.level_limit),
      levels_(options.levels_in_use) {}

void Grammar::Level::Overflow() {
  throw SyntaxError{SyntaxError::Kind::kTooLarge, "C stack overflow"};
}

// --- Tokens --------------------------------------------------------------------------------------

bool Grammar::Accept(TokenKind wanted) {
  if (!At(wanted)) return false;
  lexer_.Next();
  return true;
}

void Grammar::Check(TokenKind wanted) {
  if (!At(wanted)) lexer_.FailNear(Concat(TokenName(wanted), " expected"));
}

void Grammar::Expect(TokenKind wanted) {
  Check(wanted);
  lexer_.Next();
}

void Grammar::ExpectClosing(TokenKind wanted, TokenKind opened, uint32_t line) {
  if (!At(wanted) && line != lexer_.line()) {
    lexer_.FailNear(Concat(TokenName(wanted), " expected (to close ", TokenName(opened),
                           " at line ", line, ")"));
  }
  Expect(wanted);
}

const Symbol* Grammar::ExpectName() {
  Check(Kind::kName);
  const Symbol* name = lexer_.token().symbol;
  lexer_.Next();
  return name;
}

// --- Functions -----------------------------------------------------------------------------------

Function* Grammar::ParseChunk() {
  Function* function = arena_.New<Function>();
  function->is_vararg = true;
  FunctionScope scope;
  BlockScope body;
  scopes_.OpenFunction(&scope, function);
  function->body = arena_.New<Block>();
  scopes_.OpenBlock(&body, function->body);
  lexer_.Next();
  ParseStatements(function->body);
  Check(Kind::kEof);
  function->last_line = lexer_.last_line();
  scopes_.CloseBlock();
  scopes_.CloseFunction();
  return function;
}

void Grammar::ParseParameters(Function* function) {
  if (function->is_method) {
    scopes_.Show(scopes_.Declare(symbols_.Intern("self")));
  }
  List<Local*> named(locals_);
  bool is_complete = At(')');
  while (!is_complete) {
    if (Accept(Kind::kDots)) {
      function->is_vararg = true;
      break;
    }
    if (!At(Kind::kName)) lexer_.FailNear("<name> or '...' expected");
    const Symbol* name = ExpectName();
    named.Add(scopes_.Declare(name));
    is_complete = !Accept(',');
  }
  for (Local* local : named.Finish(arena_)) scopes_.Show(local);
  function->parameters = static_cast<uint8_t>(scopes_.function().depth());
}

Function* Grammar::ParseFunction(uint32_t line, bool is_method) {
  Function* function = arena_.New<Function>();
  function->line = line;
  function->is_method = is_method;
  FunctionScope scope;
  BlockScope body;
  scopes_.OpenFunction(&scope, function);
  function->body = arena_.New<Block>();
  scopes_.OpenBlock(&body, function->body);
  Expect('(');
  ParseParameters(function);
  Expect(')');
  ParseStatements(function->body);
  function->last_line = lexer_.line();
  ExpectClosing(Kind::kEnd, Kind::kFunction, line);
  scopes_.CloseBlock();
  scopes_.CloseFunction();
  return function;
}

Expr* Grammar::ParseFunctionExpr(uint32_t line, bool is_method) {
  FunctionExpr* expr = NewExpr<FunctionExpr>(ExprKind::kFunction, line);
  expr->function = ParseFunction(line, is_method);
  return expr;
}

}  // namespace neap::vm
