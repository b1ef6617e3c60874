// SPDX-License-Identifier: MIT
//
// A queue without a bound: rings that double in size, linked from the oldest to the newest (source:
// poolChain in Go's sync/poolqueue.go).
//
//     oldest                                       newest
//       |                                            |
//       v         next           next                v
//     [ 8 ] ----------> [ 16 ] ----------> [ 32 ]           thieves pop at the oldest's tail,
//           <----------        <----------                  the owner pushes and pops at the
//              prev               prev                      newest's head
//
// Invariants:
//   N1  The owner pushes only into the newest ring. When a push fails a ring of twice the size is
//       linked (also when the failure was spurious); above 2^30 slots the size stays.
//   N2  `next` goes from null to a ring once. A ring whose `next` was already set when a PopTail on
//       it found nothing is empty for good, and `oldest` may move past it.
//   N3  `prev` goes from a ring to null once, when the ring behind it has been unlinked.
//   N4  The chain never shrinks. Rings, unlinked ones too (a thief may still look at one), are
//   freed
//       together when the shard is emptied, which happens when nobody can be inside an operation.
//
// Order: what the owner takes is the newest of all items, what a thief takes the oldest, as in one
// double-ended queue.
#ifndef NEAP_POOL_CHAIN_H_
#define NEAP_POOL_CHAIN_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "neap/pool/shard.h"
#include "ring.h"

namespace neap::pool::internal {

// Slots of the first ring. Fewer: more links for a small pool; more: memory for every P of every
// pool that ever holds two items. sync.Pool's value, which its users' growth patterns expect.
inline constexpr uint32_t kFirstRingSlots = 8;

// A view: the ends live in the shard.
template <typename Steps>
class BasicChain {
 public:
  using Ring = BasicRing<Steps>;
  explicit BasicChain(BasicChainEnds<Steps>& ends) : ends_(ends) {}

  // Owner only. False when there is no memory for a new ring.
  bool PushHead(Word item) {
    Ring* newest = ends_.newest.load(std::memory_order_relaxed);
    if (newest == nullptr) {
      newest = Add(kFirstRingSlots);
      if (newest == nullptr) return false;
      ends_.newest.store(newest, std::memory_order_relaxed);
      Steps::Step();
      ends_.oldest.store(newest, std::memory_order_release);
    }
    Steps::Step();
    if (newest->PushHead(item)) return true;
    Ring* larger = Add(std::min(newest->size(), kMaxRingSlots / 2) * 2);
    if (larger == nullptr) return false;
    larger->prev.store(newest, std::memory_order_relaxed);
    ends_.newest.store(larger, std::memory_order_relaxed);
    Steps::Step();
    newest->next.store(larger, std::memory_order_release);
    Steps::Step();
    return larger->PushHead(item);
  }

  // Owner only. The newest item, or 0.
  Word PopHead() {
    Ring* ring = ends_.newest.load(std::memory_order_relaxed);
    while (ring != nullptr) {
      const Word item = ring->PopHead();
      if (item != 0) return item;
      Steps::Step();
      // There may still be items in older rings.
      ring = ring->prev.load(std::memory_order_acquire);
    }
    return 0;
  }

  // Any thread. The oldest item, or 0.
  Word PopTail() {
    Ring* ring = ends_.oldest.load(std::memory_order_acquire);
    if (ring == nullptr) return 0;
    while (true) {
      // N2: read next before the pop.
      Steps::Step();
      Ring* next = ring->next.load(std::memory_order_acquire);
      Steps::Step();
      const Word item = ring->PopTail();
      if (item != 0) return item;
      if (next == nullptr) return 0;
      Steps::Step();
      Ring* expected = ring;
      if (ends_.oldest.compare_exchange_strong(expected, next, std::memory_order_acq_rel)) {
        Steps::Step();
        next->prev.store(nullptr, std::memory_order_release);  // N3
      }
      ring = next;
    }
  }

  // Items at some moment.
  uint64_t count() const {
    uint64_t items = 0;
    for (Ring* ring = ends_.last_created; ring != nullptr; ring = ring->created_before) {
      items += ring->count();
    }
    return items;
  }
  // --- While stopped, or by the only user --------------------------------------------------------
  template <typename Visit>
  void ForEachRing(Visit visit) {
    for (Ring* ring = ends_.last_created; ring != nullptr; ring = ring->created_before) {
      visit(*ring);
    }
  }
  // Forgets all items and frees the rings (N4).
  void Clear() {
    Ring* ring = ends_.last_created;
    while (ring != nullptr) {
      Ring* before = ring->created_before;
      Ring::Free(ring);
      ring = before;
    }
    ends_.newest.store(nullptr, std::memory_order_relaxed);
    ends_.oldest.store(nullptr, std::memory_order_relaxed);
    ends_.last_created = nullptr;
  }

 private:
  Ring* Add(uint32_t slots) {
    Ring* ring = Ring::Create(slots);
    if (ring == nullptr) return nullptr;
    ring->created_before = ends_.last_created;
    ends_.last_created = ring;
    return ring;
  }

  BasicChainEnds<Steps>& ends_;
};

using Chain = BasicChain<NoSteps>;

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_CHAIN_H_
