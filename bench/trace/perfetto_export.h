// SPDX-License-Identifier: MIT
//
// A run in the format of Perfetto (ui.perfetto.dev, trace_processor): protobuf track events.
//
// A heap is a process. Its tracks: "collections" with a slice per pause and its phases nested in it
// (a minor collection inside a major cycle has its own phases there), "pools" with an instant per
// pool and cycle, and counters: heap, goal, trigger, live, off-heap, nursery. Slices and instants
// carry every field of their event that is not 0 as a debug annotation: cause, the pacer's inputs,
// the clamp.
//
// Times are those of the trace, in ns of CLOCK_MONOTONIC.
#ifndef NEAP_BENCH_TRACE_PERFETTO_EXPORT_H_
#define NEAP_BENCH_TRACE_PERFETTO_EXPORT_H_

#include <string>

#include "trace_run.h"

namespace neap::trace {

// The bytes of the file; some 500 per collection.
std::string PerfettoTrace(const Run& run);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_PERFETTO_EXPORT_H_
