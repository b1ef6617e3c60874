// SPDX-License-Identifier: MIT
//
// Trees as the printer shows them, their lines, and what the parser does with memory and depth.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ast.h"
#include "ast_printer.h"
#include "doctest/doctest.h"
#include "parser.h"

namespace neap::testing {
namespace {

using vm::As;
using vm::Expr;
using vm::ExprKind;
using vm::Function;
using vm::Stat;

std::unique_ptr<const vm::Chunk> MustParse(std::string_view source) {
  auto chunk = vm::Parse(source, "=t");
  CAPTURE(source);
  REQUIRE(chunk.status().message() == "");
  return *std::move(chunk);
}

// The statements of the chunk, without the line of the function around them.
std::string Statements(std::string_view source) {
  const std::string text = vm::PrintFunction(MustParse(source)->main());
  const size_t first_line = text.find('\n');
  if (first_line == std::string::npos) return "";
  return text.substr(first_line + 3, text.size() - first_line - 4);
}

// The expression as it is returned.
std::string Value(std::string_view expr) {
  const std::string text = Statements("return " + std::string(expr));
  const size_t before = text.find(' ') + 1;
  return text.substr(before, text.size() - before - 1);
}

// The n-th statement of the chunk, as a T.
template <typename T>
const T& StatOf(const vm::Chunk& chunk, size_t n) {
  return As<const T>(*chunk.main().body->statements[n]);
}

TEST_SUITE_BEGIN("syntax");

TEST_CASE("numerals have the values of the manual") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"3", "3"},
      {"0xff", "255"},
      {"0XA", "10"},
      {"0xA23p-4", "162.1875"},
      {"0x.1", "0.0625"},
      {"0x1p4", "16.0"},
      {"314.16e-2", "3.1415999999999999"},
      {"0.31416E1", "3.1415999999999999"},
      {"34e1", "340.0"},
      {"3.", "3.0"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9.2233720368547758e+18"},
      {"0x7fffffffffffffff", "9223372036854775807"},
      {"0xffffffffffffffff", "-1"},
      {"0x1ffffffffffffffff", "-1"},
      {"0xffffffffffffffff.0", "1.8446744073709552e+19"},
      {"1e309", "inf"},
      {"1e-400", "0.0"},
      {"0x1p-1074", "4.9406564584124654e-324"},
  };
  for (const auto& [source, printed] : cases) {
    CAPTURE(source);
    CHECK(Value(source) == printed);
  }
}

TEST_CASE("strings have the values of the manual") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {R"('alo\n123"')", R"("alo\x0a123\"")"},
      {R"('\97lo\10\04923"')", R"("alo\x0a123\"")"},
      {"[[alo\n123\"]]", R"("alo\x0a123\"")"},
      {"[==[\r\nalo\n\r123\"]==]", R"("alo\x0a123\"")"},
      {"[[\n\n]]", R"("\x0a")"},
      {"[==[a]]b]=]c]==]", R"("a]]b]=]c")"},
      {"[=[]]=]", R"("]")"},
      {R"('\a\b\f\v\t\r\\\'\"')", R"("\x07\x08\x0c\x0b\x09\x0d\\'\"")"},
      {"'a\\z  \n\t b'", R"("ab")"},
      {"'a\\\r\nb\\\n\rc'", R"("a\x0ab\x0ac")"},
      {R"('\x41\x7e\0\0019')", R"("A~\x00\x019")"},
      {R"('\u{0}\u{7F}\u{80}\u{7FF}\u{800}')", R"("\x00\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80")"},
      {R"('\u{FFFF}\u{10000}\u{1FFFFF}')", R"("\xef\xbf\xbf\xf0\x90\x80\x80\xf7\xbf\xbf\xbf")"},
      {R"('\u{200000}\u{03FFFFFF}')", R"("\xf8\x88\x80\x80\x80\xfb\xbf\xbf\xbf\xbf")"},
      {R"('\u{4000000}\u{7FFFFFFF}')", R"("\xfc\x84\x80\x80\x80\x80\xfd\xbf\xbf\xbf\xbf\xbf")"},
      {"1 --[==[ a ]] \n ]==] + --[ not long\n x -- end", "(+ 1 x)"},
  };
  for (const auto& [source, printed] : cases) {
    CAPTURE(source);
    CHECK(Value(source) == printed);
  }
}

TEST_CASE("operators bind as the manual says") {
  CHECK(Value("a + b * c - d") == "(- (+ a (* b c)) d)");
  CHECK(Value("-x ^ 2 ^ -y") == "(neg (^ x (^ 2 (neg y))))");
  CHECK(Value("a .. b .. c + d") == "(.. a (.. b (+ c d)))");
  CHECK(Value("not a == b and c or d") == "(or (and (== (not a) b) c) d)");
  CHECK(Value("a | b ~ c & d << e .. f") == "(| a (~ b (& c (<< d (.. e f)))))");
  CHECK(Value("#a // b % c") == "(% (// (len a) b) c)");
  CHECK(Value("a < b == ~c") == "(== (< a b) (bnot c))");
  CHECK(Value("f{1}'s':m(...).x[1]") ==
        "(index (index (method (call (call f (table 1)) \"s\") m ...) \"x\") 1)");
  CHECK(Value("(f()), (...), (a), (1), ((a))") ==
        "(paren (call f)) (paren ...) (paren a) 1 (paren a)");
}

TEST_CASE("constants are folded where it raises no error and loses no zero") {
  CHECK(Value("1 + 2 * 3 - 2 ^ 2") == "3.0");
  CHECK(Value("7 // 2, -7 // 2, 7 // -2, 7.0 // -2") == "3 -4 -4 -4.0");
  CHECK(Value("7 % 3, -7 % 3, 7 % -3, -7.5 % 2") == "1 2 -2 0.5");
  CHECK(Value("9223372036854775807 + 1, -9223372036854775807 - 1 // -1") ==
        "-9223372036854775808 -9223372036854775806");
  CHECK(Value("1 << 63, 1 << 64, -1 >> 60, 1 << -1, 2.0 | 1, ~0") ==
        "-9223372036854775808 0 15 0 3 -1");
  CHECK(Value("1 / 0, 1 // 0, 1 % 0, 1.5 | 1, 2 ^ 1024") ==
        "(/ 1 0) (// 1 0) (% 1 0) (| 1.5 1) inf");
  CHECK(Value("0.0, -0, -0.0, 0 / 5, 1e308 * 10 - 1e308 * 10, 3 - 3, 3 - 3.0") ==
        "0.0 0 (neg 0.0) (/ 0 5) (- inf inf) 0 (- 3 3.0)");
  CHECK(Value("not nil, not 0, not 'x', not x") == "true false false (not x)");
  CHECK(Value("true and 5, nil or 's', nil and 5, 5 or 6, true and x") ==
        "5 \"s\" (and nil 5) (or 5 6) (and true x)");
  CHECK(Value("'a' .. 'b', 1 < 2, #'abc', x + 1 + 2, 1 + 2 + x, -'2'") ==
        "(.. \"a\" \"b\") (< 1 2) (len \"abc\") (+ (+ x 1) 2) (+ 3 x) (neg \"2\")");
}

TEST_CASE("compile-time constants have no slot and no upvalue") {
  CHECK(Statements("local a, K <const> = f(), 2 local b = K + a return function() return K end") ==
        "(local (a@0 K<const>) (call f) 2)\n"
        "  (local (b@1) (+ 2 a@0))\n"
        "  (return (function 1-1 () ()\n"
        "    (return 2)))");
  CHECK(Statements("local K <const>, a = 2, 3 return K") ==
        "(local (K@0<const> a@1) 2 3)\n  (return K@0)");
  CHECK(Statements("local K <const>, L <const> = 1 return K") ==
        "(local (K@0<const> L@1<const>) 1)\n  (return K@0)");
  CHECK(Statements("local K <const> = 2 local L <const> = K * 3 return L, -K") ==
        "(local (K<const>) 2)\n  (local (L<const>) 6)\n  (return 6 -2)");
  CHECK(Statements("local _ENV <const> = nil; x = y") ==
        "(local (_ENV<const>) nil)\n  (set (x) y)");
}

TEST_CASE("names are locals, upvalues or globals") {
  CHECK(Statements("local x = x; do local x = x end; x = y") ==
        "(local (x@0) x)\n  (do\n    (local (x@1) x@0))\n  (set (x@0) y)");
  CHECK(Statements("local a; function f() return function() a = a; g = a end end") ==
        "(local (a*@0))\n"
        "  (set (f) (function 1-1 () (a@0 _ENV^0)\n"
        "    (return (function 1-1 () (a^0 _ENV^1)\n"
        "      (set (a^0) a^0)\n"
        "      (set (g) a^0)))))");
  CHECK(Statements("local function f() return f end local g = function() return g end") ==
        "(local-function f*@0 (function 1-1 () (f@0)\n    (return f^0)))\n"
        "  (local (g@1) (function 1-1 () (_ENV^0)\n    (return g)))");
  CHECK(Statements("function a.b:c(x, ...) return self, x end") ==
        "(set ((index (index a \"b\") \"c\")) (function 1-1 (self@0 x@1 ...) ()\n"
        "    (return self@0 x@1)))");
}

TEST_CASE("loops and jumps know what they have to close") {
  CHECK(Statements("for i = 1, 2 do local x; f = function() return x end break end") ==
        "(for i@3 1 2\n"
        "    (local (x*@4))\n"
        "    (set (f) (function 1-1 () (x@4)\n"
        "      (return x^0)))\n"
        "    (break closing))");
  CHECK(Statements("for k, v in f do goto next; do break end ::next:: end") ==
        "(for-in (k@4 v@5) (f)\n"
        "    (goto next:1)\n"
        "    (do\n"
        "      (break closing))\n"
        "    (label next:1))");
  CHECK(Statements("repeat local x until x") == "(repeat\n    (local (x@0))\n  until x@0)");
  CHECK(Statements("::a:: local x <close> = nil; goto a") ==
        "(label a:0)\n  (local (x@0<close>) nil)\n  (goto a:0 closing)");
  CHECK(Statements("do return f() end") == "(do\n    (tail-return (call f)))");
  CHECK(Statements("local x <close> = nil; return f()") ==
        "(local (x@0<close>) nil)\n  (return (call f))");
  CHECK(Statements("return (f())") == "(return (paren (call f)))");
}

TEST_CASE("lines are those that errors report") {
  const auto chunk = MustParse(
      "local a = b\n.\nc\n+\nd\n"     // 1-5
      "local e = f\n<\ng\n"           // 6-8
      "h\n(\n1)\n"                    // 9-11
      "i\n:\nj\n{}\n"                 // 12-15
      "k = {\nl\n.m\n,\nn.o\n}\n"     // 16-21
      "for p in\nq do end\n"          // 22-23
      "r\n.s\n=\n1\n"                 // 24-27
      "return function\n()\nend\n");  // 28-30
  const Expr& sum = *StatOf<vm::LocalStat>(*chunk, 0).values[0];
  CHECK(sum.line == 4);
  CHECK(As<const vm::Binary>(sum).left->line == 4);
  CHECK(StatOf<vm::LocalStat>(*chunk, 1).values[0]->line == 8);
  CHECK(StatOf<vm::CallStat>(*chunk, 2).call->line == 10);
  const auto& method = As<const vm::MethodCall>(*StatOf<vm::CallStat>(*chunk, 3).call);
  CHECK(method.line == 15);
  CHECK(method.method_line == 14);
  const auto& table = As<const vm::TableConstructor>(*StatOf<vm::Assign>(*chunk, 4).values[0]);
  CHECK(table.line == 16);
  CHECK(table.items[0].value->line == 19);
  CHECK(table.items[1].value->line == 21);
  CHECK(StatOf<vm::GenericFor>(*chunk, 5).call_line == 23);
  CHECK(StatOf<vm::Assign>(*chunk, 6).line == 24);
  CHECK(StatOf<vm::Assign>(*chunk, 6).store_line == 27);
  const auto& result = As<const vm::FunctionExpr>(*StatOf<vm::Return>(*chunk, 7).values[0]);
  CHECK(result.function->line == 29);
  CHECK(result.function->last_line == 30);
}

TEST_CASE("scopes of locals are ranges of the source") {
  const std::string source = "do local x = 1; f(x) end local y, z; y = function() z = 1 end";
  const auto chunk = MustParse(source);
  const vm::Local& x = *chunk->main().locals[0];
  CHECK(source.substr(x.scope_begin, x.scope_end - x.scope_begin) == "; f(x) ");
  CHECK(x.line == 1);
  CHECK_FALSE(x.is_assigned);
  CHECK_FALSE(x.is_captured);
  const vm::Local& z = *chunk->main().locals[2];
  CHECK(z.is_assigned);
  CHECK(z.is_captured);
  CHECK(z.slot == 1);
  CHECK(chunk->main().slots == 2);
}

TEST_CASE("spines as long as the source neither grow the stack nor cost more than memory") {
  for (const std::string_view piece : {"+x", ".x", "(1)", ":x''", "[1]", " and x", "..x"}) {
    std::string source = "return x";
    const bool is_left = piece != "..x";
    for (int i = 0; i < (is_left ? 200000 : 100); ++i) source += piece;
    CAPTURE(piece);
    const auto chunk = MustParse(source);
    CHECK(chunk->used_bytes() < source.size() * 64 + 8192);
    CHECK(vm::PrintFunction(chunk->main()).size() > source.size());
  }
}

TEST_CASE("a tree outlives its source") {
  auto source = std::make_unique<std::string>("local name = 'text' return name");
  const auto chunk = MustParse(*source);
  source.reset();
  CHECK(vm::PrintFunction(chunk->main()) ==
        "(function 0-1 (...) (_ENV@0)\n  (local (name@0) \"text\")\n  (return name@0))");
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
