// SPDX-License-Identifier: MIT
//
// Which instructions small sources become.
#include <string>

#include "compile_source.h"
#include "doctest/doctest.h"

namespace neap::testing {
namespace {

using vm::Op;

TEST_SUITE_BEGIN("compiler");

TEST_CASE("literals are loaded the shortest way") {
  CHECK(Code("local a, b, c = 1, -2147483648, 2147483648") ==
        "LoadInteger 0 1\nLoadInteger 1 -2147483648\nLoadConstant 2 0\n");
  CHECK(Code("local a, b, c, d = nil, true, false") ==
        "LoadNil 0 1\nLoadTrue 1\nLoadFalse 2\nLoadNil 3 1\n");
  CHECK(Compile("return 0.0, -0.0, 0, 1.0, 1, 2^53, 9007199254740992, 1 << 53")->constants.size() ==
        4);
}

TEST_CASE("locals are operands in place") {
  CHECK(Code("local a, b; a = a + b; b = a < b; a = b") ==
        "LoadNil 0 2\nAdd 0 0 1\nLess 0 1 1\nLoadFalseSkip 1\nLoadTrue 1\nMove 0 1\n");
  CHECK(Code("local a; a.x = a[1] + a.y.z") ==
        "LoadNil 0 1\nGetInteger 1 0 1\nGetField 2 0 1 3\nGetField 2 2 2 6\nAdd 1 1 2\n"
        "SetField 0 0 1 0\n");
}

TEST_CASE("numeric constants are operands of arithmetic and comparisons") {
  CHECK(Code("local a; a = a - 1; a = 1 + a; a = 1 - a") ==
        "LoadNil 0 1\nSubtractK 0 0 0 0\nAddK 0 0 0 1\nLoadInteger 1 1\nSubtract 0 1 0\n");
  CHECK(Code("local a; if 1 < a then a() end") ==
        "LoadNil 0 1\nNotGreaterK 0 0 2\nMove 1 0\nCall 1 1 1\n");
  CHECK(Code("local a; if a ~= 'x' then a() end") ==
        "LoadNil 0 1\nEqualK 0 0 2\nMove 1 0\nCall 1 1 1\n");
}

TEST_CASE("conditions jump without making values") {
  CHECK(Code("local a, b; if a and not b then a() end") ==
        "LoadNil 0 2\nJumpIfFalse 0 3\nJumpIfTrue 1 2\nMove 2 0\nCall 2 1 1\n");
  CHECK(Code("local a, b, c; c = a and b or c") ==
        "LoadNil 0 3\nJumpIfFalse 0 1\nJumpIfTrueKeep 2 1 0\n");
  CHECK(Code("while true do local a end") == "LoadNil 0 1\nLoop 0 -2\n");
  CHECK(Code("while x do if y then break end end") ==
        "GetGlobal 0 0 0 0\nJumpIfFalse 0 3\nGetGlobal 0 0 1 3\nJumpIfTrue 0 1\nLoop 0 -5\n");
}

TEST_CASE("a local is not written before its old value was read") {
  CHECK(Code("local a, b; a = {a, b}") ==
        "LoadNil 0 2\nNewTable 2 0 2\nMove 3 0\nMove 4 1\nSetList 2 2 0\nMove 0 2\n");
  CHECK(Code("local a; a = {x = a}") == "LoadNil 0 1\nMove 1 0\nNewRecord 0 1 0\n");
  CHECK(Code("local a, b; a = a .. b") ==
        "LoadNil 0 2\nMove 2 0\nMove 3 1\nConcat 2 2\nMove 0 2\n");
}

TEST_CASE("a chain of concatenations is one instruction on the line of its last operator") {
  const auto unit = Compile("local a\nreturn a ..\na ..\na");
  CHECK(Count(*unit, Op::kConcat) == 1);
  CHECK(unit->lines[unit->code.size() - 3] == 3);
}

TEST_CASE("new objects lie above all that is live") {
  CHECK(Code("local a, b; a = {}") == "LoadNil 0 2\nNewTable 2 0 0\nMove 0 2\n");
  CHECK(Code("local a, b; b = {}") == "LoadNil 0 2\nNewTable 1 0 0\n");
  CHECK(Code("local a, b; a = function() end") == "LoadNil 0 2\nClosure 2 0\nMove 0 2\n");
  CHECK(Code("local function f() end") == "Closure 0 0\n");
}

TEST_CASE("constructors of names are records") {
  CHECK(Code("local t = {x = 1, y = 2}") == "LoadInteger 0 1\nLoadInteger 1 2\nNewRecord 0 0 0\n");
  CHECK(Code("local t = {x = 1, x = 2}") ==
        "NewTable 0 2 0\nLoadInteger 1 1\nSetField 0 0 1 0\nLoadInteger 1 2\nSetField 0 0 1 3\n");
  CHECK(Code("local t = {5, x = 1, ...}") ==
        "NewTable 0 1 2\nLoadInteger 1 5\nLoadInteger 2 1\nSetField 0 0 2 0\nVararg 2 0\n"
        "SetList 0 0 0\n");
}

int Room(std::string_view source) {
  const auto unit = Compile(source);
  for (const vm::Instruction& in : unit->code) {
    if (in.op == Op::kNewTable) return in.b;
  }
  return -1;
}

TEST_CASE("a table has room for the fields that the following statements give it") {
  CHECK(Room("local t = {} t.a = 1 t.b = 2 t.a = 3") == 2);
  CHECK(Room("local t = {} if x then t.a = 1 elseif y then t.b = 2 else t.c = 3 end") == 3);
  CHECK(Room("local t = setmetatable({}, m) t.a = 1") == 1);
  CHECK(Room("local t = {} function t.a() end function t:b() end") == 2);
  CHECK(Room("local t = {} local u u.a = 1 t[1] = 2 t[x] = 3") == 0);
  CHECK(Room("local t = {} t.a = 1 t = nil t.b = 1") == 1);
  CHECK(Room("local t = {1, a = 2} t.a = 1 t.b = 2") == 2);
  std::string many = "local t = {} ";
  for (int i = 0; i < 40; ++i) many += "t.f" + std::to_string(i) + " = 1 ";
  CHECK(Room(many) == 16);
}

TEST_CASE("multiple assignment copies what it would overwrite") {
  CHECK(Code("local a, b; a, b = b, a") == "LoadNil 0 2\nMove 2 1\nMove 1 0\nMove 0 2\n");
  CHECK(Code("local t, i; t[i], i = 1, 2") ==
        "LoadNil 0 2\nMove 2 1\nLoadInteger 3 1\nLoadInteger 1 2\nSetTable 0 2 3\n");
}

TEST_CASE("captured variables are closed on every way out of their block") {
  const std::string_view close = "local x; f = function() return x end ";
  const auto count = [&](std::string before, std::string_view after) {
    return Count(*Compile(before + std::string(close) + std::string(after)), Op::kClose);
  };
  CHECK(count("do ", "end") == 1);
  CHECK(count("while a do ", "end") == 1);
  CHECK(count("while a do ", "if b then break end end") == 2);
  CHECK(count("repeat ", "until x") == 2);
  CHECK(count("for i = 1, 2 do ", "end") == 1);
  CHECK(count("for i in a do ", "if b then break end end") == 2);
  CHECK(count("do ", "goto out end do end ::out::") == 1);
  CHECK(Code("local x <close> = nil") == "LoadNil 0 1\nToBeClosed 0\nReturn 0 1 1\n");
}

TEST_CASE("returns close only what there is to close") {
  const auto child = [](std::string_view body) {
    return Code(*Compile("local function f(a) " + std::string(body) + " end")->children[0]);
  };
  CHECK(child("return a") == "Return1 0\n");
  CHECK(child("return a, a") == "Move 1 0\nMove 2 0\nReturn 1 3 0\n");
  CHECK(child("return") == "Return0\n");
  CHECK(child("return a()") == "Move 1 0\nTailCall 1 1 0\nReturn 1 0 0\n");
  CHECK(child("g = function() return a end return a()") ==
        "Closure 1 0\nSetGlobal 1 0 0 0\nMove 1 0\nTailCall 1 1 1\nReturn 1 0 1\nReturn 0 1 1\n");
  CHECK(child("local x <close> = a return a()") ==
        "Move 1 0\nToBeClosed 1\nMove 2 0\nCall 2 1 0\nReturn 2 0 1\nReturn 0 1 1\n");
  CHECK(child("do local x; g = function() return x end end return a") ==
        "LoadNil 1 1\nClosure 2 0\nSetGlobal 2 0 0 0\nClose 1\nReturn1 0\n");
}

TEST_CASE("loops keep their state in registers") {
  CHECK(Code("for i = 1, 10 do x = i end") ==
        "LoadInteger 0 1\nLoadInteger 1 10\nLoadInteger 2 1\nForPrepare 0 2\nSetGlobal 3 0 0 0\n"
        "ForLoop 0 -2\n");
  CHECK(Code("for k, v in a do x = v end") ==
        "GetGlobal 0 0 0 0\nLoadNil 1 3\nGenericPrepare 0 1\nSetGlobal 5 0 1 3\nGenericCall 0 2\n"
        "GenericLoop 0 2 -3\nClose 0\n");
  CHECK(Code("local i; ::top:: i = i + 1; goto top") == "LoadNil 0 1\nAddK 0 0 0 0\nLoop 1 -2\n");
}

TEST_CASE("locals are named where they are in scope") {
  const auto unit = Compile("local a = 1; do local b = a end; for i = 1, 2 do end; local c");
  std::string names;
  for (const vm::LocalInfo& local : unit->locals) {
    names += local.name + " " + std::to_string(local.slot) + " " + std::to_string(local.begin) +
             "-" + std::to_string(local.end) + "\n";
  }
  CHECK(names ==
        "a 0 2-10\nb 1 3-3\n(for state) 1 6-8\n(for state) 2 6-8\n(for state) 3 6-8\ni 4 7-7\n"
        "c 1 9-10\n");
}

TEST_CASE("instructions have the lines that errors report") {
  const auto lines = [](std::string_view source) {
    std::string text;
    const auto unit = Compile(source);
    for (const uint32_t line : unit->lines) text += std::to_string(line) + " ";
    return text;
  };
  CHECK(lines("local a =\n1\nlocal b = a +\na.x\n") == "1 2 4 3 4 ");
  CHECK(lines("f\n(\n1\n)") == "1 1 3 2 4 ");
}

}  // namespace
}  // namespace neap::testing
