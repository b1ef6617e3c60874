// SPDX-License-Identifier: MIT
//
// Random patterns on random subjects: every result and every message as the reference gives it.
#include <optional>
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "lua_oracle.h"
#include "support/random.h"
#include "text/pattern_search.h"
#include "text/string_position.h"

namespace neap::testing {
namespace {

using vm::CaptureValue;
using vm::MatchOutcome;
using vm::PatternMatcher;
using vm::TextStatus;

constexpr int kCases = 5000;

std::string RandomSubject(Random* random) {
  constexpr std::string_view kBytes("aaabbc()[]%-^.1 \n\0\xe9", 19);
  std::string text;
  for (uint64_t n = random->Below(14); n > 0; --n) text += kBytes[random->Below(kBytes.size())];
  return text;
}

std::string RandomSet(Random* random) {
  constexpr const char* kMembers[] = {"a",  "b",   "-",  "]", "^", "%", "%]", "%a",
                                      "%W", "a-b", "c-", "[", ".", "(", "%d", "%z"};
  std::string set = random->OneIn(3) ? "[^" : "[";
  for (uint64_t n = random->Below(4); n > 0; --n) set += kMembers[random->Below(16)];
  if (!random->OneIn(12)) set += "]";
  return set;
}

std::string RandomItem(Random* random) {
  constexpr const char* kItems[] = {"a",  "b",  "c",  ".",   "%a", "%d", "%s", "%w",   "%p",
                                    "%S", "%A", "%%", "%(",  "%g", "%x", "%c", "%u",   "%l",
                                    "(",  ")",  "()", "%1",  "%2", "$",  "^",  "%b()", "%bab",
                                    "%f", "%",  "%b", "%ba", "]",  "-",  "%0"};
  constexpr uint64_t kCount = sizeof kItems / sizeof kItems[0];
  if (random->OneIn(5)) return RandomSet(random);
  if (random->OneIn(12)) return "%f" + RandomSet(random);
  // The first 18 are harmless; the rest, which is mostly errors, half as often.
  return kItems[random->OneIn(2) ? random->Below(kCount) : random->Below(18)];
}

std::string RandomPattern(Random* random) {
  std::string pattern = random->OneIn(6) ? "^" : "";
  // Captures that are closed make longer patterns that mean something.
  int open = 0;
  for (uint64_t n = random->Below(6); n > 0; --n) {
    if (random->OneIn(4)) {
      pattern += "(";
      ++open;
    }
    pattern += RandomItem(random);
    if (random->OneIn(2)) pattern += "*+-?"[random->Below(4)];
    if (open > 0 && random->OneIn(2)) {
      pattern += ")";
      --open;
    }
  }
  if (!random->OneIn(10)) pattern.append(static_cast<size_t>(open), ')');
  if (random->OneIn(8)) pattern += "$";
  return pattern;
}

// Adds the captures (or, with none, the match unless `captures_only`) to `shown`.
TextStatus ShowCaptures(const PatternMatcher& matcher, int count, Shown* shown) {
  for (int i = 0; i < count; ++i) {
    CaptureValue value;
    if (TextStatus status = matcher.GetCapture(i, &value); !status.ok()) return status;
    value.is_position ? shown->Integer(value.position) : shown->String(value.text);
  }
  return {};
}

std::string Find(std::string_view subject, std::string_view pattern, int64_t init) {
  const auto from = vm::StartOffset(init, subject.size());
  if (!from) return Shown().Nil().text();
  if (vm::IsPlainPattern(pattern)) {
    const auto found = vm::FindPlain(subject, pattern, *from);
    if (!found) return Shown().Nil().text();
    const int64_t begin = static_cast<int64_t>(*found);
    return Shown().Integer(begin + 1).Integer(begin + static_cast<int64_t>(pattern.size())).text();
  }
  vm::PatternSearch search(subject, pattern);
  const PatternMatcher& matcher = search.matcher();
  switch (search.Find(*from)) {
    case MatchOutcome::kError:
      return Shown().Error(matcher.status()).text();
    case MatchOutcome::kNoMatch:
      return Shown().Nil().text();
    case MatchOutcome::kMatch:
      break;
  }
  Shown shown;
  shown.Integer(static_cast<int64_t>(matcher.match_begin()) + 1)
      .Integer(static_cast<int64_t>(matcher.match_end()));
  const TextStatus status = ShowCaptures(matcher, matcher.capture_count(), &shown);
  return status.ok() ? shown.text() : Shown().Error(status).text();
}

std::string Gmatch(std::string_view subject, std::string_view pattern, int64_t init) {
  vm::MatchIterator iterator(vm::StartOffset(init, subject.size()).value_or(subject.size() + 1));
  PatternMatcher matcher(subject, pattern);
  Shown shown;
  while (true) {
    const MatchOutcome outcome = iterator.Next(&matcher);
    if (outcome == MatchOutcome::kError) return Shown().Error(matcher.status()).text();
    if (outcome == MatchOutcome::kNoMatch) return shown.text();
    const TextStatus status = ShowCaptures(matcher, matcher.value_count(), &shown);
    if (!status.ok()) return Shown().Error(status).text();
  }
}

std::string Gsub(std::string_view subject, std::string_view pattern, std::string_view replacement,
                 int64_t most) {
  vm::Substitution substitution(most);
  MatchOutcome outcome;
  while ((outcome = substitution.Next(subject, pattern)) == MatchOutcome::kMatch) {
    const TextStatus status = substitution.Expand(replacement);
    if (!status.ok()) return Shown().Error(status).text();
  }
  if (outcome == MatchOutcome::kError) return Shown().Error(substitution.status()).text();
  substitution.Finish(subject);
  return Shown().String(substitution.result()).Integer(substitution.count()).text();
}

int64_t RandomInit(Random* random) {
  return random->OneIn(2) ? 1 : static_cast<int64_t>(random->Below(24)) - 8;
}

TEST_SUITE_BEGIN("text/pattern");

TEST_CASE("find agrees with the reference on random patterns") {
  LuaOracle oracle(
      "return function(s, p, i) return show(pcall(string.find, s, p, integer(i))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string subject = RandomSubject(&random);
    const std::string pattern = RandomPattern(&random);
    const int64_t init = RandomInit(&random);
    oracle.Ask({subject, pattern, LuaOracle::HexWord(init)}, Find(subject, pattern, init));
  }
  oracle.Compare();
}

TEST_CASE("gmatch agrees with the reference on random patterns") {
  LuaOracle oracle(R"lua(return function(s, p, i)
    return show(pcall(function()
      local all = table.pack()
      local f, state = string.gmatch(s, p, integer(i))
      while true do
        local one = table.pack(f(state))
        if one[1] == nil then return table.unpack(all, 1, all.n) end
        table.move(one, 1, one.n, all.n + 1, all)
        all.n = all.n + one.n
      end
    end))
  end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string subject = RandomSubject(&random);
    const std::string pattern = RandomPattern(&random);
    const int64_t init = RandomInit(&random);
    oracle.Ask({subject, pattern, LuaOracle::HexWord(init)}, Gmatch(subject, pattern, init));
  }
  oracle.Compare();
}

TEST_CASE("gsub agrees with the reference on random patterns and replacements") {
  constexpr const char* kReplacements[] = {"",      "x",    "%0", "<%1>", "%2",
                                           "%%%0.", "%1%1", "%a", "a%",   "%9"};
  LuaOracle oracle(
      "return function(s, p, r, n) return show(pcall(string.gsub, s, p, r, integer(n))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string subject = RandomSubject(&random);
    const std::string pattern = RandomPattern(&random);
    const std::string replacement = kReplacements[random.Below(10)];
    const int64_t most = random.OneIn(3) ? static_cast<int64_t>(random.Below(4)) - 1 : 1000;
    oracle.Ask({subject, pattern, replacement, LuaOracle::HexWord(most)},
               Gsub(subject, pattern, replacement, most));
  }
  oracle.Compare();
}

TEST_CASE("each class takes the bytes that the reference takes") {
  LuaOracle oracle("return function(s, p) return show(pcall(string.gsub, s, p, '')) end");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  for (const std::string prefix : {"%", "[%", "[^%"}) {
    for (int letter = 0; letter < 256; ++letter) {
      std::string pattern = prefix + static_cast<char>(letter);
      if (prefix != "%") pattern += "]";
      oracle.Ask({all, pattern}, Gsub(all, pattern, "", 1000));
    }
  }
  oracle.Compare();
}

TEST_CASE("patterns are too complex at the depth where the reference stops") {
  LuaOracle oracle("return function(s, p) return show(pcall(string.find, s, p)) end");
  const std::string subject(300, 'a');
  for (const char* item : {"a?", "a*", "a-", "(a)", "()", "b*", "b?", "b-", "a", "a?a*a-"}) {
    // Not a+: after the first one there is nothing left, and all ways to share are tried.
    for (int count : {31, 32, 33, 66, 67, 98, 99, 100, 101, 198, 199, 200, 201, 220}) {
      std::string pattern;
      for (int i = 0; i < count; ++i) pattern += item;
      oracle.Ask({subject, pattern}, Find(subject, pattern, 1));
    }
  }
  oracle.Compare();
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
