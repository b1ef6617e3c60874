// SPDX-License-Identifier: MIT
//
// Coroutines (Lua's threads), the main one included: a stack of values, a stack of frames.
//
// The object itself never moves; its stacks lie outside the heap and grow by being reallocated, so
// that positions in them are indices, and pointers are derived anew after everything that may grow
// them. What the collector sees of a value stack depends on who owns it:
//
//   K1  The coroutine that runs, and those that wait for one they resumed, are roots, and so are
//       their stacks: visited at every collection, and written without a barrier.
//   K2  A suspended coroutine's stack is part of the object: the trace function reports it. It is
//       logged (write barrier) when it stops running, so that the next minor looks at it, and
//       before every later store into it.
//   K3  Words below `clean_from` are values that were valid at the last collection or later, or
//       nil; words from there on are nil. So whatever a frame's registers hold before they are
//       first assigned can be scanned. A collection nils what lies above the live part (of a
//       suspended one when it is traced, as K2 makes sure); pushing a frame raises `clean_from`.
//   K4  The open upvalues are in order of their stack index; so are the variables to be closed.
//   K5  Words below `watermark` held no young reference after the last minor and were not written
//       since: minors skip them, so that a deep recursion does not make every minor slow. Returning
//       from the frame flagged kFrameWatermark lowers it, as does every store by other means.
#ifndef NEAP_VM_INTERPRETER_COROUTINE_H_
#define NEAP_VM_INTERPRETER_COROUTINE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/opcode.h"
#include "objects/function.h"
#include "objects/types.h"

namespace neap::vm {

class State;

// Why a frame is special; a set.
enum FrameFlag : uint16_t {
  kFrameNative = 1 << 0,      // runs a native function
  kFrameEntry = 1 << 1,       // called from C++: returning from it leaves the interpreter loop
  kFrameMeta = 1 << 2,        // called by an instruction of the frame below, which is finished when
                              // it returns (FinishInstruction)
  kFrameProtected = 1 << 3,   // errors above it stop here (pcall, xpcall)
  kFrameClosing = 1 << 4,     // protected, and variables above it are being closed after an error
  kFrameReturning = 1 << 5,   // kReturn is closing variables; `saved_count` results wait
  kFrameTail = 1 << 6,        // entered by a tail call
  kFrameHook = 1 << 7,        // runs a hook
  kFrameFinalizer = 1 << 8,   // protects a __gc metamethod, the frame above
  kFrameHandler = 1 << 10,    // protected with a message handler, its first argument (xpcall)
  kFrameBottom = 1 << 11,     // the first of a coroutine: returning from it ends the coroutine
  kFrameBack = 1 << 12,       // called by CallThen: the native frame below is entered again
  kFrameWatermark = 1 << 13,  // the lowest one above the watermark (K5)
};

// A new one is written whole: what its initializer does not name is 0.
struct Frame {
  const Instruction* pc;  // Lua: the next instruction (saved at calls and safepoints)
  FunctionCode* code;     // Lua: of the function; null in native frames
  uint32_t function;      // stack index of the function; results go here
  uint32_t base;          // stack index of register 0, or of the first argument
  uint32_t top;           // one past the live values. Lua: base + registers, but less at a precise
                          // safepoint (opcode.h, C1) and more while an open count is in use
  uint32_t limit;         // one past the words that this frame, or one below it, may write unasked
  int32_t wanted;         // results wanted by the caller; -1: all
  uint32_t varargs;       // extra arguments, which lie below the base
  uint32_t state;         // native: 0 at first, then what CallThen said; of one that resumes:
                          // NativeCall::Passing
  uint32_t saved_count;   // native: arguments; Lua: results that wait for variables to be closed
                          // (kFrameReturning), or operands that a kConcat has left; otherwise 0
  uint16_t flags;         // FrameFlag
  uint16_t unused;        // so that a new frame's zeros are whole words
};

// When the hook of debug.sethook is called; a set.
enum HookMask : uint8_t {
  kHookCall = 1 << 0,
  kHookReturn = 1 << 1,
  kHookLine = 1 << 2,
  kHookCount = 1 << 3,
};

enum class CoroutineStatus : uint8_t {
  kSuspended,
  kRunning,
  kNormal,  // waits for one that it resumed
  kDead,    // finished, or closed
  kFailed,  // ended by an error, variables not closed yet; "dead" to scripts
};

struct Coroutine : Object {
  Word* stack;
  Frame* frames;
  Coroutine* resumer;  // of a running or normal one: who resumed it; not a slot (K1 roots)
  std::vector<Word> open_upvalues;  // Upvalue objects (K4)
  std::vector<uint32_t> to_close;   // stack indices (K4)
  Word hook;                        // the hook function of debug.sethook, or nil
  State* state;
  uint32_t stack_size;  // words
  uint32_t clean_from;  // K3; changed by SetCleanFrom only
  uint32_t call_limit;  // up to here a call needs no other check: min(clean_from, kMaxStack), or 0
                        // while a hook is set
  uint32_t watermark;   // K5
  uint32_t top;         // of a suspended one: one past its live values
  uint32_t frame_count;
  uint32_t frame_capacity;
  uint32_t native_depth;  // nested C++ runs of the interpreter on this coroutine: no yield across
  uint32_t protected_calls;  // frames with kFrameProtected
  uint32_t levels;           // calls counted against the limit of 200 (inherited from the resumer)
  CoroutineStatus status;
  uint8_t hook_mask;
  bool in_hook;
  bool is_main;
  int32_t hook_count;  // of a count hook: instructions between calls
  int32_t hook_left;
  const Instruction* last_hooked;        // where the line hook was last looked at, ...
  const FunctionCode* last_hooked_code;  // ... compared with only, never followed by itself
  uint32_t first_transferred;  // while a call or return hook runs: the first argument or result,
  uint32_t transferred;        // as a local of the frame below it, and how many there are

  Frame& frame() { return frames[frame_count - 1]; }
  bool in_chain() const {
    return status == CoroutineStatus::kRunning || status == CoroutineStatus::kNormal;
  }
};

// Values on a stack before it is an overflow error (the reference implementation's limit), and
// what error handling may use beyond it.
inline constexpr uint32_t kMaxStack = 1'000'000;
inline constexpr uint32_t kErrorStack = 4000;
// Protected calls in one another. The reference implementation allows 200; each one may add to the
// message of an error that passes through all of them, so that unlimited ones take quadratic time.
inline constexpr uint32_t kMaxProtectedCalls = 5000;
// Free slots that a native function finds above its arguments.
inline constexpr uint32_t kNativeSlots = 40;

void RegisterCoroutineType();
// A safepoint; null: no memory.
Coroutine* NewCoroutine(State& state);

inline void SetCleanFrom(Coroutine* co, uint32_t clean_from) {
  co->clean_from = clean_from;
  co->call_limit = co->hook_mask != 0 ? 0 : std::min(clean_from, kMaxStack);
}
inline void SetHookMask(Coroutine* co, uint8_t mask) {
  co->hook_mask = mask;
  SetCleanFrom(co, co->clean_from);
}

// Makes sure that the words below `end` exist and are clean. False: overflow (see State::
// StackError) or no memory. Moves the stack. (no safepoint)
bool GrowStack(Coroutine* co, uint32_t end);
inline bool EnsureStack(Coroutine* co, uint32_t end) {
  return end <= co->clean_from || GrowStack(co, end);
}
// Room for one more frame. False: no memory.
bool GrowFrames(Coroutine* co);
// Ends the claim on words above `live`: they become nil. (K3)
void CleanStack(Coroutine* co, uint32_t live);
// Makes `limit` words usable, raises the frame's limit. False as GrowStack.
bool RaiseLimit(Coroutine* co, Frame& frame, uint32_t limit);
// Gives back what a stack that became large does not need any more. Its one native frame keeps room
// for kNativeSlots. (no safepoint)
void TrimStack(Coroutine* co);
// The coroutine stops being in the chain; `live` values remain. (K2)
void SuspendStack(State& state, Coroutine* co, uint32_t live);
// Reports the live part of a stack of the chain (K1): all of it, or what a minor must see, which
// raises the watermark.
void VisitStack(Coroutine* co, uint32_t live, gc::Tracer& tracer);
void VisitYoungStack(Coroutine* co, uint32_t live, gc::Tracer& tracer);
// The frame on top, or a store, reaches down to this stack index (K5).
void LowerWatermarkSlow(Coroutine* co, uint32_t index);
inline void LowerWatermark(Coroutine* co, uint32_t index) {
  if (index < co->watermark) [[unlikely]]
    LowerWatermarkSlow(co, index);
}

// The upvalue for a stack slot, new or shared. A safepoint; null: no memory.
Upvalue* FindUpvalue(State& state, Coroutine* co, uint32_t index);
// The same without a safepoint; null when a new one finds no room.
Upvalue* FindUpvalueInRoom(State& state, Coroutine* co, uint32_t index);
// Closes the upvalues at `index` and above. (no safepoint)
void CloseUpvalues(State& state, Coroutine* co, uint32_t index);
// Where the variable is now. (no safepoint)
inline Word ReadUpvalue(const Upvalue* upvalue) {
  const Word owner = gc::LoadSlot(&upvalue->owner);
  const Word value = gc::LoadSlot(&upvalue->value);
  return owner == 0 ? value : *reinterpret_cast<const Word*>(value);
}
void WriteOpenUpvalue(State& state, Upvalue* upvalue, Word value);

inline Coroutine* AsCoroutine(Value v) { return static_cast<Coroutine*>(v.object()); }

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_COROUTINE_H_
