// SPDX-License-Identifier: MIT
//
// Coroutine switches. Resume and yield move values between two stacks and go on with the other
// coroutine in the same run of the interpreter loop; no C++ frame is pushed.
//
//   resume frame (native, of the resumer): argument 1 is the coroutine, what follows is passed. The
//   function is entered again with entry_state 1 and what the coroutine passed back above argument
//   1, or with kNativeErrorState and the error value.
#include "interpreter/coroutine_close.h"
#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"

namespace neap::vm {

// Ends `from` being the running coroutine: its `count` values from `first` on go to the native
// frame of its resumer, which is entered again.
Step Interpreter::PassToResumer(State& s, Coroutine* from, uint32_t first, uint32_t count,
                                uint32_t entry_state) {
  Coroutine* to = from->resumer;
  s.running_ = to;
  to->status = CoroutineStatus::kRunning;
  from->resumer = nullptr;
  Frame& frame = to->frame();
  if (!RaiseLimit(to, frame, frame.top + count + kNativeSlots)) {
    SuspendStack(s, from, first);
    s.StackError();
    return Step::kError;
  }
  for (uint32_t i = 0; i < count; ++i) to->stack[frame.top + i] = from->stack[first + i];
  frame.top += count;
  frame.state = entry_state;
  s.received_ = count;
  SuspendStack(s, from, first);
  return RunNative(s);
}

Step Interpreter::FinishCoroutine(State& s, uint32_t count) {
  Coroutine* co = s.running_;
  co->status = CoroutineStatus::kDead;
  return PassToResumer(s, co, 0, count, 1);
}

Step Interpreter::Yield(State& s) {
  Coroutine* co = s.running_;
  if (co->is_main || co->native_depth > 0) {
    s.RuntimeError(co->is_main ? "attempt to yield from outside a coroutine"
                               : "attempt to yield across a C-call boundary");
    return Step::kError;
  }
  const uint32_t count = s.pending_count_;
  co->status = CoroutineStatus::kSuspended;
  const uint32_t first = co->frame().top - count;
  co->frame().top = first;
  return PassToResumer(s, co, first, count, 1);
}

// The resume itself failed: its function gets the message as it would get an error.
Step Interpreter::FailResume(State& s, std::string_view message) {
  Frame& frame = s.running_->frame();
  String* text = s.objects().NewString(message);
  if (text == nullptr) {
    s.MemoryError();
    return Step::kError;
  }
  s.caught_kind_ = ErrorKind::kScript;
  frame.top = frame.base + 1;
  s.Push(Value::FromObject(text));
  frame.state = kNativeErrorState;
  s.received_ = 1;
  return RunNative(s);
}

Step Interpreter::Resume(State& s) {
  Coroutine* from = s.running_;
  Frame& frame = from->frame();
  auto* co = static_cast<Coroutine*>(s.at(frame.base).object());
  const bool fresh = co->frame_count == 0;
  if (co->status == CoroutineStatus::kDead || co->status == CoroutineStatus::kFailed) {
    return FailResume(s, "cannot resume dead coroutine");
  }
  if (co->status != CoroutineStatus::kSuspended) {
    return FailResume(s, "cannot resume non-suspended coroutine");
  }
  if (from->levels + 1 >= kMaxLevels) return FailResume(s, "C stack overflow");
  const uint32_t count = frame.top - frame.base - 1;
  if (!EnsureStack(co, co->top + count + kNativeSlots))
    return FailResume(s, "too many arguments to resume");
  for (uint32_t i = 0; i < count; ++i) {
    co->stack[co->top + i] = from->stack[frame.base + 1 + i];
  }
  co->top += count;
  frame.top = frame.base + 1;
  from->status = CoroutineStatus::kNormal;
  co->status = CoroutineStatus::kRunning;
  co->resumer = from;
  co->levels = from->levels + 1;
  co->native_depth = 0;
  s.running_ = co;
  if (fresh) return Call(s, 0, co->top - 1, -1, kFrameBottom);
  // The arguments are the results of the native frame that yielded.
  Frame& yielded = co->frame();
  yielded.top = co->top;
  return ReturnFromNative(s, count);
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
    while (!co->to_close->empty()) {
      const uint32_t index = co->to_close->back();
      co->to_close->pop_back();
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
