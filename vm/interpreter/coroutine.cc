// SPDX-License-Identifier: MIT
#include "interpreter/coroutine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "interpreter/state.h"

namespace neap::vm {
namespace {

constexpr uint32_t kFirstStack = 64;  // words
constexpr uint32_t kFirstFrames = 8;
constexpr uint32_t kCleanStep = 64;  // words claimed at a time (K3)
// A stack shorter than this is scanned whole in some 2 us: a watermark would not pay.
constexpr uint32_t kWatermarkFrom = 4096;
// Frames between the watermark and the top, and frames it is lowered by at a time: fewer mean more
// slow returns, more mean more words that are scanned in vain.
constexpr uint32_t kFramesAbove = 64;

void TraceCoroutine(Object* object, gc::Tracer& tracer) {
  auto* co = static_cast<Coroutine*>(object);
  if (co->stack == nullptr || co->in_chain()) return;
  CleanStack(co, co->top);
  tracer.VisitSlots(co->stack, co->top);
  if (!co->open_upvalues.empty()) {
    tracer.VisitSlots(co->open_upvalues.data(), co->open_upvalues.size());
  }
  tracer.VisitSlot(&co->hook);
}

size_t CoroutineOffHeapBytes(const Object* object) {
  const auto* co = static_cast<const Coroutine*>(object);
  return co->stack_size * sizeof(Word) + co->frame_capacity * sizeof(Frame);
}

void DropCoroutine(Object* object) {
  auto* co = static_cast<Coroutine*>(object);
  std::free(co->stack);
  std::free(co->frames);
  std::destroy_at(&co->open_upvalues);
  std::destroy_at(&co->to_close);
}

}  // namespace

void RegisterCoroutineType() {
  gc::RegisterTypeAs(kCoroutineType, {.name = "coroutine",
                                      .layout = gc::Layout::kCustom,
                                      .base_bytes = sizeof(Coroutine),
                                      .trace = TraceCoroutine,
                                      .off_heap_bytes = CoroutineOffHeapBytes,
                                      .drop = DropCoroutine});
}

Coroutine* NewCoroutine(State& state) {
  auto* stack = static_cast<Word*>(std::calloc(kFirstStack, sizeof(Word)));
  auto* frames = static_cast<Frame*>(std::malloc(kFirstFrames * sizeof(Frame)));
  auto* co = stack == nullptr || frames == nullptr
                 ? nullptr
                 : static_cast<Coroutine*>(state.mutator().TryAllocateStationary(kCoroutineType));
  if (co == nullptr) {
    std::free(stack);
    std::free(frames);
    return nullptr;
  }
  co->stack = stack;
  co->frames = frames;
  std::construct_at(&co->open_upvalues);
  std::construct_at(&co->to_close);
  co->state = &state;
  co->stack_size = kFirstStack;
  co->frame_capacity = kFirstFrames;
  co->status = CoroutineStatus::kSuspended;
  state.mutator().OffHeapChanged(co, static_cast<int64_t>(CoroutineOffHeapBytes(co)));
  return co;
}

// A stack that would not fit into the heap's limit does not grow. Nothing can be collected first,
// so that only large steps are refused: garbage rarely stands in their way. Smaller: recursion
// fails in heaps that are only full of garbage; larger: small limits are exceeded by more.
constexpr uint64_t kAskedGrowthBytes = 64 << 10;

bool MayGrow(const Coroutine* co, uint64_t bytes) {
  return bytes < kAskedGrowthBytes || co->state->heap().Fits(bytes);
}

// --- Growth --------------------------------------------------------------------------------------

namespace {

// The stack of `words` words, moved; false: no memory. What points into it follows. (no safepoint)
bool MoveStack(Coroutine* co, uint32_t words) {
  const auto old = reinterpret_cast<Word>(co->stack);
  auto* stack = static_cast<Word*>(std::realloc(co->stack, words * sizeof(Word)));
  if (stack == nullptr) return false;
  co->stack = stack;
  for (const Word word : co->open_upvalues) {
    auto* open = static_cast<Upvalue*>(gc::ToObject(word));
    const size_t offset = open->value - old;
    gc::InitSlot(&open->value, reinterpret_cast<Word>(stack) + offset);  // leads to no object
  }
  return true;
}

}  // namespace

bool GrowStack(Coroutine* co, uint32_t end) {
  if (end > co->stack_size) {
    if (end > kMaxStack + kErrorStack) return false;
    const uint32_t most = end <= kMaxStack - kCleanStep ? kMaxStack : kMaxStack + kErrorStack;
    const uint32_t size = std::min(std::max(end + kCleanStep, 2 * co->stack_size), most);
    if (!MayGrow(co, (size - co->stack_size) * sizeof(Word))) return false;
    if (!MoveStack(co, size)) return false;
    std::memset(co->stack + co->stack_size, 0, (size - co->stack_size) * sizeof(Word));
    const auto delta = static_cast<int64_t>((size - co->stack_size) * sizeof(Word));
    co->stack_size = size;
    co->state->mutator().OffHeapChanged(co, delta);
  }
  SetCleanFrom(co, std::min(end + kCleanStep, co->stack_size));
  return true;
}

bool RaiseLimit(Coroutine* co, Frame& frame, uint32_t limit) {
  if (!EnsureStack(co, limit)) return false;
  frame.limit = std::max(frame.limit, limit);
  return true;
}

bool GrowFrames(Coroutine* co) {
  const uint32_t capacity = 2 * co->frame_capacity;
  if (!MayGrow(co, co->frame_capacity * sizeof(Frame))) return false;
  auto* frames = static_cast<Frame*>(std::realloc(co->frames, capacity * sizeof(Frame)));
  if (frames == nullptr) return false;
  co->frames = frames;
  const auto delta = static_cast<int64_t>((capacity - co->frame_capacity) * sizeof(Frame));
  co->frame_capacity = capacity;
  co->state->mutator().OffHeapChanged(co, delta);
  return true;
}

void CleanStack(Coroutine* co, uint32_t live) {
  if (co->clean_from > live) {
    std::memset(co->stack + live, 0, (co->clean_from - live) * sizeof(Word));
  }
  SetCleanFrom(co, std::max(live, co->frame_count == 0 ? 0 : co->frame().limit));
}

void TrimStack(Coroutine* co) {
  Frame& frame = co->frame();
  frame.limit = frame.top + kNativeSlots;
  const uint32_t size = std::min(std::max(frame.limit + kCleanStep, kFirstStack), co->stack_size);
  const uint32_t frames = std::max(co->frame_count, kFirstFrames);
  const int64_t before = static_cast<int64_t>(CoroutineOffHeapBytes(co));
  if (before < static_cast<int64_t>(kAskedGrowthBytes)) return;
  LowerWatermark(co, 0);
  CleanStack(co, frame.top);
  if (MoveStack(co, size)) co->stack_size = size;
  auto* records = static_cast<Frame*>(std::realloc(co->frames, frames * sizeof(Frame)));
  if (records != nullptr) {
    co->frames = records;
    co->frame_capacity = frames;
  }
  const auto after = static_cast<int64_t>(CoroutineOffHeapBytes(co));
  co->state->mutator().OffHeapChanged(co, after - before);
}

void SuspendStack(State& state, Coroutine* co, uint32_t live) {
  co->top = live;
  co->watermark = 0;
  // The stack may hold young values: the next minor has to look at it, and cleans it then.
  state.mutator().Log(co);
}

namespace {

// The words below the watermark of the frame with this index belong to frames below it.
void PlaceWatermark(Coroutine* co, uint32_t frame) {
  co->watermark = co->frames[frame].function;
  co->frames[frame].flags |= kFrameWatermark;
}

// After a minor's visit of [from, live): raises the watermark as far as no word is young.
void RaiseWatermark(Coroutine* co, uint32_t from, uint32_t live) {
  const gc::Heap& heap = co->state->heap();
  uint32_t clean = from;
  while (clean < live) {
    const Value v = Value::FromWord(co->stack[clean]);
    if (v.is_object() && heap.IsYoung(v.object())) break;
    ++clean;
  }
  uint32_t frame = co->frame_count > kFramesAbove ? co->frame_count - kFramesAbove : 0;
  while (frame > 0 && co->frames[frame].function > clean) --frame;
  if (frame > 0 && co->frames[frame].function > co->watermark) PlaceWatermark(co, frame);
}

}  // namespace

void LowerWatermarkSlow(Coroutine* co, uint32_t index) {
  uint32_t frame = co->frame_count;
  while (frame > 0 && co->frames[frame - 1].function > index) --frame;
  if (frame <= kFramesAbove) {
    co->watermark = 0;
  } else {
    PlaceWatermark(co, frame - kFramesAbove);
  }
}

void VisitYoungStack(Coroutine* co, uint32_t live, gc::Tracer& tracer) {
  CleanStack(co, live);
  const uint32_t from = co->watermark < live ? co->watermark : live;
  tracer.VisitSlots(co->stack + from, live - from);
  if (!co->open_upvalues.empty()) {
    tracer.VisitSlots(co->open_upvalues.data(), co->open_upvalues.size());
  }
  tracer.VisitSlot(&co->hook);
  if (live >= kWatermarkFrom) RaiseWatermark(co, from, live);
}

void VisitStack(Coroutine* co, uint32_t live, gc::Tracer& tracer) {
  CleanStack(co, live);
  tracer.VisitSlots(co->stack, live);
  if (!co->open_upvalues.empty()) {
    tracer.VisitSlots(co->open_upvalues.data(), co->open_upvalues.size());
  }
  tracer.VisitSlot(&co->hook);
}

// --- Upvalues ------------------------------------------------------------------------------------

namespace {

uint32_t StackIndex(const Coroutine* co, Word upvalue) {
  return static_cast<uint32_t>(static_cast<const Upvalue*>(gc::ToObject(upvalue))->variable() -
                               co->stack);
}

// The open upvalue of the slot, or null; `*at` is its place in the list then, or where it belongs.
Upvalue* FindOpen(const Coroutine* co, uint32_t index, size_t* at) {
  const std::vector<Word>& open = co->open_upvalues;
  *at = open.size();
  while (*at > 0 && StackIndex(co, open[*at - 1]) > index) --*at;
  if (*at == 0 || StackIndex(co, open[*at - 1]) != index) return nullptr;
  return static_cast<Upvalue*>(gc::ToObject(open[--*at]));
}

Upvalue* Open(Coroutine* co, uint32_t index, size_t at, Upvalue* upvalue) {
  gc::InitSlot(&upvalue->value, reinterpret_cast<Word>(co->stack + index));
  gc::InitSlot(&upvalue->owner, gc::ToWord(co));
  std::vector<Word>& open = co->open_upvalues;
  open.insert(open.begin() + static_cast<ptrdiff_t>(at), gc::ToWord(upvalue));
  return upvalue;
}

}  // namespace

Upvalue* FindUpvalueInRoom(State& state, Coroutine* co, uint32_t index) {
  size_t at = 0;
  if (Upvalue* found = FindOpen(co, index, &at)) return found;
  auto* upvalue = static_cast<Upvalue*>(state.mutator().TryBump(sizeof(Upvalue)));
  if (upvalue == nullptr) return nullptr;
  upvalue->set_header(Object::MakeHeader(kUpvalueType));
  return Open(co, index, at, upvalue);
}

Upvalue* FindUpvalue(State& state, Coroutine* co, uint32_t index) {
  size_t at = 0;
  if (Upvalue* found = FindOpen(co, index, &at)) return found;
  auto* upvalue = static_cast<Upvalue*>(state.mutator().TryAllocate(kUpvalueType));
  return upvalue == nullptr ? nullptr : Open(co, index, at, upvalue);
}

void CloseUpvalues(State& state, Coroutine* co, uint32_t index) {
  std::vector<Word>& open = co->open_upvalues;
  while (!open.empty()) {
    const uint32_t at = StackIndex(co, open.back());
    if (at < index) return;
    auto* upvalue = static_cast<Upvalue*>(gc::ToObject(open.back()));
    state.mutator().Store(upvalue, &upvalue->value, co->stack[at]);
    state.mutator().Store(upvalue, &upvalue->owner, Word{0});
    open.pop_back();
  }
}

void WriteOpenUpvalue(State& state, Upvalue* upvalue, Word value) {
  auto* co = static_cast<Coroutine*>(gc::ToObject(gc::LoadSlot(&upvalue->owner)));
  Word* const variable = upvalue->variable();
  LowerWatermark(co, static_cast<uint32_t>(variable - co->stack));
  state.mutator().Store(co, variable, value);
}

}  // namespace neap::vm
