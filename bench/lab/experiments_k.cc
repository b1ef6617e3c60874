// SPDX-License-Identifier: MIT
//
// Family K: "A pool remembers two collections" (Go 1.27.1, Apple M6, GOMAXPROCS=12). The list, and
// what the experiments share.
#include "experiments_k.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace neap::lab {

std::vector<Experiment> KExperiments() {
  return {
      {"K1", "evict", "Forced collections between bursts",
       "A burst is 64 workers that each take a 4 KiB buffer, hold it until all hold one, and put "
       "it "
       "back. With exactly k collections between bursts the source finds nothing lost at k = 0 and "
       "1 (nearly) and everything at k = 2.",
       true, RunK1},
      {"K2", "evict", "What one collection loses: private slots",
       "Other Ps cannot reach a private slot, and the first Get that finds nothing marks the whole "
       "victim empty. The source lost 0 with 1 or 2 Ps, 0.09 objects a burst with 4 and 0.68 with "
       "12. By the rules this is no probability but a count that the schedule decides.",
       false, RunK2},
      {"K3", "evict", "The lost objects are alive, and nobody can have them",
       "After the mark no later Get finds the stranded privates, not even on the P that owns them. "
       "The heap walker still reaches them until the next major cycle.",
       false, RunK3},
      {"K4", "pacing", "The period is (goal - live) / rate",
       "32 MiB live, 64 KiB chunks of other allocation at 50, 200 and 800 MB/s. The source "
       "measured "
       "periods of 625, 157 and 39 ms. Virtual clock.",
       false, RunK4},
      {"K5", "pacing", "Hit rate against gap: the line 2 - T/G",
       "A gap of T against a period of G: everything comes back up to T = G, nothing from 2 G on, "
       "between them a straight line. 3 rates, 11 ratios. Virtual clock.",
       true, RunK5},
      {"K6", "pacing", "The same on the wall clock: the rate drops out",
       "At equal T/G the hit rate does not depend on the allocation rate. Real threads, real time; "
       "a busy machine moves single periods, so nothing here sets the exit status.",
       false, RunK6},
      {"K7", "pacing", "The same gap of 200 ms beside two programs",
       "The source: 99 % hits beside 50 MB/s of other allocation, 0 % beside 800 MB/s. Virtual "
       "clock.",
       false, RunK7},
      {"K8", "pacing", "Doubling other allocation halves the memory of a pool",
       "The gap at which half the objects come back is 1.5 G, so it is inversely proportional to "
       "the rate of other allocation. Wall clock.",
       false, RunK8},
      {"K9", "pacing", "A memory limit just above the live heap empties pools",
       "200 MB/s, a burst every 100 ms. The source: 99.2 % hits by default (G = 158 ms), 0 % with "
       "GOMEMLIMIT=44MiB over 32 MiB live (G = 12.6 ms). Ours sets the limit so that goal - live "
       "is "
       "2.4 MiB, which is what gives 12.6 ms. Virtual clock, sizes as in the source.",
       false, RunK9},
      {"K10", "pacing", "GOGC=400 makes a pool remember four times as long",
       "200 MB/s, a burst every 400 ms. The source: all missed by default, 99 % hits with GOGC=400 "
       "(G = 632 ms). Virtual clock.",
       false, RunK10},
      {"K11", "evict", "The mechanism: collections between Put and Get",
       "The line of K5 has one cause. For every object: the number of major cycles started between "
       "its Put and its Get. 0 or 1 is a hit, less the stranded that the oracle names; 2 or more "
       "is "
       "a miss, without exception.",
       false, RunK11},
      {"K12", "evict", "Changing the number of Ps while objects are parked",
       "Not tested by the source. 100 objects parked on 2 Ps, then 4 Ps: sync.Pool replaces its "
       "array and loses all; our default mode loses none. Shrinking strands private slots.",
       false, RunK12},
      {"K13", "pacing", "Uneven allocation blurs the line",
       "The source expects it. Periods drawn with a coefficient of variation c: the hit rate is "
       "P(N <= 1), N the collections within the gap; for c = 1 (Poisson) exp(-x)(1+x), x = T/G. "
       "Virtual clock.",
       false, RunK13},
      {"K14", "pacing", "The remedy: retention by time",
       "The source: a pool cannot keep objects for a time. Ours can: with a time to live above the "
       "gap the hit rate stays flat over all 33 configurations of K5. Virtual clock.",
       false, RunK14},
      {"K15", "pacing", "The left edge: a busy server",
       "With gaps far below a period the pool refills itself: about no allocation after a "
       "collection. Virtual clock.",
       false, RunK15},
      {"K16", "pacing", "Feedback near the limit",
       "Close to the memory limit misses cause allocations, which cause collections, which cause "
       "misses. Buffers from 4 KiB to 256 KiB, limits from 2.0 to 1.1 times the live heap. Virtual "
       "clock.",
       false, RunK16},
  };
}

PacedOptions VirtualProgram(const gc::Options& heap, double rate_mb_s, uint64_t divisor) {
  PacedOptions options;
  options.heap = heap;
  options.heap.clock = Clock::Kind::kVirtual;
  options.divisor = divisor;
  options.rate_mb_s = rate_mb_s;
  return options;
}

void JudgeReplay(Lab& lab, const std::string& what, const pool::OracleReport& report) {
  if (!lab.settings().record) return;
  lab.Exact(absl::StrCat(what, ": first operation that the oracle's replay of ", report.operations,
                         " does differently (0: none)"),
            "", report.equal ? 0 : static_cast<double>(report.first_different + 1), 0,
            {.reason = report.first_difference});
}

TrialSeries RunSeries(Lab& lab, PacedProgram& program, double gap, double period, uint64_t trials,
                      int procs) {
  TrialSeries series;
  series.gap = gap;
  series.trials = trials;
  series.burst.procs = procs;
  series.burst.seed = lab.settings().seed;
  series.burst.record = lab.settings().record;
  RunTrials(program, {.period = period}, {&series});
  return series;
}

double RoomBytes(gc::Heap& heap) {
  const gc::Stats stats = heap.Snapshot();
  return static_cast<double>(stats.goal_bytes) - static_cast<double>(stats.marked_bytes);
}

uint64_t LimitForGoal(PacedProgram& program, double goal_bytes) {
  constexpr int kRounds = 4, kSteps = 64;
  constexpr double kCloseBytes = 2048;
  gc::Heap& heap = program.heap();
  const double top = static_cast<double>(heap.Snapshot().mapped_bytes) + 2 * goal_bytes;
  double limit = top;
  for (int round = 0; round < kRounds; ++round) {
    for (int step = 0; step < kSteps; ++step) {
      heap.SetMemoryLimit(static_cast<uint64_t>(limit));
      const double excess = static_cast<double>(heap.Snapshot().goal_bytes) - goal_bytes;
      if (std::fabs(excess) < kCloseBytes) break;
      limit = std::min(top, limit - excess);
    }
    program.MeasurePeriod(3, 1e4);
  }
  return static_cast<uint64_t>(limit);
}

std::string ScaleSentence(uint64_t divisor) {
  return absl::StrCat(
      "Virtual clock, one tick per allocated byte, a machine that allocates 1,600 "
      "MB/s. Scale model: live set, chunks, minimum heap and buffers are the "
      "source's divided by ",
      divisor, ", milliseconds alike.");
}

}  // namespace neap::lab
