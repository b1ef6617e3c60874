// SPDX-License-Identifier: MIT
//
// The figures of a run, computed once and shown in many ways: text, JSON, a comparison, a page.
// Arithmetic only; wording is in summary_text.cc, judgement in trace_problems.cc.
//
// Percentiles are exact (nearest rank): the smallest value that at least p percent of all values do
// not exceed.
#ifndef NEAP_BENCH_TRACE_TRACE_SUMMARY_H_
#define NEAP_BENCH_TRACE_TRACE_SUMMARY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace_run.h"

namespace neap::trace {

// Of durations in ns. All 0 when there is none.
struct Distribution {
  uint64_t count = 0;
  uint64_t total = 0;
  uint64_t p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
  double mean() const {
    return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
  }
};
Distribution DistributionOf(std::vector<uint64_t> values);

inline constexpr uint64_t kMmuWindowsNs[] = {1'000'000, 5'000'000, 10'000'000, 16'700'000,
                                             100'000'000};

// One pool over the whole run.
struct PoolSummary {
  std::string name;
  uint64_t pool = 0;  // its number
  uint64_t cycles = 0;
  uint64_t gets = 0, private_hits = 0, shared_hits = 0, steals = 0, victim_hits = 0, misses = 0;
  uint64_t puts = 0, drops = 0, evicted = 0;
  uint64_t most_bytes_held = 0;
  // Mean number of major cycles from one cycle with a Get to the next; 1: used in every one; 0:
  // used in fewer than two. A pool keeps what it has for one to two cycles.
  double gap_cycles = 0;
  double hit_share() const {
    return gets == 0 ? 0 : static_cast<double>(gets - misses) / static_cast<double>(gets);
  }
};

struct Summary {
  double seconds = 0;
  Distribution minor_pauses, major_pauses;  // one value per collection (Go: both pauses together)
  Distribution pauses;                      // one value per stop
  Distribution time_to_safepoint;
  uint64_t minors_in_majors = 0;  // minor collections inside a major cycle's pause
  std::vector<std::pair<std::string, uint64_t>> minor_causes, major_causes;  // most frequent first
  double mmu[std::size(kMmuWindowsNs)] = {};
  uint64_t paused_ns = 0;  // pauses that overlap counted once
  uint64_t gc_cpu_ns = 0;
  double gc_cpu_percent = 0;  // of the program's CPU time, as the last major cycle says

  // Nursery. Bytes of all minor collections together.
  uint64_t eden_bytes = 0, young_large_bytes = 0, young_off_heap_bytes = 0;
  uint64_t copied_bytes = 0, promoted_bytes = 0, in_place_bytes = 0;
  uint64_t survived_bytes[4] = {};  // by the age reached: 1, 2, 3, older
  uint64_t remembered_objects = 0, pinned_objects = 0, no_room_objects = 0;
  uint64_t page_faults = 0;  // in all pauses
  uint64_t finalizers_queued = 0;
  // Wall-clock time between two minor collections, median.
  uint64_t minor_interval_ns = 0;
  uint64_t tenure = 0;  // in force at the end

  // Old space, of the last major cycle; maxima over all.
  uint64_t live_bytes = 0, goal_bytes = 0, off_heap_bytes = 0, mapped_bytes = 0;
  uint64_t most_live_bytes = 0, most_heap_bytes = 0, most_mapped_bytes = 0;
  uint64_t forced_majors = 0;
  uint64_t hooks_ns = 0, slow_hooks = 0;
  std::vector<PoolSummary> pools;  // most gets first
  uint64_t lost = 0;

  uint64_t born_bytes() const { return eden_bytes + young_large_bytes; }
};
Summary Summarize(const Run& run);
// The goal that the pacer set at the end of the cycle; a Go trace knows the one before only.
uint64_t GoalAfter(const Major& major);

// The figures that are compared and given to machines, in the order in which they are shown.
struct Metric {
  std::string id;    // "pause.p99_ns": stays as it is between versions
  std::string name;  // for people
  enum class Unit : uint8_t { kCount, kNs, kBytes, kShare, kSeconds, kPerSecond } unit;
  double value = 0;
};
std::vector<Metric> MetricsOf(const Summary& summary);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_SUMMARY_H_
