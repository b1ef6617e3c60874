// SPDX-License-Identifier: MIT
//
// A thread's permission to use a heap: holds a P, allocates, stores references, polls.
//
// Rules:
//   M1  Raw object pointers are valid until the next safepoint. Safepoints: every function that
//       takes a Mutator& unless it says otherwise: allocation, Poll, Collect, blocking regions.
//   M2  Every store of a reference into an object that has met a safepoint since its allocation
//       goes through Store (or a Log call before a bulk store).
//   M3  Inside a BlockingRegion the thread holds no raw pointer and calls nothing of the heap.
//   M4  What must survive a safepoint stands in a handle (handle.h), in an object, or with a
//       RootProvider.
//
// The whole fast path of allocation and of the barrier is in this file.
#ifndef NEAP_GC_MUTATOR_H_
#define NEAP_GC_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "neap/gc/heap.h"
#include "neap/gc/object.h"
#include "neap/gc/type.h"
#include "neap/runtime/check.h"
#include "neap/runtime/scheduler.h"

namespace neap::gc {

// What the allocator's fast path needs of a P. The rest of the per-P state is the collector's
// (gc/local.h) and starts with this.
struct Tlab {
  // Next free byte. Written by the owner of the P with plain stores; others may read it (relaxed).
  char* LoadTop() const { return __atomic_load_n(&top, __ATOMIC_RELAXED); }
  void StoreTop(char* value) { __atomic_store_n(&top, value, __ATOMIC_RELAXED); }
  void CountObject() { __atomic_store_n(&objects, objects + 1, __ATOMIC_RELAXED); }

  char* top = nullptr;
  char* limit = nullptr;  // one past its last byte; == top when there is none
  uint64_t objects = 0;   // young objects allocated on this P, ever
};

// Objects over this size are born in large-object space.
inline constexpr size_t kMaxNurseryObjectBytes = 8192;

// What a closed handle slot holds.
inline constexpr Word kClosedHandle = 0xdead'4a4d'1ec1'05edull;

class HandleScope;
class Local;

class Mutator {
 public:
  // Waits for a P. One Mutator per thread and heap.
  explicit Mutator(Heap& heap);
  ~Mutator();
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  Heap& heap() { return heap_; }
  // The id of the P this thread holds; it may change at a safepoint. (no safepoint)
  int proc() const { return processor_->id; }
  Processor& processor() { return *processor_; }

  // --- Allocation --------------------------------------------------------------------------------
  // A zeroed object of `type` with `length` elements (0 for fixed-size types). Never null: when no
  // memory can be had after collecting and asking the out-of-memory function, the process ends with
  // a message. Use TryAllocate where that must not happen.
  Object* Allocate(TypeId type, uint64_t length = 0);
  // The same, or null when the request cannot be met (heap intact).
  Object* TryAllocate(TypeId type, uint64_t length = 0);
  // An object that never moves: born young on a list of its own, at a stable address. Large objects
  // are stationary anyway. Null when the request cannot be met.
  Object* TryAllocateStationary(TypeId type, uint64_t length = 0);

  // Allocates sizeof(T) bytes and constructs T in place (its constructor must initialize every slot
  // and may not reach a safepoint; arguments must not be raw object pointers from before the call).
  template <typename T, typename... Arguments>
  T* New(TypeId type, Arguments&&... arguments) {
    static_assert(sizeof(T) % kObjectAlignment == 0 && sizeof(T) >= kMinObjectBytes &&
                  sizeof(T) <= kMaxNurseryObjectBytes);
    void* memory = AllocateRaw(type, sizeof(T));
    T* object = new (memory) T(std::forward<Arguments>(arguments)...);
    object->set_header(Object::MakeHeader(type));
    return object;
  }
  // Uninitialized memory for an object of `bytes` (a multiple of 8, 16 .. kMaxNurseryObjectBytes)
  // from the TLAB, or null when that is used up: an interpreter then makes its registers visible to
  // the collector and calls TryAllocate. Every word, the header (Object::MakeHeader) included, must
  // be written before the next safepoint. (no safepoint)
  void* TryBump(size_t bytes) {
    char* top = tlab_->top;
    if (static_cast<size_t>(tlab_->limit - top) < bytes) [[unlikely]]
      return nullptr;
    tlab_->StoreTop(top + bytes);
    tlab_->CountObject();
    return top;
  }
  ByteArray* NewBytes(uint64_t length) {
    return static_cast<ByteArray*>(Allocate(ByteArray::Type(), length));
  }
  SlotArray* NewSlots(uint64_t length) {
    return static_cast<SlotArray*>(Allocate(SlotArray::Type(), length));
  }

  // --- Stores ------------------------------------------------------------------------------------
  // Writes `value` into `slot`, which lies physically in `holder`. Two instructions more than a
  // plain store when the holder is young or already logged. A store that neither overwrites nor
  // brings a reference logs nothing: no minor would learn anything from it, and no snapshot miss
  // anything; old records of numbers would otherwise be scanned for each update. (no safepoint)
  void Store(Object* holder, Word* slot, Word value) {
    if (holder->log_state() != LogState::kLogged) [[unlikely]] {
      if (MayRefer(value) || MayRefer(LoadSlot(slot))) LogSlot(holder, slot);
    }
    InitSlot(slot, value);
  }
  void Store(Object* holder, Word* slot, const Object* value) {
    Store(holder, slot, ToWord(value));
  }
  // The same for element `index` of an array: its address need not be known unless it is logged.
  void Store(SlotArray* array, uint64_t index, Word value) {
    NEAP_DCHECK(index < array->length, "M7: an element that is stored to exists");
    if (array->log_state() != LogState::kLogged) [[unlikely]] {
      if (MayRefer(value) || MayRefer(LoadSlot(&array->slots()[index]))) LogElement(array, index);
    }
    InitSlot(&array->slots()[index], value);
  }
  // Before stores that do not come through here into slots that `holder` reports but that lie
  // elsewhere (a stack of its own): the next minor looks at all of it. Not for objects over 8 KiB.
  // (no safepoint)
  void Log(Object* holder) {
    const LogState state = holder->log_state();
    NEAP_DCHECK(state != LogState::kCarded, "M8: what Log is called for has no cards");
    if (state == LogState::kUnlogged) LogSlow(holder, nullptr, state);
  }
  // Before a bulk store (memmove, rehash) into `count` slots of `holder` from `first` on.
  void LogRange(Object* holder, Word* first, size_t count);

  // Bytes that this mutator has allocated, ever. (no safepoint)
  uint64_t allocated_bytes() const;

  // The object's 32-bit hash: stable while it lives, never 0. Not an identity. (no safepoint)
  uint32_t Hash(Object* object);
  // A unique 64-bit number given on first request, for printing. (no safepoint)
  uint64_t Identity(Object* object);
  // The owner's off-heap bytes changed by `delta`; its type must have off_heap_bytes, which must
  // already say the new figure. (no safepoint; the next poll may collect)
  void OffHeapChanged(Object* owner, int64_t delta);

  // --- Safepoints --------------------------------------------------------------------------------
  // Cheap (one load). Loops without allocation call it at least every 1,000 steps or 64 KiB.
  void Poll() {
    if (processor_->poll_requested() || poll_always_) [[unlikely]]
      PollSlow();
  }
  // Moves this thread to the P `id` (deterministic schedules): waits until it is idle.
  void MoveToProc(int id);

  // --- Borders -----------------------------------------------------------------------------------
  // Heights of the handle, pin and no-safepoint stacks; a protected border (pcall, a C++ catch)
  // saves them and restores them whatever happened between.
  struct Heights {
    size_t handles;
    size_t pins;
    uint32_t no_safepoint;
  };
  Heights SaveHeights() const { return {handle_count(), pins_.size(), no_safepoint_}; }
  void RestoreHeights(const Heights& heights);

 private:
  friend class BlockingRegion;
  friend class Collector;
  friend class HandleScope;
  friend class Heap;
  friend class NoSafepointScope;
  friend class RootSet;
  template <typename T>
  friend class Pin;

  // Memory for an object of `bytes` (multiple of 8), header not yet written.
  void* AllocateRaw(TypeId type, size_t bytes) {
    char* top = tlab_->top;
    if (static_cast<size_t>(tlab_->limit - top) >= bytes) [[likely]] {
      tlab_->StoreTop(top + bytes);
      tlab_->CountObject();
      return top;
    }
    return AllocateRawSlow(type, bytes);
  }
  void* AllocateRawSlow(TypeId type, size_t bytes);
  // False: no address of an object (the heap reserves below 2^47, and nothing at 0).
  static constexpr bool MayRefer(Word word) { return (word - kObjectAlignment) >> 47 == 0; }
  void LogSlot(Object* holder, Word* slot);
  void LogElement(SlotArray* array, uint64_t index);
  void LogSlow(Object* holder, Word* slot, LogState state);
  void PollSlow();
  void EnterBlocking();
  void LeaveBlocking();
  void BindTo(Processor* p);  // caches tlab_ and local_
  Word* NewHandleSlot(Word value) {
    if (handle_next_ == handle_end_) [[unlikely]]
      AddHandleSegment();
    *handle_next_ = value;
    return handle_next_++;
  }
  void AddHandleSegment();
  // Closes the slots from `next` on; `end` is the end of the segment it lies in.
  void PopHandles(Word* next, Word* end) {
    if (end != handle_end_) [[unlikely]]
      PopHandleSegments(end);
    NEAP_CHECK(next <= handle_next_, "H1: handle scopes close in reverse order");
    while (handle_next_ != next) *--handle_next_ = kClosedHandle;
  }
  void PopHandleSegments(const Word* end);
  size_t handle_count() const;

  Tlab* tlab_ = nullptr;            // of the P held; first, for the fast path (a Local)
  Processor* processor_ = nullptr;  // null inside a blocking region
  Local* local_ = nullptr;          // the collector's per-P state
  Heap& heap_;
  uint64_t allocated_before_ = 0;   // on Ps held before the present one
  uint64_t allocated_on_bind_ = 0;  // the present one's count when it was taken
  bool poll_always_ = false;        // stress-safepoint
  uint32_t no_safepoint_ = 0;       // depth of NoSafepointScopes

  // Handle slots, in segments whose addresses never change (LIFO).
  static constexpr size_t kHandleSegment = 256;
  std::vector<Word*> handle_segments_;
  size_t handle_segments_open_ = 0;  // the last of them holds the innermost slots
  Word* handle_next_ = nullptr;      // in that segment
  Word* handle_end_ = nullptr;
  std::vector<Object*> pins_;  // LIFO; the same object may stand here more than once
};

// The thread may block inside: it has given its P up. Rule M3.
class BlockingRegion {
 public:
  explicit BlockingRegion(Mutator& m) : mutator_(m) { mutator_.EnterBlocking(); }
  ~BlockingRegion() { mutator_.LeaveBlocking(); }
  BlockingRegion(const BlockingRegion&) = delete;
  BlockingRegion& operator=(const BlockingRegion&) = delete;

 private:
  Mutator& mutator_;
};

// Asserts that no safepoint is reached inside (checked in debug builds at every safepoint).
class NoSafepointScope {
 public:
  explicit NoSafepointScope(Mutator& m) : mutator_(m) { ++mutator_.no_safepoint_; }
  ~NoSafepointScope() { --mutator_.no_safepoint_; }
  NoSafepointScope(const NoSafepointScope&) = delete;
  NoSafepointScope& operator=(const NoSafepointScope&) = delete;

 private:
  Mutator& mutator_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_MUTATOR_H_
