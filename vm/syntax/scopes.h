// SPDX-License-Identifier: MIT
//
// Which variable a name means, and where a goto goes: the book-keeping of the parser. It works
// while the text is read, since the order of declarations decides.
//
//   S1  FunctionScopes and BlockScopes live on the C++ stack of the parser and nest. A function has
//       one block at least, its body.
//   S2  A local is first declared, then made visible: `local x = x` reads the outer x. Only visible
//       locals have a slot and a depth. The limit of 200 counts both.
//   S3  A goto whose label was not seen yet is pending. When its block is left it moves out: it
//       then counts as standing at the start of the block in the enclosing one. What is
//       pending when the body of the function ends is an error, the earliest first.
//   S4  A label is visible in its block and in the blocks inside, not in functions inside; its name
//       must be new among those visible.
//
// The messages are those of the reference implementation.
#ifndef NEAP_VM_SYNTAX_SCOPES_H_
#define NEAP_VM_SYNTAX_SCOPES_H_

#include <vector>

#include "ast.h"
#include "lexer.h"
#include "syntax_arena.h"

namespace neap::vm {

struct BlockScope {
  Block* block = nullptr;
  BlockScope* outer = nullptr;  // in the same function
  Label* loop_exit = nullptr;   // where break goes from the block itself; null: it is no loop
  size_t first_label = 0;
  size_t first_pending = 0;
  bool is_inside_close = false;  // a variable to be closed is visible
};

struct FunctionScope {
  Function* function = nullptr;
  FunctionScope* outer = nullptr;
  BlockScope* block = nullptr;  // the innermost
  Local* innermost = nullptr;   // visible local
  uint16_t declared = 0;        // locals not visible yet
  uint16_t slots = 0;           // in use by visible locals
  size_t first_label = 0;
  std::vector<Local*> locals;
  std::vector<CapturedVariable> upvalues;
  std::vector<Function*> functions;

  uint16_t depth() const { return innermost != nullptr ? innermost->depth : 0; }
};

class Scopes {
 public:
  Scopes(SyntaxArena& arena, Lexer& lexer, SymbolTable& symbols)
      : arena_(arena), lexer_(lexer), environment_(symbols.Intern("_ENV")) {}

  // --- Functions and blocks ---
  void OpenFunction(FunctionScope* scope, Function* function);
  void CloseFunction();
  void OpenBlock(BlockScope* scope, Block* block);
  void OpenLoop(BlockScope* scope, Block* block, Label* exit);
  void CloseBlock();

  // --- Variables ---
  Local* Declare(const Symbol* name);
  void Show(Local* local);  // makes a declared local visible
  // A LocalRef, an UpvalueRef, a copy of the literal (A2), or an Index into _ENV.
  Expr* Resolve(const Symbol* name, uint32_t line);

  // --- Jumps ---
  void Jump(Goto* jump);  // goto or break, at its place
  void Place(Label* label, bool is_last_in_block);

  FunctionScope& function() { return *function_; }
  bool is_inside_close() const { return function_->block->is_inside_close; }

 private:
  struct Pending {
    Goto* jump;
    const Local* scope;  // S3: where it counts as standing
  };
  static constexpr size_t kMaxLocals = 200;
  static constexpr size_t kMaxUpvalues = 255;
  // Of labels, and of pending gotos: what the reference implementation allows, and what keeps the
  // search for a label by name from being felt.
  static constexpr size_t kMaxLabels = 32767;

  [[noreturn]] void FailLimit(const FunctionScope& scope, std::string_view what, size_t limit);
  Expr* ResolveVariable(const Symbol* name, uint32_t line);
  // The variable as an upvalue of the function: its number; or -1 with *constant set or not.
  int FindUpvalue(FunctionScope& scope, const Symbol* name, const Literal** constant);
  int AddUpvalue(FunctionScope& scope, const CapturedVariable& upvalue);
  void MarkCaptured(FunctionScope& scope, Local* local);

  Label* FindLabel(const Symbol* name);
  void ResolvePending(Label* label);
  void MovePendingOut(const BlockScope& block);
  [[noreturn]] void FailUndefined(const Goto& jump);
  [[noreturn]] void FailJumpIntoScope(const Pending& pending, const Label& label);

  SyntaxArena& arena_;
  Lexer& lexer_;
  const Symbol* const environment_;
  FunctionScope* function_ = nullptr;
  std::vector<Label*> labels_;  // visible ones, of all open functions
  std::vector<Pending> pending_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_SCOPES_H_
