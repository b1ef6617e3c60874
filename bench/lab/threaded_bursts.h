// SPDX-License-Identifier: MIT
//
// Bursts by 64 real threads, for what virtual workers cannot show: how the operating system spreads
// threads over Ps. Free-running threads have no total order, so no oracle can replay them; what is
// checked is conservation: nobody gets what another holds, what nobody made, or what is older than
// one collection.
#ifndef NEAP_BENCH_LAB_THREADED_BURSTS_H_
#define NEAP_BENCH_LAB_THREADED_BURSTS_H_

#include <cstdint>

#include "neap/gc/options.h"

namespace neap::lab {

struct ThreadedCounts {
  uint64_t misses = 0;
  uint64_t violations = 0;
};

// `bursts` bursts of 64 threads on a pool with sync.Pool's rules, one forced collection before
// each; the first burst, which fills the pool, is not counted.
ThreadedCounts RunThreadedBursts(const gc::Options& options, uint64_t bursts);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_THREADED_BURSTS_H_
