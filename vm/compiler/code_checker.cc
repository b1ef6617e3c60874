// SPDX-License-Identifier: MIT
#include "code_checker.h"

#include <algorithm>
#include <vector>

#include "closing_checker.h"
#include "operand_reader.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr size_t kMaxUpvalues = 255;

bool IsNumber(const Constant& constant) {
  return std::holds_alternative<int64_t>(constant) || std::holds_alternative<double>(constant);
}

bool IsString(const Constant& constant) { return std::holds_alternative<std::string>(constant); }

bool IsReturn(Op op) { return op == Op::kReturn || op == Op::kReturn0 || op == Op::kReturn1; }

bool IsArithmeticK(Op op) { return op >= Op::kAddK && op <= Op::kShiftRightK; }

bool IsCommutativeK(Op op) {
  return op == Op::kAddK || op == Op::kMultiplyK || op == Op::kBitAndK || op == Op::kBitOrK ||
         op == Op::kBitXorK;
}

bool IsOrderingK(Op op) { return op >= Op::kLessK && op <= Op::kNotGreaterEqualK; }

// Leaves its values up to the top.
bool IsOpen(const Instruction& instruction) {
  return (instruction.op == Op::kCall && instruction.c == 0) || instruction.op == Op::kTailCall ||
         (instruction.op == Op::kVararg && instruction.b == 0);
}

bool TakesOpen(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kCall:
    case Op::kTailCall:
    case Op::kReturn:
    case Op::kSetList:
      return instruction.b == 0;
    default:
      return false;
  }
}

// The first register, counted from a, that open values may stand in.
int FirstOpen(Op op) { return op == Op::kReturn ? 0 : 1; }

class UnitChecker {
 public:
  explicit UnitChecker(const CodeUnit& unit) : unit_(unit), size_(unit.code.size()) {}

  // Empty if the unit, without its children, is sound.
  std::string Check() {
    CheckTables();
    if (!problem_.empty()) return problem_;
    targets_.resize(size_);
    cached_.resize(unit_.caches);
    for (pc_ = 0; pc_ < size_ && problem_.empty(); ++pc_) CheckInstruction(unit_.code[pc_]);
    for (pc_ = 0; pc_ < size_ && problem_.empty(); ++pc_) CheckOpenValues();
    pc_ = 0;
    Require(!unit_.is_vararg || !targets_[0], "V4: a jump to kVarargPrepare");
    if (!problem_.empty()) return problem_;
    if (const char* rule = CheckClosing(unit_, &pc_)) Require(false, rule);
    return problem_;
  }

 private:
  void Require(bool holds, std::string_view rule) {
    if (!holds && problem_.empty()) problem_ = Concat(rule, " at instruction ", pc_);
  }
  bool IsInside(int64_t pc) const { return pc >= 0 && pc < static_cast<int64_t>(size_); }
  const Instruction& At(int64_t pc) const { return unit_.code[static_cast<size_t>(pc)]; }

  void CheckTables() {
    Require(size_ > 0 && size_ <= INT32_MAX, "V2: the size of the code");
    if (!problem_.empty()) return;
    Require(static_cast<size_t>(unit_.code.back().op) < kOpcodes && IsReturn(unit_.code.back().op),
            "V2: the last instruction returns");
    Require(unit_.lines.empty() || unit_.lines.size() == size_, "V1: the size of the line table");
    Require(unit_.registers > 0 && unit_.parameters <= unit_.registers, "V1: registers");
    Require(unit_.upvalues.size() <= kMaxUpvalues, "V1: upvalues");
    for (const LocalInfo& local : unit_.locals) {
      Require(local.begin <= local.end && local.end <= size_ && local.slot < unit_.registers,
              "V1: the range of a local");
    }
    for (const RecordTemplate& record : unit_.templates) CheckTemplate(record);
    Require(unit_.is_vararg == (unit_.code[0].op == Op::kVarargPrepare), "V4: kVarargPrepare");
  }

  void CheckTemplate(const RecordTemplate& record) {
    Require(!record.keys.empty() && record.keys.size() <= kMaxRecordFields,
            "V1: the size of a template");
    for (size_t i = 0; i < record.keys.size() && problem_.empty(); ++i) {
      const uint32_t key = record.keys[i];
      const auto end = record.keys.begin() + static_cast<ptrdiff_t>(i);
      Require(key < unit_.constants.size() && IsString(unit_.constants[key]),
              "V1: a key of a template");
      Require(std::find(record.keys.begin(), end, key) == end, "V1: a key of a template, again");
    }
  }

  void CheckInstruction(const Instruction& instruction) {
    Require(static_cast<size_t>(instruction.op) < kOpcodes, "V1: no such instruction");
    if (!problem_.empty()) return;
    OperandReader reader(instruction);
    while (const std::optional<CodeOperand> operand = reader.Next()) {
      CheckOperand(instruction, *operand);
    }
    if (problem_.empty()) CheckNumbers(instruction);
    if (problem_.empty()) CheckControl(instruction);
  }

  void CheckOperand(const Instruction& instruction, const CodeOperand& operand) {
    using Kind = CodeOperand::Kind;
    const auto index = static_cast<size_t>(operand.value);
    switch (operand.kind) {
      case Kind::kRegister:
        // `return` of nothing has no first register.
        return Require(index < unit_.registers, "V1: a register");
      case Kind::kConstant:
        return CheckConstant(instruction.op, index);
      case Kind::kUpvalue:
        return Require(index < unit_.upvalues.size(), "V1: an upvalue");
      case Kind::kTemplate:
        return Require(index < unit_.templates.size(), "V1: a template");
      case Kind::kChild:
        return Require(index < unit_.children.size(), "V1: a function");
      case Kind::kCache:
        return CheckCache(index);
      case Kind::kJump:
        return CheckJump(operand.value);
      case Kind::kNumber:
        return;
    }
  }

  void CheckCache(size_t index) {
    Require(index + kCacheWords <= unit_.caches, "V1: an inline cache");
    for (size_t i = index; problem_.empty() && i < index + kCacheWords; ++i) {
      Require(!cached_[i], "V9: an inline cache of two instructions");
      cached_[i] = true;
    }
  }

  void CheckConstant(Op op, size_t index) {
    Require(index < unit_.constants.size(), "V1: a constant");
    if (!problem_.empty() || op == Op::kLoadConstant || op == Op::kEqualK || op == Op::kNotEqualK) {
      return;
    }
    const Constant& constant = unit_.constants[index];
    const bool wants_number = IsArithmeticK(op) || IsOrderingK(op);
    Require(wants_number ? IsNumber(constant) : IsString(constant), "C2: the kind of a constant");
  }

  void CheckJump(int64_t distance) {
    const int64_t target = static_cast<int64_t>(pc_) + 1 + distance;
    Require(IsInside(target), "V2: a jump");
    if (problem_.empty()) targets_[static_cast<size_t>(target)] = true;
  }

  // R[a+first] .. R[a+first+count-1] are registers.
  void RequireRange(const Instruction& instruction, int64_t first, int64_t count) {
    Require(instruction.a + first + count <= unit_.registers, "V1: a range of registers");
  }

  // What the operands called n, x and c count.
  void CheckNumbers(const Instruction& instruction) {
    const int b = instruction.b;
    const int c = instruction.c;
    switch (instruction.op) {
      case Op::kLoadNil:
      case Op::kConcat:
        Require(b > 0, "V1: a count");
        return RequireRange(instruction, 0, b);
      case Op::kSelf:
        return RequireRange(instruction, 0, 2);
      case Op::kNewTable:
        return Require(b <= kMaxRecordFields, "V1: inline fields");
      case Op::kNewRecord:
        return Require(b + unit_.templates[instruction.x].keys.size() <= unit_.registers,
                       "V1: a range of registers");
      case Op::kSetList:
        Require(instruction.x <= INT32_MAX, "V1: the first index of a list");
        return RequireRange(instruction, 1, b);
      case Op::kLoop:
        return Require(instruction.a <= unit_.registers, "V1: live registers");
      case Op::kCall:
        RequireRange(instruction, 0, std::max(b, 1));
        return RequireRange(instruction, 0, c - 1);
      case Op::kTailCall:
        Require(c <= 1, "V1: a flag");
        return RequireRange(instruction, 0, std::max(b, 1));
      case Op::kReturn:
        Require(c <= 1, "V1: a flag");
        return RequireRange(instruction, 0, b - 1);
      case Op::kVararg:
        return RequireRange(instruction, 0, b - 1);
      case Op::kForPrepare:
      case Op::kForLoop:
        return RequireRange(instruction, 0, 4);
      case Op::kGenericPrepare:
        return RequireRange(instruction, 0, 7);
      case Op::kGenericCall:
      case Op::kGenericLoop:
        Require(b > 0, "V1: a count");
        return RequireRange(instruction, 4, std::max(b, 3));
      case Op::kVarargPrepare:
        return Require(pc_ == 0 && instruction.a == unit_.parameters, "V4: kVarargPrepare");
      default:
        break;
    }
    if (!IsArithmeticK(instruction.op)) return;
    const int swapped = instruction.d;
    Require(swapped == 0 || (swapped == 1 && IsCommutativeK(instruction.op)), "C3: a swap");
  }

  void CheckControl(const Instruction& instruction) {
    const int64_t next = static_cast<int64_t>(pc_) + 1;
    switch (instruction.op) {
      case Op::kLoadFalseSkip:
        return CheckJump(1);
      case Op::kLoop:
        return Require(instruction.sx < 0, "V2: a loop goes back");
      case Op::kForPrepare: {
        const int64_t last = next + instruction.sx - 1;
        Require(last > static_cast<int64_t>(pc_), "V5: a numeric loop");
        if (!problem_.empty()) return;
        const Instruction& loop = At(last);
        return Require(loop.op == Op::kForLoop && loop.a == instruction.a &&
                           next + instruction.sx + loop.sx == next,
                       "V5: a numeric loop");
      }
      case Op::kForLoop: {
        const int64_t prepare = next + instruction.sx - 1;
        return Require(IsInside(prepare) && At(prepare).op == Op::kForPrepare &&
                           At(prepare).a == instruction.a,
                       "V5: a numeric loop");
      }
      case Op::kGenericPrepare:
        return CheckGenericCall(instruction, next + instruction.sx);
      case Op::kGenericCall:
        return Require(At(next).op == Op::kGenericLoop && At(next).a == instruction.a &&
                           At(next).b == instruction.b,
                       "V5: a generic loop");
      default:
        return;
    }
  }

  void CheckGenericCall(const Instruction& prepare, int64_t call) {
    Require(At(call).op == Op::kGenericCall && At(call).a == prepare.a, "V5: a generic loop");
  }

  void CheckOpenValues() {
    const Instruction& instruction = unit_.code[pc_];
    if (IsOpen(instruction)) {
      Require(pc_ + 1 < size_ && TakesOpen(unit_.code[pc_ + 1]), "V3: values up to the top");
    }
    if (!TakesOpen(instruction)) return;
    Require(pc_ > 0 && !targets_[pc_] && IsOpen(unit_.code[pc_ - 1]), "V3: values up to the top");
    if (!problem_.empty()) return;
    Require(unit_.code[pc_ - 1].a >= instruction.a + FirstOpen(instruction.op),
            "V3: values up to the top");
  }

  const CodeUnit& unit_;
  const size_t size_;
  size_t pc_ = 0;
  std::vector<bool> targets_;  // instructions that are jumped to
  std::vector<bool> cached_;   // words of inline cache that have an instruction
  std::string problem_;
};

bool CapturesSoundly(const CodeUnit& child, const CodeUnit& parent) {
  return std::all_of(child.upvalues.begin(), child.upvalues.end(), [&](const UpvalueInfo& upvalue) {
    return upvalue.index < (upvalue.is_parent_local ? parent.registers : parent.upvalues.size());
  });
}

}  // namespace

absl::Status CheckCode(const CodeUnit& unit) {
  std::vector<const CodeUnit*> units = {&unit};
  while (!units.empty()) {
    const CodeUnit& next = *units.back();
    units.pop_back();
    const std::string problem = UnitChecker(next).Check();
    if (!problem.empty()) {
      return absl::InvalidArgumentError(Concat(problem, " of function ", next.line));
    }
    for (const auto& child : next.children) {
      if (!CapturesSoundly(*child, next)) {
        return absl::InvalidArgumentError(
            Concat("V6: an upvalue of function ", child->line, " in function ", next.line));
      }
      units.push_back(child.get());
    }
  }
  return absl::OkStatus();
}

}  // namespace neap::vm
