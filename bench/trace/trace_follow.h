// SPDX-License-Identifier: MIT
//
// A trace that is being written, shown while it grows. On a terminal the view is drawn again in
// place; elsewhere a line is added whenever something happened.
#ifndef NEAP_BENCH_TRACE_TRACE_FOLLOW_H_
#define NEAP_BENCH_TRACE_TRACE_FOLLOW_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <string>
#include <vector>

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

// The line about everything up to now. A look costs what has come since the last one: the longest
// hundredth of the pauses is kept apart, so that its shortest is at hand.
class LiveLine {
 public:
  // With a line feed. `run` is that of the look before, grown.
  std::string Next(const Run& run);

 private:
  void Add(uint64_t pause_ns);

  size_t minors_ = 0, majors_ = 0, pauses_ = 0;  // of the run, at the last look
  uint64_t longest_ns_ = 0;
  std::priority_queue<uint64_t> most_;  // of 100 pauses the 99 shortest; the longest is on top
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> rest_;  // shortest on top
};

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_FOLLOW_H_
