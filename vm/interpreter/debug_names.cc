// SPDX-License-Identifier: MIT
//
// Names for values, read from the bytecode.
//
// A register that holds no local variable got its value from an instruction before; what that loads
// names the value. The search walks the function from its start to the instruction of interest and
// keeps the last one that wrote the register. Code without jumps makes that exact; with them:
//
//   J1  Forward jumps make what lies between conditional: a write in there is not the one that
//       counts for sure, so the value has no name (`kUnknown`), except when the jump goes past the
//       instruction of interest.
//   J2  Backward jumps close loops; a register that is set before the loop and used in it is set
//       again, if at all, behind the use, by code that compiles the same expression or a variable
//       with a name. They are ignored.
#include "interpreter/debug_info.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr int64_t kUnknown = -1;
constexpr const char* kEnvironmentName = "_ENV";

bool IsIn(int reg, int first, int count) { return reg >= first && reg < first + count; }

// Instructions whose jump distance is sx.
bool IsJump(Op op) {
  return (op >= Op::kJump && op <= Op::kNotGreaterEqualK && op != Op::kLoop) ||
         op == Op::kForPrepare || op == Op::kGenericPrepare;
}

// What has no result in R[a], though `a` may be an operand.
bool HasNoResult(Op op) {
  switch (op) {
    case Op::kSetUpvalue:
    case Op::kSetGlobal:
    case Op::kSetTable:
    case Op::kSetInteger:
    case Op::kSetField:
    case Op::kSetList:
    case Op::kVarargPrepare:
    case Op::kClose:
    case Op::kToBeClosed:
    case Op::kReturn:
    case Op::kReturn0:
    case Op::kReturn1:
    case Op::kLoop:
      return true;
    case Op::kJumpIfFalseKeep:
    case Op::kJumpIfTrueKeep:
      return false;
    default:
      return IsJump(op) && op != Op::kForPrepare;
  }
}

bool Writes(const Instruction& i, int reg) {
  switch (i.op) {
    case Op::kLoadNil:
      return IsIn(reg, i.a, i.b);
    case Op::kSelf:
      return IsIn(reg, i.a, 2);
    case Op::kCall:
    case Op::kTailCall:
    case Op::kVararg:
      return reg >= i.a;  // what lies above the results is clobbered
    case Op::kForPrepare:
    case Op::kForLoop:
      return IsIn(reg, i.a, 4);
    case Op::kGenericCall:
      return reg >= i.a + 4;
    case Op::kGenericLoop:
      return reg == i.a + 2;
    default:
      return reg == i.a && !HasNoResult(i.op);
  }
}

// The instruction before `last` that set the register; kUnknown. (J1, J2)
int64_t FindWriter(const FunctionCode& code, int64_t last, int reg) {
  int64_t writer = kUnknown;
  int64_t conditional_until = 0;  // code before this may have been jumped over
  for (int64_t pc = 0; pc < last; ++pc) {
    const Instruction& i = code.code[pc];
    if (Writes(i, reg)) writer = pc < conditional_until ? kUnknown : pc;
    if (!IsJump(i.op)) continue;
    const int64_t target = pc + 1 + i.sx;
    if (target <= last && target > conditional_until) conditional_until = target;
  }
  return writer;
}

std::string StringConstant(const FunctionCode& code, uint32_t index) {
  const auto& constants = code.unit->constants;
  if (index >= constants.size()) return "?";
  const auto* text = std::get_if<std::string>(&constants[index]);
  return text != nullptr ? *text : "?";
}

std::string UpvalueName(const FunctionCode& code, uint32_t index) {
  const auto& upvalues = code.unit->upvalues;
  if (index >= upvalues.size() || upvalues[index].name.empty()) return "?";
  return upvalues[index].name;
}

NameInfo NameOfRegister(const FunctionCode& code, int64_t pc, int reg);

// A field of the environment is a global.
NameInfo FieldOf(bool is_environment, std::string name) {
  return {is_environment ? "global" : "field", std::move(name)};
}

bool IsEnvironment(const FunctionCode& code, int64_t pc, int reg) {
  const NameInfo name = NameOfRegister(code, pc, reg);
  const std::string_view kind = name.kind;
  return name.name == kEnvironmentName && (kind == "local" || kind == "upvalue");
}

// The name of a key in a register: a constant string.
std::string KeyName(const FunctionCode& code, int64_t pc, int reg) {
  NameInfo key = NameOfRegister(code, pc, reg);
  return std::string_view(key.kind) == "constant" ? std::move(key.name) : "?";
}

NameInfo NameOfResult(const FunctionCode& code, int64_t pc) {
  const Instruction& i = code.code[pc];
  switch (i.op) {
    case Op::kMove:
      return i.b < i.a ? NameOfRegister(code, pc, i.b) : NameInfo();
    case Op::kGetUpvalue:
      return {"upvalue", UpvalueName(code, i.b)};
    case Op::kLoadConstant: {
      const Constant& constant = code.unit->constants[i.x];
      const auto* text = std::get_if<std::string>(&constant);
      return text != nullptr ? NameInfo{"constant", *text} : NameInfo();
    }
    case Op::kGetGlobal:
      return FieldOf(UpvalueName(code, i.b) == kEnvironmentName, StringConstant(code, i.c));
    case Op::kGetField:
      return FieldOf(IsEnvironment(code, pc, i.b), StringConstant(code, i.c));
    case Op::kGetTable:
      return FieldOf(IsEnvironment(code, pc, i.b), KeyName(code, pc, i.c));
    case Op::kGetInteger:
      return {"field", "integer index"};
    case Op::kSelf:
      return {"method", StringConstant(code, i.c)};
    default:
      return {};
  }
}

NameInfo NameOfRegister(const FunctionCode& code, int64_t pc, int reg) {
  std::string local = LocalName(code, static_cast<uint32_t>(pc), reg);
  if (!local.empty()) return {"local", std::move(local)};
  const int64_t writer = FindWriter(code, pc, reg);
  return writer == kUnknown ? NameInfo() : NameOfResult(code, writer);
}

// The event of a metamethod that the instruction may call, without "__"; null: none.
const char* EventOf(Op op) {
  if (op >= Op::kAdd && op <= Op::kShiftRightK) {
    constexpr const char* kArithmetic[] = {"add",  "sub",  "mul", "mod",  "pow", "div",
                                           "idiv", "band", "bor", "bxor", "shl", "shr"};
    const Op first = op >= Op::kAddK ? Op::kAddK : Op::kAdd;
    return kArithmetic[static_cast<int>(op) - static_cast<int>(first)];
  }
  switch (op) {
    case Op::kGetGlobal:
    case Op::kGetTable:
    case Op::kGetInteger:
    case Op::kGetField:
    case Op::kSelf:
      return "index";
    case Op::kSetGlobal:
    case Op::kSetTable:
    case Op::kSetInteger:
    case Op::kSetField:
      return "newindex";
    case Op::kNegate:
      return "unm";
    case Op::kBitNot:
      return "bnot";
    case Op::kLength:
      return "len";
    case Op::kConcat:
      return "concat";
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kEqualK:
    case Op::kNotEqualK:
      return "eq";
    case Op::kLess:
    case Op::kNotLess:
    case Op::kLessK:
    case Op::kNotLessK:
    case Op::kGreaterK:
    case Op::kNotGreaterK:
      return "lt";
    case Op::kLessEqual:
    case Op::kNotLessEqual:
    case Op::kLessEqualK:
    case Op::kNotLessEqualK:
    case Op::kGreaterEqualK:
    case Op::kNotGreaterEqualK:
      return "le";
    case Op::kClose:
    case Op::kReturn:
      return "close";
    default:
      return nullptr;
  }
}
static_assert(static_cast<int>(Op::kShiftRight) - static_cast<int>(Op::kAdd) == 11);
static_assert(static_cast<int>(Op::kAddK) == static_cast<int>(Op::kShiftRight) + 1);
static_assert(static_cast<int>(Op::kShiftRightK) - static_cast<int>(Op::kAddK) == 11);

int64_t IndexOf(const FunctionCode& code, const Instruction* at) { return at - code.code; }

}  // namespace

std::string NameInfo::InParentheses() const {
  return is_known() ? Concat(" (", kind, " '", name, "')") : "";
}

std::string LocalName(const FunctionCode& code, uint32_t pc, int reg) {
  const std::string* name = nullptr;
  for (const LocalInfo& local : code.unit->locals) {
    if (local.begin > pc) break;
    if (local.slot == reg && pc < local.end) name = &local.name;
  }
  return name != nullptr ? *name : "";
}

NameInfo CalledBy(const FunctionCode& code, const Instruction* at) {
  if (at->op == Op::kCall || at->op == Op::kTailCall) {
    return NameOfRegister(code, IndexOf(code, at), at->a);
  }
  if (at->op == Op::kGenericCall) return {"for iterator", "for iterator"};
  const char* event = EventOf(at->op);
  return event != nullptr ? NameInfo{"metamethod", event} : NameInfo();
}

NameInfo NameOfCall(const Coroutine* co, uint32_t index) {
  const Frame& frame = co->frames[index];
  if (frame.flags & kFrameTail) return {};
  if (frame.flags & kFrameHook) return {"hook", "?"};
  if (index == 0) return {};
  const Frame& caller = co->frames[index - 1];
  if (caller.flags & kFrameFinalizer) return {"metamethod", "__gc"};
  if (caller.code == nullptr || caller.pc == caller.code->code) return {};
  return CalledBy(*caller.code, caller.pc - 1);
}

std::string DescribeRegister(const FunctionCode& code, const Instruction* at, int reg) {
  return NameOfRegister(code, IndexOf(code, at), reg).InParentheses();
}

std::string DescribeUpvalue(const FunctionCode& code, int upvalue) {
  return NameInfo{"upvalue", UpvalueName(code, static_cast<uint32_t>(upvalue))}.InParentheses();
}

std::string DescribeConstant(const FunctionCode& code, int constant) {
  const auto& constants = code.unit->constants;
  const auto* text = std::get_if<std::string>(&constants[static_cast<size_t>(constant)]);
  return text != nullptr ? NameInfo{"constant", *text}.InParentheses() : "";
}

std::string DescribeCalled(const FunctionCode& code, const Instruction* at) {
  return CalledBy(code, at).InParentheses();
}

}  // namespace neap::vm
