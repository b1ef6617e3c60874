// SPDX-License-Identifier: MIT
//
// The smallest interpreter that makes the meaning of the bytecode testable without a heap: what
// opcode.h says, one instruction after the other. No metatables, no coroutines, no limits.
//
// A register is a cell on its own. A closure shares the cells it captures, and kClose gives the
// frame new ones: a kClose that the generator forgot lets two variables be one.
//
// Its only global is `print`, which adds a line to the output.
#ifndef NEAP_TESTS_COMPILER_TINY_MACHINE_H_
#define NEAP_TESTS_COMPILER_TINY_MACHINE_H_

#include <string>

#include "code_unit.h"

namespace neap::testing {

// What the program prints. An error ends the output with a line "error: ...".
std::string RunProgram(const vm::CodeUnit& unit);

}  // namespace neap::testing

#endif  // NEAP_TESTS_COMPILER_TINY_MACHINE_H_
