// SPDX-License-Identifier: MIT
//
// The code does what the source says: programs run on the tiny machine, and print what the
// reference implementation prints.
#include <string>

#include "compile_source.h"
#include "doctest/doctest.h"
#include "lister.h"
#include "programs.h"
#include "support/reference_lua.h"
#include "tiny_machine.h"

namespace neap::testing {
namespace {

TEST_SUITE_BEGIN("compiler");

TEST_CASE("compiled programs print what they print in the reference implementation") {
  const ReferenceLua lua;
  if (!lua.is_installed()) return;
  for (const std::string_view program : kPrograms) {
    CAPTURE(program);
    CHECK(RunProgram(*Compile(program)) == lua.Run("select = nil " + std::string(program), ""));
  }
}

TEST_CASE("a listing shows every instruction, with its line and what its operands mean") {
  const std::string listing = vm::ListCode(*Compile("print('a\\n', 1.5)\nreturn function() end"));
  CHECK(listing ==
        "function 0-2, 0 parameters, vararg, 3 registers, 1 upvalues, 3 constants, 3 cache words\n"
        "  0 [1]       VarargPrepare     0\n"
        "  1 [1]       GetGlobal         0 0 0 0         ; _ENV \"print\"\n"
        "  2 [1]       LoadConstant      1 1             ; \"a\\x0a\"\n"
        "  3 [1]       LoadConstant      2 2             ; 1.5\n"
        "  4 [1]       Call              0 3 1\n"
        "  5 [2]       Closure           0 0             ; function 2-2\n"
        "  6 [2]       Return1           0\n"
        "  7 [2]       Return0\n"
        "\n"
        "function 2-2, 0 parameters, 2 registers, 0 upvalues, 0 constants, 0 cache words\n"
        "  0 [2]       Return0\n");
}

}  // namespace
}  // namespace neap::testing
