// SPDX-License-Identifier: MIT
//
// Trials of source K's claim "hit rate = 2 - T/G between G and 2 G".
//
// A trial: fill (a burst puts its buffers back), gap T, measured burst. The claim is about a gap
// that starts at a random moment of a period. So the trials of a series put back at the phases
// frac(i * 0.618) of a period after the start of a major cycle, each phase once: moments that fill
// the period evenly, with a discrepancy of a few trials, where 300 random ones would be off by
// 0.03. They do not depend on T, so that a T near a simple fraction of G is not sampled at the same
// few phases. They are used in the order in which they come up, which keeps the waits short.
//
//      major         major         major
//   ---+------|------+-------------+--|---------> time
//             put back <---- T ----> take (measured), held until the next trial's phase
//
// The workers hold the buffers of a measured burst, 0.1 ms at least, until the next trial puts them
// back: they are its fill. A fill of its own would take its buffers inside the period in which its
// gap starts, and what it allocates on a miss, 64 buffers or 0.8 % of a period, would bring that
// period's end nearer, always in the same direction.
//
// Several series may run in one program at the same time, each with its own pool and gap.
#ifndef NEAP_BENCH_LAB_BURST_TRIALS_H_
#define NEAP_BENCH_LAB_BURST_TRIALS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "burst_pool.h"
#include "paced_program.h"

namespace neap::lab {

struct TrialSeries {
  double gap = 0;  // T, in the clock's unit
  uint64_t trials = 0;
  BurstOptions burst = {};  // buffer_bytes is set by RunTrials
  // Out.
  BurstCounts measured = {};  // of the measured bursts
  uint64_t peak_bytes_held = 0;
  pool::OracleReport replay = {};  // with burst.record

  double hit_rate() const {
    return static_cast<double>(measured.hits) /
           static_cast<double>(measured.hits + measured.misses);
  }
};

struct TrialOptions {
  double hold_ms = 0.1;  // how long a burst holds its buffers at least
  double period = 0;     // G, in the clock's unit: where the gaps start
  std::function<void(uint64_t done, uint64_t total)> progress = {};
  // How many periods after the measured burst the next gap starts; null: at the phases above.
  std::function<double()> wait_periods = {};
};

// Runs every series to its end, interleaved by time.
void RunTrials(PacedProgram& program, const TrialOptions& options,
               std::vector<TrialSeries*> series);

// The source's line: 1 up to one period, 0 from two on.
double PredictedHitRate(double gap_in_periods);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BURST_TRIALS_H_
