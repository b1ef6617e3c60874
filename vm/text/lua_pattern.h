// SPDX-License-Identifier: MIT
//
// The matcher of Lua patterns (manual 6.4.1). Nothing is compiled: patterns are short, used once
// more often than not, and an error in a part that is never reached is never reported, which
// scripts can see.
//
//   PatternMatcher matcher(subject, pattern);
//   if (matcher.MatchAt(0) == MatchOutcome::kMatch) {
//     CaptureValue value;
//     TextStatus status = matcher.GetCapture(0, &value);   // "unfinished capture", perhaps
//   }
//
// Captures are kept as offsets: after Rebind the object speaks of the same text at a new address,
// which a moving heap needs between two calls. '^' is the search's affair (pattern_search.h); here
// the pattern is what follows it.
//
// Thread safety: none; one object per match in progress. About 600 bytes, no heap memory unless an
// error is reported.
#ifndef NEAP_VM_TEXT_LUA_PATTERN_H_
#define NEAP_VM_TEXT_LUA_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/text_status.h"

namespace neap::vm {

enum class MatchOutcome : uint8_t {
  kMatch,
  kNoMatch,
  kError,  // status() says why
};

struct CaptureValue {
  bool is_position = false;
  int64_t position = 0;   // 1-based; only if is_position
  std::string_view text;  // only if not; part of the subject
};

class PatternMatcher {
 public:
  static constexpr int kMaxCaptures = 32;

  // `budget` may be null; it counts items tried, places gone back to and, by eights, bytes scanned.
  PatternMatcher(std::string_view subject, std::string_view pattern, WorkBudget* budget = nullptr)
      : subject_(subject), pattern_(pattern), budget_(budget) {}

  // Matches the whole pattern with the text from `start` (at most the subject's size) on.
  MatchOutcome MatchAt(size_t start);

  // Of the last match.
  size_t match_begin() const { return match_begin_; }
  size_t match_end() const { return match_end_; }
  // Values that the match gives: its captures, or the whole match when the pattern has none.
  int value_count() const { return capture_count_ == 0 ? 1 : capture_count_; }
  int capture_count() const { return capture_count_; }
  // Value `index`, from 0. Fails for an index that the pattern does not have and for a capture that
  // was never closed.
  TextStatus GetCapture(int index, CaptureValue* value) const;

  const TextStatus& status() const { return status_; }
  std::string_view subject() const { return subject_; }
  std::string_view pattern() const { return pattern_; }

  // The same subject and pattern at another place in memory.
  void Rebind(std::string_view subject, std::string_view pattern) {
    subject_ = subject;
    pattern_ = pattern;
  }

 private:
  friend class MatchRun;

  // The length of a capture, or one of these.
  static constexpr ptrdiff_t kUnfinished = -1;
  static constexpr ptrdiff_t kPosition = -2;
  struct Capture {
    size_t begin;
    ptrdiff_t length;
  };

  std::string_view subject_;
  std::string_view pattern_;
  WorkBudget* budget_;
  size_t match_begin_ = 0;
  size_t match_end_ = 0;
  int capture_count_ = 0;
  Capture captures_[kMaxCaptures];  // the first capture_count_ are set
  TextStatus status_;
};

// "invalid capture index %2": for `index` 1 (they count from 0 here, from 1 in the words).
TextStatus InvalidCaptureIndex(int index);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_LUA_PATTERN_H_
