// SPDX-License-Identifier: MIT
//
// How many rows of a run have which verdict: the last line of the text, the head of the page, the
// exit status.
#ifndef NEAP_BENCH_LAB_VERDICT_COUNTS_H_
#define NEAP_BENCH_LAB_VERDICT_COUNTS_H_

#include <vector>

#include "lab.h"

namespace neap::lab {

struct VerdictCounts {
  int pass = 0;
  int fail = 0;
  int undecided = 0;
  int report = 0;
  int strict_failures = 0;  // of classes X and B (L2)

  void Add(const std::vector<Row>& rows);
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_VERDICT_COUNTS_H_
