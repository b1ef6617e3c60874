// SPDX-License-Identifier: MIT
//
// The interpreter: calls, the loop over the bytecode, coroutine switches, unwinding. Functions that
// may run Lua code return a Step (state.h). Private to the interpreter and State.
//
// Everything that runs stands in frames of coroutines, not in C++ frames: a Lua function that calls
// a Lua function, a metamethod, an iterator, pcall or a coroutine stays in the same Run. C++
// recursion begins only where native code calls back (State::Call).
#ifndef NEAP_VM_INTERPRETER_INTERPRETER_H_
#define NEAP_VM_INTERPRETER_INTERPRETER_H_

#include <cstdint>

#include "interpreter/native_call.h"
#include "interpreter/state.h"

namespace neap::vm {

class Interpreter {
 public:
  // Goes on with the top frame until the frame marked kFrameEntry returns. False: error.
  static bool Run(State& s);

  // Calls what stands at stack index `function` with the `arguments` above it. `flags` go into the
  // new frame. kDone: the results stand at `function`; with wanted == -1 the top of the frame below
  // was set behind them. kPushed: Run has to go on with the top frame. kError: the frames of what
  // failed still stand.
  static Step Call(State& s, uint32_t function, uint32_t arguments, int32_t wanted, uint16_t flags);

  // Calls a metamethod on behalf of the current instruction of the Lua frame on top. kDone: the
  // instruction is finished.
  static Step CallMetamethod(State& s, Value function, Value a, Value b);
  static Step CallMetamethod(State& s, Value function, Value a, Value b, Value c);

  // The limit of nested C++ runs, resumes and parser levels.
  static constexpr uint32_t kMaxLevels = 200;

  // After an error: kPushed when a protected frame (or a resumer) takes it; kError when it leaves
  // this run.
  static Step Unwind(State& s);

  // --- Instructions (of the Lua frame on top) ----------------------------------------------------
  static Step TailCall(State& s, uint32_t a, uint32_t b);
  static Step Return(State& s, uint32_t a, uint32_t b, bool closes);
  // Closes what is to be closed at stack index `level` and above, for an instruction of the frame
  // on top that is executed again after each. kDone with nothing called: nothing is left.
  static Step CloseForInstruction(State& s, uint32_t level);
  // Sets R[a] or decides the jump of the instruction before pc.
  static Step FinishInstruction(State& s, Value result);

 private:
  static Step EnterLua(State& s, uint32_t function, uint32_t arguments, int32_t wanted,
                       uint16_t flags);
  static Step EnterNative(State& s, uint32_t function, uint32_t arguments, int32_t wanted,
                          uint16_t flags);
  static bool InsertCallMetamethod(State& s, uint32_t function, uint32_t arguments);
  // Runs the native function of the top frame (anew), to its end if it only returns.
  static Step RunNative(State& s);
  // Does what a native function, which did not return, asks for: kPushed is all of a call here,
  // which Run makes (CallForNative).
  static Step ActOnNative(State& s, const NativeCall& call, NativeResult result);
  // The call that the native frame on top asked for.
  static Step CallForNative(State& s);
  // The frame on top, a native one, returns its last `count` values.
  static Step ReturnFromNative(State& s, uint32_t count);
  // Moves `count` results from `from` to the frame's function slot, pops the frame, and does what
  // its flags ask for. kDone: go on in the frame below; kPushed: go on with the frame on top.
  static Step LeaveFrame(State& s, uint32_t from, uint32_t count);
  static Step AfterFrame(State& s, uint16_t flags, uint32_t function, int32_t wanted,
                         uint32_t count);

  // The native frame on top resumes a coroutine with its last `count` values, or yields them.
  // kPushed: Run has to go on with the top frame of the coroutine that runs now.
  static Step Resume(State& s, Coroutine* co, uint32_t count);
  static Step Yield(State& s, uint32_t count);
  static Step GoOn(const State& s, Step step);
  static Step FinishCoroutine(State& s, uint32_t count);
  static Coroutine* ReturnToResumer(State& s, Coroutine* from);
  static Step PassToResumer(State& s, Coroutine* from, uint32_t first, uint32_t count);
  static Step FailCoroutine(State& s, uint32_t top);
  static Step FailToResumer(State& s, Coroutine* from, uint32_t at);
  static Step FailResume(State& s, std::string_view message);

  static Step UnwindOnce(State& s, bool* leaves);
  static Step CloseProtected(State& s);
};

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_INTERPRETER_H_
