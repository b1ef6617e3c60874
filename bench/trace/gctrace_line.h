// SPDX-License-Identifier: MIT
//
// A line that Go's runtime prints for each collection with GODEBUG=gctrace=1 (documented in the
// package comment of Go's runtime, "Environment Variables"):
//
//   gc 7 @0.512s 3%: 0.031+4.2+0.018 ms clock, 0.062+0.1/8.5/0+0.036 ms cpu, 8->9->5 MB,
//   8 MB goal, 3 MB stacks, 0 MB globals, 2 P (forced)                         (one line)
//
// The first and the third clock are pauses (sweep termination, mark termination); the second is
// concurrent marking. "stacks" and "globals" came with Go 1.18 and may be missing.
#ifndef NEAP_BENCH_TRACE_GCTRACE_LINE_H_
#define NEAP_BENCH_TRACE_GCTRACE_LINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace neap::trace {

struct GctraceLine {
  uint64_t number = 0;
  uint64_t start_ns = 0;     // since the start of the program; whole ms
  uint64_t cpu_percent = 0;  // of the program's time since its start
  uint64_t clock_ns[3] = {};
  uint64_t cpu_ns[5] = {};   // sweep termination; assist, background, idle; mark termination
  uint64_t heap_mb[3] = {};  // at the start, at the end, live
  uint64_t goal_mb = 0;
  uint64_t procs = 0;
  bool is_forced = false;
};

// The line may stand behind other text (a time stamp of a log). Nothing: it is no such line.
std::optional<GctraceLine> ParseGctraceLine(std::string_view line);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_GCTRACE_LINE_H_
