// SPDX-License-Identifier: MIT
//
// Code for people to read: `neap dump`.
//
//   function 0-1, 0 parameters, vararg, 2 registers, 1 upvalues, 1 constants, 2 cache words
//     0  [1]  VarargPrepare   0
//     1  [1]  GetGlobal       0 0 0 0          ; _ENV "print"
//
// Each line: the number of the instruction, its source line, its name, its operands as opcode.h
// lists them, and what they stand for. The functions inside follow, each after an empty line, the
// outer before the inner. The unit must be sound (code_checker.h). Thread safe.
#ifndef NEAP_VM_COMPILER_LISTER_H_
#define NEAP_VM_COMPILER_LISTER_H_

#include <string>

#include "code_unit.h"

namespace neap::vm {

std::string ListCode(const CodeUnit& unit);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_LISTER_H_
