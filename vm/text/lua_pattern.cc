// SPDX-License-Identifier: MIT
//
// A backtracking machine with a stack of its own.
//
// A cursor (place in the subject, place in the pattern) goes forward item by item. Where there is a
// choice, or something that must be undone, a frame is pushed; when the cursor cannot go on, the
// top frame gives the next choice or undoes its part and goes:
//
//   kGreedy    item*, item+   took `spare` more items than it must; gives one back at a time
//   kLazy      item-          takes one item more at a time
//   kOptional  item?          took the item; next choice: without it
//   kOpened    (              undo: the last capture is forgotten
//   kClosed    )              undo: capture `capture` is open again
//
//   M1  The stack holds at most kMaxFrames frames; one more is "pattern too complex". The reference
//       interpreter, which recurses for the same five things, stops at the same depth.
//   M2  A frame stays while its last choice is tried, unless that choice leaves nothing to come
//       back to (kOptional). So the depth is the same as there, too.
//   M3  Each item tried and each frame asked costs a unit of the budget, so the time of a match is
//       bounded by it, whatever the pattern.
#include "text/lua_pattern.h"

#include <algorithm>
#include <cstring>

#include "text/char_class.h"
#include "text/concat.h"
#include "text/pattern_item.h"

namespace neap::vm {
namespace {

// 200 levels of matching, the first of which needs no frame. More would let a script use more of
// the C++ stack (a frame is 40 bytes); fewer would refuse patterns that work elsewhere.
constexpr size_t kMaxFrames = 199;

struct Frame {
  enum class Kind : uint8_t { kGreedy, kLazy, kOptional, kOpened, kClosed } kind;
  int capture;             // kClosed
  size_t item;             // kLazy: place of the item in the pattern
  size_t next;             // place in the pattern behind item and suffix
  size_t place;            // in the subject
  size_t spare_or_length;  // kGreedy: items that can be given back; kLazy: length of the item
};

}  // namespace

TextStatus InvalidCaptureIndex(int index) {
  return TextStatus::Error(Concat("invalid capture index %", index + 1));
}

// One attempt at one place. Lives on the C++ stack for the time of MatchAt.
class MatchRun {
 public:
  MatchRun(PatternMatcher* matcher, size_t start)
      : matcher_(*matcher),
        subject_(matcher->subject_),
        pattern_(matcher->pattern_),
        place_(start) {}

  MatchOutcome Run() {
    while (true) {
      if (at_ == pattern_.size()) {
        matcher_.match_end_ = place_;
        return MatchOutcome::kMatch;
      }
      if (!Spend(1)) return MatchOutcome::kError;
      if (Advance()) continue;
      if (failed_) return MatchOutcome::kError;
      if (!Backtrack()) return failed_ ? MatchOutcome::kError : MatchOutcome::kNoMatch;
    }
  }

 private:
  using Capture = PatternMatcher::Capture;
  using Kind = Frame::Kind;

  bool Fail(TextStatus status) {
    matcher_.status_ = std::move(status);
    failed_ = true;
    return false;
  }
  bool Fail(const char* message) { return Fail(TextStatus::Error(message)); }

  bool Spend(uint64_t units) {
    if (matcher_.budget_ == nullptr || matcher_.budget_->Spend(units)) return true;
    return Fail(TextStatus::OutOfWork());
  }
  bool SpendScan(uint64_t bytes) { return Spend(bytes / WorkBudget::kBytesPerUnit); }

  bool Push(const Frame& frame) {
    if (depth_ == kMaxFrames) return Fail("pattern too complex");
    frames_[depth_++] = frame;
    return true;
  }

  // One item of the pattern. False: the way forward ends here, or the match has failed_.
  bool Advance() {
    switch (pattern_[at_]) {
      case '(':
        return OpenCapture();
      case ')':
        return CloseCapture();
      case '$':
        if (at_ + 1 != pattern_.size()) return Single();
        ++at_;
        return place_ == subject_.size();
      case '%':
        return Escaped();
      default:
        return Single();
    }
  }

  bool Escaped() {
    const char next = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    if (next == 'b') return Balanced();
    if (next == 'f') return Frontier();
    if (IsDigit(next)) return BackReference(next - '1');
    return Single();
  }

  bool OpenCapture() {
    int& count = matcher_.capture_count_;
    if (count == PatternMatcher::kMaxCaptures) return Fail("too many captures");
    const bool is_position = at_ + 1 < pattern_.size() && pattern_[at_ + 1] == ')';
    matcher_.captures_[count++] = {
        place_, is_position ? PatternMatcher::kPosition : PatternMatcher::kUnfinished};
    at_ += is_position ? 2 : 1;
    return Push({.kind = Kind::kOpened});
  }

  bool CloseCapture() {
    int index = matcher_.capture_count_ - 1;
    while (index >= 0 && matcher_.captures_[index].length != PatternMatcher::kUnfinished) --index;
    if (index < 0) return Fail("invalid pattern capture");
    Capture& capture = matcher_.captures_[index];
    capture.length = static_cast<ptrdiff_t>(place_ - capture.begin);
    ++at_;
    return Push({.kind = Kind::kClosed, .capture = index});
  }

  // %bxy
  bool Balanced() {
    if (at_ + 3 >= pattern_.size()) return Fail("malformed pattern (missing arguments to '%b')");
    const char open = pattern_[at_ + 2];
    const char close = pattern_[at_ + 3];
    at_ += 4;
    if (place_ == subject_.size() || subject_[place_] != open) return false;
    size_t level = 1;
    for (size_t i = place_ + 1; i < subject_.size(); ++i) {
      // The closing one first: with both the same, the second ends it.
      if (subject_[i] == close) {
        if (--level > 0) continue;
        const size_t length = i + 1 - place_;
        place_ = i + 1;
        return SpendScan(length);
      }
      if (subject_[i] == open) ++level;
    }
    SpendScan(subject_.size() - place_);
    return false;
  }

  // %f[set]
  bool Frontier() {
    at_ += 2;
    if (at_ == pattern_.size() || pattern_[at_] != '[') {
      return Fail("missing '[' after '%f' in pattern");
    }
    const std::string_view set = Item();
    if (set.empty()) return false;
    at_ += set.size();
    const char before = place_ == 0 ? '\0' : subject_[place_ - 1];
    const char here = place_ == subject_.size() ? '\0' : subject_[place_];
    return SpendScan(set.size()) && !SetTakes(set, before) && SetTakes(set, here);
  }

  // %1 to %9; a position capture is equal to no text.
  bool BackReference(int index) {
    if (index < 0 || index >= matcher_.capture_count_ ||
        matcher_.captures_[index].length == PatternMatcher::kUnfinished) {
      return Fail(InvalidCaptureIndex(index));
    }
    at_ += 2;
    const Capture& capture = matcher_.captures_[index];
    if (capture.length < 0) return false;
    const size_t length = static_cast<size_t>(capture.length);
    if (!SpendScan(length) || length > subject_.size() - place_) return false;
    if (std::memcmp(subject_.data() + capture.begin, subject_.data() + place_, length) != 0) {
      return false;
    }
    place_ += length;
    return true;
  }

  // The item at the cursor; empty after a failure.
  std::string_view Item() {
    const char* message = nullptr;
    const std::string_view item = FirstItem(pattern_.substr(at_), &message);
    if (item.empty()) Fail(message);
    return item;
  }

  bool TakesHere(std::string_view item) {
    return place_ < subject_.size() && ItemTakes(item, subject_[place_]);
  }

  // An item with its suffix, if it has one.
  bool Single() {
    const std::string_view item = Item();
    if (item.empty() || !SpendScan(item.size())) return false;
    const size_t next = at_ + item.size();
    const char suffix = next < pattern_.size() ? pattern_[next] : '\0';
    const bool takes = TakesHere(item);
    switch (suffix) {
      case '?':
        at_ = next + 1;
        return takes ? TakeOptional() : true;
      case '+':
        at_ = next + 1;
        if (!takes) return false;
        ++place_;
        return TakeRun(item);
      case '*':
        at_ = next + 1;
        return takes ? TakeRun(item) : true;
      case '-':
        if (takes && !Push({.kind = Kind::kLazy,
                            .item = at_,
                            .next = next + 1,
                            .place = place_,
                            .spare_or_length = item.size()})) {
          return false;
        }
        at_ = next + 1;
        return true;
      default:
        at_ = next;
        if (takes) ++place_;
        return takes;
    }
  }

  bool TakeOptional() {
    if (!Push({.kind = Kind::kOptional, .next = at_, .place = place_})) return false;
    ++place_;
    return true;
  }

  bool TakeRun(std::string_view item) {
    const size_t length = RunLength(item, subject_.substr(place_));
    if (!SpendScan(RunBytes(item, length))) return false;
    if (!Push({.kind = Kind::kGreedy, .next = at_, .place = place_, .spare_or_length = length})) {
      return false;
    }
    place_ += length;
    return true;
  }

  // Goes back to the last place with a choice left. False: there is none, or the match has failed_.
  bool Backtrack() {
    while (depth_ > 0) {
      if (!Spend(1)) return false;
      if (TryNextChoice(&frames_[depth_ - 1])) return true;
      if (failed_) return false;
    }
    return false;
  }

  // Sets the cursor to the next choice of the top frame; without one, drops the frame.
  bool TryNextChoice(Frame* frame) {
    switch (frame->kind) {
      case Kind::kGreedy:
        if (frame->spare_or_length == 0) break;
        --frame->spare_or_length;
        place_ = frame->place + frame->spare_or_length;
        at_ = frame->next;
        return true;
      case Kind::kLazy: {
        const std::string_view item = pattern_.substr(frame->item, frame->spare_or_length);
        place_ = frame->place;
        if (!SpendScan(item.size())) return false;
        if (!TakesHere(item)) break;
        frame->place = ++place_;
        at_ = frame->next;
        return true;
      }
      case Kind::kOptional:
        place_ = frame->place;
        at_ = frame->next;
        --depth_;
        return true;
      case Kind::kOpened:
        --matcher_.capture_count_;
        break;
      case Kind::kClosed:
        matcher_.captures_[frame->capture].length = PatternMatcher::kUnfinished;
        break;
    }
    --depth_;
    return false;
  }

  PatternMatcher& matcher_;
  const std::string_view subject_;
  const std::string_view pattern_;
  size_t place_;   // cursor in the subject
  size_t at_ = 0;  // cursor in the pattern
  size_t depth_ = 0;
  bool failed_ = false;
  Frame frames_[kMaxFrames];  // the first depth_ are set
};

MatchOutcome PatternMatcher::MatchAt(size_t start) {
  capture_count_ = 0;
  match_begin_ = start;
  return MatchRun(this, start).Run();
}

TextStatus PatternMatcher::GetCapture(int index, CaptureValue* value) const {
  value->is_position = false;
  if (index >= capture_count_) {
    if (index != 0) return InvalidCaptureIndex(index);
    value->text = subject_.substr(match_begin_, match_end_ - match_begin_);
    return {};
  }
  const Capture& capture = captures_[index];
  if (capture.length == kUnfinished) return TextStatus::Error("unfinished capture");
  if (capture.length == kPosition) {
    value->is_position = true;
    value->position = static_cast<int64_t>(capture.begin) + 1;
  } else {
    value->text = subject_.substr(capture.begin, static_cast<size_t>(capture.length));
  }
  return {};
}

}  // namespace neap::vm
