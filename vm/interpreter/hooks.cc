// SPDX-License-Identifier: MIT
#include "interpreter/hooks.h"

#include <algorithm>

#include "interpreter/function_code.h"

namespace neap::vm {
namespace {

// Calls the hook with an event name and a line (-1: nil), above everything that is in use.
bool CallHookFunction(State& s, const char* event, int64_t line) {
  Coroutine* co = s.running();
  const uint32_t index = co->frame_count - 1;
  const uint32_t top = co->frame().top;
  const uint32_t at = std::max(
      top, co->frame().code != nullptr ? co->frame().base + co->frame().code->registers : top);
  if (!EnsureStack(co, at + 3 + kNativeSlots)) return s.StackError();
  co->frame().limit = std::max(co->frame().limit, at + 3);
  co->in_hook = true;
  co->stack[at] = co->hook;
  co->stack[at + 1] = Value::kNil;
  co->stack[at + 2] = line < 0 ? Value::kNil : Value::InlineInteger(line).word();
  co->frame().top = at + 3;
  String* name = s.objects().NewAtom(event);
  bool ok = name != nullptr || s.MemoryError();
  if (ok) {
    co->stack[at + 1] = gc::ToWord(name);
    ok = s.Call(2, 0, kFrameHook);
  }
  co->in_hook = false;
  co->frames[index].top = top;
  return ok;
}

}  // namespace

bool CallHook(State& s, uint16_t flags) {
  Coroutine* co = s.running();
  if ((co->hook_mask & kHookCall) == 0 || co->in_hook) return true;
  Frame& frame = co->frame();
  if (frame.code != nullptr) ++frame.pc;  // the line is that of the first instruction
  co->first_transferred = 1;
  co->transferred = frame.code != nullptr ? frame.code->parameters : frame.saved_count;
  const bool ok = CallHookFunction(s, (flags & kFrameTail) != 0 ? "tail call" : "call", -1);
  if (ok && co->frame().code != nullptr) --co->frame().pc;
  return ok;
}

bool ReturnHook(State& s, uint32_t from, uint32_t count) {
  Coroutine* co = s.running();
  if ((co->hook_mask & kHookReturn) == 0 || co->in_hook) return true;
  Frame& frame = co->frame();
  const uint32_t top = frame.top;
  frame.top = std::max(frame.top, from + count);
  co->first_transferred = from - frame.base + 1;
  co->transferred = count;
  const bool ok = CallHookFunction(s, "return", -1);
  if (ok) co->frame().top = top;
  return ok;
}

void ReturnToLine(Coroutine* co) {
  if (co->frame_count == 0 || co->frame().code == nullptr) return;
  co->last_hooked = co->frame().pc - 1;
  co->last_hooked_code = co->frame().code;
}

bool InstructionHook(State& s) {
  Coroutine* co = s.running();
  if (co->in_hook) return true;
  if ((co->hook_mask & kHookCount) != 0 && --co->hook_left <= 0) {
    co->hook_left = co->hook_count;
    if (!CallHookFunction(s, "count", -1)) return false;
  }
  if ((co->hook_mask & kHookLine) == 0) return true;
  Frame& frame = co->frame();
  const FunctionCode& code = *frame.code;
  const Instruction* at = frame.pc - 1;
  if (at->op == Op::kVarargPrepare) return true;
  const int64_t line = code.unit->lines.empty() ? -1 : int64_t{code.LineAt(at)};
  const bool first = at == code.code || (at == code.code + 1 && code.is_vararg);
  // A new line, or a jump back (a round of a loop), or the function's start. A stripped function
  // has the last two only.
  const bool is_new = first || at <= co->last_hooked || co->last_hooked_code != &code ||
                      (line >= 0 && line != int64_t{code.LineAt(co->last_hooked)});
  co->last_hooked = at;
  co->last_hooked_code = &code;
  return !is_new || CallHookFunction(s, "line", line);
}

}  // namespace neap::vm
