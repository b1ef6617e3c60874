// SPDX-License-Identifier: MIT
//
// Which tables and closures are said to stay in their function. Every "stays" here is a promise
// that a compiler might build on; so each rule of escape_flow.h has a case that it must not
// promise.
#include <string>

#include "compile_source.h"
#include "doctest/doctest.h"
#include "escape_report.h"

namespace neap::testing {
namespace {

using vm::EscapeReason;
using vm::EscapeSite;

// For the sites of the function in source order: "stays", or the reason's number... as one word
// each.
std::string Verdicts(std::string_view source, size_t function = 0) {
  static constexpr const char* kWords[] = {"stays",      "returned", "tail",     "passed",
                                           "iterated",   "global",   "upvalue",  "table",
                                           "metamethod", "held",     "captured", "large"};
  std::string words;
  const auto unit = Compile(source);
  const std::vector<vm::FunctionEscapes> functions = vm::FindEscapes(*unit);
  for (const EscapeSite& site : functions[function].sites) {
    words += words.empty() ? "" : " ";
    words += kWords[static_cast<size_t>(site.reason)];
    CHECK(site.leaves == (site.reason != EscapeReason::kNone));
  }
  return words;
}

TEST_SUITE_BEGIN("compiler");

TEST_CASE("a table that is only read and written stays") {
  CHECK(Verdicts("local p = {x = 1, y = 2} local s = p.x + p.y p.x = s p[s] = 1") == "stays");
  CHECK(Verdicts("local t = {} for i = 1, 10 do t[i] = i end local n = #t") == "stays");
  CHECK(Verdicts("local t = {1, 2, 3} if t == nil then t = nil end") == "stays");
}

TEST_CASE("F1: what is returned, passed or stored outside leaves") {
  CHECK(Verdicts("local p = {} return p") == "returned");
  CHECK(Verdicts("return {}, 1") == "returned");
  CHECK(Verdicts("local p = {} print(p)") == "passed");
  CHECK(Verdicts("local p = {} print(1, p)") == "passed");
  CHECK(Verdicts("local p = {} p:m()") == "passed");
  CHECK(Verdicts("g = {}") == "global");
  CHECK(Verdicts("local u local function f() u = {} end f()", 1) == "upvalue");
  CHECK(Verdicts("local p, t = {}, ... t.x = p") == "table");
  CHECK(Verdicts("local p, t = {}, ... t[1] = p") == "table");
  CHECK(Verdicts("local p, t = {}, ... t[p] = 1") == "table");
  CHECK(Verdicts("local p = {} return (f(p))") == "passed");
  CHECK(Verdicts("return print({})") == "passed");
  CHECK(Verdicts("local p = {} for k, v in next, p do end") == "iterated");
  CHECK(Verdicts("local p = {} for k, v in pairs(p) do end") == "passed");
}

TEST_CASE("F1: on any way, and through any variable") {
  CHECK(Verdicts("local p, q = {}, 1 if ... then q = p end return q") == "returned");
  CHECK(Verdicts("local p = {} local q = p and p.x or p return q") == "returned");
  CHECK(Verdicts("local p = {} while ... do local q = p p = {} print(q) end") == "passed passed");
  CHECK(Verdicts("local a, b = {}, {} a, b = b, a return a") == "stays returned");
  CHECK(Verdicts("local p = {} goto done do return p end ::done::") != "returned");
  CHECK(Verdicts("local p repeat p = {} until ... return p") == "returned");
}

TEST_CASE("F2: a value with metamethods gets the operand beside it") {
  CHECK(Verdicts("local p, o = {}, ... local s = o + p") == "metamethod");
  CHECK(Verdicts("local p, o = {}, ... local s = o .. 'x' .. p") == "metamethod");
  CHECK(Verdicts("local p, o = {}, ... if p == o then o = 1 end") == "metamethod");
  CHECK(Verdicts("local p, o = {}, ... if o < p then o = 1 end") == "metamethod");
  CHECK(Verdicts("local p, o = {}, ... local s = o[p]") == "metamethod");
  CHECK(Verdicts("local p, q = {}, {} if p == q then q = 1 end local s = q[p]") == "stays stays");
  CHECK(Verdicts("local mt = {} local p = setmetatable({}, mt) local q = {} local s = p + q") ==
        "passed passed metamethod");
}

TEST_CASE("F3: what a table of the function holds leaves with it") {
  CHECK(Verdicts("local a = {x = {}} local s = a.x.y") == "stays stays");
  CHECK(Verdicts("local a = {x = {}} return a") == "held returned");
  CHECK(Verdicts("local a = {x = {}} return a.x") == "returned stays");
  CHECK(Verdicts("local a = {{}, {}} local s for i = 1, #a do s = a[i].x end") ==
        "stays stays stays");
  CHECK(Verdicts("local a = {} local b = {} a[1] = b print(a)") == "passed held");
  CHECK(Verdicts("local a = {} local b = {} print(a) a[1] = b") == "passed held");
  CHECK(Verdicts("local a, b, c = {}, {}, {} a.b = b b.c = c return a.b.c") ==
        "stays stays returned");
}

TEST_CASE("a literal that is called at once stays, and what it captures with it") {
  CHECK(Verdicts("local s = 0 (function() s = s + 1 end)()") == "stays");
  CHECK(Verdicts("local p = {x = 1} local s = (function() return p.x + 1 end)() return s") ==
        "stays stays");
  CHECK(Verdicts("local function f(n) return n * 2 end local a = f(1) + f(2)") == "stays");
}

TEST_CASE("F4: what a closure captured leaves with it, or through it") {
  CHECK(Verdicts("local p = {} return function() return p.x end") == "captured returned");
  CHECK(Verdicts("local p = {} coroutine.wrap(function() p.x = 1 end)()") == "captured passed");
  CHECK(Verdicts("local p = {} local f = function() return p end f()") == "captured stays");
  CHECK(Verdicts("local p = {} local f = function() print(p) end f()") == "captured stays");
  CHECK(Verdicts("local p = {{}} local f = function() print(p[1]) end f()") ==
        "captured held stays");
  CHECK(Verdicts("local p = {} local f = function() g = p end f()") == "captured stays");
  CHECK(Verdicts("local p = {} local f = function() return function() return p end end f()") ==
        "captured stays");
  CHECK(Verdicts("local p local f = function() return p end p = {} f()") == "stays captured");
}

TEST_CASE("F4: what a closure may have stored in a table of ours comes from elsewhere") {
  CHECK(Verdicts("local a = {} local f = function() a.t = g end f() a.t.x = {}") ==
        "stays stays table");
  CHECK(Verdicts("local v = {} local f = function() v = g end f() v.x = {}") ==
        "stays stays table");
}

TEST_CASE("F4: a captured variable may be set by the closure at any time") {
  CHECK(Verdicts("local v local f = function() v = g end v = {} f() v.x = {}") ==
        "stays stays table");
  CHECK(Verdicts("local v = {} local f = function() v = nil end v.x = {} f()") ==
        "stays stays table");
}

TEST_CASE("a variable of each round of a loop is captured anew") {
  CHECK(Verdicts("for i = 1, 3 do local p = {} local f = function() return p.x end f() end") ==
        "captured stays");
  CHECK(Verdicts("for i = 1, 3 do local p = {} do local q = i keep(function() return q end) end "
                 "local r = {} end") == "stays passed stays");
}

TEST_CASE("F5: a closure that is called in tail position outlives the frame") {
  CHECK(Verdicts("return (function() return 1 end)()") == "tail");
}

TEST_CASE("sites are named after the variable or field that gets them") {
  const auto functions =
      vm::FindEscapes(*Compile("local point = {x = 1}\n"
                               "function step() local t = {} end\n"));
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].sites[0].name == "point");
  CHECK(functions[0].sites[0].line == 1);
  CHECK(functions[0].sites[1].name == "step");
  CHECK(functions[1].name == "step");
  CHECK(functions[1].sites[0].name == "t");
  const std::string text = vm::EscapeText(functions);
  CHECK(text.find("2 of 3 tables and closures stay") != std::string::npos);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
