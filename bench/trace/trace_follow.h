// SPDX-License-Identifier: MIT
//
// A trace that is being written, shown while it grows. On a terminal the view is drawn again in
// place; elsewhere a line is added whenever something happened.
#ifndef NEAP_BENCH_TRACE_TRACE_FOLLOW_H_
#define NEAP_BENCH_TRACE_TRACE_FOLLOW_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "trace_run.h"

namespace neap::trace {

struct FollowOptions {
  std::string path;
  std::FILE* out = stdout;
  bool is_terminal = false;
  uint64_t interval_ms = 500;  // between two looks at the file
};

// Returns when the trace's end line was read, or by a signal's default action. A file that became
// shorter is read anew: the program was started again. The error is of the file (trace_file.h).
absl::Status FollowTrace(const FollowOptions& options);

// The view: at most 24 lines of at most 100 columns. `window_ns`: "lately" is that long.
std::string LiveText(const Run& run, uint64_t window_ns);

// One line about everything up to now, with a line feed; the counts are those of the line before.
std::string LiveLine(const Run& run, size_t minors_before, size_t majors_before);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_FOLLOW_H_
