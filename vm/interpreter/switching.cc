// SPDX-License-Identifier: MIT
//
// Coroutine switches. Resume and yield move values between two stacks and go on with the other
// coroutine in the same run of the interpreter loop; no C++ frame is pushed. Both leave a native
// frame on the stack that they leave, and what comes back is what that frame returns:
//
//   resume frame (of the resumer)   its `state` says whether a true goes before the values. Its
//                                   function is entered again for an error only, which is its top
//                                   then: the coroutine failed, or cannot be resumed.
//   yield frame (of a suspended one that has begun)
#include <algorithm>

#include "interpreter/coroutine_close.h"
#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"

namespace neap::vm {
namespace {

bool HasTrueBefore(const Frame& frame) {
  return frame.state == static_cast<uint32_t>(NativeCall::Passing::kWithTrue);
}

// The native frame on top of `co` returns a true, if asked for, and values of another stack. Done
// at once when a Lua function called it plainly; false: nothing was done.
bool ReturnPlainly(Coroutine* co, bool with_true, const Word* values, uint32_t count) {
  Frame& frame = co->frame();
  const auto lead = static_cast<uint32_t>(with_true);
  const uint32_t results = frame.wanted < 0 ? count + lead : static_cast<uint32_t>(frame.wanted);
  if (frame.flags != kFrameNative || co->hook_mask != 0 || results > frame.limit - frame.function)
      [[unlikely]] {
    return false;
  }
  Word* to = co->stack + frame.function;
  Word* const end = to + results;
  if (frame.wanted < 0) (&frame)[-1].top = frame.function + results;
  --co->frame_count;
  if (with_true && to != end) *to++ = Value::Boolean(true).word();
  for (uint32_t i = 0; i < count && to != end; ++i) *to++ = values[i];
  while (to != end) *to++ = Value::kNil;
  return true;
}

// The same in all cases: makes them the last values of the frame. False: no room.
bool Receive(Coroutine* co, bool with_true, const Word* values, uint32_t count) {
  const uint32_t top = co->frame().top;
  const auto lead = static_cast<uint32_t>(with_true);
  if (!RaiseLimit(co, co->frame(), top + lead + count + kNativeSlots)) return false;
  if (with_true) co->stack[top] = Value::Boolean(true).word();
  for (uint32_t i = 0; i < count; ++i) co->stack[top + lead + i] = values[i];
  co->frame().top = top + lead + count;
  return true;
}

// The stack that the first call of a coroutine needs, so that it has a frame when anything fails.
uint32_t EndOfFirstCall(const Coroutine* co, uint32_t count) {
  const Value body = Value::FromWord(co->stack[0]);
  const uint32_t natively = 1 + count + kNativeSlots;
  if (!IsLuaClosure(body)) return natively;
  const FunctionCode* code = CodeOf(static_cast<LuaClosure*>(body.object()));
  return std::max(natively, (code->is_vararg ? 2 + count : 1) + code->registers);
}

}  // namespace

// Whatever coroutine runs now, its top frame is where the run goes on.
Step Interpreter::GoOn(const State& s, Step step) {
  return step == Step::kDone && !s.entry_returned_ ? Step::kPushed : step;
}

Coroutine* Interpreter::ReturnToResumer(State& s, Coroutine* from) {
  Coroutine* to = from->resumer;
  from->resumer = nullptr;
  to->status = CoroutineStatus::kRunning;
  s.running_ = to;
  return to;
}

// Ends `from` being the running coroutine: its resumer gets its `count` values from `first` on.
Step Interpreter::PassToResumer(State& s, Coroutine* from, uint32_t first, uint32_t count) {
  Coroutine* to = ReturnToResumer(s, from);
  const bool with_true = HasTrueBefore(to->frame());
  const bool is_done = ReturnPlainly(to, with_true, from->stack + first, count);
  const bool is_received = is_done || Receive(to, with_true, from->stack + first, count);
  SuspendStack(s, from, first);
  if (is_done) [[likely]]
    return Step::kPushed;
  if (!is_received) {
    s.StackError();
    return Step::kError;
  }
  return GoOn(s, ReturnFromNative(s, count + static_cast<uint32_t>(with_true)));
}

// The same after an error, which stands at `at` and stays there (CloseCoroutine).
Step Interpreter::FailToResumer(State& s, Coroutine* from, uint32_t at) {
  Coroutine* to = ReturnToResumer(s, from);
  const bool is_received = Receive(to, false, from->stack + at, 1);
  SuspendStack(s, from, at + 1);
  if (!is_received) {
    s.StackError();
    return Step::kError;
  }
  to->frame().state = kNativeErrorState;
  return GoOn(s, RunNative(s));
}

Step Interpreter::FinishCoroutine(State& s, uint32_t count) {
  Coroutine* co = s.running_;
  co->status = CoroutineStatus::kDead;
  return PassToResumer(s, co, 0, count);
}

Step Interpreter::Yield(State& s, uint32_t count) {
  Coroutine* co = s.running_;
  if (co->is_main || co->native_depth > 0) [[unlikely]] {
    s.RuntimeError(co->is_main ? "attempt to yield from outside a coroutine"
                               : "attempt to yield across a C-call boundary");
    return Step::kError;
  }
  co->status = CoroutineStatus::kSuspended;
  const uint32_t first = co->frame().top - count;
  co->frame().top = first;
  return PassToResumer(s, co, first, count);
}

// The resume itself failed: its function gets the message as it would get an error.
Step Interpreter::FailResume(State& s, std::string_view message) {
  String* text = s.objects().NewString(message);
  if (text == nullptr) {
    s.MemoryError();
    return Step::kError;
  }
  s.caught_kind_ = ErrorKind::kScript;
  Frame& frame = s.running_->frame();
  frame.top = frame.base;
  frame.state = kNativeErrorState;
  s.Push(Value::FromObject(text));
  return RunNative(s);
}

Step Interpreter::Resume(State& s, Coroutine* co, uint32_t count) {
  Coroutine* from = s.running_;
  if (co->status != CoroutineStatus::kSuspended) [[unlikely]] {
    return FailResume(s, co->in_chain() ? "cannot resume non-suspended coroutine"
                                        : "cannot resume dead coroutine");
  }
  if (from->levels + 1 >= kMaxLevels) [[unlikely]]
    return FailResume(s, "C stack overflow");
  Frame& frame = from->frame();
  const Word* const arguments = from->stack + (frame.top - count);
  const bool is_fresh = co->frame_count == 0;
  const bool is_done = !is_fresh && ReturnPlainly(co, false, arguments, count);
  if (!is_done) {
    const uint32_t end = is_fresh ? EndOfFirstCall(co, count) : co->top + count + kNativeSlots;
    if (end > kMaxStack || !EnsureStack(co, end)) {
      return FailResume(s, "too many arguments to resume");
    }
    std::copy_n(arguments, count, co->stack + co->top);
    co->top += count;
  }
  frame.top = frame.base;
  from->status = CoroutineStatus::kNormal;
  co->status = CoroutineStatus::kRunning;
  co->resumer = from;
  co->levels = from->levels + 1;
  co->native_depth = 0;
  s.running_ = co;
  if (is_done) [[likely]]
    return Step::kPushed;
  if (is_fresh) return GoOn(s, Call(s, 0, count, -1, kFrameBottom));
  // They are the results of the native frame that yielded.
  co->frame().top = co->top;
  return GoOn(s, ReturnFromNative(s, count));
}

// --- Closing -------------------------------------------------------------------------------------

bool CloseCoroutine(State& s, Coroutine* co, Value* error) {
  const bool failed = co->status == CoroutineStatus::kFailed;
  Value outcome = failed ? Value::FromWord(co->stack[co->top - 1]) : Value::Nil();
  bool ok = !failed;
  s.CloseSuspended(co, &outcome, &ok);
  *error = outcome;
  return ok;
}

// Runs the __close metamethods of a coroutine that does not run, on its own stack.
void State::CloseSuspended(Coroutine* co, Value* outcome, bool* ok) {
  Coroutine* from = running_;
  const CoroutineStatus from_status = from->status;
  from->status = CoroutineStatus::kNormal;
  co->status = CoroutineStatus::kRunning;
  co->resumer = from;
  co->levels = from->levels + 1;
  running_ = co;
  // One native frame, whose function is whatever stands at 0.
  co->frame_count = 1;
  Frame& frame = co->frames[0];
  frame = {.function = 0,
           .base = 1,
           .top = co->top,
           .limit = co->top + kNativeSlots,
           .wanted = 0,
           .flags = kFrameNative | kFrameBottom};
  CloseUpvalues(*this, co, 0);
  if (EnsureStack(co, frame.limit)) {
    while (!co->to_close.empty()) {
      const uint32_t index = co->to_close.back();
      co->to_close.pop_back();
      Frame& host = co->frames[0];
      host.top = index + 1;
      if (!CallClose(at(index), *outcome, *ok)) {
        *outcome = error();
        *ok = false;
        if (error_kind_ == ErrorKind::kStop) break;  // the caller passes it on
        ClearError();
      } else if (!*ok) {
        *outcome = at(index + 1);
      }
    }
  }
  co->frame_count = 0;
  co->resumer = nullptr;
  co->status = CoroutineStatus::kDead;
  running_ = from;
  from->status = from_status;
  SuspendStack(*this, co, 0);
}

// Calls v's __close with the error (kept above the top meanwhile). True: it stands at the top
// again.
bool State::CallClose(Value v, Value error_value, bool no_error) {
  Push(no_error ? Value::Nil() : error_value);
  const Value method = MetamethodOf(v, Event::kClose);
  if (method.is_nil()) return true;
  Push(method);
  Push(v);
  Push(FromTop(3));
  return Call(2, 0);
}

}  // namespace neap::vm
