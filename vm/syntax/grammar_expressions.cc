// SPDX-License-Identifier: MIT
#include <optional>

#include "constant_folder.h"
#include "grammar.h"

namespace neap::vm {
namespace {

struct BinaryRule {
  BinaryOp op;
  int left;
  int right;
};

std::optional<BinaryRule> BinaryRuleOf(TokenKind kind) {
  static constexpr BinaryRule kRules[] = {
#define NEAP_VM_RULE(name, text, left, right) {BinaryOp::name, left, right},
      NEAP_VM_BINARY_OPERATORS(NEAP_VM_RULE)
#undef NEAP_VM_RULE
  };
  const auto rule = [](BinaryOp op) { return kRules[static_cast<size_t>(op)]; };
  switch (kind) {
    case TokenKind::kOr:
      return rule(BinaryOp::kOr);
    case TokenKind::kAnd:
      return rule(BinaryOp::kAnd);
    case TokenKind::kLess:
      return rule(BinaryOp::kLess);
    case TokenKind::kLessEqual:
      return rule(BinaryOp::kLessEqual);
    case TokenKind::kGreater:
      return rule(BinaryOp::kGreater);
    case TokenKind::kGreaterEqual:
      return rule(BinaryOp::kGreaterEqual);
    case TokenKind::kEqual:
      return rule(BinaryOp::kEqual);
    case TokenKind::kNotEqual:
      return rule(BinaryOp::kNotEqual);
    case TokenKind::kBar:
      return rule(BinaryOp::kBitOr);
    case TokenKind::kTilde:
      return rule(BinaryOp::kBitXor);
    case TokenKind::kAmpersand:
      return rule(BinaryOp::kBitAnd);
    case TokenKind::kShiftLeft:
      return rule(BinaryOp::kShiftLeft);
    case TokenKind::kShiftRight:
      return rule(BinaryOp::kShiftRight);
    case TokenKind::kConcat:
      return rule(BinaryOp::kConcat);
    case TokenKind::kPlus:
      return rule(BinaryOp::kAdd);
    case TokenKind::kMinus:
      return rule(BinaryOp::kSubtract);
    case TokenKind::kStar:
      return rule(BinaryOp::kMultiply);
    case TokenKind::kSlash:
      return rule(BinaryOp::kDivide);
    case TokenKind::kIntegerDivide:
      return rule(BinaryOp::kIntegerDivide);
    case TokenKind::kPercent:
      return rule(BinaryOp::kModulo);
    case TokenKind::kCaret:
      return rule(BinaryOp::kPower);
    default:
      return std::nullopt;
  }
}

std::optional<UnaryOp> UnaryOpOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kNot:
      return UnaryOp::kNot;
    case TokenKind::kMinus:
      return UnaryOp::kNegate;
    case TokenKind::kTilde:
      return UnaryOp::kBitNot;
    case TokenKind::kHash:
      return UnaryOp::kLength;
    default:
      return std::nullopt;
  }
}

}  // namespace

// --- Operators -----------------------------------------------------------------------------------

Expr* Grammar::ParseExpr() { return ParseOperand(0); }

Expr* Grammar::ParseOperand(int limit) {
  const Level level(*this);
  const std::optional<UnaryOp> unary = UnaryOpOf(kind());
  Expr* left = unary ? ParseUnary(*unary) : ParseSimple();
  while (const std::optional<BinaryRule> rule = BinaryRuleOf(kind())) {
    if (rule->left <= limit) break;
    const uint32_t line = lexer_.line();
    lexer_.Next();
    Settle(left);
    Expr* right = ParseOperand(rule->right);
    Settle(right);
    left = NewBinary(rule->op, left, right, IsComparison(rule->op) ? lexer_.last_line() : line);
  }
  return left;
}

Expr* Grammar::ParseUnary(UnaryOp op) {
  const uint32_t line = lexer_.line();
  lexer_.Next();
  Expr* operand = ParseOperand(kUnaryPriority);
  Settle(operand);
  if (Literal* folded = FoldUnary(arena_, op, *operand)) return folded;
  Unary* expr = NewExpr<Unary>(ExprKind::kUnary, line);
  expr->op = op;
  expr->operand = operand;
  return expr;
}

Expr* Grammar::NewBinary(BinaryOp op, Expr* left, Expr* right, uint32_t line) {
  if (Literal* folded = FoldBinary(arena_, op, *left, *right)) return folded;
  Binary* expr = NewExpr<Binary>(ExprKind::kBinary, line);
  expr->op = op;
  expr->left = left;
  expr->right = right;
  return expr;
}

void Grammar::Settle(Expr* expr) {
  if (expr->kind != ExprKind::kIndex) return;
  Index& index = As<Index>(*expr);
  if (!index.is_settled) index.line = lexer_.last_line();
  index.is_settled = true;
}

// --- Operands ------------------------------------------------------------------------------------

Expr* Grammar::ParseSimple() {
  const uint32_t line = lexer_.line();
  switch (kind()) {
    case Kind::kFloat:
    case Kind::kInteger:
      return ParseNumber();
    case Kind::kString:
      return ParseString();
    case Kind::kNil:
      lexer_.Next();
      return NewExpr<Literal>(ExprKind::kNil, line);
    case Kind::kTrue:
      lexer_.Next();
      return NewExpr<Literal>(ExprKind::kTrue, line);
    case Kind::kFalse:
      lexer_.Next();
      return NewExpr<Literal>(ExprKind::kFalse, line);
    case Kind::kDots:
      return ParseVararg();
    case Kind::kLeftBrace:
      return ParseTable();
    case Kind::kFunction:
      lexer_.Next();
      return ParseFunctionExpr(lexer_.line(), false);
    default:
      return ParseSuffixed();
  }
}

Expr* Grammar::ParseNumber() {
  const Token token = lexer_.token();
  Literal* literal = NewExpr<Literal>(ExprKind::kInteger, lexer_.line());
  literal->integer = token.integer;
  if (token.kind == Kind::kFloat) {
    literal->kind = ExprKind::kFloat;
    literal->real = token.real;
  }
  lexer_.Next();
  return literal;
}

Expr* Grammar::NewString(const Symbol* text, uint32_t line) {
  Literal* literal = NewExpr<Literal>(ExprKind::kString, line);
  literal->text = text;
  return literal;
}

Expr* Grammar::ParseString() {
  Expr* literal = NewString(lexer_.token().symbol, lexer_.line());
  lexer_.Next();
  return literal;
}

Expr* Grammar::ParseVararg() {
  if (!scopes_.function().function->is_vararg) {
    lexer_.FailNear("cannot use '...' outside a vararg function");
  }
  Expr* vararg = NewExpr<Expr>(ExprKind::kVararg, lexer_.line());
  lexer_.Next();
  return vararg;
}

Expr* Grammar::ParsePrimary() {
  const uint32_t line = lexer_.line();
  if (At(Kind::kName)) return scopes_.Resolve(ExpectName(), line);
  if (At('(')) return ParseParenthesized();
  lexer_.FailNear("unexpected symbol");
}

// Parentheses around what is neither cut to one value nor a variable leave no trace.
Expr* Grammar::ParseParenthesized() {
  const uint32_t line = lexer_.line();
  lexer_.Next();
  Expr* inner = ParseExpr();
  ExpectClosing(ByteToken(')'), ByteToken('('), line);
  Settle(inner);
  const bool is_variable = inner->kind == ExprKind::kLocal || inner->kind == ExprKind::kUpvalue ||
                           inner->kind == ExprKind::kIndex;
  if (is_variable || inner->is_multiple()) {
    Paren* paren = NewExpr<Paren>(ExprKind::kParen, line);
    paren->inner = inner;
    return paren;
  }
  if (IsLiteral(*inner)) As<Literal>(*inner).constant = nullptr;
  return inner;
}

Expr* Grammar::ParseSuffixed() {
  Expr* expr = ParsePrimary();
  while (true) {
    switch (kind()) {
      case Kind::kDot:
        expr = ParseField(expr);
        break;
      case Kind::kLeftBracket:
        expr = ParseSubscript(expr);
        break;
      case Kind::kColon:
        expr = ParseMethod(expr);
        break;
      case Kind::kLeftParen:
      case Kind::kLeftBrace:
      case Kind::kString:
        expr = ParseCall(expr);
        break;
      default:
        return expr;
    }
  }
}

Index* Grammar::NewIndex(Expr* object, Expr* key) {
  Index* index = NewExpr<Index>(ExprKind::kIndex, lexer_.last_line());
  index->object = object;
  index->key = key;
  return index;
}

Expr* Grammar::ParseField(Expr* object) {
  Settle(object);
  lexer_.Next();
  const uint32_t line = lexer_.line();
  return NewIndex(object, NewString(ExpectName(), line));
}

Expr* Grammar::ParseSubscript(Expr* object) {
  Settle(object);
  lexer_.Next();
  Expr* key = ParseExpr();
  Settle(key);
  Expect(']');
  return NewIndex(object, key);
}

Expr* Grammar::ParseMethod(Expr* object) {
  lexer_.Next();
  const Symbol* method = ExpectName();
  Settle(object);
  MethodCall* call = NewExpr<MethodCall>(ExprKind::kMethodCall, lexer_.line());
  call->object = object;
  call->method = method;
  call->method_line = lexer_.last_line();
  call->arguments = ParseArguments();
  return call;
}

Expr* Grammar::ParseCall(Expr* callee) {
  Settle(callee);
  Call* call = NewExpr<Call>(ExprKind::kCall, lexer_.line());
  call->callee = callee;
  call->arguments = ParseArguments();
  return call;
}

std::span<Expr*> Grammar::ParseArguments() {
  const uint32_t line = lexer_.line();
  List<Expr*> list(exprs_);
  if (At(Kind::kString)) {
    list.Add(ParseString());
  } else if (At('{')) {
    list.Add(ParseTable());
  } else if (Accept('(')) {
    if (!At(')')) ParseExprList(list);
    ExpectClosing(ByteToken(')'), ByteToken('('), line);
    if (list.size() > 0) Settle(list.back());
  } else {
    lexer_.FailNear("function arguments expected");
  }
  return list.Finish(arena_);
}

// The last value stays unsettled: who needs it decides when.
void Grammar::ParseExprList(List<Expr*>& list) {
  list.Add(ParseExpr());
  while (Accept(',')) {
    Settle(list.back());
    list.Add(ParseExpr());
  }
}

std::span<Expr*> Grammar::ParseExprList() {
  List<Expr*> list(exprs_);
  ParseExprList(list);
  Settle(list.back());
  return list.Finish(arena_);
}

// --- Tables --------------------------------------------------------------------------------------

Expr* Grammar::ParseTable() {
  TableConstructor* table = NewExpr<TableConstructor>(ExprKind::kTable, lexer_.line());
  List<TableItem> items(items_);
  Expect('{');
  while (!At('}')) {
    if (items.size() > 0) Settle(items.back().value);
    const TableItem item = ParseTableItem();
    items.Add(item);
    if (item.key == nullptr) ++table->array_items;
    if (!Accept(',') && !Accept(';')) break;
  }
  ExpectClosing(ByteToken('}'), ByteToken('{'), table->line);
  if (items.size() > 0) Settle(items.back().value);
  table->items = items.Finish(arena_);
  return table;
}

TableItem Grammar::ParseTableItem() {
  Expr* key = nullptr;
  if (At(Kind::kName) && lexer_.Peek() == ByteToken('=')) {
    const uint32_t line = lexer_.line();
    key = NewString(ExpectName(), line);
    Expect('=');
  } else if (Accept('[')) {
    key = ParseExpr();
    Settle(key);
    Expect(']');
    Expect('=');
  }
  Expr* value = ParseExpr();
  if (key != nullptr) Settle(value);
  return {.key = key, .value = value, .line = lexer_.last_line()};
}

}  // namespace neap::vm
