// SPDX-License-Identifier: MIT
//
// Minimum mutator utilization: over all windows of a given length inside the run, the smallest
// share that the program had for itself. A pause of 3 ms makes it 0 for windows up to 3 ms; many
// short pauses close together pull it down for long windows, which no percentile of pauses shows.
// (P. Cheng, G. Blelloch, "A Parallel, Real-Time Garbage Collector", PLDI 2001.)
//
// The figure is exact, because only windows that begin with a pause need to be looked at, and the
// last one of the run. A window that begins between two pauses can be moved later to the next one
// without losing paused time, and one that begins inside a pause earlier to its start: what comes
// in on one side is at least what goes out on the other.
//
// It is of the time that the whole program stood still; concurrent work of a collector that takes
// processor time away is not in it (Go's tools can count that too, and then say less).
#ifndef NEAP_BENCH_TRACE_MMU_H_
#define NEAP_BENCH_TRACE_MMU_H_

#include <cstdint>
#include <vector>

#include "trace_run.h"

namespace neap::trace {

class MutatorUtilization {
 public:
  // `pauses` in any order; those that overlap (several heaps) count once. The run is from begin_ns
  // to end_ns; what lies outside is cut off.
  MutatorUtilization(std::vector<Pause> pauses, uint64_t begin_ns, uint64_t end_ns);

  struct Window {
    double utilization = 1;  // 0 to 1
    uint64_t start_ns = 0;   // of the worst window (the first of equals)
  };
  // O(number of pauses). A window longer than the run counts as the run. window_ns above 0.
  Window Minimum(uint64_t window_ns) const;

  uint64_t paused_ns() const { return before_ns_.back(); }
  // Disjoint, ascending.
  const std::vector<Pause>& pauses() const { return pauses_; }

 private:
  // Paused time between begin_ns_ and `at_ns`. `*hint`: index of a pause; moves monotonously when
  // at_ns does.
  uint64_t PausedUntil(uint64_t at_ns, size_t* hint) const;

  uint64_t begin_ns_, end_ns_;
  std::vector<Pause> pauses_;
  std::vector<uint64_t> before_ns_;  // [i]: paused time before pause i; one more than pauses
};

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_MMU_H_
