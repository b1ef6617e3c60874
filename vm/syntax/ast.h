// SPDX-License-Identifier: MIT
//
// The resolved syntax tree of one chunk: what the parser gives the code generator. Nodes live in
// the arena of the Chunk (parser.h), refer to each other by plain pointers and have no destructors.
//
//   A1  Every name is resolved. A local is a LocalRef to its Local; a local of an enclosing
//       function an UpvalueRef to an entry of the function's upvalue list, which the
//       functions in between list too; all else is an Index into _ENV with is_global set.
//   A2  A local that is known at compile time (`local x <const> = 5`, Local::constant) has no slot.
//       Its uses are copies of the literal; they keep a pointer to the local for messages only.
//   A3  What can be folded is folded, and nothing else: constant_folder.h.
//   A4  Every Goto has its target; break is a Goto to the exit label of its loop. Whether a jump
//       has to close variables is asked with NeedsClose, since it depends on closures that may
//       stand behind the jump.
//   A5  Nesting is bounded by the level limit (ParseOptions) in all directions but one: the first
//       child of Binary, Index, Call and MethodCall. `a.b.c...` and `1+x+x...` make spines as long
//       as the source: walk them in a loop.
//
// Lines are those that run-time errors and line hooks report: the line of an operator (of a
// comparison: where its right operand ends; of a chain of concatenations: of the last operator in
// it), of the token that opens the arguments of a call, of a key.
//
// Slots are numbered as in a stack frame: a local has the lowest number free when its scope begins,
// so that slots in use are 0 .. n-1.
//
// A tree may be read by several threads; only the parser changes it.
#ifndef NEAP_VM_SYNTAX_AST_H_
#define NEAP_VM_SYNTAX_AST_H_

#include <cstdint>
#include <span>

#include "operators.h"
#include "symbol_table.h"

namespace neap::vm {

struct Block;
struct Expr;
struct Function;
struct Label;
struct Literal;
struct Stat;

// --- Variables -----------------------------------------------------------------------------------

enum class Attribute : uint8_t {
  kNone,
  kConst,  // <const>
  kClose,  // <close>; also the closing value of a generic for
};

struct Local {
  const Symbol* name;
  Local* outer = nullptr;             // the local of the same function that was declared before it
                                      // and is still visible; null: none
  const Literal* constant = nullptr;  // A2
  uint32_t line = 0;                  // of the declaration
  uint32_t scope_begin = 0;           // byte offsets in the source: visible from here ...
  uint32_t scope_end = 0;             // ... to before here
  uint32_t index = 0;                 // in Function::locals
  uint16_t depth = 0;                 // visible locals of the function, this one included
  uint16_t slot = 0;
  Attribute attribute = Attribute::kNone;
  bool is_captured = false;  // is an upvalue of some function
  bool is_assigned = false;  // is assigned to, beside its declaration
};

struct CapturedVariable {
  const Symbol* name;
  Local* variable;       // what it refers to in the end; null: the _ENV of the chunk
  bool is_parent_local;  // from a local of the parent function, otherwise from its upvalues
  uint8_t parent_index;  // the slot, or the upvalue's number, in the parent function
};

// --- Expressions ---------------------------------------------------------------------------------

// Kind, node type.
#define NEAP_VM_EXPR_KINDS(X) \
  X(kNil, Literal)            \
  X(kFalse, Literal)          \
  X(kTrue, Literal)           \
  X(kInteger, Literal)        \
  X(kFloat, Literal)          \
  X(kString, Literal)         \
  X(kVararg, Expr)            \
  X(kFunction, FunctionExpr)  \
  X(kLocal, LocalRef)         \
  X(kUpvalue, UpvalueRef)     \
  X(kIndex, Index)            \
  X(kCall, Call)              \
  X(kMethodCall, MethodCall)  \
  X(kUnary, Unary)            \
  X(kBinary, Binary)          \
  X(kTable, TableConstructor) \
  X(kParen, Paren)

enum class ExprKind : uint8_t {
#define NEAP_VM_DEFINE(kind, type) kind,
  NEAP_VM_EXPR_KINDS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};

struct Expr {
  ExprKind kind;
  uint32_t line;

  // Can stand for several values: the last in a list is not cut to one.
  bool is_multiple() const {
    return kind == ExprKind::kVararg || kind == ExprKind::kCall || kind == ExprKind::kMethodCall;
  }
};

struct Literal : Expr {
  union {
    int64_t integer = 0;
    double real;
    const Symbol* text;
  };
  const Local* constant = nullptr;  // the local whose name stands here (A2)
};

struct FunctionExpr : Expr {
  const Function* function;
};

struct LocalRef : Expr {
  Local* local;
};

struct UpvalueRef : Expr {
  uint8_t index;    // in Function::upvalues
  Local* variable;  // as CapturedVariable::variable
  const Symbol* name;
};

// object[key]; object.name has a string literal as key. The line is where the key ended, or where
// the value was first needed.
struct Index : Expr {
  Expr* object;
  Expr* key;
  bool is_global = false;   // written as a plain name; `object` is _ENV
  bool is_settled = false;  // used by the parser only
};

struct Call : Expr {
  Expr* callee;
  std::span<Expr*> arguments;
};

struct MethodCall : Expr {
  Expr* object;
  const Symbol* method;
  uint32_t method_line;  // of the name: errors of the lookup; `line` is that of the call
  std::span<Expr*> arguments;
};

struct Unary : Expr {
  UnaryOp op;
  Expr* operand;
};

struct Binary : Expr {
  BinaryOp op;
  Expr* left;
  Expr* right;
};

struct TableItem {
  Expr* key;  // null: the next array element
  Expr* value;
  uint32_t line;  // of the last token of the item
};

// The last item may be several array elements: an is_multiple() value without key.
struct TableConstructor : Expr {
  std::span<TableItem> items;
  uint32_t array_items;  // how many have no key
};

// Parentheses that matter: they cut to one value, and what they hold cannot be assigned to.
struct Paren : Expr {
  Expr* inner;
};

// --- Statements ----------------------------------------------------------------------------------

#define NEAP_VM_STAT_KINDS(X)      \
  X(kLocal, LocalStat)             \
  X(kLocalFunction, LocalFunction) \
  X(kAssign, Assign)               \
  X(kCall, CallStat)               \
  X(kDo, Do)                       \
  X(kIf, If)                       \
  X(kWhile, While)                 \
  X(kRepeat, Repeat)               \
  X(kNumericFor, NumericFor)       \
  X(kGenericFor, GenericFor)       \
  X(kReturn, Return)               \
  X(kGoto, Goto)                   \
  X(kLabel, Label)

enum class StatKind : uint8_t {
#define NEAP_VM_DEFINE(kind, type) kind,
  NEAP_VM_STAT_KINDS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};

// `line` is that of the first token, `last_line` that of the last one.
struct Stat {
  StatKind kind;
  uint32_t line;
  uint32_t last_line = 0;
};

struct Block {
  std::span<Stat*> statements;
  Local* scope = nullptr;    // the innermost local visible at its start; null: none
  bool needs_close = false;  // one of its own locals is captured or to be closed
};

struct LocalStat : Stat {
  std::span<Local*> locals;
  std::span<Expr*> values;
};

struct LocalFunction : Stat {
  Local* local;
  const Function* function;
};

// Also `function a.b:c() end`, with a FunctionExpr as the only value; then the store happens at the
// line of the word `function`.
struct Assign : Stat {
  std::span<Expr*> targets;  // LocalRef, UpvalueRef or Index
  std::span<Expr*> values;
  uint32_t store_line;
};

struct CallStat : Stat {
  Expr* call;  // Call or MethodCall
};

struct Do : Stat {
  Block* body;
};

struct IfClause {
  Expr* condition;
  Block* body;
  uint32_t then_line;
};

struct If : Stat {
  std::span<IfClause> clauses;
  Block* otherwise;  // null: no else
};

// What a break leaves. `exit` is where it goes.
struct Loop : Stat {
  Label* exit;
  Block* body;
};

struct While : Loop {
  Expr* condition;
};

// The condition is inside the scope of the body.
struct Repeat : Loop {
  Expr* condition;
};

// The scope around the body, with the state, is `outer`.
struct NumericFor : Loop {
  Block* outer;
  std::span<Local*> state;  // three locals named "(for state)"
  Local* variable;
  Expr* start;
  Expr* limit;
  Expr* step;        // null: 1
  uint32_t do_line;  // of `do`: errors in the bounds
};

struct GenericFor : Loop {
  Block* outer;
  std::span<Local*> state;  // four locals named "(for state)"; the last is to be closed
  std::span<Local*> variables;
  std::span<Expr*> values;
  uint32_t do_line;    // of `do`: a closing value that cannot be closed
  uint32_t call_line;  // of the calls of the iterator: where the values begin
};

struct Return : Stat {
  std::span<Expr*> values;
  bool is_tail_call;  // one call, and nothing to close
};

struct Label : Stat {
  const Symbol* name;
  Local* scope = nullptr;  // the innermost local visible there. At the end of a block: that
                           // of the start of the block (manual 3.3.4)
  uint32_t id = 0;         // numbered from 0 in its function
};

struct Goto : Stat {
  const Symbol* name;  // of the label; "break" for break
  Label* target = nullptr;
  Local* scope = nullptr;  // the innermost local visible at the jump
};

// --- Functions -----------------------------------------------------------------------------------

struct Function {
  Function* parent = nullptr;            // null: the chunk itself
  std::span<Local*> locals;              // in the order of their declarations, parameters first
  std::span<CapturedVariable> upvalues;  // the chunk has one: _ENV
  std::span<Function*> functions;        // directly inside, in source order
  Block* body = nullptr;
  uint32_t line = 0;       // of `function`; 0 for the chunk
  uint32_t last_line = 0;  // of its `end`
  uint32_t index = 0;      // in parent->functions
  uint32_t label_count = 0;
  uint16_t slots = 0;  // the most in use at a time
  uint8_t parameters = 0;
  bool is_vararg = false;
  bool is_method = false;    // written with a colon: the first parameter is `self`
  bool needs_close = false;  // some block of it does
};

// --- Help for whoever walks the tree -------------------------------------------------------------

template <typename T, typename Node>
T& As(Node& node) {
  return static_cast<T&>(node);
}

// Must the jump close captured or to-be-closed variables on its way?
inline bool NeedsClose(const Goto& jump) {
  const uint16_t kept = jump.target->scope != nullptr ? jump.target->scope->depth : 0;
  for (const Local* local = jump.scope; local != nullptr && local->depth > kept;
       local = local->outer) {
    if (local->is_captured || local->attribute == Attribute::kClose) return true;
  }
  return false;
}

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_AST_H_
