// SPDX-License-Identifier: MIT
//
// K4, K5, K11: the program sets the pace, on the virtual clock.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "experiments_k.h"
#include "number_text.h"

namespace neap::lab {
namespace {

struct Period {
  double ms = 0;
  double room_over_rate = 0;  // period x rate / (goal - live)
  double live_over_rate = 0;  // period x rate / live
};

Period MeasureAt(Lab& lab, double rate) {
  PacedProgram program(VirtualProgram(GoPreset(lab, 1), rate, kScaleDivisor));
  const double patience_ms = 100 * 32 * 1.048576 / rate * 1e3;
  const uint64_t majors = lab.Repetitions(40, 10);
  const double period_ms = program.ToMs(program.MeasurePeriod(majors, patience_ms));
  // A period's bytes in the scale model: rate is in bytes per undivided millisecond.
  const double bytes = period_ms * rate * 1e3 / static_cast<double>(kScaleDivisor);
  return {.ms = period_ms,
          .room_over_rate = bytes / RoomBytes(program.heap()),
          .live_over_rate = bytes / static_cast<double>(program.live_bytes())};
}

}  // namespace

void RunK4(Lab& lab) {
  Table table{.title = "Periods of major cycles, preset go",
              .columns = {"MB/s", "ours, ms", "source, ms", "x rate / (goal - live)",
                          "x rate / live", "source's"},
              .rows = {}};
  const char* const source_ms[] = {"625", "157", "39"};
  const char* const source_ratio[] = {"0.93", "0.94", "0.93"};
  Period periods[3];
  for (int i = 0; i < 3; ++i) {
    periods[i] = MeasureAt(lab, kSourceRates[i]);
    table.rows.push_back({FixedNumber(kSourceRates[i], 0), FixedNumber(periods[i].ms, 2),
                          source_ms[i], FixedNumber(periods[i].room_over_rate, 3),
                          FixedNumber(periods[i].live_over_rate, 3), source_ratio[i]});
    lab.Within(absl::StrCat("period x rate / (goal - live) at ", kSourceRates[i], " MB/s"), "",
               periods[i].room_over_rate, 0.9, 1.1);
    lab.Observe(absl::StrCat("period at ", kSourceRates[i], " MB/s"), "ms", periods[i].ms,
                {.source = source_ms[i]});
  }
  lab.Add(std::move(table));
  lab.Within("period at 50 MB/s / period at 200 MB/s", "", periods[0].ms / periods[1].ms, 3.8, 4.2,
             {.source = "3.98"});
  lab.Within("period at 200 MB/s / period at 800 MB/s", "", periods[1].ms / periods[2].ms, 3.8, 4.2,
             {.source = "4.03"});
  PacedProgram beside(VirtualProgram(BesidePreset(lab, 1), 200, kScaleDivisor));
  beside.ForgetMajors();
  beside.WaitUntil(beside.Now() + beside.FromMs(20 * periods[1].ms));
  lab.Observe(absl::StrCat("major cycles in 20 such periods under the ", BesideName(lab)), "",
              static_cast<double>(beside.major_starts().size()),
              {.reason = "chunks die young: they start minors, and only survivors pace majors"});
  lab.Say(ScaleSentence(kScaleDivisor));
  lab.Say(
      "The source's periods are 0.93 of 32 MiB / rate at all three rates: a concurrent collector "
      "starts before the goal, at 61/64 of the way at the latest. Ours stops the world when the "
      "goal is reached, so its ratio is 1.00. Hit rates are held against the measured period in "
      "either case.");
}

namespace {

struct LinePoint {
  double rate, ratio, measured_ratio, hit_rate, predicted;
};

// One configuration: `trials` trials at T = ratio x period.
LinePoint MeasurePoint(Lab& lab, PacedProgram& program, double rate, double ratio, double period,
                       uint64_t trials) {
  program.ForgetMajors();
  const TrialSeries series = RunSeries(lab, program, ratio * period, period, trials, kSourceProcs);
  const double measured_ratio = series.gap / program.MeanPeriod();
  JudgeReplay(lab, absl::StrCat(rate, " MB/s, T/G = ", ratio), series.replay);
  return {.rate = rate,
          .ratio = ratio,
          .measured_ratio = measured_ratio,
          .hit_rate = series.hit_rate(),
          .predicted = PredictedHitRate(measured_ratio)};
}

std::vector<LinePoint> MeasureLine(Lab& lab) {
  const uint64_t trials = lab.Repetitions(300, 300);
  std::vector<LinePoint> points;
  for (const double rate : kSourceRates) {
    PacedProgram program(VirtualProgram(GoPreset(lab, kSourceProcs), rate, kScaleDivisor));
    const double period = program.MeasurePeriod(10, 1e5);
    for (const double ratio : kSourceRatios) {
      points.push_back(MeasurePoint(lab, program, rate, ratio, period, trials));
      lab.Progress("configurations", points.size(), 33);
    }
  }
  return points;
}

void ShowLine(Lab& lab, const std::vector<LinePoint>& points) {
  Table table{.title = "Hit rate, preset go",
              .columns = {"MB/s", "T/G", "T/G measured", "hits", "2 - T/G", "difference"},
              .rows = {}};
  Plot plot{.title = "Hit rate against the gap in periods",
            .x_label = "gap over the period between collections, T/G",
            .y_label = "hit rate",
            .series = {}};
  plot.series.push_back({.name = "1 - (T/G - 1), clipped",
                         .points = {{0, 1}, {1, 1}, {2, 0}, {2.6, 0}},
                         .style = Series::Style::kDashed});
  for (const LinePoint& point : points) {
    const std::string name = absl::StrCat(point.rate, " MB/s");
    if (plot.series.back().name != name) {
      plot.series.push_back({.name = name, .points = {}, .style = Series::Style::kPoints});
    }
    plot.series.back().points.push_back({point.measured_ratio, point.hit_rate});
    table.rows.push_back({FixedNumber(point.rate, 0), FixedNumber(point.ratio, 2),
                          FixedNumber(point.measured_ratio, 3), FixedNumber(point.hit_rate, 4),
                          FixedNumber(point.predicted, 4),
                          FixedNumber(point.hit_rate - point.predicted, 4)});
  }
  lab.Add(std::move(table));
  lab.Add(std::move(plot));
}

// The same gaps in milliseconds under the defaults, where garbage dies in the nursery.
void ReportBeside(Lab& lab) {
  const uint64_t trials = lab.Repetitions(20, 5);
  PacedProgram program(VirtualProgram(BesidePreset(lab, kSourceProcs), 200, kScaleDivisor));
  const double go_period = static_cast<double>(program.FromMs(167.8));
  for (const double ratio : {0.9, 1.5, 2.5}) {
    program.ForgetMajors();
    const TrialSeries series =
        RunSeries(lab, program, ratio * go_period, go_period, trials, kSourceProcs);
    lab.Observe(
        absl::StrCat("hit rate at 200 MB/s and ", FixedNumber(ratio * 167.8, 0), " ms under the ",
                     BesideName(lab), " (", program.major_starts().size(), " major cycles)"),
        "", series.hit_rate());
  }
}

}  // namespace

void RunK5(Lab& lab) {
  const std::vector<LinePoint> points = MeasureLine(lab);
  ShowLine(lab, points);
  double worst = 0;
  for (const LinePoint& point : points) {
    const double difference = std::fabs(point.hit_rate - point.predicted);
    worst = std::max(worst, difference);
    lab.AtMost(absl::StrCat("|hit rate - (2 - T/G)| at ", point.rate, " MB/s, T/G = ", point.ratio),
               "", difference, 0.01, {.source = "<= 0.03"});
  }
  lab.Observe("largest of the 33 differences", "", worst, {.source = "0.03"});
  ReportBeside(lab);
  lab.Say(ScaleSentence(kScaleDivisor));
  lab.Say(
      "Under one tick per byte the three rates differ only in how much of the time passes without "
      "allocation; that the rate drops out is a finding on the wall clock (K6).");
  lab.Say(
      "Under the generational defaults the pool remembers longer: chunks that die young start no "
      "major cycle, and only major cycles age a pool.");
}

namespace {

struct GapCounts {
  BurstCounts counts;
  uint64_t gaps[3] = {0, 0, 0};  // by major cycles started in the gap: 0, 1, 2 or more
  uint64_t hits_after_two = 0;   // hits in bursts with 2 or more
};

// Bursts with gaps anywhere between 0 and 3 periods.
GapCounts RandomGaps(BurstPool& pool, PacedProgram& program, uint64_t bursts, uint64_t seed) {
  std::mt19937_64 random(seed);
  const double period = program.MeasurePeriod(10, 1e5);
  std::uniform_real_distribution<double> gap(0, 3 * period);
  GapCounts result;
  pool.TakeAndReturn();
  for (uint64_t i = 0; i < bursts; ++i) {
    const uint64_t before = program.heap().majors();
    program.WaitUntil(program.Now() + static_cast<uint64_t>(gap(random)));
    const uint64_t started = program.heap().majors() - before;
    const BurstCounts counts = pool.TakeAndReturn();
    ++result.gaps[std::min<uint64_t>(started, 2)];
    if (started >= 2) result.hits_after_two += counts.hits;
    result.counts += counts;
  }
  return result;
}

void JudgeMechanism(Lab& lab, int procs) {
  const uint64_t bursts = lab.Repetitions(600, 60);
  PacedProgram program(VirtualProgram(GoPreset(lab, procs), 200, kScaleDivisor));
  BurstPool pool(program.lab_heap(), {.procs = procs,
                                      .buffer_bytes = program.buffer_bytes(),
                                      .seed = lab.settings().seed,
                                      .record = lab.settings().record,
                                      .predict = true});
  const GapCounts gaps = RandomGaps(pool, program, bursts, lab.settings().seed);
  const BurstCounts& counts = gaps.counts;
  const std::string at = absl::StrCat("P = ", procs, ": ");
  lab.Say(absl::StrCat(
      at, bursts, " bursts with 0, 1 and 2 or more collections in the gap: ", gaps.gaps[0], ", ",
      gaps.gaps[1], ", ", gaps.gaps[2], "; hits by age 0, 1: ", counts.hits_by_age[0], ", ",
      counts.hits_by_age[1], "; misses ", counts.misses, "."));
  lab.Exact(at + "hits of objects with 2 or more collections between Put and Get", "objects",
            static_cast<double>(counts.hits_by_age[2]), 0);
  lab.Exact(at + "hits in bursts with 2 or more collections in the gap", "objects",
            static_cast<double>(gaps.hits_after_two), 0, {.source = "0"});
  lab.Exact(at + "misses while an object with 0 or 1 collections was parked, against the oracle's "
                 "stranded",
            "objects", static_cast<double>(counts.fresh_lost),
            procs == 1 ? 0 : static_cast<double>(counts.named_lost));
  const double gets = static_cast<double>(counts.hits + counts.misses);
  if (procs == 1) {
    lab.Exact(at + "hit fraction, against the fraction of objects with 0 or 1 collections", "",
              static_cast<double>(counts.hits) / gets,
              static_cast<double>(counts.fresh_parked) / gets);
  }
  lab.Exact(at + "Gets that the oracle predicted otherwise", "operations",
            static_cast<double>(counts.disagreements), 0);
  JudgeReplay(lab, at + "bursts", pool.Replay());
}

}  // namespace

void RunK11(Lab& lab) {
  JudgeMechanism(lab, 1);
  JudgeMechanism(lab, kSourceProcs);
  lab.Say(ScaleSentence(kScaleDivisor));
  lab.Say(
      "The gradual curve of real programs comes from where collections fall in the gap. Object by "
      "object there is no curve: the count decides.");
}

}  // namespace neap::lab
