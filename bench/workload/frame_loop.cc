// SPDX-License-Identifier: MIT
#include "frame_loop.h"

#include "child_process.h"
#include "collection_log.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/os_memory.h"

namespace neap::workload {
namespace {

void TakeDifference(const gc::Stats& before, const gc::Stats& after, Run* run) {
  run->alloc_bytes = after.alloc_bytes - before.alloc_bytes;
  run->alloc_objects = after.alloc_objects - before.alloc_objects;
  run->minors = after.minors - before.minors;
  run->majors = after.majors - before.majors;
  run->gc_cpu_ns = after.gc_cpu_ns - before.gc_cpu_ns;
  run->copied_bytes = after.copied_bytes - before.copied_bytes;
  run->promoted_bytes = after.promoted_bytes - before.promoted_bytes;
  run->in_place_bytes = after.in_place_bytes - before.in_place_bytes;
}

}  // namespace

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
  TakeDifference(before, heap.Snapshot(), &run);
  run.longest_pause_cpu_ns = lab::AttributeCollections(log.minors(), log.majors(), &run.frames);
  run.peak_bytes = lab::OwnPeakBytes();
  return run;
}

}  // namespace neap::workload
