// SPDX-License-Identifier: MIT
//
// A workload with one knob: the share of a nursery that is alive when it is collected. Objects are
// allocated at full speed; a share of them stands in a list until the next minor collection and is
// dropped right after it, so each survivor is copied exactly once and never promoted.
#ifndef NEAP_BENCH_LAB_SURVIVAL_RUN_H_
#define NEAP_BENCH_LAB_SURVIVAL_RUN_H_

#include <cstdint>
#include <vector>

#include "collection_log.h"
#include "neap/gc/options.h"

namespace neap::lab {

struct SurvivalRun {
  double copied_bytes = 0;  // median over the minors, copied and promoted
  double pause_ns = 0;      // median CPU of a minor
  double eden_bytes = 0;    // median consumed between two
};
// Keeps `eighths` of 8 objects (0: all die) through `minors` minor collections. The first two are
// not counted: they meet the list itself while it is young.
SurvivalRun RunSurvival(const gc::Options& options, uint32_t eighths, uint64_t minors);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_SURVIVAL_RUN_H_
