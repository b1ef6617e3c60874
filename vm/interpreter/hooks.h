// SPDX-License-Identifier: MIT
//
// Hooks (debug.sethook): calls of a function at calls, returns, new lines, every so many
// instructions. A coroutine with a line or count hook runs with the loop's hooked dispatch table.
#ifndef NEAP_VM_INTERPRETER_HOOKS_H_
#define NEAP_VM_INTERPRETER_HOOKS_H_

#include <cstdint>

#include "interpreter/state.h"

namespace neap::vm {

inline bool HooksInstructions(const Coroutine* co) {
  return (co->hook_mask & (kHookLine | kHookCount)) != 0;
}
// For the frame just pushed. False: error.
[[nodiscard]] bool CallHook(State& s, uint16_t flags);
// For the frame about to be popped, whose results are the `count` words from `from` on.
[[nodiscard]] bool ReturnHook(State& s, uint32_t from, uint32_t count);
// The frame on top goes on behind a call: the rest of that line is no new line.
void ReturnToLine(Coroutine* co);
// Before the instruction at pc[-1] of the frame on top.
[[nodiscard]] bool InstructionHook(State& s);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_HOOKS_H_
