// SPDX-License-Identifier: MIT
//
// A ring of words with one producer and many consumers: the queue that sync.Pool calls poolDequeue
// (source: Go's sync/poolqueue.go; same protocol, one word per slot instead of two).
//
// The owner pushes and pops at the head (newest first), anybody pops at the tail (oldest first).
//
//     position   0 . . . tail . . . . . head . . . . 2^32     slot = position mod size
//                        |<- items ->|
//
//     head_tail_   63        32 31         0
//                 +------------+------------+
//                 |    head    |    tail    |     both count mod 2^32; full: head - tail == size
//                 +------------+------------+
//
// The head is in the upper half so that adding 1 << 32 cannot carry into the tail. A ring has at
// most 2^30 slots, so that a full ring and an empty one differ by far.
//
// Invariants:
//   Q1  A position in [tail, head) is an item that the ring owns. Whoever moves the tail over it,
//   or
//       the head back over it, by a successful compare-exchange owns it, and nobody else does.
//   Q2  A slot outside [tail, head) is 0, or belongs to a consumer that has moved the tail over it
//       and has not stored 0 yet. The 0 hands the slot back to the producer. So a push that meets a
//       non-zero slot fails although the counters show room (a spurious "full").
//   Q3  The ring keeps no word that was popped.
//   Q4  low_water is not above any position that was pushed since it was last set to the head.
//
// `Steps::Step()` stands between any two accesses that other threads can see; tests use it to walk
// through all interleavings (of sequentially consistent steps: memory orders are TSan's job). In
// production it is empty.
#ifndef NEAP_POOL_RING_H_
#define NEAP_POOL_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "neap/gc/object.h"
#include "neap/pool/shard.h"
#include "neap/runtime/check.h"

namespace neap::pool::internal {

inline constexpr uint32_t kMaxRingSlots = uint32_t{1} << 30;

template <typename Steps>
class BasicRing {
 public:
  // `slots` is a power of two, at most kMaxRingSlots. Null when there is no memory.
  static BasicRing* Create(uint32_t slots) {
    NEAP_CHECK(slots != 0 && (slots & (slots - 1)) == 0 && slots <= kMaxRingSlots,
               "Q1: a ring has a power of two of slots, at most 2^30", "slots=%u", slots);
    void* memory = ::operator new (sizeof(BasicRing) + slots * sizeof(std::atomic<Word>),
                                   std::align_val_t{alignof(BasicRing)}, std::nothrow);
    return memory == nullptr ? nullptr : new (memory) BasicRing(slots);
  }
  static void Free(BasicRing* ring) {
    ring->~BasicRing();
    ::operator delete (ring, std::align_val_t{alignof(BasicRing)});
  }

  // Owner only. False: full, or the slot is still being emptied by a consumer (Q2).
  bool PushHead(Word item) {
    const uint64_t both = head_tail_.load(std::memory_order_acquire);
    const uint32_t head = HeadOf(both);
    if (TailOf(both) + size() == head) return false;
    std::atomic<Word>& slot = At(head);
    Steps::Step();
    // Acquire: the consumer's read of the slot comes before our write to it.
    if (slot.load(std::memory_order_acquire) != 0) return false;
    Steps::Step();
    slot.store(item, std::memory_order_relaxed);
    Steps::Step();
    // Release: whoever sees the new head sees the item.
    head_tail_.fetch_add(kOneHead, std::memory_order_release);
    return true;
  }

  // Owner only. The newest item, or 0.
  Word PopHead() {
    uint64_t both = head_tail_.load(std::memory_order_acquire);
    uint32_t head;
    do {
      head = HeadOf(both);
      if (TailOf(both) == head) return 0;
      --head;
      Steps::Step();
    } while (!head_tail_.compare_exchange_weak(
        both, Pack(head, TailOf(both)), std::memory_order_acq_rel, std::memory_order_acquire));
    if (static_cast<int32_t>(low_water_ - head) > 0) low_water_ = head;
    Steps::Step();
    // No race: the slot is ours by Q1, and only we push.
    const Word item = At(head).load(std::memory_order_relaxed);
    At(head).store(0, std::memory_order_relaxed);
    return item;
  }

  // Any thread. The oldest item, or 0.
  Word PopTail() {
    uint64_t both = head_tail_.load(std::memory_order_acquire);
    uint32_t tail;
    do {
      tail = TailOf(both);
      if (tail == HeadOf(both)) return 0;
      Steps::Step();
    } while (!head_tail_.compare_exchange_weak(
        both, Pack(HeadOf(both), tail + 1), std::memory_order_acq_rel, std::memory_order_acquire));
    Steps::Step();
    const Word item = At(tail).load(std::memory_order_relaxed);
    Steps::Step();
    At(tail).store(0, std::memory_order_release);  // Q2: hands the slot back
    return item;
  }

  uint32_t size() const { return mask_ + 1; }
  // Items at some moment; exact for the owner when nobody steals.
  uint32_t count() const {
    const uint64_t both = head_tail_.load(std::memory_order_relaxed);
    return HeadOf(both) - TailOf(both);
  }

  // --- While stopped, or by the only user --------------------------------------------------------
  uint32_t head() const { return HeadOf(head_tail_.load(std::memory_order_relaxed)); }
  uint32_t tail() const { return TailOf(head_tail_.load(std::memory_order_relaxed)); }
  // The lowest position that may have been pushed since the mark was set (Q4); not below the tail.
  uint32_t low_water() const {
    return static_cast<int32_t>(tail() - low_water_) > 0 ? tail() : low_water_;
  }
  void set_low_water(uint32_t position) { low_water_ = position; }
  Word* slot(uint32_t position) { return reinterpret_cast<Word*>(&At(position)); }
  // Calls visit(first, count) for the slots of [from, head), in at most two runs.
  template <typename Visit>
  void VisitFrom(uint32_t from, Visit visit) {
    const uint32_t total = head() - from;
    if (total == 0) return;
    const uint32_t until_wrap = size() - (from & mask_);
    const uint32_t first = total < until_wrap ? total : until_wrap;
    visit(slot(from), first);
    if (total > first) visit(slot(from + first), total - first);
  }
  // Puts an empty ring at `position`, to meet the wrap of the counters.
  void SetPositionForTesting(uint32_t position) {
    head_tail_.store(Pack(position, position), std::memory_order_relaxed);
    low_water_ = position;
  }

  // Links of the chain (pool/chain.h).
  std::atomic<BasicRing*> next{nullptr};  // towards the newest; null -> ring once, by the owner
  std::atomic<BasicRing*> prev{nullptr};  // towards the oldest; ring -> null once, by a thief
  BasicRing* created_before = nullptr;    // every ring of the chain, for visiting and freeing

 private:
  static_assert(sizeof(std::atomic<Word>) == sizeof(Word) &&
                std::atomic<Word>::is_always_lock_free);
  static constexpr uint64_t kOneHead = uint64_t{1} << 32;

  explicit BasicRing(uint32_t slots) : mask_(slots - 1) {
    for (uint32_t i = 0; i < slots; ++i) new (&At(i)) std::atomic<Word>(0);
  }
  static uint32_t HeadOf(uint64_t both) { return static_cast<uint32_t>(both >> 32); }
  static uint32_t TailOf(uint64_t both) { return static_cast<uint32_t>(both); }
  static uint64_t Pack(uint32_t head, uint32_t tail) { return uint64_t{head} << 32 | tail; }
  std::atomic<Word>& At(uint32_t position) {
    return reinterpret_cast<std::atomic<Word>*>(this + 1)[position & mask_];
  }

  std::atomic<uint64_t> head_tail_{0};
  const uint32_t mask_;
  uint32_t low_water_ = 0;  // owner, or while stopped
};

using Ring = BasicRing<NoSteps>;

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_RING_H_
