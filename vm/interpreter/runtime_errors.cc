// SPDX-License-Identifier: MIT
#include "interpreter/runtime_errors.h"

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

// " (local 'x')" or "".
std::string Describe(State& s, int operand) {
  const Frame& frame = s.running()->frame();
  if (frame.code == nullptr || operand == kNoOperand) return "";
  if (operand <= kUpvalueOperand) {
    return DescribeUpvalue(*frame.code, kUpvalueOperand - operand);
  }
  return DescribeRegister(*frame.code, frame.pc - 1, operand);
}

bool HasIntegerForm(Value v) {
  int64_t i;
  return State::ToInteger(v, &i);
}

}  // namespace

int RegisterOfObject(const Instruction& at) {
  switch (at.op) {
    case Op::kGetGlobal:
    case Op::kSetGlobal:
      return kUpvalueOperand - at.b;
    case Op::kSetTable:
    case Op::kSetInteger:
    case Op::kSetField:
      return at.a;
    default:
      return at.b;
  }
}

bool TypeErrorOf(State& s, Value v, const char* verb, int operand) {
  const std::string type = s.TypeNameOf(v);
  return s.RuntimeError(Concat("attempt to ", verb, " a ", type, " value", Describe(s, operand)));
}

bool IndexError(State& s, Value object, int operand) {
  return TypeErrorOf(s, object, "index", operand);
}

bool CallError(State& s, uint32_t function) {
  const Frame& frame = s.running()->frame();
  const std::string type = s.TypeNameOf(s.at(function));
  std::string what;
  if (frame.code != nullptr) what = DescribeCalled(*frame.code, frame.pc - 1);
  return s.RuntimeError(Concat("attempt to call a ", type, " value", what));
}

bool ArithmeticError(State& s, Event event, Value a, Value b, int operand_a, int operand_b) {
  const bool bitwise =
      (event >= Event::kBitAnd && event <= Event::kShiftRight) || event == Event::kBitNot;
  if (bitwise && IsNumber(a) && IsNumber(b)) {
    const int culprit = HasIntegerForm(a) ? operand_b : operand_a;
    return s.RuntimeError(Concat("number", Describe(s, culprit), " has no integer representation"));
  }
  const bool first = !IsNumber(a);
  const char* verb = bitwise ? "perform bitwise operation on" : "perform arithmetic on";
  return TypeErrorOf(s, first ? a : b, verb, first ? operand_a : operand_b);
}

bool CompareError(State& s, Value a, Value b) {
  const std::string left = s.TypeNameOf(a), right = s.TypeNameOf(b);
  if (left == right) return s.RuntimeError(Concat("attempt to compare two ", left, " values"));
  return s.RuntimeError(Concat("attempt to compare ", left, " with ", right));
}

bool ConcatError(State& s, Value a, Value b, int operand_a, int operand_b) {
  const bool first = !IsString(a) && !IsNumber(a);
  return TypeErrorOf(s, first ? a : b, "concatenate", first ? operand_a : operand_b);
}

std::string LocalNameAt(State& s, uint32_t a) {
  const Frame& frame = s.running()->frame();
  // The variable comes into scope with the instruction that follows.
  const auto pc = static_cast<uint32_t>(frame.pc - frame.code->code);
  std::string name = LocalName(*frame.code, pc, static_cast<int>(a));
  if (!name.empty()) return name;
  // A variable that is closed at once is in the scope of no instruction behind this one.
  for (const LocalInfo& local : frame.code->unit->locals) {
    if (local.slot == a && local.begin <= pc && local.end == pc) name = local.name;
  }
  return name.empty() ? "?" : name;
}

}  // namespace neap::vm
