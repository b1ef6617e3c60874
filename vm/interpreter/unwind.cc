// SPDX-License-Identifier: MIT
//
// Unwinding. An error is a value in State (error, error_kind) and a false or kError on the way out.
// Frames stay where they are until somebody takes the error, so that message handlers and
// tracebacks see the place where it was raised:
//
//   a protected frame (pcall, xpcall)  becomes the top frame; variables above it are closed, one
//                                      call after the other, each of which may fail or yield; then
//                                      its function is entered again with kNativeErrorState
//   the bottom frame of a coroutine    the coroutine has failed; its resumer gets the error
//                                      (State::Call, too, unwinds such, from a run that did not
//                                      begin yet)
//   an entry frame                     the error leaves this run: State::Call returns false
//
// kStop passes protected frames: no script can catch it. Their variables are not closed then.
#include "interpreter/interpreter.h"
#include "interpreter/operations.h"

namespace neap::vm {

namespace {

// A protected call inside a hook leaves the hook running; so does one that is the hook itself.
bool IsInHook(const Coroutine* co, uint32_t frame) {
  for (uint32_t i = 0; i <= frame; ++i) {
    if ((co->frames[i].flags & kFrameHook) != 0) return true;
  }
  return false;
}

}  // namespace

Step Interpreter::Unwind(State& s) {
  for (;;) {
    bool leaves = false;
    const Step step = UnwindOnce(s, &leaves);
    // Whoever took the error may have raised another.
    if (leaves || step != Step::kError) return step;
  }
}

Step Interpreter::UnwindOnce(State& s, bool* leaves) {
  Coroutine* co = s.running_;
  for (uint32_t i = co->frame_count; i-- > 0;) {
    Frame& frame = co->frames[i];
    if ((frame.flags & kFrameProtected) != 0 && s.error_kind_ != ErrorKind::kStop) {
      co->frame_count = i + 1;
      frame.flags |= kFrameClosing;
      LowerWatermark(co, frame.function);
      CloseUpvalues(s, co, frame.base);
      if (co->in_hook) co->in_hook = IsInHook(co, i);
      return CloseProtected(s);
    }
    if ((frame.flags & kFrameEntry) != 0) break;
    if ((frame.flags & kFrameBottom) != 0) return FailCoroutine(s, co->frame().top);
  }
  *leaves = true;
  return Step::kError;
}

// The running coroutine fails; the error is kept at `top`, behind its values.
Step Interpreter::FailCoroutine(State& s, uint32_t top) {
  Coroutine* co = s.running_;
  co->status = CoroutineStatus::kFailed;
  if (!EnsureStack(co, top + 1)) --top;
  co->stack[top] = s.roots_[State::kError];
  if (s.error_kind_ == ErrorKind::kStop) {
    ReturnToResumer(s, co);
    SuspendStack(s, co, top + 1);
    return Step::kError;  // uncaught, in the resumer
  }
  s.caught_kind_ = s.error_kind_;
  s.ClearError();
  return FailToResumer(s, co, top);
}

// The frame on top is protected. Its variables are closed in order; the error is kept in the stack,
// in the slot of the variable that was closed last, and is replaced by a later one.
Step Interpreter::CloseProtected(State& s) {
  Coroutine* co = s.running_;
  Frame& frame = co->frame();
  Value error = s.error_kind_ != ErrorKind::kNone ? s.error() : s.at(frame.top - 1);
  if (s.error_kind_ != ErrorKind::kNone) s.caught_kind_ = s.error_kind_;
  s.ClearError();
  while (!co->to_close.empty() && co->to_close.back() >= frame.base) {
    const uint32_t index = co->to_close.back();
    co->to_close.pop_back();
    const Value v = s.at(index);
    const Value method = s.MetamethodOf(v, Event::kClose);
    co->stack[index] = error.word();
    frame.top = index + 1;
    if (!EnsureStack(co, index + 4 + kNativeSlots)) continue;
    frame.limit = std::max(frame.limit, index + 4 + kNativeSlots);
    co->stack[index + 1] = method.word();
    co->stack[index + 2] = v.word();
    co->stack[index + 3] = error.word();
    frame.top = index + 4;
    // Back in AfterFrame with the top at index + 1; an error comes back by Unwind.
    return Call(s, index + 1, 2, 0, kFrameBack);
  }
  --co->protected_calls;
  frame.flags &= static_cast<uint16_t>(~(kFrameClosing | kFrameProtected | kFrameHandler));
  co->stack[frame.base] = error.word();
  frame.top = frame.base + 1;
  frame.state = kNativeErrorState;
  return RunNative(s);
}

Step Interpreter::CloseForInstruction(State& s, [[maybe_unused]] uint32_t level) {
  Coroutine* co = s.running_;
  NEAP_DCHECK(!co->to_close.empty() && co->to_close.back() >= level, "V10: something to close");
  const uint32_t index = co->to_close.back();
  co->to_close.pop_back();
  const Value v = s.at(index);
  const uint32_t at = co->frame().top;
  if (!EnsureStack(co, at + 3)) {
    s.StackError();
    return Step::kError;
  }
  co->stack[at] = s.MetamethodOf(v, Event::kClose).word();
  co->stack[at + 1] = v.word();
  co->stack[at + 2] = Value::kNil;
  return Call(s, at, 2, 0, kFrameMeta);
}

}  // namespace neap::vm
