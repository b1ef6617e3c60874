// SPDX-License-Identifier: MIT
#include "text/pattern_search.h"

#include <cstring>

#include "text/char_class.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

constexpr std::string_view kSpecials = "^$*+?.([%-";
constexpr std::string_view kItemStarts = "^$.([%)";
constexpr std::string_view kSuffixes = "*?-";

bool IsAnchored(std::string_view pattern) { return !pattern.empty() && pattern[0] == '^'; }

// The byte that each match of the pattern begins with, if its text tells at a glance. Places with
// another byte are passed over without a word: there the matcher would try one item and give up.
std::optional<char> FirstLiteral(std::string_view pattern) {
  if (pattern.empty() || kItemStarts.find(pattern[0]) != std::string_view::npos) return {};
  if (pattern.size() > 1 && kSuffixes.find(pattern[1]) != std::string_view::npos) return {};
  return pattern[0];
}

// The first match from `from` on that does not end at `refused_end`.
MatchOutcome FirstMatch(PatternMatcher* matcher, size_t from, size_t refused_end) {
  const std::string_view subject = matcher->subject();
  const std::optional<char> literal = FirstLiteral(matcher->pattern());
  for (; from <= subject.size(); ++from) {
    if (literal) {
      from = subject.find(*literal, from);
      if (from == std::string_view::npos) break;
    }
    const MatchOutcome outcome = matcher->MatchAt(from);
    if (outcome == MatchOutcome::kError) return outcome;
    if (outcome == MatchOutcome::kMatch && matcher->match_end() != refused_end) return outcome;
  }
  return MatchOutcome::kNoMatch;
}

}  // namespace

bool IsPlainPattern(std::string_view pattern) {
  return pattern.find_first_of(kSpecials) == std::string_view::npos;
}

std::optional<size_t> FindPlain(std::string_view subject, std::string_view text, size_t from) {
  if (text.empty()) return from;
  const std::string_view rest = subject.substr(from);
  const void* found = memmem(rest.data(), rest.size(), text.data(), text.size());
  if (found == nullptr) return std::nullopt;
  return static_cast<size_t>(static_cast<const char*>(found) - subject.data());
}

PatternSearch::PatternSearch(std::string_view subject, std::string_view pattern, WorkBudget* budget)
    : anchored_(IsAnchored(pattern)),
      matcher_(subject, pattern.substr(anchored_ ? 1 : 0), budget) {}

MatchOutcome PatternSearch::Find(size_t from) {
  if (anchored_) return matcher_.MatchAt(from);
  return FirstMatch(&matcher_, from, SIZE_MAX);
}

MatchOutcome MatchIterator::Next(PatternMatcher* matcher) {
  const MatchOutcome outcome = FirstMatch(matcher, from_, last_end_);
  if (outcome == MatchOutcome::kMatch) {
    from_ = last_end_ = matcher->match_end();
  } else {
    from_ = kNowhere;
  }
  return outcome;
}

MatchOutcome Substitution::Next(std::string_view subject, std::string_view pattern) {
  if (done_ || count_ >= most_) return MatchOutcome::kNoMatch;
  const bool anchored = IsAnchored(pattern);
  matcher_.Rebind(subject, pattern.substr(anchored ? 1 : 0));
  const MatchOutcome outcome =
      anchored ? matcher_.MatchAt(0) : FirstMatch(&matcher_, from_, last_end_);
  if (outcome == MatchOutcome::kError) return outcome;
  done_ = anchored || outcome != MatchOutcome::kMatch;
  if (outcome != MatchOutcome::kMatch) return outcome;
  ++count_;
  result_.append(subject, copied_, matcher_.match_begin() - copied_);
  from_ = copied_ = last_end_ = matcher_.match_end();
  return outcome;
}

TextStatus Substitution::Expand(std::string_view replacement) {
  while (true) {
    const size_t escape = replacement.find('%');
    result_.append(replacement.substr(0, escape));
    if (escape == std::string_view::npos) return {};
    const char key = escape + 1 < replacement.size() ? replacement[escape + 1] : '\0';
    if (key == '%') {
      result_.push_back('%');
    } else if (key == '0') {
      Keep(matcher_.subject());
    } else if (IsDigit(key)) {
      CaptureValue value;
      if (TextStatus status = matcher_.GetCapture(key - '1', &value); !status.ok()) return status;
      if (value.is_position) {
        AppendInteger(value.position, &result_);
      } else {
        result_.append(value.text);
      }
    } else {
      return TextStatus::Error("invalid use of '%' in replacement string");
    }
    replacement.remove_prefix(escape + 2);
  }
}

TextStatus InvalidReplacement(std::string_view type_name) {
  return TextStatus::Error(Concat("invalid replacement value (a ", type_name, ")"));
}

}  // namespace neap::vm
