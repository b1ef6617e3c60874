// SPDX-License-Identifier: MIT
//
// What every test of the generator wants: source in, code out that was checked on the way.
#ifndef NEAP_TESTS_COMPILER_COMPILE_SOURCE_H_
#define NEAP_TESTS_COMPILER_COMPILE_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code_unit.h"

namespace neap::testing {

// Fails the test case unless the source compiles and the code is sound (CheckCode). Code of
// ordinary size is analysed for C1 as well.
std::unique_ptr<vm::CodeUnit> Compile(std::string_view source);

// The message of the limit that the source breaks, or "".
std::string CompileError(std::string_view source);

// Instructions as "Name operands", one a line, without the kVarargPrepare and the last return of
// the main function; jump targets as their distance.
std::string Code(const vm::CodeUnit& unit);
std::string Code(std::string_view source);

// How often the instruction stands in the unit, without its children.
int Count(const vm::CodeUnit& unit, vm::Op op);

}  // namespace neap::testing

#endif  // NEAP_TESTS_COMPILER_COMPILE_SOURCE_H_
