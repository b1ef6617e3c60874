// SPDX-License-Identifier: MIT
//
// escape_flow.h: what each instruction does to the registers, and which sites it lets go.
#include <algorithm>

#include "escape_flow.h"

namespace neap::vm {

// A captured variable may be set by the closure at any call.
void EscapeFlow::Set(State& state, size_t index, SiteSet value) {
  if (!state.captors[index].empty()) Unite(value, {kElsewhere});
  state.registers[index] = std::move(value);
}

// Results of unknown number.
void EscapeFlow::Forget(State& state, size_t from) {
  for (size_t i = from; i < state.registers.size(); ++i) Set(state, i, {kElsewhere});
}

void EscapeFlow::Step(size_t pc, State& state) {
  if (!StepMoves(pc, state) && !StepTables(pc, state) && !StepCalls(pc, state)) {
    StepOperands(pc, state);
  }
  NoteCaptured(state);
}

// The value of `site` is in that upvalue of the closure.
void EscapeFlow::NoteInUpvalue(uint32_t site, uint32_t closure, size_t upvalue) {
  if (site == kElsewhere) return;
  const std::pair<uint32_t, size_t> use = {closure, upvalue};
  auto& captured = sites_[site].captured_by;
  if (std::find(captured.begin(), captured.end(), use) != captured.end()) return;
  captured.push_back(use);
  sites_[site].is_shared = has_changed_ = true;
}

// What is in a captured variable at any time, the closure has (F4).
void EscapeFlow::NoteCaptured(const State& state) {
  for (size_t i = 0; i < state.captors.size(); ++i) {
    for (const uint32_t closure : state.captors[i]) {
      const auto& upvalues = UpvaluesOf(closure);
      for (size_t u = 0; u < upvalues.size(); ++u) {
        if (!upvalues[u].is_parent_local || upvalues[u].index != i) continue;
        for (const uint32_t site : state.registers[i]) NoteInUpvalue(site, closure, u);
      }
    }
  }
}

void EscapeFlow::MakeClosure(size_t pc, State& state) {
  const uint32_t closure = SiteAt(pc);
  Set(state, unit_.code[pc].a, {closure});
  const auto& upvalues = UpvaluesOf(closure);
  for (size_t u = 0; u < upvalues.size(); ++u) {
    if (upvalues[u].is_parent_local) {
      Unite(state.captors[upvalues[u].index], {closure});
      Unite(state.registers[upvalues[u].index], {kElsewhere});
    } else {
      NoteInUpvalue(uint32_t{upvalues[u].index} + 1, closure, u);  // our own, handed on
    }
  }
}

// Constants, moves, variables. False: another instruction.
bool EscapeFlow::StepMoves(size_t pc, State& state) {
  const Instruction& in = unit_.code[pc];
  switch (in.op) {
    case Op::kMove:
      Set(state, in.a, state.registers[in.b]);
      return true;
    case Op::kLoadInteger:
    case Op::kLoadConstant:
    case Op::kLoadFalse:
    case Op::kLoadFalseSkip:
    case Op::kLoadTrue:
      Set(state, in.a, {});
      return true;
    case Op::kLoadNil:
      for (size_t i = 0; i < in.b; ++i) Set(state, in.a + i, {});
      return true;
    case Op::kGetUpvalue:
      Set(state, in.a, {kElsewhere, static_cast<uint32_t>(in.b) + 1});
      return true;
    case Op::kSetUpvalue:
      EscapeAll(state.registers[in.a], EscapeReason::kStoredInUpvalue, pc);
      return true;
    case Op::kGetGlobal:
      Set(state, in.a, LoadFrom({kElsewhere, static_cast<uint32_t>(in.b) + 1}));
      return true;
    case Op::kSetGlobal:
      EscapeAll(state.registers[in.a], EscapeReason::kStoredInGlobal, pc);
      return true;
    case Op::kJumpIfFalseKeep:
    case Op::kJumpIfTrueKeep: {
      // R[a] is set on one of the ways only.
      SiteSet kept = state.registers[in.a];
      Unite(kept, state.registers[in.b]);
      Set(state, in.a, std::move(kept));
      return true;
    }
    case Op::kClose:
      for (size_t i = in.a; i < state.captors.size(); ++i) state.captors[i].clear();
      return true;
    case Op::kClosure:
      MakeClosure(pc, state);
      return true;
    default:
      return false;
  }
}

bool EscapeFlow::StepTables(size_t pc, State& state) {
  const Instruction& in = unit_.code[pc];
  const auto key = [&](size_t index, const SiteSet& table) {
    if (MayHaveMetamethods(table)) {
      EscapeAll(state.registers[index], EscapeReason::kMetamethod, pc);
    }
  };
  switch (in.op) {
    case Op::kNewTable:
      Set(state, in.a, {SiteAt(pc)});
      return true;
    case Op::kNewRecord:
      for (size_t i = 0; i < unit_.templates[in.x].keys.size(); ++i) {
        StoreInto(pc, {SiteAt(pc)}, state.registers[in.b + i]);
      }
      Set(state, in.a, {SiteAt(pc)});
      return true;
    case Op::kSetList: {
      const size_t end = in.b == 0 ? state.registers.size() : size_t{in.a} + 1 + in.b;
      for (size_t i = size_t{in.a} + 1; i < end; ++i) {
        StoreInto(pc, state.registers[in.a], state.registers[i]);
      }
      return true;
    }
    case Op::kGetTable:
      key(in.c, state.registers[in.b]);
      Set(state, in.a, LoadFrom(state.registers[in.b]));
      return true;
    case Op::kGetInteger:
    case Op::kGetField:
      Set(state, in.a, LoadFrom(state.registers[in.b]));
      return true;
    case Op::kSelf: {
      SiteSet object = state.registers[in.b];
      Set(state, in.a, LoadFrom(object));
      Set(state, size_t{in.a} + 1, std::move(object));
      return true;
    }
    case Op::kSetTable:
      StoreInto(pc, state.registers[in.a], state.registers[in.b]);
      StoreInto(pc, state.registers[in.a], state.registers[in.c]);
      return true;
    case Op::kSetInteger:
    case Op::kSetField:
      StoreInto(pc, state.registers[in.a], state.registers[in.c]);
      return true;
    default:
      return false;
  }
}

bool EscapeFlow::StepCalls(size_t pc, State& state) {
  const Instruction& in = unit_.code[pc];
  const size_t a = in.a;
  const auto values = [&](uint32_t count) {  // of an operand that is 0 for "up to the top"
    return count == 0 ? state.registers.size() : size_t{count} - 1;
  };
  switch (in.op) {
    case Op::kCall:
      EscapeRange(state, a + 1, values(in.b), EscapeReason::kPassed, pc);
      Forget(state, a);
      return true;
    case Op::kTailCall:
      EscapeRange(state, a + 1, values(in.b), EscapeReason::kPassed, pc);
      EscapeAll(state.registers[a], EscapeReason::kTailCalled, pc);
      Forget(state, a);
      return true;
    case Op::kReturn:
      EscapeRange(state, a, values(in.b), EscapeReason::kReturned, pc);
      return true;
    case Op::kReturn1:
      EscapeAll(state.registers[a], EscapeReason::kReturned, pc);
      return true;
    case Op::kReturn0:
      return true;
    case Op::kGenericCall:
      EscapeRange(state, a + 1, 2, EscapeReason::kIterated, pc);
      Forget(state, a + 4);
      return true;
    case Op::kGenericLoop:
      Set(state, a + 2, state.registers[a + 4]);
      return true;
    case Op::kVararg:
      if (in.b == 0) {
        Forget(state, a);
      } else {
        for (size_t i = 0; i + 1 < in.b; ++i) Set(state, a + i, {kElsewhere});
      }
      return true;
    case Op::kForPrepare:
    case Op::kForLoop:
      for (size_t i = a; i < a + 4; ++i) Set(state, i, {});  // numbers
      return true;
    default:
      return false;
  }
}

// Arithmetic, comparisons, concatenation: an operand reaches the metamethod of another (F2).
void EscapeFlow::StepOperands(size_t pc, State& state) {
  const Instruction& in = unit_.code[pc];
  const auto beside = [&](size_t one, size_t other) {
    if (MayHaveMetamethods(state.registers[other])) {
      EscapeAll(state.registers[one], EscapeReason::kMetamethod, pc);
    }
    if (MayHaveMetamethods(state.registers[one])) {
      EscapeAll(state.registers[other], EscapeReason::kMetamethod, pc);
    }
  };
  if (in.op >= Op::kAdd && in.op <= Op::kShiftRight) {
    beside(in.b, in.c);
    Set(state, in.a, {kElsewhere});
  } else if ((in.op >= Op::kAddK && in.op <= Op::kShiftRightK) ||
             (in.op >= Op::kNegate && in.op <= Op::kBitNot)) {
    Set(state, in.a, {kElsewhere});
  } else if (in.op == Op::kConcat) {
    for (size_t i = 1; i < in.b; ++i) {
      for (size_t j = 0; j < i; ++j) beside(in.a + i, in.a + j);
    }
    Set(state, in.a, {kElsewhere});
  } else if (in.op == Op::kEqual || in.op == Op::kNotEqual || in.op == Op::kLess ||
             in.op == Op::kNotLess || in.op == Op::kLessEqual || in.op == Op::kNotLessEqual) {
    beside(in.a, in.b);
  }
}

}  // namespace neap::vm
