// SPDX-License-Identifier: MIT
//
// The arithmetic metamethods of strings: operands that spell numbers are those numbers (manual
// 3.4.3). If they do not and the second one is no string and has a metamethod, that one is called.
#include <string>

#include "library/string_functions.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

// Neither operand order nor metamethods made a number of it.
bool NoNumber(NativeCall& call, Event event) {
  const std::string_view name = std::string_view(EventText(event)).substr(2);
  return call.Error(Concat("attempt to ", name, " a '", TypeName(TypeOf(call.arg(1))), "' with a '",
                           TypeName(TypeOf(call.arg(2))), "'"));
}

NativeResult CallSecond(NativeCall& call, Event event) {
  State& state = call.state();
  const Value second = call.arg(2);
  if (IsString(second)) return call.ReturnIf(NoNumber(call, event));
  const Value metamethod = state.MetamethodOf(second, event);
  if (metamethod.is_nil()) return call.ReturnIf(NoNumber(call, event));
  call.Push(metamethod);
  call.Push(call.arg(1));
  call.Push(call.arg(2));
  return call.ReturnIf(call.Call(2, 1));
}

// Pushes the number that argument i is or spells. False: none.
bool PushOperand(NativeCall& call, int i) {
  const Value number = call.state().ToNumberValue(call.arg(i));
  call.Push(number);
  return !number.is_nil();
}

NativeResult Arithmetic(NativeCall& call, Op op, Event event) {
  if (!PushOperand(call, 1) || !PushOperand(call, 2)) {
    call.Pop(call.pushed());
    return CallSecond(call, event);
  }
  return call.ReturnIf(call.state().PushArithmetic(op, call.top(2), call.top(1)));
}

template <Op op, Event event>
NativeResult Metamethod(NativeCall& call) {
  return Arithmetic(call, op, event);
}

}  // namespace

const NativeEntry kStringMetamethods[] = {
    {"__add", Metamethod<Op::kAdd, Event::kAdd>},
    {"__sub", Metamethod<Op::kSubtract, Event::kSubtract>},
    {"__mul", Metamethod<Op::kMultiply, Event::kMultiply>},
    {"__mod", Metamethod<Op::kModulo, Event::kModulo>},
    {"__pow", Metamethod<Op::kPower, Event::kPower>},
    {"__div", Metamethod<Op::kDivide, Event::kDivide>},
    {"__idiv", Metamethod<Op::kIntegerDivide, Event::kIntegerDivide>},
    {"__unm", Metamethod<Op::kNegate, Event::kNegate>},
    {nullptr, nullptr},
};

}  // namespace neap::vm
