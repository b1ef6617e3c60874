// SPDX-License-Identifier: MIT
//
// Go's GC CPU limiter (proposal 48409, runtime/mgclimit.go), changed for cycles that cannot be cut.
//
// A memory limit near the live size makes each cycle free little, so the next comes soon: a death
// spiral in which a program runs for hours at a few percent of its speed. The remedy is to let the
// soft limit be broken once collection has used half of the CPU. The measure is a leaky bucket:
//
//   capacity  +--------------+   fill += CPU time of collections   (a stop counts for every P)
//             |              |   fill -= CPU time of the program
//             |~~~~ fill ~~~~|   never under 0: quiet hours are not saved up for a storm
//           0 +--------------+
//
// Go refuses small slices of work (assists) while the bucket is full, and is open again the moment
// it is not. Here the thing to refuse is a whole cycle inside a pause. If "not quite full" let the
// next one start, a program would get a millisecond between two half-second pauses, and the cap
// would be a fiction. So a cycle may start when one of the last one's cost still fits:
//
//   engaged   <=>  fill + last cycle > capacity
//   capacity   =   max(1 s x Ps, last cycle)
//
// The second line is for cycles longer than the bucket: they start when the program has run for as
// long as the last one took. Cycles that nobody may refuse (forced ones, GOGC's, minors) fill the
// bucket too, but not beyond the capacity: they shall not be paid back for minutes.
//
// When no room can be won by waiting, waiting is cruel: a slow leak under a limit spends its last
// hours collecting (golang/go issue 58106 asks for a quick death instead). If the limiter is
// engaged and the last three cycles were asked for by the limit and freed less than 5 % each, it
// reports out of memory, and the program's own function may act.
//
// Invariants:
//   U1  0 <= fill <= capacity.
//   U2  Of cycles that asked MayStart first and of like cost, the sum over any stretch of time is
//   at
//       most the mutator time of that stretch + capacity. (Half of the CPU in the long run.)
//   U3  Engaged ends by mutator time alone, after at most `capacity` of it; no cycle is needed.
//   U4  Out of memory is reported only while engaged; one cycle that frees enough, or that the
//   limit
//       did not ask for, starts the count anew.
#include "cpu_limiter.h"

#include <algorithm>

namespace neap::gc {
namespace {

bool IsFutile(const CycleCost& cost) {
  if (!cost.limit_bound) return false;
  return cost.freed_bytes < cost.heap_before_bytes / 100 * kFutileFreedPercent;
}

}  // namespace

CpuLimiter::CpuLimiter(int procs) : procs_(static_cast<uint64_t>(std::max(procs, 1))) {}

uint64_t CpuLimiter::capacity_ns() const {
  return std::max(procs_ * kLimiterCapacityPerProcNs, last_cycle_ns_);
}

void CpuLimiter::AddMutatorTime(uint64_t ns) {
  // Of `ns`, the part that has to pass before the limiter lets go was spent engaged.
  if (engaged_) engaged_ns_ += std::min(ns, fill_ns_ + last_cycle_ns_ - capacity_ns());
  fill_ns_ -= std::min(ns, fill_ns_);
  Update();
}

void CpuLimiter::AddMinorTime(uint64_t ns) {
  Fill(ns);
  Update();
}

void CpuLimiter::EndCycle(const CycleCost& cost) {
  last_cycle_ns_ = cost.gc_ns;
  futile_cycles_ = IsFutile(cost) ? futile_cycles_ + 1 : 0;
  Fill(cost.gc_ns);
  Update();
}

void CpuLimiter::SetProcs(int procs) {
  procs_ = static_cast<uint64_t>(std::max(procs, 1));
  Fill(0);
  Update();
}

void CpuLimiter::Fill(uint64_t ns) {
  const uint64_t capacity = capacity_ns();
  fill_ns_ = std::min(fill_ns_, capacity);  // U1, when the capacity shrank
  fill_ns_ += std::min(ns, capacity - fill_ns_);
}

void CpuLimiter::Update() {
  const bool engaged = fill_ns_ + last_cycle_ns_ > capacity_ns();
  if (engaged && !engaged_) ++engagements_;
  engaged_ = engaged;
}

}  // namespace neap::gc
