// SPDX-License-Identifier: MIT
//
// The textbook analysis, backwards to a fixed point: live before = read + (live behind - written).
#include "liveness.h"

#include <algorithm>
#include <bitset>
#include <vector>

#include "operand_reader.h"
#include "text/concat.h"

namespace neap::testing {
namespace {

using vm::CodeUnit;
using vm::Instruction;
using vm::Op;
using Registers = std::bitset<512>;  // what counts up to the top may go beyond a frame

struct Effect {
  Registers reads;
  Registers writes;
};

Registers Range(int first, int count) {
  Registers range;
  for (int i = 0; i < count; ++i) range.set(static_cast<size_t>(first + i));
  return range;
}

// Everything up to the top: what the instruction before left there is above all else.
Registers UpTo(int first, int last) { return Range(first, std::max(last - first + 1, 0)); }

bool IsTest(Op op) { return op >= Op::kJumpIfFalse && op <= Op::kNotGreaterEqualK; }

bool WritesNothing(Op op) {
  switch (op) {
    case Op::kSetUpvalue:
    case Op::kSetGlobal:
    case Op::kSetTable:
    case Op::kSetInteger:
    case Op::kSetField:
    case Op::kClose:
    case Op::kToBeClosed:
    case Op::kReturn1:
    case Op::kSetList:
      return true;
    default:
      return IsTest(op);
  }
}

// Register operands: the first is written, the others are read, unless it is listed above.
Effect OrdinaryEffect(const Instruction& instruction) {
  Effect effect;
  vm::OperandReader reader(instruction);
  bool is_first = !WritesNothing(instruction.op);
  while (const auto operand = reader.Next()) {
    const bool is_register = operand->kind == vm::CodeOperand::Kind::kRegister;
    if (is_register && is_first) effect.writes.set(static_cast<size_t>(operand->value));
    if (is_register && !is_first) effect.reads.set(static_cast<size_t>(operand->value));
    is_first = false;
  }
  return effect;
}

Effect EffectOf(const CodeUnit& unit, size_t pc) {
  const Instruction& instruction = unit.code[pc];
  const int a = instruction.a;
  const int b = instruction.b;
  const int last_open = pc > 0 ? unit.code[pc - 1].a : 0;
  Effect effect = OrdinaryEffect(instruction);
  switch (instruction.op) {
    case Op::kLoadNil:
      effect.writes = Range(a, b);
      break;
    case Op::kSelf:
      effect.writes = Range(a, 2);
      break;
    case Op::kNewRecord:
      effect.reads = Range(b, static_cast<int>(unit.templates[instruction.x].keys.size()));
      break;
    case Op::kSetList:
      effect.reads = b > 0 ? Range(a, b + 1) : UpTo(a, last_open);
      break;
    case Op::kConcat:
      effect.reads = Range(a, b);
      break;
    case Op::kJumpIfFalseKeep:
    case Op::kJumpIfTrueKeep:
      effect.reads = Range(b, 1);
      break;
    case Op::kCall:
    case Op::kTailCall:
      effect.reads = b > 0 ? Range(a, b) : UpTo(a, last_open);
      effect.writes = instruction.op == Op::kCall && instruction.c > 0 ? Range(a, instruction.c - 1)
                                                                       : Range(a, 1);
      break;
    case Op::kReturn:
      effect.writes = {};
      effect.reads = b > 0 ? Range(a, b - 1) : UpTo(a, last_open);
      break;
    case Op::kVararg:
      effect.writes = Range(a, std::max(b - 1, 1));
      break;
    case Op::kForPrepare:
      effect = {Range(a, 3), Range(a, 4)};
      break;
    case Op::kForLoop:
      effect = {Range(a, 3), Range(a, 1) | Range(a + 3, 1)};
      break;
    case Op::kGenericPrepare:
      effect = {Range(a, 4), {}};
      break;
    case Op::kGenericCall:
      effect = {Range(a, 4), Range(a + 4, b)};
      break;
    case Op::kGenericLoop:
      effect = {Range(a, 2) | Range(a + 3, 2), Range(a + 2, 1)};
      break;
    default:
      break;
  }
  return effect;
}

std::vector<size_t> Successors(const CodeUnit& unit, size_t pc) {
  const Instruction& instruction = unit.code[pc];
  std::vector<size_t> next;
  switch (instruction.op) {
    case Op::kReturn:
    case Op::kReturn0:
    case Op::kReturn1:
    case Op::kTailCall:
      return next;
    case Op::kJump:
    case Op::kLoop:
    case Op::kGenericPrepare:
      break;
    case Op::kLoadFalseSkip:
      return {pc + 2};
    default:
      next.push_back(pc + 1);
  }
  vm::OperandReader reader(instruction);
  while (const auto operand = reader.Next()) {
    if (operand->kind != vm::CodeOperand::Kind::kJump) continue;
    next.push_back(pc + 1 + static_cast<size_t>(operand->value));
  }
  return next;
}

// The number of registers that may be live, or -1: no claim.
int Limit(const CodeUnit& unit, const Instruction& instruction) {
  const int a = instruction.a;
  const int b = instruction.b;
  switch (instruction.op) {
    case Op::kNewTable:
    case Op::kClosure:
      return a + 1;
    case Op::kNewRecord:
      return std::max(a + 1, b + static_cast<int>(unit.templates[instruction.x].keys.size()));
    case Op::kSetList:
      return b > 0 ? a + 1 + b : -1;
    case Op::kConcat:
      return a + b;
    case Op::kLoop:
      return a;
    case Op::kForLoop:
      return a + 4;
    case Op::kGenericLoop:
      return a + 4 + b;
    default:
      return -1;
  }
}

class Analysis {
 public:
  explicit Analysis(const CodeUnit& unit) : unit_(unit), live_(unit.code.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t pc = unit.code.size(); pc-- > 0;) changed |= Update(pc);
    }
  }

  std::string FindBreach() const {
    for (size_t pc = 0; pc < unit_.code.size(); ++pc) {
      const int limit = Limit(unit_, unit_.code[pc]);
      if (limit < 0) continue;
      Registers live = LiveBehind(pc);
      for (const vm::LocalInfo& local : unit_.locals) {
        if (local.begin <= pc && pc < local.end && !IsFirstUseOf(local, pc)) live.set(local.slot);
      }
      if ((live >> static_cast<size_t>(limit)).any()) {
        return vm::Concat("C1: ", vm::OpName(unit_.code[pc].op), " at ", pc, " of function ",
                          unit_.line);
      }
    }
    return "";
  }

 private:
  // A back edge is behind the scope of what it leaves, though in the range of the variables.
  bool IsFirstUseOf(const vm::LocalInfo& local, size_t pc) const {
    const Instruction& instruction = unit_.code[pc];
    return instruction.op == Op::kLoop && local.slot >= instruction.a;
  }

  Registers LiveBehind(size_t pc) const {
    Registers live;
    for (const size_t next : Successors(unit_, pc)) live |= live_[next];
    return live;
  }

  bool Update(size_t pc) {
    const Effect effect = EffectOf(unit_, pc);
    const Instruction& instruction = unit_.code[pc];
    const bool writes_always = !IsTest(instruction.op) && instruction.op != Op::kGenericLoop;
    Registers live = LiveBehind(pc);
    if (writes_always) live &= ~effect.writes;
    live |= effect.reads;
    if (live == live_[pc]) return false;
    live_[pc] = live;
    return true;
  }

  const CodeUnit& unit_;
  std::vector<Registers> live_;  // before each instruction
};

}  // namespace

std::string FindLiveAboveLimit(const CodeUnit& unit) {
  std::string breach = Analysis(unit).FindBreach();
  for (const auto& child : unit.children) {
    if (breach.empty()) breach = FindLiveAboveLimit(*child);
  }
  return breach;
}

}  // namespace neap::testing
