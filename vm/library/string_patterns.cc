// SPDX-License-Identifier: MIT
//
// string.find, match, gmatch, gsub: what they take and give; the matching is in
// text/pattern_search.h.
//
// The subject moves when a capture becomes a string and when a replacement function runs. So it is
// held by a handle, matches are used as offsets into it, and views are made anew before each
// attempt.
#include <optional>
#include <string>

#include "library/pattern_work.h"
#include "library/string_functions.h"
#include "text/pattern_search.h"
#include "text/string_position.h"

namespace neap::vm {
namespace {

using Subject = gc::Handle<String>;

bool PushCapture(NativeCall& call, const PatternMatcher& matcher, int index, Subject subject) {
  CaptureValue value;
  const TextStatus status = matcher.GetCapture(index, &value);
  if (!status.ok()) return call.TextError(status);
  if (value.is_position) return call.PushInteger(value.position);
  // The matcher's view may be of the place where the subject was: good for a difference only.
  const auto offset = static_cast<size_t>(value.text.data() - matcher.subject().data());
  return PushPart(call.state(), subject, offset, value.text.size());
}

bool PushCaptures(NativeCall& call, const PatternMatcher& matcher, int count, Subject subject) {
  for (int i = 0; i < count; ++i) {
    if (!PushCapture(call, matcher, i, subject)) return false;
  }
  return true;
}

// --- find, match ---------------------------------------------------------------------------------

struct SearchArguments {
  std::optional<size_t> from;  // nothing: behind the end of the subject
};

bool CheckSearch(NativeCall& call, SearchArguments* arguments) {
  String* text;
  int64_t init = 1;
  if (!call.CheckString(1, &text) || !call.CheckString(2, &text) || !call.OptInteger(3, &init)) {
    return false;
  }
  arguments->from = StartOffset(init, call.text(1).size());
  return true;
}

NativeResult FindText(NativeCall& call, size_t from) {
  const std::string_view text = call.text(2);
  const size_t length = text.size();
  const std::optional<size_t> found = FindPlain(call.text(1), text, from);
  const size_t scanned = (found ? *found : call.text(1).size()) - from;
  if (!call.state().Spend(scanned / kStringBytesPerStep)) return call.Failed();
  if (!found) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(*found) + 1) &&
                           call.PushInteger(static_cast<int64_t>(*found + length)),
                       2);
}

// Finds the first match from `from` on, however long it takes. False: the error is set.
bool SearchPattern(NativeCall& call, size_t from, std::optional<PatternMatcher>* match) {
  PatternWork work(call.state());
  while (true) {
    PatternSearch search(call.text(1), call.text(2), work.budget());
    const MatchOutcome outcome = search.Find(from);
    if (outcome != MatchOutcome::kError) {
      if (outcome == MatchOutcome::kMatch) match->emplace(search.matcher());
      return work.Settle();
    }
    const TextStatus& status = search.matcher().status();
    if (!PatternWork::RanOut(status)) return call.TextError(status);
    if (!work.Extend()) return false;
  }
}

// --- gmatch --------------------------------------------------------------------------------------

// The values of the iterator.
enum GmatchUpvalue { kSubject = 1, kPattern, kFrom, kLastEnd, kGmatchUpvalues = kLastEnd };

Value OffsetValue(size_t offset) {
  return Value::InlineInteger(static_cast<int64_t>(offset));  // SIZE_MAX, nowhere, is -1
}
size_t OffsetOf(Value v) { return static_cast<size_t>(v.inline_integer()); }

NativeResult GmatchStep(NativeCall& call) {
  gc::HandleScope scope(call.mutator());
  const Subject subject = scope.New(AsString(call.upvalue(kSubject)));
  PatternWork work(call.state());
  while (true) {
    PatternMatcher matcher(subject->view(), AsString(call.upvalue(kPattern))->view(),
                           work.budget());
    MatchIterator iterator(OffsetOf(call.upvalue(kFrom)), OffsetOf(call.upvalue(kLastEnd)));
    const MatchOutcome outcome = iterator.Next(&matcher);
    if (outcome == MatchOutcome::kError) {
      if (!PatternWork::RanOut(matcher.status())) {
        return call.ReturnIf(call.TextError(matcher.status()));
      }
      if (!work.Extend()) return call.Failed();
      continue;
    }
    call.set_upvalue(kFrom, OffsetValue(iterator.from()));
    call.set_upvalue(kLastEnd, OffsetValue(iterator.last_end()));
    if (!work.Settle()) return call.Failed();
    if (outcome == MatchOutcome::kNoMatch) return call.ReturnValue(Value::Nil());
    const int count = matcher.value_count();
    return call.ReturnIf(PushCaptures(call, matcher, count, subject), static_cast<uint32_t>(count));
  }
}

// --- gsub ----------------------------------------------------------------------------------------

class Gsub {
 public:
  Gsub(NativeCall& call, int64_t most)
      : call_(call),
        work_(call.state()),
        room_(call.state()),
        substitution_(most, work_.budget()),
        replacement_(TypeOf(call.arg(3))) {}

  // Pushes the new string and the number of replacements.
  bool Run(Subject subject) {
    while (true) {
      const MatchOutcome outcome = substitution_.Next(subject->view(), call_.text(2));
      if (outcome == MatchOutcome::kNoMatch) break;
      const bool ok = outcome == MatchOutcome::kMatch ? Replace(subject) : Recover();
      if (!ok || !room_.Allows(substitution_.result().size())) return false;
    }
    if (!work_.Settle()) return false;
    return PushResult(subject) && call_.PushInteger(substitution_.count());
  }

 private:
  bool PushResult(Subject subject) {
    if (!changed_) {
      call_.Push(Value::FromObject(subject.get()));
      return true;
    }
    substitution_.Finish(subject->view());
    return call_.PushString(substitution_.result());
  }

  bool Recover() {
    const TextStatus& status = substitution_.status();
    return PatternWork::RanOut(status) ? work_.Extend() : call_.TextError(status);
  }

  bool Replace(Subject subject) {
    if (replacement_ == LuaType::kString) {
      changed_ = true;
      const TextStatus status = substitution_.Expand(call_.text(3));
      return status.ok() ? work_.Settle() : call_.TextError(status);
    }
    if (!work_.Settle()) return false;
    if (!(replacement_ == LuaType::kTable ? PushEntry(subject) : PushAnswer(subject))) return false;
    const bool ok = UseTop(subject);
    call_.Pop();
    return ok;
  }

  // The value of the table for the first capture.
  bool PushEntry(Subject subject) {
    if (!PushCapture(call_, substitution_.matcher(), 0, subject)) return false;
    const Value key = call_.top();
    if (!call_.state().PushIndex(call_.arg(3), key)) return false;
    const Value value = call_.top();
    call_.Pop(2);
    call_.Push(value);
    return true;
  }

  // What the function says of the captures.
  bool PushAnswer(Subject subject) {
    const PatternMatcher& matcher = substitution_.matcher();
    call_.Push(call_.arg(3));
    return PushCaptures(call_, matcher, matcher.value_count(), subject) &&
           call_.Call(matcher.value_count(), 1);
  }

  bool UseTop(Subject subject) {
    const Value value = call_.top();
    if (value.is_falsy()) {
      substitution_.Keep(subject->view());
      return true;
    }
    changed_ = true;
    if (IsString(value)) {
      substitution_.Replace(AsString(value)->view());
    } else if (IsNumber(value)) {
      substitution_.Replace(State::TextOf(value));
    } else {
      return call_.TextError(InvalidReplacement(TypeName(TypeOf(value))));
    }
    return true;
  }

  NativeCall& call_;
  PatternWork work_;
  RoomCheck room_;
  Substitution substitution_;
  const LuaType replacement_;
  bool changed_ = false;  // otherwise the result is the subject itself
};

bool CheckReplacement(NativeCall& call) {
  const Value replacement = call.arg(3);
  if (IsNumber(replacement)) {
    String* text;
    return call.CheckString(3, &text);
  }
  if (IsString(replacement) || IsTable(replacement) || IsFunction(replacement)) return true;
  return call.TypeError(3, "string/function/table");
}

}  // namespace

NativeResult StringFind(NativeCall& call) {
  SearchArguments arguments;
  if (!CheckSearch(call, &arguments)) return call.Failed();
  if (!arguments.from) return call.ReturnValue(Value::Nil());
  if (call.arg(4).is_truthy() || IsPlainPattern(call.text(2))) {
    return FindText(call, *arguments.from);
  }
  std::optional<PatternMatcher> match;
  if (!SearchPattern(call, *arguments.from, &match)) return call.Failed();
  if (!match) return call.ReturnValue(Value::Nil());
  gc::HandleScope scope(call.mutator());
  const Subject subject = scope.New(AsString(call.arg(1)));
  const int captures = match->capture_count();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(match->match_begin()) + 1) &&
                           call.PushInteger(static_cast<int64_t>(match->match_end())) &&
                           PushCaptures(call, *match, captures, subject),
                       static_cast<uint32_t>(captures) + 2);
}

NativeResult StringMatch(NativeCall& call) {
  SearchArguments arguments;
  if (!CheckSearch(call, &arguments)) return call.Failed();
  if (!arguments.from) return call.ReturnValue(Value::Nil());
  std::optional<PatternMatcher> match;
  if (!SearchPattern(call, *arguments.from, &match)) return call.Failed();
  if (!match) return call.ReturnValue(Value::Nil());
  gc::HandleScope scope(call.mutator());
  const Subject subject = scope.New(AsString(call.arg(1)));
  const int count = match->value_count();
  return call.ReturnIf(PushCaptures(call, *match, count, subject), static_cast<uint32_t>(count));
}

NativeResult StringGmatch(NativeCall& call) {
  SearchArguments arguments;
  if (!CheckSearch(call, &arguments)) return call.Failed();
  const size_t from = arguments.from ? *arguments.from : call.text(1).size() + 1;
  NativeClosure* step = NewNativeClosure(call.state(), GmatchStep, kGmatchUpvalues);
  if (step == nullptr) return call.ReturnIf(call.state().MemoryError());
  const Value values[] = {call.arg(1), call.arg(2), OffsetValue(from), OffsetValue(SIZE_MAX)};
  for (int i = 0; i < kGmatchUpvalues; ++i) {
    call.mutator().Store(step, &step->values()[i], values[i].word());
  }
  return call.ReturnValue(Value::FromObject(step));
}

NativeResult StringGsub(NativeCall& call) {
  String* text;
  if (!call.CheckString(1, &text) || !call.CheckString(2, &text)) return call.Failed();
  int64_t most = static_cast<int64_t>(call.text(1).size()) + 1;
  if (!call.OptInteger(4, &most) || !CheckReplacement(call)) return call.Failed();
  gc::HandleScope scope(call.mutator());
  Gsub gsub(call, most);
  return call.ReturnIf(gsub.Run(scope.New(AsString(call.arg(1)))), 2);
}

}  // namespace neap::vm
