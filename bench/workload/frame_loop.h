// SPDX-License-Identifier: MIT
//
// Runs and times the frames of a workload on a managed heap, and puts every collection into the
// frame that it fell into. What happens between two frames (draining events) is not timed.
#ifndef NEAP_BENCH_WORKLOAD_FRAME_LOOP_H_
#define NEAP_BENCH_WORKLOAD_FRAME_LOOP_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "neap/gc/heap.h"
#include "workload.h"

namespace neap::workload {

// One frame; `index` counts from 0, negative in the warm-up. Its result is added to the checksum
// (measured frames only). An error ends the run.
using StepFunction = std::function<absl::StatusOr<double>(int64_t index)>;

// The calling thread is a mutator of `heap`.
absl::StatusOr<Run> RunFrames(gc::Heap& heap, const RunKnobs& knobs, const StepFunction& step);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_FRAME_LOOP_H_
