// SPDX-License-Identifier: MIT
#include "frame_loop.h"

#include "child_process.h"
#include "collection_log.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/os_memory.h"

namespace neap::workload {
absl::StatusOr<Run> RunFrames(gc::Heap& heap, const RunKnobs& knobs, const StepFunction& step) {
  Run run;
  run.frames.reserve(static_cast<size_t>(knobs.frames));
  lab::CollectionLog log(heap);
  gc::Stats before;
  uint64_t faults = 0;
  for (int64_t index = -knobs.warmup; index < knobs.frames; ++index) {
    if (index == 0) {
      before = heap.Snapshot();
      faults = OsMinorFaults();
    }
    log.set_frame(index);
    const uint64_t cpu_ns = ThreadCpuNanos(), start_ns = MonotonicNanos();
    const absl::StatusOr<double> sum = step(index);
    const uint64_t end_ns = MonotonicNanos(), end_cpu_ns = ThreadCpuNanos();
    log.Drain();
    if (!sum.ok()) return sum.status();
    if (index < 0) continue;
    run.checksum += *sum;
    run.frames.push_back({.wall_ns = end_ns - start_ns, .cpu_ns = end_cpu_ns - cpu_ns});
  }
  run.page_faults = OsMinorFaults() - faults;
  lab::TakeDifference(before, heap.Snapshot(), &run);
  run.longest_pause_cpu_ns = lab::AttributeCollections(log.minors(), log.majors(), &run.frames);
  run.peak_bytes = lab::OwnPeakBytes();
  return run;
}

}  // namespace neap::workload
