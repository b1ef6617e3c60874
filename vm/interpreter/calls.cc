// SPDX-License-Identifier: MIT
//
// Calls and returns: frames are pushed and popped here (and, for calls of Lua functions by Lua
// functions, in the loop's own fast path).
//
// Layout of a frame's part of the stack; results replace the function and what follows it:
//
//      function   base                              top / limit
//    +----------+---------------------------------+
//    | function | registers, or arguments + pushed |        the ordinary case
//    +----------+---------------------------------+
//    +----------+------------------+----------+-----------+
//    | function | extra arguments  | function | registers |  a vararg function that got extra ones
//    +----------+------------------+----------+-----------+
#include <algorithm>
#include <utility>

#include "interpreter/function_code.h"
#include "interpreter/hooks.h"
#include "interpreter/interpreter.h"
#include "interpreter/operations.h"
#include "interpreter/runtime_errors.h"

namespace neap::vm {
namespace {

Frame* PushFrame(Coroutine* co) {
  if (co->frame_count == co->frame_capacity && !GrowFrames(co)) [[unlikely]]
    return nullptr;
  return &co->frames[co->frame_count++];
}

uint32_t LimitBelow(const Coroutine* co) {
  return co->frame_count == 0 ? 0 : co->frames[co->frame_count - 1].limit;
}

}  // namespace

Step Interpreter::Call(State& s, uint32_t function, uint32_t arguments, int32_t wanted,
                       uint16_t flags) {
  for (;;) {
    const Value callee = s.at(function);
    if (callee.is_object()) {
      if (IsLuaClosureType(callee.type())) return EnterLua(s, function, arguments, wanted, flags);
      if (IsNativeClosureType(callee.type())) {
        return EnterNative(s, function, arguments, wanted, flags);
      }
    }
    if (!InsertCallMetamethod(s, function, arguments)) return Step::kError;
    ++arguments;
  }
}

// Puts the __call metamethod in front of the object that is called.
bool Interpreter::InsertCallMetamethod(State& s, uint32_t function, uint32_t arguments) {
  Coroutine* co = s.running_;
  const Value callee = s.at(function);
  const Value metamethod = s.MetamethodOf(callee, Event::kCall);
  if (metamethod.is_nil()) return CallError(s, function);
  if (!EnsureStack(co, function + arguments + 2)) return s.StackError();
  for (uint32_t i = function + arguments + 1; i > function; --i) co->stack[i] = co->stack[i - 1];
  co->stack[function] = metamethod.word();
  return true;
}

Step Interpreter::EnterLua(State& s, uint32_t function, uint32_t arguments, int32_t wanted,
                           uint16_t flags) {
  Coroutine* co = s.running_;
  FunctionCode* code = CodeOf(static_cast<LuaClosure*>(s.at(function).object()));
  const uint32_t extra =
      code->is_vararg && arguments > code->parameters ? arguments - code->parameters : 0;
  const uint32_t base = function + 1 + (extra > 0 ? arguments + 1 : 0);
  const uint32_t top = base + code->registers;
  const uint32_t limit = std::max(LimitBelow(co), top);
  if (limit > kMaxStack + (s.in_overflow_ ? kErrorStack : 0) || !EnsureStack(co, limit)) {
    s.StackError();
    return Step::kError;
  }
  Frame* frame = PushFrame(co);
  if (frame == nullptr) {
    s.MemoryError();
    return Step::kError;
  }
  Word* stack = co->stack;
  if (extra > 0) {
    // The function and its named arguments move above the extra ones.
    for (uint32_t i = 0; i <= code->parameters; ++i) {
      stack[base - 1 + i] = stack[function + i];
      if (i > 0) stack[function + i] = Value::kNil;
    }
  } else {
    for (uint32_t i = arguments; i < code->parameters; ++i) stack[base + i] = Value::kNil;
  }
  *frame = {.pc = code->code,
            .code = code,
            .function = function,
            .base = base,
            .top = top,
            .limit = limit,
            .wanted = wanted,
            .varargs = extra,
            .flags = flags};
  if (co->hook_mask != 0 && !CallHook(s, flags)) return Step::kError;
  return Step::kPushed;
}

// --- Native functions ----------------------------------------------------------------------------

Step Interpreter::EnterNative(State& s, uint32_t function, uint32_t arguments, int32_t wanted,
                              uint16_t flags) {
  Coroutine* co = s.running_;
  const uint32_t top = function + 1 + arguments;
  const uint32_t limit = std::max(LimitBelow(co), top + kNativeSlots);
  if (!EnsureStack(co, limit)) {
    s.StackError();
    return Step::kError;
  }
  Frame* frame = PushFrame(co);
  if (frame == nullptr) {
    s.MemoryError();
    return Step::kError;
  }
  *frame = {.function = function,
            .base = function + 1,
            .top = top,
            .limit = limit,
            .wanted = wanted,
            .saved_count = arguments,
            .flags = static_cast<uint16_t>(flags | kFrameNative)};
  if (co->hook_mask != 0 && !CallHook(s, flags)) return Step::kError;
  return RunNative(s);
}

Step Interpreter::RunNative(State& s) {
  Coroutine* co = s.running_;
  NativeCall call(s);
  const auto* closure = static_cast<const NativeClosure*>(s.at(co->frame().function).object());
  const NativeResult result = closure->function(call);
  if (result == NativeResult::kReturn) [[likely]]
    return ReturnFromNative(s, call.results);
  return ActOnNative(s, call, result);
}

Step Interpreter::ActOnNative(State& s, const NativeCall& call, NativeResult result) {
  switch (result) {
    case NativeResult::kCall:
      s.pending_arguments_ = call.call_arguments;
      s.pending_wanted_ = call.call_wanted;
      return Step::kPushed;
    case NativeResult::kYield:
      return Yield(s, call.results);
    case NativeResult::kResume:
      return Resume(s, call.resumed, call.results);
    default:
      return Step::kError;
  }
}

Step Interpreter::CallForNative(State& s) {
  Coroutine* co = s.running_;
  if ((co->frame().flags & kFrameProtected) != 0 && ++co->protected_calls >= kMaxProtectedCalls) {
    s.RuntimeError("C stack overflow");
    return Step::kError;
  }
  const uint32_t function = co->frame().top - s.pending_arguments_ - 1;
  return Call(s, function, s.pending_arguments_, s.pending_wanted_, kFrameBack);
}

Step Interpreter::ReturnFromNative(State& s, uint32_t count) {
  Frame& frame = s.running_->frame();
  NEAP_DCHECK(count <= frame.top - frame.base, "V8: a native function returns what it pushed");
  return LeaveFrame(s, frame.top - count, count);
}

// --- Returns -------------------------------------------------------------------------------------

Step Interpreter::LeaveFrame(State& s, uint32_t from, uint32_t count) {
  Coroutine* co = s.running_;
  if (co->hook_mask != 0) [[unlikely]] {
    if (!ReturnHook(s, from, count)) return Step::kError;
  }
  const Frame& frame = co->frame();
  const uint32_t function = frame.function;
  const int32_t wanted = frame.wanted;
  const uint16_t flags = frame.flags;
  Word* stack = co->stack;
  const uint32_t kept = wanted < 0 ? count : std::min(count, static_cast<uint32_t>(wanted));
  for (uint32_t i = 0; i < kept; ++i) stack[function + i] = stack[from + i];
  if (wanted > 0) {
    for (auto i = kept; i < static_cast<uint32_t>(wanted); ++i) stack[function + i] = Value::kNil;
  }
  --co->frame_count;
  if (co->hook_mask != 0) ReturnToLine(co);
  if ((flags & kFrameProtected) != 0) --co->protected_calls;
  if ((flags & kFrameWatermark) != 0) LowerWatermark(co, co->frame().function);
  if ((flags & (kFrameMeta | kFrameBottom | kFrameBack | kFrameEntry)) == 0) [[likely]] {
    if (wanted < 0) co->frame().top = function + count;
    return Step::kDone;
  }
  return AfterFrame(s, flags, function, wanted, count);
}

Step Interpreter::AfterFrame(State& s, uint16_t flags, uint32_t function, int32_t wanted,
                             uint32_t count) {
  Coroutine* co = s.running_;
  if ((flags & kFrameBottom) != 0) return FinishCoroutine(s, count);
  Frame& below = co->frame();
  if ((flags & (kFrameEntry | kFrameBack)) != 0) {
    below.top = function + (wanted < 0 ? count : static_cast<uint32_t>(wanted));
    if ((flags & kFrameEntry) != 0) {
      s.entry_returned_ = true;
      return Step::kDone;
    }
    return (below.flags & kFrameClosing) != 0 ? CloseProtected(s) : RunNative(s);
  }
  return FinishInstruction(s, wanted > 0 ? s.at(function) : Value::Nil());
}

// --- Metamethods ---------------------------------------------------------------------------------

namespace {

// Places a function and its arguments above the live registers of the Lua frame on top.
bool PlaceCall(Coroutine* co, const Value* words, uint32_t count) {
  const Frame& frame = co->frame();
  const uint32_t at = frame.top;
  if (!EnsureStack(co, at + count)) return false;
  for (uint32_t i = 0; i < count; ++i) co->stack[at + i] = words[i].word();
  return true;
}

bool IsStore(Op op) {
  return op == Op::kSetTable || op == Op::kSetInteger || op == Op::kSetField ||
         op == Op::kSetGlobal;
}

}  // namespace

Step Interpreter::CallMetamethod(State& s, Value function, Value a, Value b) {
  const Value words[] = {function, a, b};
  const uint32_t at = s.running_->frame().top;
  if (!PlaceCall(s.running_, words, 3)) {
    s.StackError();
    return Step::kError;
  }
  return Call(s, at, 2, 1, kFrameMeta);
}

Step Interpreter::CallMetamethod(State& s, Value function, Value a, Value b, Value c) {
  const Value words[] = {function, a, b, c};
  const uint32_t at = s.running_->frame().top;
  if (!PlaceCall(s.running_, words, 4)) {
    s.StackError();
    return Step::kError;
  }
  return Call(s, at, 3, 0, kFrameMeta);
}

// The instruction before pc called a metamethod that returned `result`.
Step Interpreter::FinishInstruction(State& s, Value result) {
  Coroutine* co = s.running_;
  Frame& frame = co->frame();
  const Instruction at = frame.pc[-1];
  if (IsStore(at.op)) return Step::kDone;
  if (at.op == Op::kClose || at.op == Op::kReturn) {
    --frame.pc;  // is executed again, for the next variable
    return Step::kDone;
  }
  if (at.op == Op::kConcat) {
    // The two last operands have become one.
    const uint32_t left = frame.saved_count - 1;
    co->stack[frame.base + at.a + left - 1] = result.word();
    frame.saved_count = left;
    if (left > 1) {
      --frame.pc;
    } else {
      frame.saved_count = 0;
    }
    return Step::kDone;
  }
  if (at.op >= Op::kEqual && at.op <= Op::kNotGreaterEqualK) {
    // Enumerators alternate: the condition, its negation.
    const bool negated = ((static_cast<int>(at.op) - static_cast<int>(Op::kEqual)) & 1) != 0;
    if (result.is_truthy() != negated) frame.pc += at.sx;
    return Step::kDone;
  }
  co->stack[frame.base + at.a] = result.word();
  return Step::kDone;
}

// --- Instructions --------------------------------------------------------------------------------

Step Interpreter::TailCall(State& s, uint32_t a, uint32_t b) {
  Coroutine* co = s.running_;
  const Frame frame = co->frame();
  const uint32_t at = frame.base + a;
  uint32_t arguments = b != 0 ? b - 1 : frame.top - at - 1;
  co->frame().top = frame.base + frame.code->registers;
  while (!IsFunction(s.at(at))) {
    if (!InsertCallMetamethod(s, at, arguments)) return Step::kError;
    ++arguments;
  }
  // A native function is called as usual: the kReturn that follows passes its results on.
  if (!IsLuaClosure(s.at(at))) return Call(s, at, arguments, -1, 0);
  CloseUpvalues(s, co, frame.base);
  for (uint32_t i = 0; i <= arguments; ++i) co->stack[frame.function + i] = co->stack[at + i];
  --co->frame_count;
  constexpr uint16_t kKept =
      kFrameEntry | kFrameMeta | kFrameBottom | kFrameBack | kFrameHook | kFrameWatermark;
  const auto flags = static_cast<uint16_t>((frame.flags & kKept) | kFrameTail);
  const Step step = EnterLua(s, frame.function, arguments, frame.wanted, flags);
  return step;
}

Step Interpreter::Return(State& s, uint32_t a, uint32_t b, bool closes) {
  Coroutine* co = s.running_;
  Frame& frame = co->frame();
  const uint32_t from = frame.base + a;
  uint32_t count = b != 0 ? b - 1 : frame.top - from;
  if (closes) {
    if ((frame.flags & kFrameReturning) != 0) count = frame.saved_count;
    CloseUpvalues(s, co, frame.base);
    if (!co->to_close.empty() && co->to_close.back() >= frame.base) {
      frame.flags |= kFrameReturning;
      frame.saved_count = count;
      frame.top = std::max(frame.base + frame.code->registers, from + count);
      return CloseForInstruction(s, frame.base);
    }
  }
  return LeaveFrame(s, from, count);
}

// --- From native code ----------------------------------------------------------------------------

bool State::Call(int arguments, int wanted, uint16_t flags) {
  Coroutine* co = running_;
  const uint32_t frames = co->frame_count;
  const uint32_t function = co->frame().top - static_cast<uint32_t>(arguments) - 1;
  const bool is_outer = co->is_main && frames == 1;
  if (is_outer) BeginOuterCall();
  if (++co->levels >= Interpreter::kMaxLevels) [[unlikely]] {
    if (!LevelError()) {
      --co->levels;
      return false;
    }
  }
  ++co->native_depth;
  const bool outer_returned = std::exchange(entry_returned_, false);
  Step step = Interpreter::Call(*this, function, static_cast<uint32_t>(arguments), wanted,
                                static_cast<uint16_t>(kFrameEntry | flags));
  // A coroutine that a native function resumed may have failed before there was a run.
  if (step == Step::kError && running_ != co) step = Interpreter::Unwind(*this);
  bool ok = step != Step::kError;
  if (ok && !entry_returned_) ok = Interpreter::Run(*this);
  entry_returned_ = outer_returned;
  --co->native_depth;
  --co->levels;
  NEAP_DCHECK(running_ == co, "V9: a call from native code ends in the coroutine it began in");
  if (!ok) {
    for (uint32_t i = frames; i < co->frame_count; ++i) {
      if ((co->frames[i].flags & kFrameProtected) != 0) --co->protected_calls;
    }
    co->frame_count = frames;
    LowerWatermark(co, co->frame().function);
  }
  if (is_outer) ChargeAllocation();
  return ok;
}

}  // namespace neap::vm
