// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "text/pattern_search.h"
#include "text/string_position.h"

namespace neap::testing {
namespace {

using vm::CaptureValue;
using vm::MatchOutcome;
using vm::PatternSearch;
using vm::WorkBudget;

// The first match, "captures" joined by ',', or "no", or the message.
std::string Match(std::string_view subject, std::string_view pattern,
                  WorkBudget* budget = nullptr) {
  PatternSearch search(subject, pattern, budget);
  const MatchOutcome outcome = search.Find(0);
  if (outcome == MatchOutcome::kError) return search.matcher().status().message();
  if (outcome == MatchOutcome::kNoMatch) return "no";
  std::string text;
  for (int i = 0; i < search.matcher().value_count(); ++i) {
    CaptureValue value;
    const vm::TextStatus status = search.matcher().GetCapture(i, &value);
    if (!status.ok()) return status.message();
    if (i > 0) text += ',';
    text += value.is_position ? std::to_string(value.position) : std::string(value.text);
  }
  return text;
}

std::string Substitute(std::string_view subject, std::string_view pattern,
                       std::string_view replacement) {
  vm::Substitution substitution(INT64_MAX);
  while (substitution.Next(subject, pattern) == MatchOutcome::kMatch) {
    const vm::TextStatus status = substitution.Expand(replacement);
    if (!status.ok()) return status.message();
  }
  substitution.Finish(subject);
  return substitution.result();
}

TEST_SUITE_BEGIN("text/pattern");

TEST_CASE("repetitions are greedy, lazy or optional") {
  CHECK(Match("xaaay", "a*y") == "aaay");
  CHECK(Match("<b>c</b>", "<.*>") == "<b>c</b>");
  CHECK(Match("<b>c</b>", "<.->") == "<b>");
  CHECK(Match("colour color", "colou?r$") == "color");
  CHECK(Match("abc", "b+c+") == "bc");
}

TEST_CASE("captures hold text or positions, and can be referred to") {
  CHECK(Match("key = value", "(%w+)%s*=%s*(%w+)") == "key,value");
  CHECK(Match("hello", "()ll()") == "3,5");
  CHECK(Match("say 'it' now", "(['\"])(.-)%1") == "',it");
  CHECK(Match("abab", "(ab)%1") == "ab");
  CHECK(Match("aa", "()%1") == "no");
}

TEST_CASE("balanced text and frontiers") {
  CHECK(Match("f(a(b)c)d", "%b()") == "(a(b)c)");
  CHECK(Match("((", "%b()") == "no");
  CHECK(Match("THE (quick) fox", "%f[%a]%l+%f[%A]") == "quick");
  CHECK(Match("end", "%f[%z]") == "");
}

TEST_CASE("malformed patterns are reported in the words of the reference") {
  CHECK(Match("a", "%") == "malformed pattern (ends with '%')");
  CHECK(Match("a", "[a") == "malformed pattern (missing ']')");
  CHECK(Match("a", "[]") == "malformed pattern (missing ']')");
  CHECK(Match("a", "[%") == "malformed pattern (missing ']')");
  CHECK(Match("a", "%f") == "missing '[' after '%f' in pattern");
  CHECK(Match("a", "%bx") == "malformed pattern (missing arguments to '%b')");
  CHECK(Match("a", "%1") == "invalid capture index %1");
  CHECK(Match("a", "(%1)") == "invalid capture index %1");
  CHECK(Match("a", "%0") == "invalid capture index %0");
  CHECK(Match("a", "a)") == "invalid pattern capture");
  CHECK(Match("a", "(a") == "unfinished capture");
  std::string many;
  for (int i = 0; i < 33; ++i) many += "()";
  CHECK(Match("a", many) == "too many captures");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "a?";
  CHECK(Match(std::string(300, 'a'), deep) == "pattern too complex");
}

TEST_CASE("an error behind the place where the match fails is not seen") {
  CHECK(Match("a", "b[") == "no");
}

TEST_CASE("replacement strings name captures") {
  CHECK(Substitute("hello world", "o", "0") == "hell0 w0rld");
  CHECK(Substitute("ab cd", "(%w)(%w)", "%2%1%%") == "ba% dc%");
  CHECK(Substitute("abc", "%w", "%0%0") == "aabbcc");
  CHECK(Substitute("abc", "", "-") == "-a-b-c-");
  CHECK(Substitute("abc", "^a", "x") == "xbc");
  CHECK(Substitute("abc", "()b", "%1") == "a2c");
  CHECK(Substitute("a", "a", "%2") == "invalid capture index %2");
  CHECK(Substitute("a", "a", "%x") == "invalid use of '%' in replacement string");
  CHECK(Substitute("a", "a", "%") == "invalid use of '%' in replacement string");
  CHECK(vm::InvalidReplacement("table").message() == "invalid replacement value (a table)");
}

TEST_CASE("a substitution survives that the strings move between its steps") {
  std::string subject = "one two three", pattern = "(%w+)";
  vm::Substitution substitution(INT64_MAX);
  while (true) {
    // Copies at new addresses; the old ones are gone when the next step reads.
    const std::string moved_subject = subject, moved_pattern = pattern;
    if (substitution.Next(moved_subject, moved_pattern) != MatchOutcome::kMatch) break;
    if (substitution.count() == 2) {
      substitution.Keep(moved_subject);
    } else {
      substitution.Replace("x");
    }
  }
  substitution.Finish(subject);
  CHECK(substitution.result() == "x two x");
  CHECK(substitution.count() == 3);
}

TEST_CASE("an empty match does not follow a match at the same place") {
  vm::MatchIterator iterator(0);
  vm::PatternMatcher matcher("ab c", "%a*");
  std::string ends;
  while (iterator.Next(&matcher) == MatchOutcome::kMatch) {
    ends += std::to_string(matcher.match_begin()) + "-" + std::to_string(matcher.match_end()) + " ";
  }
  CHECK(ends == "0-2 3-4 ");
  CHECK(iterator.Next(&matcher) == MatchOutcome::kNoMatch);
}

TEST_CASE("init counts from either end") {
  CHECK(vm::StartOffset(1, 5) == 0);
  CHECK(vm::StartOffset(0, 5) == 0);
  CHECK(vm::StartOffset(6, 5) == 5);
  CHECK(vm::StartOffset(7, 5) == std::nullopt);
  CHECK(vm::StartOffset(-2, 5) == 3);
  CHECK(vm::StartOffset(INT64_MIN, 5) == 0);
}

TEST_CASE("plain text is found with its zeros") {
  CHECK(vm::IsPlainPattern("a)b]"));
  CHECK(!vm::IsPlainPattern("a.b"));
  CHECK(vm::FindPlain(std::string_view("a\0b\0b", 5), std::string_view("\0b", 2), 2) == 3);
  CHECK(vm::FindPlain("abc", "", 3) == 3);
  CHECK(vm::FindPlain("abc", "d", 0) == std::nullopt);
}

// Without the budget these would run for years.
TEST_CASE("a budget ends a match that backtracks too much") {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  WorkBudget budget(100000);
  CHECK(Match(std::string(60, 'a'), pattern + "b", &budget) == "out of work budget");
  CHECK(budget.left() == 0);
  WorkBudget enough(1000);
  CHECK(Match("hello world", "(%w+) (%w+)", &enough) == "hello,world");
  CHECK(enough.left() > 900);
}

TEST_CASE("long scans are charged as well") {
  const std::string open(1 << 16, '(');
  WorkBudget budget(1 << 20);  // of the 2^31 bytes that this looks at
  CHECK(Match(open, "%b()", &budget) == "out of work budget");
  const std::string set = "[" + std::string(10000, 'b') + "a]*";
  WorkBudget of_set(100000);  // each byte of the run is looked for in the whole set
  CHECK(Match(std::string(500, 'a'), set, &of_set) == "out of work budget");
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
