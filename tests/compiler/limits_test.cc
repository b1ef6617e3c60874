// SPDX-License-Identifier: MIT
//
// Sources that are long in one direction: they compile, without deep recursion of ours, or break a
// limit with the words of the reference implementation.
#include <string>

#include "compile_source.h"
#include "doctest/doctest.h"
#include "text/concat.h"

namespace neap::testing {
namespace {

using vm::Concat;
using vm::Op;

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string Numbered(std::string_view before, int count, std::string_view after) {
  std::string all;
  for (int i = 0; i < count; ++i) all += Concat(before, i, after);
  return all;
}

TEST_SUITE_BEGIN("compiler");

TEST_CASE("left spines of any length compile into few registers") {
  const auto unit = Compile("local a = 1; return a" + Repeated(" + a", 100000));
  CHECK(Count(*unit, Op::kAdd) == 100000);
  CHECK(unit->registers == 2);
  CHECK(Compile("local a; return a" + Repeated(" == a", 100000))->registers == 2);
  CHECK(Compile("local a; return a" + Repeated(".b", 20000))->registers == 2);
  CHECK(Compile("local f; return f" + Repeated("()", 100000))->registers == 2);
  CHECK(Compile("local f; return f" + Repeated(":m()", 20000))->registers == 3);
  CHECK(Compile("local f; f" + Repeated("(1).x[f]:m'x'", 20000) + ".y = 1")->registers <= 4);
}

TEST_CASE("conditions of ten thousand operands compile") {
  for (const std::string_view op : {" and ", " or ", " and x == 1 or ", " or not x and "}) {
    const std::string chain = "x" + Repeated(std::string(op) + "x", 10000);
    CHECK(Compile("local x; if " + chain + " then x() end")->registers == 2);
    CHECK(Compile("local x; local y = " + chain)->registers == 2);
    CHECK(Compile("local x; while not (" + chain + ") do end")->registers >= 2);
  }
}

TEST_CASE("a loop may have 32,767 breaks") {
  const auto unit = Compile("while x do " + Repeated("if y then break end ", 32767) + "end");
  CHECK(Count(*unit, Op::kJumpIfTrue) == 32767);
}

TEST_CASE("constants beyond 16 bits are loaded") {
  const std::string many = "local t = {" + Numbered("'k", 70000, "',") + "}\n";
  const auto unit =
      Compile(many + "x = t.field; t.other = x; t:method(); x = x + 0.5; return x < 0.5");
  CHECK(unit->constants.size() > 70000);
  CHECK(Count(*unit, Op::kGetField) == 0);
  CHECK(Count(*unit, Op::kSetField) == 0);
  CHECK(Count(*unit, Op::kSelf) == 0);
  CHECK(Count(*unit, Op::kGetGlobal) == 0);
  CHECK(Count(*unit, Op::kAdd) == 1);
  CHECK(Count(*unit, Op::kLess) == 1);
}

TEST_CASE("fields beyond the inline caches are reached without") {
  const auto unit = Compile("local t; " + Repeated("t.x = t.x; t:m() ", 25000));
  CHECK(unit->caches == 65538);
  CHECK(Count(*unit, Op::kGetTable) > 0);
  CHECK(Count(*unit, Op::kSetTable) > 0);
  CHECK(Compile(Repeated("x = x ", 40000))->caches == 65538);
}

TEST_CASE("registers run out with the message of the reference implementation") {
  const std::string expected = "t:1: function or expression needs too many registers";
  CHECK(CompileError("f(" + Repeated("a,", 300) + "a)") == expected);
  CHECK(CompileError("return " + Repeated("a,", 300) + "a") == expected);
  CHECK(CompileError("\n\nlocal x\nreturn " + Repeated("a,", 300) + "a") ==
        "t:4: function or expression needs too many registers");
  const std::string locals = "local a" + Numbered(",a", 198, "") + "\n";
  CHECK(CompileError(locals + "x = " + Repeated("a1..", 60) + "a1") ==
        "t:2: function or expression needs too many registers");
  CHECK(CompileError(locals + "x = " + Repeated("a1..", 50) + "a1") == "");
  CHECK(Compile("f(" + Repeated("a,", 253) + "a)")->registers == 255);
  CHECK(CompileError("f(" + Repeated("a,", 254) + "a)") == expected);
}

TEST_CASE("constructors of any size take few registers") {
  CHECK(Compile("local x; return {" + Repeated("x,", 100000) + "}")->registers <= 52);
  CHECK(Compile("return {" + Numbered("a", 100000, "=1,") + "}")->registers <= 3);
  CHECK(Compile("local x; return {" + Repeated("[x]=x,", 100000) + "}")->registers == 2);
  CHECK(CompileError("return " + Repeated("{a=1,b=2,c=", 150) + "1" + Repeated("}", 150)) == "");
  CHECK(CompileError("return " + Repeated("{x,", 150) + "1" + Repeated("}", 150)) != "");
  CHECK(CompileError("return " + Repeated("{", 180) + "1" + Repeated("}", 180)) == "");
}

TEST_CASE("long blocks and lists of conditions compile") {
  CHECK(Compile(Repeated("local function f() end ", 190))->children.size() == 190);
  CHECK(Compile("local x, y; if x then y() " + Repeated("elseif x then y() ", 20000) + "end")
            ->registers == 3);
  CHECK(Compile(Repeated("do local t = {} t.x = 1 end ", 20000))->registers == 2);
  CHECK(Compile(Repeated("goto a ", 30000) + "::a::")->code.size() == 30002);
}

}  // namespace
}  // namespace neap::testing
