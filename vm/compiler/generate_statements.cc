// SPDX-License-Identifier: MIT
//
// Functions, blocks, conditions and jumps.
#include <algorithm>

#include "generator.h"
#include "neap/runtime/check.h"

namespace neap::vm {
namespace {

// How many registers the local and those visible with it take.
int SlotsUpTo(const Local* local) {
  while (local != nullptr && local->constant != nullptr) local = local->outer;
  return local != nullptr ? local->slot + 1 : 0;
}

// The line where the code of a block ends; `line` if it is empty.
uint32_t LastLine(const Block& block, uint32_t line) {
  return block.statements.empty() ? line : block.statements.back()->last_line;
}

bool EndsInJump(const Block& block) {
  if (block.statements.empty()) return false;
  const StatKind last = block.statements.back()->kind;
  return last == StatKind::kReturn || last == StatKind::kGoto;
}

}  // namespace

// --- Functions and blocks ------------------------------------------------------------------------

std::unique_ptr<CodeUnit> Generator::Generate() {
  for (int i = 0; i < function_.parameters; ++i) {
    builder_.ShowLocal(*function_.locals[static_cast<size_t>(i)]);
  }
  if (function_.is_vararg) {
    const uint32_t line = std::max(function_.line, uint32_t{1});  // a chunk begins at line 1
    builder_.Emit(line, Op::kVarargPrepare, function_.parameters);
  }
  EmitStatements(*function_.body);
  EmitLastReturn();
  return builder_.Finish();
}

void Generator::EmitStatements(const Block& block) {
  for (size_t i = 0; i < block.statements.size(); ++i) {
    following_ = std::span<Stat* const>(block.statements).subspan(i + 1);
    builder_.set_line(block.statements[i]->line);
    EmitStatement(*block.statements[i]);
    NEAP_DCHECK(builder_.free() == builder_.local_slots() && spine_.empty(),
                "B2: no temporaries between statements", "free=%d locals=%d", builder_.free(),
                builder_.local_slots());
  }
}

void Generator::EmitStatement(const Stat& stat) {
  switch (stat.kind) {
    case StatKind::kLocal:
      return EmitLocal(As<const LocalStat>(stat));
    case StatKind::kLocalFunction:
      return EmitLocalFunction(As<const LocalFunction>(stat));
    case StatKind::kAssign:
      return EmitAssign(As<const Assign>(stat));
    case StatKind::kCall:
      return EvaluateMultiple(*As<const CallStat>(stat).call, 0);
    case StatKind::kDo:
      return EmitBlock(*As<const Do>(stat).body, stat.line);
    case StatKind::kIf:
      return EmitIf(As<const If>(stat));
    case StatKind::kWhile:
      return EmitWhile(As<const While>(stat));
    case StatKind::kRepeat:
      return EmitRepeat(As<const Repeat>(stat));
    case StatKind::kNumericFor:
      return EmitNumericFor(As<const NumericFor>(stat));
    case StatKind::kGenericFor:
      return EmitGenericFor(As<const GenericFor>(stat));
    case StatKind::kReturn:
      return EmitReturn(As<const Return>(stat));
    case StatKind::kGoto:
      return EmitGoto(As<const Goto>(stat));
    case StatKind::kLabel:
      return PlaceLabel(As<const Label>(stat));
  }
}

void Generator::EmitBlock(const Block& block, uint32_t line) {
  const size_t outer_locals = builder_.visible_locals();
  EmitStatements(block);
  LeaveBlock(block, outer_locals, LastLine(block, line));
}

void Generator::LeaveBlock(const Block& block, size_t outer_locals, uint32_t line) {
  builder_.HideLocals(outer_locals);
  if (block.needs_close && !EndsInJump(block)) {
    builder_.Emit(line, Op::kClose, builder_.local_slots());
  }
}

// --- Conditions ----------------------------------------------------------------------------------

// Where a body that is nothing but a jump forward goes, if the condition may jump there itself.
Generator::LabelState* Generator::PlainJumpTarget(const Block& body) {
  if (body.statements.size() != 1 || body.statements[0]->kind != StatKind::kGoto) return nullptr;
  const Goto& jump = As<const Goto>(*body.statements[0]);
  LabelState& label = StateOf(*jump.target);
  if (label.is_placed || (NeedsClose(jump) && !label.closes)) return nullptr;
  return &label;
}

void Generator::EmitIf(const If& stat) {
  JumpList end;
  for (size_t i = 0; i < stat.clauses.size(); ++i) {
    const IfClause& clause = stat.clauses[i];
    if (LabelState* target = PlainJumpTarget(*clause.body)) {
      JumpIf(*clause.condition, true, target->jumps, clause.then_line);
      continue;
    }
    const bool is_last = i + 1 == stat.clauses.size() && stat.otherwise == nullptr;
    JumpList next;
    JumpIf(*clause.condition, false, next, clause.then_line);
    EmitBlock(*clause.body, clause.then_line);
    if (!is_last && !EndsInJump(*clause.body)) {
      builder_.EmitJump(LastLine(*clause.body, clause.then_line), Op::kJump, 0, 0, end);
    }
    builder_.PatchHere(next);
  }
  if (stat.otherwise != nullptr) EmitBlock(*stat.otherwise, stat.last_line);
  builder_.PatchHere(end);
}

// --- Jumps ---------------------------------------------------------------------------------------

void Generator::EmitGoto(const Goto& stat) {
  LabelState& label = StateOf(*stat.target);
  const int slots = SlotsUpTo(stat.target->scope);
  if (NeedsClose(stat) && !label.closes) builder_.Emit(stat.line, Op::kClose, slots);
  if (label.is_placed) {
    builder_.EmitJumpBack(stat.line, Op::kLoop, slots, 0, label.position);
  } else {
    builder_.EmitJump(stat.line, Op::kJump, 0, 0, label.jumps);
  }
}

void Generator::PlaceLabel(const Label& label) {
  LabelState& state = StateOf(label);
  state.is_placed = true;
  state.position = builder_.here();
  builder_.PatchHere(state.jumps);
}

// --- Return --------------------------------------------------------------------------------------

void Generator::EmitTailCall(const Return& stat) {
  const Register mark = builder_.free();
  EvaluateMultiple(*stat.values[0], -1);
  builder_.TurnIntoTailCall();
  // For a native function, which is called as usual.
  builder_.Emit(stat.last_line, Op::kReturn, mark, 0, builder_.has_closing_locals() ? 1 : 0);
  builder_.Release(mark);
}

void Generator::EmitReturn(const Return& stat) {
  if (stat.is_tail_call) return EmitTailCall(stat);
  const Register mark = builder_.free();
  const bool closes = builder_.has_closing_locals();
  const bool is_single = stat.values.size() == 1 && !stat.values[0]->is_multiple();
  if (stat.values.empty() && !closes) {
    builder_.Emit(stat.line, Op::kReturn0);
  } else if (is_single) {
    const Register value = EvaluateToRegister(*stat.values[0]);
    if (closes) {
      builder_.Emit(stat.last_line, Op::kReturn, value, 2, 1);
    } else {
      builder_.Emit(stat.last_line, Op::kReturn1, value);
    }
  } else {
    const int values = EvaluateOpenList(stat.values);
    const int first = values == 0 ? 0 : mark;
    builder_.Emit(stat.last_line, Op::kReturn, first, values + 1, closes ? 1 : 0);
  }
  builder_.Release(mark);
}

void Generator::EmitLastReturn() {
  if (builder_.has_closing_locals()) {
    builder_.Emit(function_.last_line, Op::kReturn, 0, 1, 1);
  } else {
    builder_.Emit(function_.last_line, Op::kReturn0);
  }
}

}  // namespace neap::vm
