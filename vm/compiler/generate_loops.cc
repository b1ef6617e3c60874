// SPDX-License-Identifier: MIT
//
// Loops. The back edges are safepoints: kLoop, kForLoop, kGenericLoop; a condition never jumps
// back itself.
//
//   while c do b end        repeat b until c        for v = ... do       for v in ... do
//   head: if not c, exit    head: b                       kForPrepare           kGenericPrepare
//         b                       if c, exit        body: b               body: b
//         kLoop head              kLoop head              kForLoop body   call: kGenericCall
//   exit:                   exit:                   exit:                       kGenericLoop body
//                                                                         exit: kClose
//
// A body with variables to close does so where it ends, before the back edge.
#include <algorithm>

#include "generator.h"

namespace neap::vm {
namespace {

constexpr int kNumericState = 3;  // registers before the variable
constexpr int kGenericState = 4;
constexpr int kIteratorCall = 3;  // registers that the call of an iterator takes

uint32_t EndLine(const Block& body, uint32_t line) {
  return body.statements.empty() ? line : body.statements.back()->last_line;
}

}  // namespace

void Generator::EmitWhile(const While& stat) {
  const uint32_t head = builder_.here();
  JumpList& exit = StateOf(*stat.exit).jumps;
  JumpIf(*stat.condition, false, exit, stat.condition->line);
  EmitBlock(*stat.body, stat.line);
  builder_.EmitJumpBack(EndLine(*stat.body, stat.line), Op::kLoop, builder_.local_slots(), 0, head);
  PlaceLabel(*stat.exit);
}

// Both ways out of the body close its variables: a condition may be what captures them.
void Generator::EmitRepeat(const Repeat& stat) {
  const uint32_t head = builder_.here();
  const int live = builder_.local_slots();
  const size_t outer_locals = builder_.visible_locals();
  const uint32_t line = stat.last_line;
  EmitStatements(*stat.body);
  JumpList done;
  JumpIf(*stat.condition, true, done, stat.condition->line);
  builder_.HideLocals(outer_locals);
  if (stat.body->needs_close) builder_.Emit(line, Op::kClose, live);
  builder_.EmitJumpBack(line, Op::kLoop, live, 0, head);
  builder_.PatchHere(done);
  if (stat.body->needs_close) builder_.Emit(line, Op::kClose, live);
  PlaceLabel(*stat.exit);
}

void Generator::EmitNumericFor(const NumericFor& stat) {
  const size_t outer_locals = builder_.visible_locals();
  const Register base = EvaluateToTop(*stat.start);
  EvaluateToTop(*stat.limit);
  if (stat.step != nullptr) {
    EvaluateToTop(*stat.step);
  } else {
    builder_.EmitWide(stat.do_line, Op::kLoadInteger, builder_.Reserve(), 0, 1);
  }
  for (const Local* local : stat.state) builder_.ShowLocal(*local);
  builder_.Touch(base, kNumericState + 1);
  JumpList behind;
  builder_.EmitJump(stat.do_line, Op::kForPrepare, base, 0, behind);
  const uint32_t body = builder_.here();
  const size_t state_locals = builder_.visible_locals();
  builder_.ShowLocal(*stat.variable);
  EmitStatements(*stat.body);
  LeaveBlock(*stat.body, state_locals, EndLine(*stat.body, stat.do_line));
  builder_.EmitJumpBack(stat.line, Op::kForLoop, base, 0, body);
  builder_.PatchHere(behind);
  builder_.HideLocals(outer_locals);
  PlaceLabel(*stat.exit);
}

void Generator::EmitGenericFor(const GenericFor& stat) {
  const size_t outer_locals = builder_.visible_locals();
  const Register base = builder_.free();
  const int variables = static_cast<int>(stat.variables.size());
  StateOf(*stat.exit).closes = true;
  EvaluateList(stat.values, kGenericState, stat.do_line);
  for (const Local* local : stat.state) builder_.ShowLocal(*local);
  builder_.Touch(base, kGenericState + std::max(variables, kIteratorCall));
  JumpList to_call;
  builder_.EmitJump(stat.do_line, Op::kGenericPrepare, base, 0, to_call);
  const uint32_t body = builder_.here();
  const size_t state_locals = builder_.visible_locals();
  for (const Local* local : stat.variables) builder_.ShowLocal(*local);
  EmitStatements(*stat.body);
  LeaveBlock(*stat.body, state_locals, EndLine(*stat.body, stat.do_line));
  builder_.PatchHere(to_call);
  builder_.Emit(stat.call_line, Op::kGenericCall, base, variables);
  builder_.EmitJumpBack(stat.call_line, Op::kGenericLoop, base, variables, body);
  builder_.HideLocals(outer_locals);
  PlaceLabel(*stat.exit);
  builder_.Emit(stat.last_line, Op::kClose, base);
}

}  // namespace neap::vm
