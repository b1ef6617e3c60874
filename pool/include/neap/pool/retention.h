// SPDX-License-Identifier: MIT
//
// How long a pool keeps what nobody takes out of it. Applied by the cleanup hook at the start of
// every major cycle (never at minor collections), with the world stopped.
//
//   Flush()      everything goes at the next major cycle (sync.Pool before Go 1.13)
//   Victim(k)    survives k cycles, goes in the one after; Victim(1) is sync.Pool since Go 1.13
//   Time(ttl)    is not evicted within `ttl` of its Put; goes at the first cycle after that
//   Bytes(n)     stays as long as the pool's items together are at most n bytes
//
// Nothing is evicted between major cycles: a heap that does not collect keeps its pools.
#ifndef NEAP_POOL_RETENTION_H_
#define NEAP_POOL_RETENTION_H_

#include <cstdint>

namespace neap::pool {

struct Retention {
  enum class Kind : uint8_t { kFlush, kVictim, kTime, kBytes };
  // Victim generations a pool can hold. More would make an item live longer, not better, and every
  // Get that misses searches them all.
  static constexpr uint32_t kMaxGenerations = 8;

  Kind kind = Kind::kVictim;
  uint32_t generations = 1;  // kVictim: 1..kMaxGenerations
  uint64_t ttl = 0;          // kTime: in the unit of the heap's clock (ns, or ticks of one byte)
  uint64_t bytes = 0;        // kBytes: the budget; a Put that would exceed it is refused

  static constexpr Retention Flush() { return {.kind = Kind::kFlush, .generations = 0}; }
  static constexpr Retention Victim(uint32_t generations) {
    return {.kind = Kind::kVictim, .generations = generations};
  }
  static constexpr Retention Time(uint64_t ttl) { return {.kind = Kind::kTime, .ttl = ttl}; }
  static constexpr Retention Bytes(uint64_t bytes) {
    return {.kind = Kind::kBytes, .bytes = bytes};
  }
};

}  // namespace neap::pool

#endif  // NEAP_POOL_RETENTION_H_
