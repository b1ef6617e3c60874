// SPDX-License-Identifier: MIT
//
// The end of a state, wherever its scripts are: the host's code is left by all of them, or os.exit
// was called deep inside a coroutine. In the order of the reference implementation:
//
//   1  coroutines that run or wait are dropped: they are dead, their variables are not closed
//   2  the main coroutine's variables are closed, the last first; an error goes to the next one
//   3  every object with a finalizer that was marked for it is finalized, the last marked first.
//      What finalizers mark now has no effect (manual 2.5.3); one that closes the state again
//      (os.exit) does not return, and the others follow from there
#include <algorithm>

#include "interpreter/state.h"

namespace neap::vm {

// Values that closures still need are theirs afterwards; nothing else can see the stack.
void State::DropCoroutines() {
  while (running_ != main_) {
    Coroutine* co = running_;
    CloseUpvalues(*this, co, 0);
    co->to_close.clear();
    co->frame_count = 0;
    co->status = CoroutineStatus::kDead;
    running_ = co->resumer;
    co->resumer = nullptr;
    SuspendStack(*this, co, 0);
  }
  main_->status = CoroutineStatus::kRunning;
}

void State::CloseMainVariables() {
  Value error = Value::Nil();
  while (!main_->to_close.empty()) {
    const uint32_t index = main_->to_close.back();
    main_->to_close.pop_back();
    Frame& frame = main_->frame();
    frame.top = index + 1;
    frame.limit = std::max(frame.limit, frame.top);
    const Value variable = at(index);
    main_->stack[index] = error.word();
    if (!EnsureSlots(3 + kNativeSlots)) return;
    Push(MetamethodOf(variable, Event::kClose));
    Push(variable);
    Push(at(index));
    if (!ProtectedCall(2, 0)) main_->stack[index] = FromTop(1).word();
    error = at(index);
  }
}

void State::Close() {
  interrupted_.store(false, std::memory_order_relaxed);
  ClearError();
  DropCoroutines();
  CloseUpvalues(*this, main_, 0);
  main_->frame_count = 1;
  LowerWatermark(main_, 0);
  handler_depth_ = 0;
  in_overflow_ = false;
  main_->levels = 0;
  main_->native_depth = 0;
  SetHookMask(main_, 0);
  main_->in_hook = false;
  CloseMainVariables();
  ClearError();
  main_->frame().top = main_->frame().base;
  if (!is_closing_) finalizers_->QueueAll(m_);
  is_closing_ = true;
  in_finalizer_ = true;
  while (FinalizeNext()) {
  }
  in_finalizer_ = false;
}

void State::RegisterFinalizer(gc::Object* object) {
  if (!is_closing_) finalizers_->Register(m_, object);
}

}  // namespace neap::vm
