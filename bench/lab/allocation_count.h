// SPDX-License-Identifier: MIT
//
// What an operation allocates, by an allocation profile of it: nothing is estimated.
#ifndef NEAP_BENCH_LAB_ALLOCATION_COUNT_H_
#define NEAP_BENCH_LAB_ALLOCATION_COUNT_H_

#include "lab_heap.h"
#include "neap/gc/allocation_profiler.h"

namespace neap::lab {

struct PerOperation {
  double allocations = 0;
  double bytes = 0;    // headers included
  double payload = 0;  // without headers
};

// `operation` is run `times` times with every allocation noted. `m` is the only mutator.
template <typename Operation>
PerOperation CountAllocations(gc::Mutator& m, int times, Operation operation) {
  const gc::AllocationProfiler profiler(m, {});
  for (int i = 0; i < times; ++i) operation();
  PerOperation per;
  for (const gc::AllocationRecord& record : profiler.Read()) {
    per.allocations += record.allocated.objects / times;
    per.bytes += record.allocated.bytes / times;
  }
  per.payload = per.bytes - per.allocations * gc::kHeaderBytes;
  return per;
}

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_ALLOCATION_COUNT_H_
