// SPDX-License-Identifier: MIT
//
// One function's syntax tree becomes code. A single pass over the tree; expressions are driven by
// their destination: whoever wants a value says where.
//
//   G1  EvaluateInto writes a register that belongs to a local only with its last instruction,
//       since the expression may read the local. A temporary target may hold parts of the value
//       before, and is then used in place of further temporaries.
//   G2  A local as an operand is read in place, at the instruction that needs it: a function called
//       in between may change it, as in the reference implementation.
//   G3  What calls, makes a table from items, concatenates or makes a closure has its operands and
//       its result at the top of the registers in use: this is C1 of opcode.h.
//   G4  Left spines are as long as the source (A5 of ast.h): they are collected in `spine_` and
//       walked in a loop. All other recursion is bounded by the parser's level limit; what a
//       left spine changes its kind at (an operator of another group, parentheses) takes levels.
//   G5  All code is generated, what can never run too: functions are numbered in source order.
//
// Files: generate_statements.cc, generate_loops.cc, generate_assignments.cc for statements;
// generate_expressions.cc (dispatch, functions, concatenation), generate_operators.cc (arithmetic,
// comparison), generate_conditions.cc (jumps, and/or/not), generate_suffixes.cc (indexing, calls),
// generate_tables.cc (constructors).
#ifndef NEAP_VM_COMPILER_GENERATOR_H_
#define NEAP_VM_COMPILER_GENERATOR_H_

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ast.h"
#include "function_builder.h"

namespace neap::vm {

class Generator {
 public:
  Generator(const Function& function, std::string_view chunk_name)
      : function_(function),
        chunk_name_(chunk_name),
        builder_(function, chunk_name),
        labels_(function.label_count) {}

  std::unique_ptr<CodeUnit> Generate();

 private:
  using Exprs = std::span<Expr* const>;

  struct LabelState {
    JumpList jumps;  // to it, before it was placed
    bool is_placed = false;
    bool closes = false;  // the code there closes the variables of whoever comes
    uint32_t position = 0;
  };

  // A value that an instruction can take as an operand: a register, or a literal that was not
  // loaded yet.
  struct Operand {
    Register reg = kNoRegister;
    const Literal* literal = nullptr;
  };

  struct Key {
    enum class Kind : uint8_t { kField, kInteger, kRegister };
    Kind kind;
    int value;  // constant, integer or register
    int cache = 0;
  };

  // What an assignment stores to, evaluated as far as it is before the values are.
  struct Target {
    enum class Kind : uint8_t { kLocal, kUpvalue, kGlobal, kIndex };
    Kind kind;
    int place;  // kLocal, kIndex: register; kUpvalue, kGlobal: upvalue
    Key key;    // kGlobal, kIndex
  };

  struct Arithmetic {
    Op op;
    int b;
    int c;
    int d;
  };

  struct Comparison {
    Op holds;  // jumps if it is true
    Op fails;
    int a;
    int b;
  };

  // Where the value of and/or is decided before its last operand.
  struct Exits {
    JumpList done;  // the value is in the target
    JumpList load_true;
    JumpList load_false;
  };

  // Without the parentheses around it.
  static const Expr& Bare(const Expr& expr) {
    const Expr* bare = &expr;
    while (bare->kind == ExprKind::kParen) bare = As<const Paren>(*bare).inner;
    return *bare;
  }

  // --- Statements (generate_statements.cc) ---
  void EmitStatements(const Block& block);
  void EmitStatement(const Stat& stat);
  void EmitBlock(const Block& block, uint32_t line);
  // Leaves the block whose locals are the visible ones from `outer_locals` on.
  void LeaveBlock(const Block& block, size_t outer_locals, uint32_t line);
  void EmitIf(const If& stat);
  LabelState* PlainJumpTarget(const Block& body);
  void EmitGoto(const Goto& stat);
  void EmitReturn(const Return& stat);
  void EmitTailCall(const Return& stat);
  void EmitLastReturn();
  void PlaceLabel(const Label& label);
  LabelState& StateOf(const Label& label) { return labels_[label.id]; }

  // --- Loops (generate_loops.cc) ---
  void EmitWhile(const While& stat);
  void EmitRepeat(const Repeat& stat);
  void EmitNumericFor(const NumericFor& stat);
  void EmitGenericFor(const GenericFor& stat);

  // --- Assignments (generate_assignments.cc) ---
  void EmitLocal(const LocalStat& stat);
  void EmitLocalFunction(const LocalFunction& stat);
  void EmitAssign(const Assign& stat);
  void AssignValue(const Target& target, const Expr& value, uint32_t line);
  Target PrepareTarget(const Expr& expr, Exprs later);
  Target PrepareGlobal(const Index& index, Exprs later);
  Register ProtectedRegister(const Expr& expr, Exprs later);
  void Store(const Target& target, Register value, uint32_t line);

  // --- Expressions (generate_expressions.cc) ---
  void EvaluateInto(const Expr& expr, Register target);
  // A local's own register, or a temporary: `scratch` if given, otherwise a new one.
  Register EvaluateToRegister(const Expr& expr, Register scratch = kNoRegister);
  Register EvaluateToTop(const Expr& expr);  // a new temporary
  // Exactly `wanted` values in new temporaries.
  void EvaluateList(Exprs values, int wanted, uint32_t line);
  // All values in new temporaries, but those of an open last one are above them: then the result
  // is -1, otherwise how many there are.
  int EvaluateOpenList(Exprs values);
  // `results` values of a multiple expression from the first free register on; -1: all.
  void EvaluateMultiple(const Expr& expr, int results);
  void EvaluateAndDrop(const Expr& expr);
  void LoadLiteral(const Literal& literal, Register target);
  void LoadNils(Register first, int count, uint32_t line);
  void MoveInto(Register target, Register source, uint32_t line);
  void EvaluateClosure(const Function& function, Register target);
  void EvaluateUnary(const Unary& unary, Register target);
  void EvaluateBinary(const Binary& binary, Register target);
  void EvaluateConcat(const Binary& binary, Register target);
  Register ScratchOf(Register target) const {
    return builder_.IsTemporary(target) ? target : kNoRegister;
  }
  // The target itself if it is the topmost register and may hold parts (G1), or a new one.
  Register TopFor(Register target);

  // --- Operators (generate_operators.cc) ---
  void EvaluateArithmetic(const Binary& binary, Register target);
  Operand EvaluateLeft(const Binary& root, Register scratch);
  Operand EvaluateOperand(const Expr& expr, Register scratch);
  Register Load(const Operand& operand, Register scratch);
  Arithmetic PrepareArithmetic(const Binary& node, const Operand& left, Register scratch);
  Comparison PrepareComparison(const Binary& node, const Operand& left, Register scratch);
  void EmitBoolean(JumpList& load_true, Register target, uint32_t line);

  // --- Conditions (generate_conditions.cc) ---
  // Jumps if the truth of the value is `sense`. `line` is that of a test of a plain value.
  void JumpIf(const Expr& expr, bool sense, JumpList& list, uint32_t line);
  void JumpIfComparison(const Binary& binary, bool sense, JumpList& list, Register scratch);
  void JumpIfLogical(const Binary& binary, bool sense, JumpList& list);
  void EvaluateLogical(const Binary& binary, Register target);
  void EvaluateBoolean(const Expr& expr, Register target);
  void ExitIf(const Expr& expr, bool sense, Register target, Exits& exits);
  void ExitIfLogical(const Binary& binary, bool sense, Register target, Exits& exits);
  void FinishLogical(const Expr& last, Register target, Exits& exits);
  size_t CollectOperands(const Binary& binary);
  static bool HasJumps(const Expr& expr);

  // --- Indexing and calls (generate_suffixes.cc) ---
  void EvaluateSuffix(const Expr& expr, Register target);
  Register EvaluateSpine(const Expr& root, Register target, int results);
  Register EvaluateSpineLeaf(const Expr& leaf, bool is_callee, Register* base);
  void EvaluateGlobal(const Index& index, Register target);
  Key PrepareKey(const Expr& key);
  void EmitLoad(Register target, Register object, const Key& key, uint32_t line);
  void EmitStore(Register object, const Key& key, Register value, uint32_t line);
  // The function is in R[base], the topmost register, as are the results afterwards.
  void EmitCall(const Call& call, Register base, int results);
  void EmitMethodCall(const MethodCall& call, Register object, Register base, int results);
  void EmitSelf(const MethodCall& call, Register object, Register base);

  // --- Table constructors (generate_tables.cc) ---
  void EvaluateTable(const TableConstructor& table, Register target);
  bool IsRecord(const TableConstructor& table) const;
  void EvaluateRecord(const TableConstructor& table, Register target);
  int FieldHint(const TableConstructor& table) const;
  void EvaluateItems(const TableConstructor& table, Register place);
  void StoreItem(const TableItem& item, Register place);

  const Function& function_;
  const std::string_view chunk_name_;
  FunctionBuilder builder_;
  std::vector<LabelState> labels_;
  std::vector<const Expr*> spine_;                 // G4
  std::span<Stat* const> following_;               // statements behind the current one in its block
  const TableConstructor* forecast_of_ = nullptr;  // a constructor whose table will get ...
  int forecast_fields_ = 0;                        // ... so many fields more
};

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_GENERATOR_H_
