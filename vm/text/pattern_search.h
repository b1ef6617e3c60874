// SPDX-License-Identifier: MIT
//
// What string.find, match, gmatch and gsub do around the matcher: where a match may begin, which
// one comes next, what is copied between matches. The library calls back into the script between
// two matches, and a collection may move the strings then; so the two iterators own no view, and
// each call names subject and pattern anew.
//
//   const std::optional<size_t> from = StartOffset(init, subject.size());     // nothing: nil
//   PatternSearch search(subject, pattern, &budget);
//   if (search.Find(*from) == MatchOutcome::kMatch) ... search.matcher().match_begin() ...
//
//   Substitution substitution(max_replacements);
//   while (substitution.Next(subject, pattern) == MatchOutcome::kMatch) {
//     // The match is substitution.matcher(). One of these three:
//     substitution.Keep(subject);   substitution.Replace(text);   substitution.Expand(replacement);
//   }
//   substitution.Finish(subject);   // unless kError
//   // substitution.result(), substitution.count()
#ifndef NEAP_VM_TEXT_PATTERN_SEARCH_H_
#define NEAP_VM_TEXT_PATTERN_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/lua_pattern.h"
#include "text/text_status.h"

namespace neap::vm {

// True when the pattern is plain text, which string.find then looks for without the matcher (and
// so without complaint about a lone ')').
bool IsPlainPattern(std::string_view pattern);

// Offset of the first occurrence of `text` at or behind `from`, in linear time.
std::optional<size_t> FindPlain(std::string_view subject, std::string_view text, size_t from);

// The first match at or behind a place; a pattern that begins with '^' matches there or nowhere.
class PatternSearch {
 public:
  PatternSearch(std::string_view subject, std::string_view pattern, WorkBudget* budget = nullptr);

  MatchOutcome Find(size_t from);
  const PatternMatcher& matcher() const { return matcher_; }

 private:
  bool anchored_;
  PatternMatcher matcher_;
};

// The matches that string.gmatch gives. '^' has no special meaning.
class MatchIterator {
 public:
  // `from` as StartOffset gave it; one past the end when it gave nothing.
  explicit MatchIterator(size_t from) : from_(from) {}
  // One that goes on where another one stopped, whose from() and last_end() these are.
  MatchIterator(size_t from, size_t last_end) : from_(from), last_end_(last_end) {}
  size_t from() const { return from_; }
  size_t last_end() const { return last_end_; }

  // kMatch: `matcher` holds the match. A match that is empty and ends where the last one ended does
  // not count. After kNoMatch there is none for ever.
  MatchOutcome Next(PatternMatcher* matcher);

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  size_t from_;
  size_t last_end_ = kNowhere;
};

// The work of string.gsub: finds, copies, expands. Legal order: (Next, one of Keep, Replace,
// Expand) repeated while Next says kMatch, then Finish.
class Substitution {
 public:
  // At most `most` replacements.
  explicit Substitution(int64_t most, WorkBudget* budget = nullptr)
      : most_(most), matcher_({}, {}, budget) {}

  // After kError with kOutOfWork it may be called again, when the budget was filled up.
  MatchOutcome Next(std::string_view subject, std::string_view pattern);
  const PatternMatcher& matcher() const { return matcher_; }

  // The match stays as it is: the replacement was false or nil.
  void Keep(std::string_view subject) {
    result_.append(subject, matcher_.match_begin(), matcher_.match_end() - matcher_.match_begin());
  }
  void Replace(std::string_view text) { result_.append(text); }
  // A replacement string with %0 to %9 and %%. Must follow Next without a move in between.
  TextStatus Expand(std::string_view replacement);

  void Finish(std::string_view subject) { result_.append(subject.substr(copied_)); }

  std::string& result() { return result_; }
  int64_t count() const { return count_; }
  const TextStatus& status() const { return matcher_.status(); }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  int64_t most_;
  int64_t count_ = 0;
  size_t from_ = 0;    // the next attempt begins here
  size_t copied_ = 0;  // the subject before this is in result_, as it was or replaced
  size_t last_end_ = kNowhere;
  bool done_ = false;
  PatternMatcher matcher_;
  std::string result_;
};

// What string.gsub says of a replacement that is neither string, number, false nor nil.
TextStatus InvalidReplacement(std::string_view type_name);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_PATTERN_SEARCH_H_
