// SPDX-License-Identifier: MIT
//
// K13 to K16: what the source expects or recommends and did not measure. Virtual clock.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "experiments_k.h"
#include "number_text.h"

namespace neap::lab {
namespace {

constexpr double kPatienceMs = 1e5;

// P(an Erlang sum of `stages` steps, mean 1, is <= t).
double ErlangCdf(int stages, double t) {
  if (t <= 0) return 0;
  const double x = stages * t;
  double term = std::exp(-x), below = 0;
  for (int i = 0; i < stages; ++i) {
    below += term;
    term *= x / (i + 1);
  }
  return 1 - below;
}

// P(N <= 1) for gaps of length t (in mean periods) that start at a random moment of a renewal
// process with Erlang periods: 1 - P(rest of the present period + the next one <= t). The rest has
// density 1 - F.
double RenewalHitRate(int stages, double t) {
  constexpr int kSteps = 4000;
  const double step = t / kSteps;
  double missed = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double rest = (i + 0.5) * step;
    missed += (1 - ErlangCdf(stages, rest)) * ErlangCdf(stages, t - rest) * step;
  }
  return 1 - missed;
}

struct Unevenness {
  const char* name;
  int stages;  // of the Erlang distribution: 1 / c^2, c the coefficient of variation; 0: even
};

// Bursts of one object at random moments: a trial has one outcome, whatever its width.
double MeasureUneven(Lab& lab, const Unevenness& uneven, double ratio, uint64_t trials) {
  PacedOptions options = VirtualProgram(GoPreset(lab, 1), 200, 64);
  PacedProgram program(options);
  const double period = program.MeasurePeriod(10, kPatienceMs);
  std::mt19937_64 random(lab.settings().seed);
  if (uneven.stages > 0) {
    program.SetUnevenness([&random, shape = uneven.stages] {
      std::gamma_distribution<double> draw(shape, 1.0 / shape);
      // A period of no length at all would be a burst of chunks at one moment; keep it positive.
      return std::max(draw(random), 1e-3);
    });
  }
  TrialSeries series{.gap = ratio * period, .trials = trials};
  series.burst.workers = 1;
  series.burst.seed = lab.settings().seed;
  // The wait between trials is exponential with a mean of one period, so that a gap starts at a
  // moment that knows nothing of the period it falls into.
  std::mt19937_64 moments(lab.settings().seed + 1);
  std::exponential_distribution<double> wait(1);
  RunTrials(program,
            {.hold_ms = 0, .period = period, .wait_periods = [&] { return wait(moments); }},
            {&series});
  return series.hit_rate();
}

}  // namespace

void RunK13(Lab& lab) {
  const uint64_t trials = lab.Repetitions(2500, 1500);
  const Unevenness cases[] = {{"even", 0}, {"c = 0.2", 25}, {"c = 0.5", 4}, {"Poisson, c = 1", 1}};
  Table table{.title = "Hit rate with uneven periods",
              .columns = {"periods", "T/G", "ours", "P(N <= 1)"},
              .rows = {}};
  uint64_t done = 0;
  for (const Unevenness& uneven : cases) {
    for (const double ratio : {0.8, 1.3, 2.0}) {
      const double ours = MeasureUneven(lab, uneven, ratio, trials);
      const double expected = uneven.stages == 0   ? PredictedHitRate(ratio)
                              : uneven.stages == 1 ? std::exp(-ratio) * (1 + ratio)
                                                   : RenewalHitRate(uneven.stages, ratio);
      table.rows.push_back(
          {uneven.name, FixedNumber(ratio, 1), FixedNumber(ours, 3), FixedNumber(expected, 3)});
      lab.AtMost(absl::StrCat(uneven.name, ", T/G = ", ratio, ": |hit rate - P(N <= 1)|"), "",
                 std::fabs(ours - expected), 0.03);
      lab.Progress("configurations", ++done, 12);
    }
  }
  lab.Add(std::move(table));
  lab.Say(ScaleSentence(64));
  lab.Say(
      "The line has two corners only because steady allocation spaces collections evenly. With "
      "Poisson collections a pool already loses a quarter of its objects at a gap of one period, "
      "and keeps some beyond two.");
}

namespace {

struct Remedy {
  double lowest = 1;
  uint64_t peak_bytes = 0;
};

Remedy MeasureRemedy(Lab& lab, uint64_t trials) {
  Remedy remedy;
  uint64_t done = 0;
  for (const double rate : kSourceRates) {
    PacedProgram program(VirtualProgram(GoPreset(lab, kSourceProcs), rate, kScaleDivisor));
    const double period = program.MeasurePeriod(10, kPatienceMs);
    for (const double ratio : kSourceRatios) {
      TrialSeries series{.gap = ratio * period, .trials = trials};
      series.burst.procs = kSourceProcs;
      series.burst.go_exact = false;
      series.burst.seed = lab.settings().seed;
      series.burst.account_bytes = true;
      series.burst.retention = pool::Retention::Time(static_cast<uint64_t>(3 * period));
      RunTrials(program, {.period = period}, {&series});
      remedy.lowest = std::min(remedy.lowest, series.hit_rate());
      remedy.peak_bytes = std::max(remedy.peak_bytes, series.peak_bytes_held);
      lab.Progress("configurations", ++done, 33);
    }
  }
  return remedy;
}

}  // namespace

void RunK14(Lab& lab) {
  const uint64_t trials = lab.Repetitions(60, 15);
  const Remedy remedy = MeasureRemedy(lab, trials);
  lab.AtLeast("retention by time, 3 periods to live: lowest hit rate of the 33 configurations", "",
              remedy.lowest, 0.99,
              {.source = "sync.Pool cannot; a free list keeps all of them for ever"});
  const double block_bytes = 8 + 4096.0 / kScaleDivisor;
  // Workers that start on a P whose neighbours hold the rest in private make one of their own; the
  // budget allows each P one such object.
  lab.AtMost("most bytes held, budget of 64 buffers and one more for each of 12 Ps", "B",
             static_cast<double>(remedy.peak_bytes), (64 + kSourceProcs) * block_bytes);
  lab.Say(ScaleSentence(kScaleDivisor));
}

void RunK15(Lab& lab) {
  const uint64_t bursts = lab.Repetitions(2000, 400);
  PacedProgram program(VirtualProgram(GoPreset(lab, kSourceProcs), 200, kScaleDivisor));
  const double period = program.MeasurePeriod(10, kPatienceMs);
  BurstPool pool(program.lab_heap(), {.procs = kSourceProcs,
                                      .buffer_bytes = program.buffer_bytes(),
                                      .seed = lab.settings().seed,
                                      .record = lab.settings().record});
  BurstCounts all, after_major;
  pool.TakeAndReturn();
  for (uint64_t i = 0; i < bursts; ++i) {
    const uint64_t before = program.heap().majors();
    program.WaitUntil(program.Now() + static_cast<uint64_t>(0.05 * period));
    const BurstCounts counts = pool.TakeAndReturn();
    all += counts;
    if (program.heap().majors() != before) after_major += counts;
  }
  lab.AtLeast("hit rate at T/G = 0.05", "",
              static_cast<double>(all.hits) / static_cast<double>(all.hits + all.misses), 0.999,
              {.source = "roughly no new allocations after a GC"});
  lab.Observe(absl::StrCat("misses per burst in the ", after_major.bursts,
                           " bursts right after a collection"),
              "objects",
              static_cast<double>(after_major.misses) / static_cast<double>(after_major.bursts));
  lab.Observe("calls of New in all, the 64 of the start included", "objects",
              static_cast<double>(pool.made()));
  JudgeReplay(lab, "steady bursts", pool.Replay());
  lab.Say(ScaleSentence(kScaleDivisor));
}

namespace {

struct FeedbackPoint {
  double hit_rate = 0;
  double majors_per_second = 0;
  double unpooled_majors_per_second = 0;
};

double MajorsPerSecond(PacedProgram& program, uint64_t start) {
  return static_cast<double>(program.major_starts().size()) /
         (program.ToMs(static_cast<double>(program.Now() - start)) * 1e-3);
}

FeedbackPoint MeasureFeedback(Lab& lab, uint64_t buffer_bytes, double factor, uint64_t bursts) {
  FeedbackPoint point;
  for (const bool pooled : {true, false}) {
    PacedOptions options = VirtualProgram(GoPreset(lab, 1), 200, kScaleDivisor);
    options.buffer_bytes = buffer_bytes;
    PacedProgram program(options);
    if (factor < 2) LimitForGoal(program, factor * static_cast<double>(program.live_bytes()));
    // Unpooled: the same Gets from a pool that nobody puts back into, so that each makes a buffer.
    BurstPool pool(program.lab_heap(),
                   {.buffer_bytes = program.buffer_bytes(), .seed = lab.settings().seed});
    BurstCounts counts;
    program.ForgetMajors();
    const uint64_t start = program.Now();
    for (uint64_t i = 0; i < bursts; ++i) {
      program.WaitUntil(program.Now() + program.FromMs(100));
      counts += pool.Take();
      if (pooled) pool.Return();
    }
    (pooled ? point.majors_per_second : point.unpooled_majors_per_second) =
        MajorsPerSecond(program, start);
    if (pooled) {
      point.hit_rate =
          static_cast<double>(counts.hits) / static_cast<double>(counts.hits + counts.misses);
    }
  }
  return point;
}

}  // namespace

void RunK16(Lab& lab) {
  const uint64_t bursts = lab.Repetitions(60, 20);
  Table table{.title = "A burst every 100 ms beside 200 MB/s, by limit on the heap",
              .columns = {"buffer", "limit / live", "hits", "majors/s pooled", "unpooled"},
              .rows = {}};
  const double factors[] = {2.0, 1.7, 1.5, 1.35, 1.2, 1.1};
  uint64_t done = 0;
  for (const uint64_t kib : {4, 64, 256}) {
    bool falls = true;
    double last = 1;
    for (const double factor : factors) {
      const FeedbackPoint point = MeasureFeedback(lab, kib << 10, factor, bursts);
      table.rows.push_back({absl::StrCat(kib, " KiB"), FixedNumber(factor, 2),
                            FixedNumber(point.hit_rate, 3), FixedNumber(point.majors_per_second, 1),
                            FixedNumber(point.unpooled_majors_per_second, 1)});
      falls = falls && point.hit_rate <= last;
      last = point.hit_rate;
      lab.Progress("configurations", ++done, 18);
    }
    lab.Holds(absl::StrCat("hit rate of ", kib, " KiB buffers as the limit tightens"), falls,
              "never rises from 2.0 to 1.1 times the live heap");
    lab.Observe(absl::StrCat("hit rate of ", kib, " KiB buffers at 1.1 times the live heap"), "",
                last);
  }
  lab.Add(std::move(table));
  lab.Say(ScaleSentence(kScaleDivisor));
  lab.Say(
      "The limit is set for the heap at rest, and what a pool holds counts as live: the larger the "
      "buffers, the less room the same limit leaves.");
}

}  // namespace neap::lab
