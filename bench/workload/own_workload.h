// SPDX-License-Identifier: MIT
//
// `neap lab FILE.lua`: a user's own workload in the lab's shape. Each of its storages runs in
// processes of its own; the tables set them side by side, say which frames held a collection, and
// how much of the mean and of the tail collections were.
#ifndef NEAP_BENCH_WORKLOAD_OWN_WORKLOAD_H_
#define NEAP_BENCH_WORKLOAD_OWN_WORKLOAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "lab.h"
#include "lab_main.h"
#include "workload.h"

namespace neap::workload {

struct OwnWorkload {
  std::string path;
  Knobs knobs;     // of the run, the script, the heap; "storage" runs only that one
  int repeat = 3;  // processes for each storage
};

// The experiment's rows, tables and plots. A storage whose checksum differs from the first one's
// is a strict failure: it does other work. Errors as of RunApart, before or between runs.
absl::StatusOr<lab::ExperimentResult> RunOwnWorkload(const lab::Settings& settings,
                                                     const OwnWorkload& workload);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_OWN_WORKLOAD_H_
