// SPDX-License-Identifier: MIT
//
// The CPU limiter: how much of the CPU a tight memory limit may cost, and when to give up.
//
// A leaky bucket holds CPU nanoseconds: collection fills it, the program's own running drains it,
// one for one, so that in the long run collections get at most half of the CPU. Essay and
// invariants stand in cpu_limiter.cc. Times are inputs; nothing here reads a clock. Not thread
// safe: the collector calls it while the world is stopped.
//
//   limiter.AddMutatorTime(ns);                       // at a stop: since the last one, all Ps
//   if (!limiter.MayStart()) ...                      // a cycle wanted by the *limit* waits
//   limiter.EndCycle({.gc_ns = .., .heap_before_bytes = .., .freed_bytes = .., .limit_bound =
//   true}); if (limiter.out_of_memory()) ...                  // call the out-of-memory function
#ifndef NEAP_GC_CPU_LIMITER_H_
#define NEAP_GC_CPU_LIMITER_H_

#include <cstdint>

namespace neap::gc {

// Capacity of the bucket per P, CPU nanoseconds. Smaller: a short burst of collections is held back
// although the program would recover. Larger: thrashing goes on for longer before it is noticed.
inline constexpr uint64_t kLimiterCapacityPerProcNs = 1'000'000'000;

// Giving up: this many limit-bound cycles in a row that each freed less than this share of the
// heap. Fewer or more: gives up on a program in a bad moment. More or less: hours of thrashing.
inline constexpr uint32_t kFutileCycles = 3;
inline constexpr uint64_t kFutileFreedPercent = 5;

// One ended major cycle. Time with the world stopped counts for every P.
struct CycleCost {
  uint64_t gc_ns = 0;              // pause x Ps (+ concurrent work, later)
  uint64_t heap_before_bytes = 0;  // with off-heap bytes
  uint64_t freed_bytes = 0;        // with off-heap bytes
  bool limit_bound = false;        // the memory limit asked for it (clamp limit or live-floor)
};

class CpuLimiter {
 public:
  explicit CpuLimiter(int procs);

  // CPU time of the program itself since the last call: wall time x Ps that ran, pauses excluded.
  void AddMutatorTime(uint64_t ns);
  // Collection time outside major cycles: minor pauses x Ps.
  void AddMinorTime(uint64_t ns);
  void EndCycle(const CycleCost& cost);
  void SetProcs(int procs);

  // False: a cycle of the last one's cost would overfill the bucket. Only cycles that the memory
  // limit wants ask; forced ones and GOGC's go ahead.
  bool MayStart() const { return !engaged_; }
  bool engaged() const { return engaged_; }
  // True: engaged, and the last kFutileCycles cycles were limit-bound and freed next to nothing.
  bool out_of_memory() const { return engaged_ && futile_cycles_ >= kFutileCycles; }
  // Forgets the futile cycles: the out-of-memory function freed something, or the limit was raised.
  void ForgetFutileCycles() { futile_cycles_ = 0; }

  uint64_t fill_ns() const { return fill_ns_; }
  // The size of the bucket: a second per P, or one whole cycle where that is more.
  uint64_t capacity_ns() const;
  // Mutator CPU time that passed while engaged; Stats::limiter_ns.
  uint64_t engaged_ns() const { return engaged_ns_; }
  // How often it became engaged.
  uint64_t engagements() const { return engagements_; }

 private:
  void Fill(uint64_t ns);
  void Update();

  uint64_t procs_;
  uint64_t fill_ns_ = 0;
  uint64_t last_cycle_ns_ = 0;
  uint64_t engaged_ns_ = 0;
  uint64_t engagements_ = 0;
  uint32_t futile_cycles_ = 0;
  bool engaged_ = false;
};

}  // namespace neap::gc

#endif  // NEAP_GC_CPU_LIMITER_H_
