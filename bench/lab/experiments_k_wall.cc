// SPDX-License-Identifier: MIT
//
// K6, K8: the paced program in real time. All gaps of a rate run in one program at the same time,
// each with a pool of its own: a row at 200 MB/s alone takes 300 x (T + G/2), and eleven would take
// ten minutes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "experiments_k.h"
#include "frame_times.h"
#include "number_text.h"

namespace neap::lab {
namespace {

constexpr double kLineBound = 0.03;

PacedOptions WallProgram(const Lab& lab, double rate) {
  PacedOptions options;
  options.heap = GoPreset(lab, 2);
  options.heap.clock = Clock::Kind::kReal;
  options.divisor = 1;
  options.rate_mb_s = rate;
  return options;
}

struct WallRun {
  double rate = 0;
  uint64_t trials = 0;
  double period_ms = 0;      // of the run itself
  double spread = 0;         // (longest - shortest) / mean period
  std::vector<double> gaps;  // ms
  std::vector<double> hit_rates;
};

// One program at `rate` with a pool per gap; gaps are `ratios` of the period measured first, then
// `more_gaps_ms` as they are.
WallRun RunWall(Lab& lab, double rate, const std::vector<double>& ratios,
                const std::vector<double>& more_gaps_ms, uint64_t trials) {
  PacedProgram program(WallProgram(lab, rate));
  const double period = program.MeasurePeriod(10, 30e3);
  std::vector<TrialSeries> series;
  for (const double ratio : ratios) series.push_back({.gap = ratio * period});
  for (const double ms : more_gaps_ms) {
    series.push_back({.gap = static_cast<double>(program.FromMs(ms))});
  }
  std::vector<TrialSeries*> pointers;
  for (TrialSeries& one : series) {
    one.trials = trials;
    one.burst.seed = lab.settings().seed;
    pointers.push_back(&one);
  }
  program.ForgetMajors();
  const std::string what = absl::StrCat("trials at ", rate, " MB/s");
  RunTrials(program,
            {.period = period,
             .progress = [&](uint64_t done, uint64_t total) { lab.Progress(what, done, total); }},
            pointers);
  WallRun run{.rate = rate,
              .trials = trials,
              .period_ms = program.ToMs(program.MeanPeriod()),
              .spread = program.PeriodSpread(),
              .gaps = {},
              .hit_rates = {}};
  for (const TrialSeries& one : series) {
    run.gaps.push_back(program.ToMs(one.gap));
    run.hit_rates.push_back(one.hit_rate());
  }
  return run;
}

// How far a hit rate may be off without the line being wrong: periods that vary move the point
// along the line, and so many trials resolve one part in so many.
double Noise(const WallRun& run, double ratio) {
  const double early = PredictedHitRate(ratio * (1 - run.spread / 2));
  const double late = PredictedHitRate(ratio * (1 + run.spread / 2));
  return (early - late) / 2 + 1 / static_cast<double>(run.trials);
}

void JudgeRun(Lab& lab, const WallRun& run, Table& table, Plot& plot) {
  Series points{.name = absl::StrCat(run.rate, " MB/s"), .style = Series::Style::kPoints};
  for (size_t i = 0; i < std::size(kSourceRatios); ++i) {
    const double ratio = run.gaps[i] / run.period_ms;
    const double difference = run.hit_rates[i] - PredictedHitRate(ratio);
    points.points.push_back({ratio, run.hit_rates[i]});
    table.rows.push_back({FixedNumber(run.rate, 0), FixedNumber(run.gaps[i], 1),
                          FixedNumber(ratio, 3), FixedNumber(run.hit_rates[i], 4),
                          FixedNumber(PredictedHitRate(ratio), 4), FixedNumber(difference, 4)});
    lab.TimeAtMost(absl::StrCat("K5 on the wall clock: |hit rate - (2 - T/G)| at ", run.rate,
                                " MB/s, T/G = ", kSourceRatios[i]),
                   "", std::fabs(difference), kLineBound, Noise(run, ratio) / kLineBound,
                   {.source = "<= 0.03"});
  }
  plot.series.push_back(std::move(points));
}

// The largest difference between the rates at one ratio.
double LargestSpread(const std::vector<WallRun>& runs) {
  double largest = 0;
  for (size_t i = 0; i < std::size(kSourceRatios); ++i) {
    double low = 1, high = 0;
    for (const WallRun& run : runs) {
      // Compared at equal measured ratios: the line's slope takes out that periods differ a little.
      const double ratio = run.gaps[i] / run.period_ms;
      const double deviation = run.hit_rates[i] - PredictedHitRate(ratio);
      const double rate_at_nominal = PredictedHitRate(kSourceRatios[i]) + deviation;
      low = std::min(low, rate_at_nominal);
      high = std::max(high, rate_at_nominal);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

}  // namespace

void RunK6(Lab& lab) {
  Table table{.title = "Hit rate on the wall clock, preset go",
              .columns = {"MB/s", "T, ms", "T/G measured", "hits", "2 - T/G", "difference"},
              .rows = {}};
  Plot plot{.title = "Hit rate against the gap in periods, wall clock",
            .x_label = "gap over the period between collections, T/G",
            .y_label = "hit rate",
            .series = {{.name = "1 - (T/G - 1), clipped",
                        .points = {{0, 1}, {1, 1}, {2, 0}, {2.6, 0}},
                        .style = Series::Style::kDashed}}};
  const std::vector<double> ratios(std::begin(kSourceRatios), std::end(kSourceRatios));
  const char* const source_ms[] = {"625", "157", "39"};
  std::vector<WallRun> runs;
  double noise = 0;
  for (const double rate : kSourceRates) {
    const uint64_t trials = rate < 100 ? lab.Repetitions(60, 6) : lab.Repetitions(300, 10);
    runs.push_back(RunWall(lab, rate, ratios, {200}, trials));
    const WallRun& run = runs.back();
    noise = std::max(noise, Noise(run, 1.5));
    JudgeRun(lab, run, table, plot);
    lab.Observe(absl::StrCat("K4 on the wall clock: period at ", rate, " MB/s"), "ms",
                run.period_ms, {.source = source_ms[runs.size() - 1]});
    lab.Observe(
        absl::StrCat("K7 on the wall clock: hit rate of a 200 ms gap beside ", rate, " MB/s"), "",
        run.hit_rates.back(),
        {.source = rate == 50    ? "0.99"
                   : rate == 800 ? "0"
                                 : ""});
  }
  lab.Add(std::move(table));
  lab.Add(std::move(plot));
  lab.TimeAtMost("largest spread of the hit rate over the three rates at equal T/G", "",
                 LargestSpread(runs), kLineBound, noise / kLineBound,
                 {.source = "the rate drops out"});
}

namespace {

// The gap at which half of the objects come back: a straight line through the points by least
// squares, read at 0.5.
double HalfGapMs(const WallRun& run) {
  const LineFit fit = FitLine(run.gaps, run.hit_rates);
  return fit.slope == 0 ? std::numeric_limits<double>::quiet_NaN()
                        : (0.5 - fit.intercept) / fit.slope;
}

}  // namespace

void RunK8(Lab& lab) {
  const std::vector<double> ratios = {1.2, 1.35, 1.5, 1.65, 1.8};
  const uint64_t trials = lab.Repetitions(100, 10);
  Table table{.title = "Gap at which half of the objects come back",
              .columns = {"MB/s", "T50, ms", "period, ms", "T50 / G"},
              .rows = {}};
  std::vector<double> halves, spreads;
  for (const double rate : {200.0, 400.0}) {
    const WallRun run = RunWall(lab, rate, ratios, {}, trials);
    halves.push_back(HalfGapMs(run));
    spreads.push_back(run.spread);
    table.rows.push_back({FixedNumber(rate, 0), FixedNumber(halves.back(), 1),
                          FixedNumber(run.period_ms, 1),
                          FixedNumber(halves.back() / run.period_ms, 3)});
    lab.Observe(absl::StrCat("T50 / G at ", rate, " MB/s"), "", halves.back() / run.period_ms,
                {.source = "1.5"});
  }
  lab.Add(std::move(table));
  const double ratio = halves[1] / halves[0];
  // 5 % of one half. Each T50 stands on five points of so many trials.
  constexpr double kBound = 0.025;
  const double noise =
      std::max(spreads[0], spreads[1]) / 2 / std::sqrt(5.0) + 1 / static_cast<double>(5 * trials);
  lab.TimeAtMost("|T50 at 400 MB/s / T50 at 200 MB/s - 0.5|", "", std::fabs(ratio - 0.5), kBound,
                 noise / kBound, {.source = "halves"});
}

}  // namespace neap::lab
