// SPDX-License-Identifier: MIT
#include "mmu.h"

#include <algorithm>

namespace neap::trace {

MutatorUtilization::MutatorUtilization(std::vector<Pause> pauses, uint64_t begin_ns,
                                       uint64_t end_ns)
    : begin_ns_(begin_ns), end_ns_(std::max(begin_ns, end_ns)) {
  std::sort(pauses.begin(), pauses.end(),
            [](const Pause& a, const Pause& b) { return a.start_ns < b.start_ns; });
  for (const Pause& pause : pauses) {
    const uint64_t start = std::clamp(pause.start_ns, begin_ns_, end_ns_);
    const uint64_t end = std::clamp(pause.end_ns(), begin_ns_, end_ns_);
    if (!pauses_.empty() && start <= pauses_.back().end_ns()) {
      Pause& last = pauses_.back();
      last.duration_ns = std::max(last.end_ns(), end) - last.start_ns;
    } else if (end > start) {
      pauses_.push_back({start, end - start});
    }
  }
  before_ns_.push_back(0);
  for (const Pause& pause : pauses_) before_ns_.push_back(before_ns_.back() + pause.duration_ns);
}

uint64_t MutatorUtilization::PausedUntil(uint64_t at_ns, size_t* hint) const {
  size_t& i = *hint;
  while (i < pauses_.size() && pauses_[i].end_ns() <= at_ns) ++i;
  if (i == pauses_.size() || pauses_[i].start_ns >= at_ns) return before_ns_[i];
  return before_ns_[i] + (at_ns - pauses_[i].start_ns);
}

MutatorUtilization::Window MutatorUtilization::Minimum(uint64_t window_ns) const {
  const uint64_t window = std::min(window_ns, end_ns_ - begin_ns_);
  if (window == 0 || pauses_.empty()) return {1, begin_ns_};
  const uint64_t last_start = end_ns_ - window;
  uint64_t most_paused = 0, worst_start = begin_ns_;
  size_t left = 0, right = 0;  // the starts ascend: two hints walk through the pauses once
  const auto look = [&](uint64_t start) {
    const uint64_t paused = PausedUntil(start + window, &right) - PausedUntil(start, &left);
    if (paused > most_paused) {
      most_paused = paused;
      worst_start = start;
    }
  };
  for (const Pause& pause : pauses_) look(std::min(pause.start_ns, last_start));
  look(last_start);
  return {1 - static_cast<double>(most_paused) / static_cast<double>(window), worst_start};
}

}  // namespace neap::trace
