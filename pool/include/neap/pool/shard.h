// SPDX-License-Identifier: MIT
//
// The part of a pool that belongs to one P. Visible because the fast path is inlined into callers;
// private by promise (namespace internal): use neap/pool/pool.h.
//
//   byte    0        8        16       24       32       40     44
//   line 0  +--------+--------+--------+--------+--------+------+---------------+
//           | private| aged   | private| private| chaos  |listed| unused        |
//           |        |        | hits   | puts   | draws  |      |               |
//           +--------+--------+--------+--------+--------+------+---------------+
//   line 1  +--------+--------+--------+--------+--------+--------+--------+-----+
//           | newest | oldest | last   | shared | shared | steals | victim |miss-|
//           | ring   | ring   | created| puts   | hits   |        | hits   |es   |
//           +--------+--------+--------+--------+--------+--------+--------+-----+
//
// Thieves read line 1 and never line 0, so they do not disturb the owner's fast path. 128 bytes:
// the adjacent-line prefetcher must not couple two Ps either.
//
// The private slot is a state machine in one word:
//
//   0         empty, and the shard is not on its P's touched list
//   1         empty, listed (or lists are not used: plain values, nursery off)
//   otherwise an item, and the shard is listed (or lists are not used)
//
// so that Put needs one comparison to learn both "free" and "the next minor collection will look
// here". An item that has become old is moved to `aged` by a minor collection; it is the private
// item then, and the slow path takes it.
#ifndef NEAP_POOL_SHARD_H_
#define NEAP_POOL_SHARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "neap/gc/object.h"

namespace neap::pool::internal {

using gc::Word;

inline constexpr Word kEmptyUnlisted = 0;
inline constexpr Word kEmptyListed = 1;
inline constexpr bool IsItem(Word word) { return word > kEmptyListed; }

// A counter with one writer at a time (the holder of the P) and any number of readers.
class Counter {
 public:
  void Add(uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  void Reset() { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

template <typename Steps>
class BasicRing;

// The ends of a chain of rings (pool/chain.h, which has the rules).
template <typename Steps>
struct BasicChainEnds {
  std::atomic<BasicRing<Steps>*> newest{nullptr};  // owner writes
  std::atomic<BasicRing<Steps>*> oldest{nullptr};  // thieves move it forward by CAS
  BasicRing<Steps>* last_created = nullptr;        // owner; head of the list of all rings made
};

// What production code plugs in where tests step (pool/ring.h).
struct NoSteps {
  static void Step() {}
};

struct alignas(128) Shard {
  // Line 0: the holder of the P, or the collector while the world is stopped. In victims (default
  // mode) and in shards of retired Ps any thread, by CAS.
  std::atomic<Word> private_item{kEmptyUnlisted};
  std::atomic<Word> aged_item{0};
  Counter private_hits;
  Counter private_puts;
  uint64_t chaos_draws = 0;
  bool listed = false;  // on its P's touched list; holder, or while stopped

  // Line 1: the queue. Counters: holder of the P only.
  alignas(64) BasicChainEnds<NoSteps> chain;
  Counter shared_puts;
  Counter shared_hits;
  Counter steals;
  Counter victim_hits;
  Counter misses;
};
static_assert(sizeof(Shard) == 128, "one shard is one pair of cache lines");
static_assert(offsetof(Shard, chain) == 64, "thieves stay off the owner's line");

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_SHARD_H_
