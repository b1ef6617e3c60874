// SPDX-License-Identifier: MIT
//
// The words of run-time errors, with the names of the variables at fault. Each sets the error and
// returns false. Operands are described after the instruction before the frame's pc.
#ifndef NEAP_VM_INTERPRETER_RUNTIME_ERRORS_H_
#define NEAP_VM_INTERPRETER_RUNTIME_ERRORS_H_

#include <string>

#include "compiler/opcode.h"
#include "interpreter/state.h"

namespace neap::vm {

// Stands for "no register" and, from kUpvalueOperand down, for upvalues, where a register is asked.
inline constexpr int kNoOperand = -1;
inline constexpr int kUpvalueOperand = -2;

// The operand of a field access that is indexed, as a register or kUpvalueOperand - upvalue.
int RegisterOfObject(const Instruction& at);

// "attempt to <verb> a nil value (local 'x')".
bool TypeErrorOf(State& s, Value v, const char* verb, int operand);
bool IndexError(State& s, Value object, int operand);
// What stands at the stack index cannot be called.
bool CallError(State& s, uint32_t function);
bool ArithmeticError(State& s, Event event, Value a, Value b, int operand_a, int operand_b);
bool CompareError(State& s, Value a, Value b);
bool ConcatError(State& s, Value a, Value b, int operand_a, int operand_b);
// The name of the local variable in register `a` of the frame on top.
std::string LocalNameAt(State& s, uint32_t a);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_RUNTIME_ERRORS_H_
