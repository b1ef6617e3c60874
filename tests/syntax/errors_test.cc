// SPDX-License-Identifier: MIT
//
// Every error that a chunk can have, with its message as Lua 5.4.8 gives it (manual 3.1 to 3.3).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chunk_id.h"
#include "doctest/doctest.h"
#include "parser.h"

namespace neap::testing {
namespace {

using Cases = std::vector<std::pair<std::string, std::string_view>>;

std::string MessageOf(std::string_view source, std::string_view name = "=t") {
  const auto chunk = vm::Parse(source, name);
  return chunk.ok() ? "accepted" : std::string(chunk.status().message());
}

void CheckAll(const Cases& cases) {
  for (const auto& [source, message] : cases) {
    CAPTURE(source);
    CHECK(MessageOf(source) == message);
  }
}

std::string Repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// "prefix1 prefix2 ... " from 1 to `count`, each in front of its number and `behind`.
std::string Numbered(std::string_view before, int count, std::string_view behind) {
  std::string result;
  for (int i = 1; i <= count; ++i) {
    result += std::string(before) + std::to_string(i) + std::string(behind);
  }
  return result;
}

TEST_SUITE_BEGIN("syntax");

TEST_CASE("bad strings are quoted up to what makes them bad") {
  CheckAll({
      {"x = 'abc", "t:1: unfinished string near <eof>"},
      {"x = 'abc\\", "t:1: unfinished string near <eof>"},
      {"x = 'abc\ny'", "t:1: unfinished string near ''abc'"},
      {"x = \"abc\r\n", "t:1: unfinished string near '\"abc'"},
      {"x = '\\q'", "t:1: invalid escape sequence near ''\\q'"},
      {"x = 'a\\tb\\q'", "t:1: invalid escape sequence near ''a\tb\\q'"},
      {"x = '\\256'", "t:1: decimal escape too large near ''\\256''"},
      {"x = '\\2567'", "t:1: decimal escape too large near ''\\2567'"},
      {"x = '\\xg1'", "t:1: hexadecimal digit expected near ''\\xg'"},
      {"x = '\\x1'", "t:1: hexadecimal digit expected near ''\\x1''"},
      {"x = '\\x", "t:1: hexadecimal digit expected near ''\\x'"},
      {"x = '\\u41'", "t:1: missing '{' near ''\\u4'"},
      {"x = '\\u{'", "t:1: hexadecimal digit expected near ''\\u{''"},
      {"x = '\\u{41'", "t:1: missing '}' near ''\\u{41''"},
      {"x = '\\u{80000000}'", "t:1: UTF-8 value too large near ''\\u{80000000'"},
      {std::string("x = '\\q\0'", 9), "t:1: invalid escape sequence near ''\\q'"},
      {std::string("x = 'a\0b\\q'", 11), "t:1: invalid escape sequence near ''a'"},
  });
}

TEST_CASE("long brackets say where they began") {
  CheckAll({
      {"x = [==", "t:1: invalid long string delimiter near '[=='"},
      {"x = [=a[", "t:1: invalid long string delimiter near '[='"},
      {"\nx = [=[a\nb]]", "t:3: unfinished long string (starting at line 2) near <eof>"},
      {"--[[ a\n\n]", "t:3: unfinished long comment (starting at line 1) near <eof>"},
      {"x = [[a\nb]] y", "t:2: syntax error near <eof>"},
      {"[[a\nb]] = 1", "t:2: unexpected symbol near '[[a\nb]]'"},
  });
}

TEST_CASE("a numeral takes in what could belong to one") {
  CheckAll({
      {"x = 3x", "t:1: malformed number near '3x'"},
      {"x = 3xy", "t:1: malformed number near '3x'"},
      {"x = 1..2", "t:1: malformed number near '1..2'"},
      {"x = .0x1", "t:1: malformed number near '.0x1'"},
      {"x = 0x", "t:1: malformed number near '0x'"},
      {"x = 0x.p1", "t:1: malformed number near '0x.p1'"},
      {"x = 1e+", "t:1: malformed number near '1e+'"},
      {"x = 0x1p", "t:1: malformed number near '0x1p'"},
      {"x = 1e5e", "t:1: malformed number near '1e5e'"},
  });
}

TEST_CASE("tokens out of place are named") {
  CheckAll({
      {"x = }", "t:1: unexpected symbol near '}'"},
      {"@", "t:1: unexpected symbol near '@'"},
      {"\x01", "t:1: unexpected symbol near '<\\1>'"},
      {"\xff", "t:1: unexpected symbol near '<\\255>'"},
      {std::string("\0", 1), "t:1: unexpected symbol"},
      {"x = ~=", "t:1: unexpected symbol near '~='"},
      {"end", "t:1: <eof> expected near 'end'"},
      {"x = 1 y", "t:1: syntax error near <eof>"},
      {"return 1,", "t:1: unexpected symbol near <eof>"},
      {"return 1 x = 2", "t:1: <eof> expected near 'x'"},
      {"x", "t:1: syntax error near <eof>"},
      {"x.y", "t:1: syntax error near <eof>"},
      {"(f())", "t:1: syntax error near <eof>"},
      {"f() = 1", "t:1: syntax error near '='"},
      {"(x) = 1", "t:1: syntax error near '='"},
      {"x, f() = 1", "t:1: syntax error near '='"},
      {"x, y", "t:1: '=' expected near <eof>"},
      {"x:y", "t:1: function arguments expected near <eof>"},
      {"x:1()", "t:1: <name> expected near '1'"},
      {"local function 'f'() end", "t:1: <name> expected near ''f''"},
      {"local a.b = 1", "t:1: unexpected symbol near '.'"},
      {"for 1 = 1, 2 do end", "t:1: <name> expected near '1'"},
      {"for i do end", "t:1: '=' or 'in' expected near 'do'"},
      {"for i = 1 do end", "t:1: ',' expected near 'do'"},
      {"for i = 1, 2, 3, 4 do end", "t:1: 'do' expected near ','"},
      {"for a, b = 1, 2 do end", "t:1: 'in' expected near '='"},
      {"while x end", "t:1: 'do' expected near 'end'"},
      {"if x do", "t:1: 'then' expected near 'do'"},
      {"function f(a,) end", "t:1: <name> or '...' expected near ')'"},
      {"function f(..., a) end", "t:1: ')' expected near ','"},
      {"function f end", "t:1: '(' expected near 'end'"},
      {"function f() return ... end", "t:1: cannot use '...' outside a vararg function near '...'"},
      {"x = {[1", "t:1: ']' expected near <eof>"},
      {"x = {[1] 2}", "t:1: '=' expected near '2'"},
      {"x = {1 2}", "t:1: '}' expected near '2'"},
      {"goto 1", "t:1: <name> expected near '1'"},
      {"::a", "t:1: '::' expected near <eof>"},
  });
}

TEST_CASE("what stays open is named with its line when that is another line") {
  CheckAll({
      {"if x then", "t:1: 'end' expected near <eof>"},
      {"if x\nthen\n", "t:3: 'end' expected (to close 'if' at line 1) near <eof>"},
      {"\nwhile x do\n", "t:3: 'end' expected (to close 'while' at line 2) near <eof>"},
      {"do\n", "t:2: 'end' expected (to close 'do' at line 1) near <eof>"},
      {"for i = 1, 2 do\n", "t:2: 'end' expected (to close 'for' at line 1) near <eof>"},
      {"repeat\nend", "t:2: 'until' expected (to close 'repeat' at line 1) near 'end'"},
      {"function f()\n\n", "t:3: 'end' expected (to close 'function' at line 1) near <eof>"},
      {"x = (\n1", "t:2: ')' expected (to close '(' at line 1) near <eof>"},
      {"f\n(\n1", "t:3: ')' expected (to close '(' at line 2) near <eof>"},
      {"x = {\n1", "t:2: '}' expected (to close '{' at line 1) near <eof>"},
  });
}

TEST_CASE("attributes of locals are checked") {
  CheckAll({
      {"local x <other> = 1", "t:1: unknown attribute 'other'"},
      {"local x <const = 1", "t:1: '>' expected near '='"},
      {"local x <close>, y <close> = 1", "t:1: multiple to-be-closed variables in local list"},
      {"local x <const> = 1; x = 2", "t:1: attempt to assign to const variable 'x'"},
      {"local x <const> = {}; x, y = 2", "t:1: attempt to assign to const variable 'x'"},
      {"local x <close> = nil; x = 2", "t:1: attempt to assign to const variable 'x'"},
      {"local x <const> = 1; function f() x = 2 end",
       "t:1: attempt to assign to const variable 'x'"},
      {"local x <const> = f(); function f() x = 2 end",
       "t:1: attempt to assign to const variable 'x'"},
      {"local x <const> = 1; function x()\nend", "t:2: attempt to assign to const variable 'x'"},
      {"local x <const> = 1; (x) = 2", "t:1: syntax error near '='"},
      {"local x <const> = 1; x.y = 2; local x; x = 3", "accepted"},
  });
}

TEST_CASE("jumps go to visible labels, not into scopes of locals") {
  CheckAll({
      {"\nbreak\n", "t:3: break outside loop at line 2"},
      {"while x do f(function() break end) end", "t:1: break outside loop at line 1"},
      {"goto a\n", "t:2: no visible label 'a' for <goto> at line 1"},
      {"goto a; do ::a:: end", "t:1: no visible label 'a' for <goto> at line 1"},
      {"::a:: f(function() goto a end)", "t:1: no visible label 'a' for <goto> at line 1"},
      {"goto b; break; goto a", "t:1: no visible label 'b' for <goto> at line 1"},
      {"goto a\nlocal x\n::a:: f()", "t:3: <goto a> at line 1 jumps into the scope of local 'x'"},
      {"goto a; local x, y; local z; ::a:: f()",
       "t:1: <goto a> at line 1 jumps into the scope of local 'x'"},
      {"do goto a end; local x; ::a:: f()",
       "t:1: <goto a> at line 1 jumps into the scope of local 'x'"},
      {"repeat goto a; local x; ::a:: until x",
       "t:1: <goto a> at line 1 jumps into the scope of local 'x'"},
      {"::a::\n::a::", "t:2: label 'a' already defined on line 2"},
      {"::a:: f()\ndo ::a:: end", "t:2: label 'a' already defined on line 1"},
      {"do goto a; local x; ::a:: ; ::b:: ; end", "accepted"},
      {"do ::a:: end ::a:: f() ::b:: f(function() ::a:: end)", "accepted"},
  });
}

TEST_CASE("limits are those of the reference") {
  const std::string limit = "too many local variables (limit is 200) in main function near ";
  CHECK(MessageOf(Numbered("local a", 200, "\n")) == "accepted");
  CHECK(MessageOf(Numbered("local a", 201, "\n")) == "t:202: " + limit + "<eof>");
  CHECK(MessageOf(Numbered("local a", 201, " = 1\n")) == "t:201: " + limit + "'='");
  CHECK(MessageOf(Numbered("local a", 197, "\n") + "for i = 1, 2 do end") ==
        "t:198: " + limit + "'='");
  CHECK(MessageOf("\nfunction f(" + Numbered("a", 200, ",") + "b) end") ==
        "t:2: too many local variables (limit is 200) in function at line 2 near ')'");
  const std::string three = Numbered("local a", 100, " ") + "\nfunction f()\n" +
                            Numbered("local b", 100, " ") + "\nfunction g()\n" +
                            Numbered("local c", 100, " ") + "\nreturn function()\n";
  const std::string uses = Numbered("f(a", 100, ") ") + Numbered("f(b", 100, ") ");
  // _ENV is the first upvalue, for the global f.
  CHECK(MessageOf(three + uses + Numbered("f(c", 54, ") ") + "end end end") == "accepted");
  CHECK(MessageOf(three + uses + Numbered("f(c", 55, ") ") + "end end end") ==
        "t:7: too many upvalues (limit is 255) in function at line 6 near ')'");
  CHECK(MessageOf(Numbered("goto l", 32767, "\n")) ==
        "t:32768: no visible label 'l1' for <goto> at line 1");
  CHECK(MessageOf(Numbered("goto l", 32768, "\n")) == "too many labels/gotos (limit is 32767)");
}

TEST_CASE("nesting has a limit in every direction and no position") {
  const std::string overflow = "C stack overflow";
  CHECK(MessageOf("x = " + Repeated("(", 195) + "1" + Repeated(")", 195)) == "accepted");
  CHECK(MessageOf("x = " + Repeated("(", 196) + "1" + Repeated(")", 196)) == overflow);
  CHECK(MessageOf(Repeated("do ", 197) + Repeated("end ", 197)) == "accepted");
  CHECK(MessageOf(Repeated("do ", 198) + Repeated("end ", 198)) == overflow);
  CHECK(MessageOf(Repeated("a,", 195) + "a = 1") == "accepted");
  CHECK(MessageOf(Repeated("a,", 196) + "a = 1") == overflow);
  CHECK(MessageOf(Numbered("::a", 198, "::")) == overflow);
  for (const char* opening : {"x = {", "x = not ", "x = - ", "x = 1 .. ", "x = 2 ^ ", "x = f(",
                              "x = a[", "x = function() ", "while ", "if x then ", "repeat ",
                              "x = {[", "for i = ", "::a::", "local function f() ", "a, "}) {
    CAPTURE(opening);
    const std::string_view again = std::string_view(opening).starts_with("x = ") &&
                                           std::string_view(opening) != "x = function() "
                                       ? std::string_view(opening).substr(4)
                                       : std::string_view(opening);
    const std::string message = MessageOf(opening + Repeated(again, 300000));
    CHECK((message == overflow || message.find(" near ") != std::string::npos ||
           message.find("already defined") != std::string::npos));
  }
  CHECK(vm::Parse(Repeated("(", 300), "=t").status().code() ==
        absl::StatusCode::kResourceExhausted);
  CHECK(MessageOf(Repeated("f(", 10)) == "t:1: unexpected symbol near <eof>");
  CHECK(vm::Parse("f(f(f(f(1))))", "=t", {.level_limit = 5}).ok() == false);
}

TEST_CASE("chunk names are shortened to 59 bytes") {
  const std::string x59 = Repeated("x", 59);
  const std::string z45 = Repeated("z", 45);
  CHECK(vm::ChunkId("=" + x59) == x59);
  CHECK(vm::ChunkId("=" + x59 + "y") == x59);
  CHECK(vm::ChunkId("@" + x59) == x59);
  CHECK(vm::ChunkId("@ab" + x59) == "..." + x59.substr(3));
  CHECK(vm::ChunkId("return 1") == "[string \"return 1\"]");
  CHECK(vm::ChunkId(z45.substr(1)) == "[string \"" + z45.substr(1) + "\"]");
  CHECK(vm::ChunkId(z45) == "[string \"" + z45 + "...\"]");
  CHECK(vm::ChunkId(z45 + "zz\nz") == "[string \"" + z45 + "...\"]");
  CHECK(vm::ChunkId("a\nb") == "[string \"a...\"]");
  CHECK(vm::ChunkId("\n") == "[string \"...\"]");
  CHECK(vm::ChunkId("") == "[string \"\"]");
  CHECK(vm::ChunkId(std::string_view("a\0b", 3)) == "[string \"a\"]");
  CHECK(MessageOf("?", "@dir/file.lua") == "dir/file.lua:1: unexpected symbol near '?'");
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
