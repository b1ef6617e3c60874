// SPDX-License-Identifier: MIT
#include "trace_summary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "mmu.h"

namespace neap::trace {
namespace {

using Counts = std::map<std::string, uint64_t>;

std::vector<std::pair<std::string, uint64_t>> MostFirst(const Counts& counts) {
  std::vector<std::pair<std::string, uint64_t>> out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

void SummarizeMinors(const Run& run, Summary* summary) {
  Counts causes;
  std::vector<uint64_t> pauses, intervals;
  uint64_t last_start_ns = 0;
  for (const Minor& minor : run.minors) {
    ++causes[run.Text(minor.cause)];
    if (minor.pause_ns != 0) {
      pauses.push_back(minor.pause_ns);
    } else {
      ++summary->minors_in_majors;
    }
    if (last_start_ns != 0 && minor.start_ns > last_start_ns) {
      intervals.push_back(minor.start_ns - last_start_ns);
    }
    last_start_ns = minor.start_ns;
    if (minor.pause_ns != 0) summary->gc_cpu_ns += minor.cpu_ns;
    if (minor.pause_ns != 0) summary->page_faults += minor.page_faults;
    summary->eden_bytes += minor.eden_bytes;
    summary->young_large_bytes += minor.young_large_bytes;
    summary->young_off_heap_bytes += minor.young_off_heap_bytes;
    summary->copied_bytes += minor.copied_bytes;
    summary->promoted_bytes += minor.promoted_bytes;
    summary->in_place_bytes += minor.in_place_bytes;
    summary->survived_bytes[0] += minor.survived_age1_bytes;
    summary->survived_bytes[1] += minor.survived_age2_bytes;
    summary->survived_bytes[2] += minor.survived_age3_bytes;
    summary->survived_bytes[3] += minor.survived_older_bytes;
    summary->remembered_objects += minor.remembered_objects;
    summary->pinned_objects += minor.pinned_objects;
    summary->no_room_objects += minor.no_room_objects;
    summary->finalizers_queued += minor.finalizers_queued;
    summary->tenure = minor.tenure;
  }
  summary->minor_causes = MostFirst(causes);
  summary->minor_pauses = DistributionOf(std::move(pauses));
  summary->minor_interval_ns = DistributionOf(std::move(intervals)).p50;
}

void SummarizeMajors(const Run& run, Summary* summary) {
  Counts causes;
  std::vector<uint64_t> pauses;
  for (const Major& major : run.majors) {
    ++causes[run.Text(major.cause)];
    pauses.push_back(major.pause_ns);
    summary->gc_cpu_ns += major.cpu_ns;
    summary->page_faults += major.page_faults;
    summary->finalizers_queued += major.finalizers_queued;
    summary->forced_majors += major.forced != 0;
    summary->hooks_ns += major.hooks_ns;
    summary->most_live_bytes = std::max(summary->most_live_bytes, major.marked_bytes);
    summary->most_heap_bytes = std::max(summary->most_heap_bytes, major.heap_before_bytes);
    summary->most_mapped_bytes = std::max(summary->most_mapped_bytes, major.mapped_bytes);
  }
  for (const Hook& hook : run.hooks) summary->slow_hooks += hook.slow;
  if (!run.majors.empty()) {
    const Major& last = run.majors.back();
    summary->live_bytes = last.marked_bytes;
    summary->goal_bytes = GoalAfter(last);
    summary->off_heap_bytes = last.off_heap_bytes;
    summary->mapped_bytes = last.mapped_bytes;
    summary->gc_cpu_percent = static_cast<double>(last.gc_cpu_percent_x100) / 100;
  }
  summary->major_causes = MostFirst(causes);
  summary->major_pauses = DistributionOf(std::move(pauses));
}

void SummarizeSafepoints(const Run& run, Summary* summary) {
  std::vector<uint64_t> times;
  for (const Minor& minor : run.minors) {
    if (minor.pause_ns != 0) times.push_back(minor.time_to_safepoint_ns);
  }
  for (const Major& major : run.majors) {
    if (run.source == Source::kNeap) times.push_back(major.time_to_safepoint_ns);
  }
  summary->time_to_safepoint = DistributionOf(std::move(times));
}

void SummarizePauses(const Run& run, Summary* summary) {
  std::vector<uint64_t> pauses;
  for (const Pause& pause : run.pauses) pauses.push_back(pause.duration_ns);
  summary->pauses = DistributionOf(std::move(pauses));
  const MutatorUtilization utilization(run.pauses, run.start_ns(), run.end_ns);
  summary->paused_ns = utilization.paused_ns();
  for (size_t i = 0; i < std::size(kMmuWindowsNs); ++i) {
    summary->mmu[i] = utilization.Minimum(kMmuWindowsNs[i]).utilization;
  }
}

// What is needed beside the sums for the gap.
struct PoolUse {
  PoolSummary sums;
  uint64_t first_use = 0, last_use = 0, uses = 0;  // cycles with a Get
};

void SummarizePools(const Run& run, Summary* summary) {
  std::map<std::pair<uint32_t, uint64_t>, PoolUse> pools;
  for (const PoolCycle& cycle : run.pools) {
    PoolUse& use = pools[{cycle.heap, cycle.pool}];
    PoolSummary& pool = use.sums;
    pool.name = run.Text(cycle.name);
    pool.pool = cycle.pool;
    ++pool.cycles;
    pool.gets += cycle.gets;
    pool.private_hits += cycle.private_hits;
    pool.shared_hits += cycle.shared_hits;
    pool.steals += cycle.steals;
    pool.victim_hits += cycle.victim_hits;
    pool.misses += cycle.misses;
    pool.puts += cycle.puts;
    pool.drops += cycle.drops;
    pool.evicted += cycle.evicted;
    pool.most_bytes_held = std::max(pool.most_bytes_held, cycle.bytes_held);
    if (cycle.gets == 0) continue;
    if (use.uses++ == 0) use.first_use = cycle.cycle;
    use.last_use = cycle.cycle;
  }
  for (auto& [key, use] : pools) {
    if (use.uses > 1) {
      use.sums.gap_cycles =
          static_cast<double>(use.last_use - use.first_use) / static_cast<double>(use.uses - 1);
    }
    summary->pools.push_back(std::move(use.sums));
  }
  std::stable_sort(summary->pools.begin(), summary->pools.end(),
                   [](const PoolSummary& a, const PoolSummary& b) { return a.gets > b.gets; });
}

void AddDistribution(std::vector<Metric>* metrics, const std::string& id, const std::string& name,
                     const Distribution& d) {
  const auto add = [&](const char* suffix, const char* word, double value) {
    metrics->push_back({absl::StrCat(id, ".", suffix, "_ns"), absl::StrCat(name, ", ", word),
                        Metric::Unit::kNs, value});
  };
  add("mean", "mean", d.mean());
  add("p50", "50 %", static_cast<double>(d.p50));
  add("p90", "90 %", static_cast<double>(d.p90));
  add("p99", "99 %", static_cast<double>(d.p99));
  add("p999", "99.9 %", static_cast<double>(d.p999));
  add("max", "longest", static_cast<double>(d.max));
}

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Distribution DistributionOf(std::vector<uint64_t> values) {
  Distribution d;
  d.count = values.size();
  if (values.empty()) return d;
  std::sort(values.begin(), values.end());
  for (const uint64_t value : values) d.total += value;
  const auto at = [&values](double percent) {
    // Less the error of the product, so that 99.9 % of 1000 is 999.
    const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-6);
    return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  };
  d.p50 = at(50);
  d.p90 = at(90);
  d.p99 = at(99);
  d.p999 = at(99.9);
  d.max = values.back();
  return d;
}

uint64_t GoalAfter(const Major& major) {
  return major.next_goal_bytes != 0 ? major.next_goal_bytes : major.goal_bytes;
}

Summary Summarize(const Run& run) {
  Summary summary;
  summary.seconds = static_cast<double>(run.duration_ns()) / 1e9;
  SummarizeMinors(run, &summary);
  SummarizeMajors(run, &summary);
  SummarizeSafepoints(run, &summary);
  SummarizePauses(run, &summary);
  SummarizePools(run, &summary);
  summary.lost = run.lost;
  return summary;
}

std::vector<Metric> MetricsOf(const Summary& s) {
  using Unit = Metric::Unit;
  std::vector<Metric> metrics;
  const auto count = [](uint64_t n) { return static_cast<double>(n); };
  const double seconds = s.seconds;
  const auto rate = [seconds](uint64_t n) {
    return seconds > 0 ? static_cast<double>(n) / seconds : 0;
  };
  metrics.push_back({"run.seconds", "length of the run", Unit::kSeconds, seconds});
  metrics.push_back(
      {"minor.count", "minor collections", Unit::kCount, count(s.minor_pauses.count)});
  metrics.push_back({"major.count", "major cycles", Unit::kCount, count(s.major_pauses.count)});
  metrics.push_back({"major.per_second", "major cycles per second", Unit::kPerSecond,
                     rate(s.major_pauses.count)});
  metrics.push_back({"pause.total_ns", "time paused", Unit::kNs, count(s.paused_ns)});
  metrics.push_back({"pause.share", "share of time paused", Unit::kShare,
                     seconds > 0 ? count(s.paused_ns) / 1e9 / seconds : 0});
  metrics.push_back({"gc.cpu_ns", "CPU time of collections", Unit::kNs, count(s.gc_cpu_ns)});
  AddDistribution(&metrics, "pause", "pause", s.pauses);
  AddDistribution(&metrics, "minor", "minor collection", s.minor_pauses);
  AddDistribution(&metrics, "major", "major cycle", s.major_pauses);
  metrics.push_back(
      {"safepoint.p99_ns", "time to safepoint, 99 %", Unit::kNs, count(s.time_to_safepoint.p99)});
  metrics.push_back({"safepoint.max_ns", "time to safepoint, longest", Unit::kNs,
                     count(s.time_to_safepoint.max)});
  for (size_t i = 0; i < std::size(kMmuWindowsNs); ++i) {
    const std::string ms = absl::StrCat(static_cast<double>(kMmuWindowsNs[i]) / 1e6);
    metrics.push_back({absl::StrCat("mmu.", ms, "ms"),
                       absl::StrCat("smallest share for the program in ", ms, " ms"), Unit::kShare,
                       s.mmu[i]});
  }
  metrics.push_back(
      {"nursery.born_bytes", "born in the nursery", Unit::kBytes, count(s.born_bytes())});
  metrics.push_back({"nursery.survived_share", "of it, survived once", Unit::kShare,
                     Share(s.survived_bytes[0], s.born_bytes())});
  metrics.push_back({"nursery.promoted_bytes", "promoted", Unit::kBytes, count(s.promoted_bytes)});
  metrics.push_back(
      {"nursery.copied_bytes", "copied within the nursery", Unit::kBytes, count(s.copied_bytes)});
  metrics.push_back(
      {"heap.live_bytes", "live after the last major cycle", Unit::kBytes, count(s.live_bytes)});
  metrics.push_back({"heap.max_bytes", "largest heap", Unit::kBytes, count(s.most_heap_bytes)});
  metrics.push_back({"memory.max_bytes", "most memory from the system", Unit::kBytes,
                     count(s.most_mapped_bytes)});
  metrics.push_back({"faults.pages", "page faults in pauses", Unit::kCount, count(s.page_faults)});
  metrics.push_back({"trace.lost_events", "lost events", Unit::kCount, count(s.lost)});
  return metrics;
}

}  // namespace neap::trace
