// SPDX-License-Identifier: MIT
//
// The pacer: from what the last major cycle measured to the heap size at which the next one starts.
// Arithmetic only: no clock, no pointer into the heap, no atomics, no state. The essay with the
// formulas and the invariants stands in pacer.cc.
//
//   PacerDecision next = Pace(inputs);           // at the end of a major, and when a knob turns
//   if (counter_bytes >= next.runway_bytes) ...  // start a major cycle, cause PacerCause(next)
//
// Not for the nursery (nursery_sizer.h) and not for CPU time (cpu_limiter.h).
#ifndef NEAP_GC_PACER_H_
#define NEAP_GC_PACER_H_

#include <cstdint>

#include "neap/gc/event.h"
#include "neap/gc/options.h"

namespace neap::gc {

// The least distance from the live size to the goal, in bytes. It bounds the number of cycles when
// neither GOGC nor the limit leaves room. Smaller: a major at almost every minor when the limit is
// under the live size. Larger: a tight limit is overshot by that much.
inline constexpr uint64_t kMinRunwayBytes = 64 << 10;

// Headroom under the memory limit, for what is mapped between two decisions (a refilled nursery, a
// partly used block): 3 % of the limit, at least 1 MiB. Smaller: the limit is overshot by ordinary
// fluctuation. Larger: memory that was paid for stays unused.
inline constexpr uint64_t kLimitHeadroomPercent = 3;
inline constexpr uint64_t kLimitHeadroomMinBytes = 1 << 20;

// X(name, "text"): which rule decided the goal.
#define NEAP_PACER_CLAMPS(X)                                                                    \
  X(kGogc, "gogc")            /* live size and GOGC alone */                                    \
  X(kMinHeap, "min-heap")     /* the minimum heap was more than GOGC's share */                 \
  X(kLimit, "limit")          /* the memory limit was lower than GOGC's goal */                 \
  X(kLiveFloor, "live-floor") /* the goal would be under live + kMinRunwayBytes, and is that */ \
  X(kOff, "off")              /* no GOGC and no limit: nothing paces */

enum class PacerClamp : uint64_t {
#define NEAP_DECLARE_CLAMP(name, text) name,
  NEAP_PACER_CLAMPS(NEAP_DECLARE_CLAMP)
#undef NEAP_DECLARE_CLAMP
};
const char* PacerClampName(PacerClamp clamp);

// All figures are of the end of the last major cycle (zero before the first), except the knobs,
// which are the present ones. A default-constructed value is what a new heap starts with.
struct PacerInputs {
  uint64_t marked_bytes = 0;    // live after marking: old and large objects, headers included
  uint64_t off_heap_bytes = 0;  // registered native bytes of those live objects
  uint64_t root_bytes = 0;      // scanned roots: handles, stacks, providers
  // What the heap holds from the OS (released pages not counted): nursery, metadata, blocks. Only
  // the memory limit looks at these three.
  uint64_t mapped_bytes = 0;
  uint64_t free_block_bytes = 0;  // of mapped: empty blocks; growth is served from them first
  uint64_t heap_bytes = 0;        // of mapped: cells of old and large objects, dead ones included
  uint64_t gogc = 100;            // percent; Options::kGogcOff: only the limit paces
  uint64_t memory_limit_bytes = Options::kNoLimit;
  uint64_t min_heap_bytes = 4 << 20;  // at gogc=100; scales with gogc
};

// Sizes count marked + off-heap bytes; UINT64_MAX means "never".
struct PacerDecision {
  uint64_t goal_bytes = 0;     // P1: never under marked + off-heap + kMinRunwayBytes
  uint64_t trigger_bytes = 0;  // P2: the size at which the cycle starts; == goal while marking
                               // stops the world
  // P3: trigger - (marked + off-heap): a cycle starts when the counter (bytes promoted + allocated
  // directly old + off-heap bytes whose owner became old; with nursery=off all bytes) reaches it.
  uint64_t runway_bytes = 0;
  PacerClamp clamp = PacerClamp::kGogc;
  // True: the memory limit was the lower of the two goals (clamp limit, or live-floor because of
  // it). Only such cycles ask the CPU limiter.
  bool limit_bound = false;
  // True: live size + overhead exceed the limit; no collection can meet it (P5).
  bool limit_unreachable = false;
  // By how much the process is over the limit now: give back so many empty blocks, at once or as
  // sweeping finds them. 0 without a limit.
  uint64_t return_bytes = 0;
};

PacerDecision Pace(const PacerInputs& inputs);

// What a cycle that starts at this decision's trigger is called in the trace.
Cause PacerCause(const PacerDecision& decision);

}  // namespace neap::gc

#endif  // NEAP_GC_PACER_H_
