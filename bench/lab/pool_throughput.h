// SPDX-License-Identifier: MIT
//
// The three loops of source G, each in a process of its own (cell "pool-throughput"): a 4 KiB
// buffer per operation that escapes through a global.
//
//   no-pool   allocated each time
//   pool      from a pool and back
//   under-gc  the same while another thread forces a collection each millisecond
#ifndef NEAP_BENCH_LAB_POOL_THROUGHPUT_H_
#define NEAP_BENCH_LAB_POOL_THROUGHPUT_H_

#include <cstdint>
#include <limits>
#include <string>

#include "lab.h"

namespace neap::lab {

// Medians over the repetitions of one cell. A cell that failed leaves NaN, which meets no
// criterion.
struct Throughput {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  uint64_t iterations = 0;  // of one repetition
  double ns_per_op = kUnknown;
  double spread = kUnknown;          // of ns_per_op: (longest - shortest) / median
  double control_spread = kUnknown;  // of an arithmetic loop timed between the repetitions
  double object_bytes = kUnknown;    // one buffer, header included
  double bytes_per_op = kUnknown;    // over all repetitions, the first operation left out
  double allocs_per_op = kUnknown;
  double misses = kUnknown;      // calls of New over all repetitions
  double collections = 0;        // forced, over all repetitions
  double operations = kUnknown;  // over all repetitions
};

// Runs the cell once per process and mode and remembers the result: G4 and G5 talk about the same
// measurement.
const Throughput& MeasureThroughput(const Lab& lab, const std::string& loop,
                                    const gc::Options& options);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_POOL_THROUGHPUT_H_
