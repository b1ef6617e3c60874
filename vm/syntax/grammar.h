// SPDX-License-Identifier: MIT
//
// The recursive descent: one function per rule of the grammar in manual section 9, binary operators
// by precedence climbing. It checks things in the order in which the reference implementation does,
// so that a chunk with several errors reports the same one.
//
//   G1  On entry to a rule the current token is the first of the rule, on return the first behind
//       it. All of lexer_ and scopes_ is as of that token.
//   G2  Every cycle of recursion passes a Level, so that nesting is bounded.
//   G3  Lists grow on stacks that the whole parse shares and are copied to the arena when complete:
//       a rule finds the stack as it left it.
//   G4  An Index gets its line when its value is first needed (Settle): until then it may turn out
//       to be the target of an assignment. That is the line the reference implementation reports.
#ifndef NEAP_VM_SYNTAX_GRAMMAR_H_
#define NEAP_VM_SYNTAX_GRAMMAR_H_

#include <vector>

#include "ast.h"
#include "lexer.h"
#include "parser.h"
#include "scopes.h"

namespace neap::vm {

class Grammar {
 public:
  Grammar(SyntaxArena& arena, SymbolTable& symbols, Lexer& lexer, Scopes& scopes,
          const ParseOptions& options);

  // Once. Throws SyntaxError.
  Function* ParseChunk();

 private:
  using Kind = TokenKind;

  class Level;  // one level of nesting (G2)

  // A list under construction (G3): the top of a shared stack.
  template <typename T>
  class List {
   public:
    explicit List(std::vector<T>& stack) : stack_(stack), first_(stack.size()) {}
    void Add(T item) { stack_.push_back(item); }
    size_t size() const { return stack_.size() - first_; }
    T& back() { return stack_.back(); }
    std::span<T> Finish(SyntaxArena& arena) {
      const std::span<T> copy = arena.Copy(std::span<const T>(stack_).subspan(first_));
      stack_.resize(first_);
      return copy;
    }

   private:
    std::vector<T>& stack_;
    const size_t first_;
  };

  // --- Tokens ---
  TokenKind kind() const { return lexer_.token().kind; }
  bool At(TokenKind wanted) const { return kind() == wanted; }
  bool At(char byte) const { return kind() == ByteToken(byte); }
  bool Accept(TokenKind wanted);
  bool Accept(char byte) { return Accept(ByteToken(byte)); }
  void Check(TokenKind wanted);  // is there, but stays
  void Expect(TokenKind wanted);
  void Expect(char byte) { Expect(ByteToken(byte)); }
  // `wanted` closes what `opened` opened at that line.
  void ExpectClosing(TokenKind wanted, TokenKind opened, uint32_t line);
  const Symbol* ExpectName();

  template <typename T>
  T* NewExpr(ExprKind kind, uint32_t line) {
    T* node = arena_.New<T>();
    node->kind = kind;
    node->line = line;
    return node;
  }
  template <typename T>
  T* NewStat(StatKind kind, uint32_t line) {
    T* node = arena_.New<T>();
    node->kind = kind;
    node->line = line;
    return node;
  }

  // --- Statements with blocks, and labels (grammar_statements.cc) ---
  bool EndsBlock(bool with_until) const;
  void ParseStatements(Block* block, Stat* first = nullptr);
  Block* ParseBlock();  // in a scope of its own
  void ParseStatement(List<Stat*>& list);
  Stat* ParseOneStatement(uint32_t line);
  Stat* ParseDo(uint32_t line);
  Stat* ParseIf(uint32_t line);
  IfClause ParseIfClause();
  Stat* ParseWhile(uint32_t line);
  Stat* ParseRepeat(uint32_t line);
  Stat* ParseFor(uint32_t line);
  Loop* ParseNumericFor(uint32_t line, const Symbol* name, Block* outer);
  Loop* ParseGenericFor(uint32_t line, const Symbol* name, Block* outer);
  std::span<Local*> DeclareForState(size_t count);
  Block* ParseForBody(std::span<Local* const> variables, uint32_t* do_line);
  void ParseLabel(List<Stat*>& list, uint32_t line);
  Label* NewLabel(const Symbol* name, uint32_t line);

  // --- Statements without blocks (grammar_assignments.cc) ---
  Stat* ParseFunctionStat(uint32_t line);
  Stat* ParseLocalFunction(uint32_t line);
  Stat* ParseLocal(uint32_t line);
  Attribute ParseAttribute();
  void ShowLocals(const LocalStat& stat);
  Stat* ParseExprStat(uint32_t line);
  Stat* ParseAssign(uint32_t line, Expr* first);
  void ParseTargets(List<Expr*>& targets, Assign* stat);
  void CheckAssignable(const Expr& target);
  void MarkAssigned(const Expr& target);  // throws if the variable is constant
  [[noreturn]] void FailConst(const Local& local);
  Stat* ParseReturn(uint32_t line);
  Goto* NewGoto(const Symbol* name, uint32_t line);
  Stat* ParseGoto();
  Stat* ParseBreak();

  // --- Expressions (grammar_expressions.cc) ---
  Expr* ParseExpr();
  Expr* ParseOperand(int limit);  // operators that bind tighter than the limit
  Expr* ParseUnary(UnaryOp op);
  Expr* ParseSimple();
  Expr* ParsePrimary();
  Expr* ParseParenthesized();
  Expr* ParseSuffixed();
  Expr* ParseField(Expr* object);
  Expr* ParseSubscript(Expr* object);
  Expr* ParseMethod(Expr* object);
  Expr* ParseCall(Expr* callee);
  std::span<Expr*> ParseArguments();
  void ParseExprList(List<Expr*>& list);
  std::span<Expr*> ParseExprList();
  Expr* ParseTable();
  TableItem ParseTableItem();
  Expr* ParseVararg();
  Expr* ParseNumber();
  Expr* ParseString();
  Expr* NewString(const Symbol* text, uint32_t line);
  Expr* NewBinary(BinaryOp op, Expr* left, Expr* right, uint32_t line);
  Index* NewIndex(Expr* object, Expr* key);
  void Settle(Expr* expr);  // G4

  // --- Functions (grammar_functions.cc) ---
  Function* ParseFunction(uint32_t line, bool is_method);  // from the parameters on
  Expr* ParseFunctionExpr(uint32_t line, bool is_method);
  void ParseParameters(Function* function);

  SyntaxArena& arena_;
  SymbolTable& symbols_;
  Lexer& lexer_;
  Scopes& scopes_;
  const Symbol* const break_;
  const Symbol* const for_state_;
  const uint32_t level_limit_;
  uint32_t levels_;
  std::vector<Expr*> exprs_;       // G3
  std::vector<Stat*> stats_;       // G3
  std::vector<Local*> locals_;     // G3
  std::vector<IfClause> clauses_;  // G3
  std::vector<TableItem> items_;   // G3
};

class Grammar::Level {
 public:
  explicit Level(Grammar& grammar) : grammar_(grammar) {
    if (++grammar.levels_ >= grammar.level_limit_) Overflow();
  }
  ~Level() { --grammar_.levels_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  [[noreturn]] static void Overflow();

  Grammar& grammar_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_GRAMMAR_H_
