// SPDX-License-Identifier: MIT
//
// Follows every way through the code, with two sets of registers: those that a closure may have
// captured, and those that may be marked as to be closed. Where ways meet, the sets are united; an
// instruction is looked at again when its sets have grown.
#include "closing_checker.h"

#include <bitset>
#include <vector>

namespace neap::vm {
namespace {

using Registers = std::bitset<256>;

struct Open {
  Registers captured;
  Registers marked;

  bool operator==(const Open&) const = default;
  Open operator|(const Open& other) const {
    return {captured | other.captured, marked | other.marked};
  }
};

// Without the registers from `first` on.
Registers Below(const Registers& registers, size_t first) {
  return registers & ~(~Registers() << first);
}

bool IsJump(const Instruction& in) {
  return in.op == Op::kJump || in.op == Op::kLoop || in.op == Op::kGenericPrepare ||
         (in.op >= Op::kJumpIfFalse && in.op <= Op::kNotGreaterEqualK) ||
         in.op == Op::kForPrepare || in.op == Op::kForLoop || in.op == Op::kGenericLoop;
}

bool MayGoOn(Op op) {
  return op != Op::kJump && op != Op::kLoop && op != Op::kGenericPrepare &&
         op != Op::kLoadFalseSkip && op != Op::kReturn && op != Op::kReturn0 && op != Op::kReturn1;
}

class ClosingChecker {
 public:
  explicit ClosingChecker(const CodeUnit& unit)
      : unit_(unit), before_(unit.code.size()), is_reached_(unit.code.size()) {}

  const char* Check(size_t* at) {
    Reach(0, {});
    while (!waiting_.empty()) {
      const size_t pc = waiting_.back();
      waiting_.pop_back();
      const Instruction& in = unit_.code[pc];
      Open open = before_[pc];
      if (const char* problem = Step(in, &open)) {
        *at = pc;
        return problem;
      }
      if (MayGoOn(in.op)) Reach(pc + 1, open);
      if (in.op == Op::kLoadFalseSkip) Reach(pc + 2, open);
      if (IsJump(in)) Reach(static_cast<size_t>(static_cast<int64_t>(pc) + 1 + in.sx), open);
    }
    return nullptr;
  }

 private:
  void Reach(size_t pc, const Open& open) {
    const Open all = before_[pc] | open;
    if (is_reached_[pc] && all == before_[pc]) return;
    is_reached_[pc] = true;
    before_[pc] = all;
    waiting_.push_back(pc);
  }

  static const char* Mark(size_t index, Open* open) {
    if (Below(open->marked, index) != open->marked)
      return "V8: the order of variables to be closed";
    open->marked.set(index);
    return nullptr;
  }

  const char* Step(const Instruction& in, Open* open) const {
    const bool is_closed = open->captured.none() && open->marked.none();
    switch (in.op) {
      case Op::kClosure:
        for (const UpvalueInfo& upvalue : unit_.children[in.x]->upvalues) {
          if (upvalue.is_parent_local) open->captured.set(upvalue.index);
        }
        return nullptr;
      case Op::kToBeClosed:
        return Mark(in.a, open);
      case Op::kGenericPrepare:
        return Mark(size_t{in.a} + 3, open);
      case Op::kClose:
        open->captured = Below(open->captured, in.a);
        open->marked = Below(open->marked, in.a);
        return nullptr;
      case Op::kReturn:
        return is_closed || in.c == 1 ? nullptr : "V7: a return that does not close";
      case Op::kReturn0:
      case Op::kReturn1:
        return is_closed ? nullptr : "V7: a return that does not close";
      case Op::kTailCall:
        return open->marked.none() && (is_closed || in.c == 1)
                   ? nullptr
                   : "V7: a tail call from open variables";
      default:
        return nullptr;
    }
  }

  const CodeUnit& unit_;
  std::vector<Open> before_;  // what may be open before each instruction
  std::vector<bool> is_reached_;
  std::vector<size_t> waiting_;
};

}  // namespace

const char* CheckClosing(const CodeUnit& unit, size_t* at) {
  return ClosingChecker(unit).Check(at);
}

}  // namespace neap::vm
