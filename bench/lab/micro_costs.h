// SPDX-License-Identifier: MIT
//
// What the single steps of a bullet's life cost, each in a loop of its own.
#ifndef NEAP_BENCH_LAB_MICRO_COSTS_H_
#define NEAP_BENCH_LAB_MICRO_COSTS_H_

#include <cstdint>

#include "neap/gc/options.h"

namespace neap::lab {

// Nanoseconds of CPU a piece, the median over rounds.
struct MicroCosts {
  double allocate_ns = 0;   // a managed bullet that dies at once, its share of collections included
  double overwrite_ns = 0;  // the six fields of a bullet that exists (1,024 of them in turn)
  double list_pair_ns = 0;  // push and pop on a managed list of references, a thousand at a time
  double index_pair_ns = 0;   // the same on a vector of int32
  double malloc_pair_ns = 0;  // new and delete of 48 bytes
  double premium_ns() const { return allocate_ns - overwrite_ns; }
};
// `rounds` of about 5 ms a cost.
MicroCosts MeasureMicroCosts(const gc::Options& options, uint64_t rounds);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_MICRO_COSTS_H_
