// SPDX-License-Identifier: MIT
//
// K7, K9, K10: the rate of other allocation, the memory limit and GOGC move the same line. Virtual
// clock.
#include "absl/strings/str_cat.h"
#include "experiments_k.h"
#include "number_text.h"

namespace neap::lab {
namespace {

constexpr double kPatienceMs = 1e5;
constexpr double kMiB = 1 << 20;

struct GapResult {
  double period_ms = 0;
  double hit_rate = 0;
};

// Bursts every `gap_ms` in `program`, at evenly spread phases.
GapResult RunGap(Lab& lab, PacedProgram& program, double gap_ms, uint64_t trials) {
  const double period = program.MeasurePeriod(10, kPatienceMs);
  program.ForgetMajors();
  const TrialSeries series =
      RunSeries(lab, program, static_cast<double>(program.FromMs(gap_ms)), period, trials, 1);
  JudgeReplay(lab, absl::StrCat("gap ", gap_ms, " ms"), series.replay);
  return {.period_ms = program.ToMs(period), .hit_rate = series.hit_rate()};
}

}  // namespace

void RunK7(Lab& lab) {
  constexpr double kGapMs = 200;
  const uint64_t trials = lab.Repetitions(100, 20);
  const char* const source[] = {"0.99", "", "0"};
  Table table{.title = "The same gap of 200 ms",
              .columns = {"MB/s", "period, ms", "T/G", "hits", "source"},
              .rows = {}};
  double hits[3];
  for (int i = 0; i < 3; ++i) {
    PacedProgram program(VirtualProgram(GoPreset(lab, 1), kSourceRates[i], kScaleDivisor));
    const GapResult result = RunGap(lab, program, kGapMs, trials);
    hits[i] = result.hit_rate;
    table.rows.push_back({FixedNumber(kSourceRates[i], 0), FixedNumber(result.period_ms, 1),
                          FixedNumber(kGapMs / result.period_ms, 2),
                          FixedNumber(result.hit_rate, 4), source[i]});
  }
  lab.Add(std::move(table));
  lab.AtLeast("hit rate beside 50 MB/s", "", hits[0], 0.98, {.source = "0.99"});
  lab.AtMost("hit rate beside 800 MB/s", "", hits[2], 0.01, {.source = "0"});
  lab.Observe("hit rate beside 200 MB/s", "", hits[1]);
  lab.Say(ScaleSentence(kScaleDivisor));
}

void RunK9(Lab& lab) {
  constexpr double kRate = 200, kGapMs = 100;
  constexpr double kRoomBytes = 2.4 * kMiB;
  const uint64_t trials = lab.Repetitions(60, 10);
  PacedProgram program(VirtualProgram(GoPreset(lab, 1), kRate, 1));
  const GapResult plain = RunGap(lab, program, kGapMs, trials);
  lab.AtLeast("hit rate by default", "", plain.hit_rate, 0.98, {.source = "0.992"});
  lab.Observe("period by default", "ms", plain.period_ms, {.source = "158"});

  const double live = static_cast<double>(program.heap().Snapshot().marked_bytes);
  const uint64_t limit = LimitForGoal(program, live + kRoomBytes);
  const GapResult limited = RunGap(lab, program, kGapMs, trials);
  const double room = RoomBytes(program.heap());
  lab.Observe("limit that leaves goal - live = 2.4 MiB", "MiB", static_cast<double>(limit) / kMiB,
              {.source = "44"});
  lab.AtMost("hit rate under that limit", "", limited.hit_rate, 0.01, {.source = "0"});
  lab.Within("period x rate / (limit-driven goal - live)", "",
             limited.period_ms * kRate * 1e3 / room, 0.9, 1.1);
  lab.Observe("period under that limit", "ms", limited.period_ms, {.source = "12.6"});

  program.heap().SetMemoryLimit(44 << 20);
  const GapResult source_limit = RunGap(lab, program, kGapMs, trials / 2);
  lab.Observe("period under a limit of 44 MiB", "ms", source_limit.period_ms, {.source = "12.6"});
  lab.Observe("hit rate under a limit of 44 MiB", "", source_limit.hit_rate, {.source = "0"});
  lab.Say(
      "44 MiB over 32 MiB of live heap shortened Go's period eightfold and not 2.7-fold, because "
      "its limit counts what the runtime itself holds. Ours counts its own overhead, which "
      "differs; "
      "so the experiment fixes the room between live heap and goal, and prints what 44 MiB gives.");
}

void RunK10(Lab& lab) {
  constexpr double kRate = 200, kGapMs = 400;
  const uint64_t trials = lab.Repetitions(60, 10);
  gc::Options heap = GoPreset(lab, 1);
  PacedProgram plain(VirtualProgram(heap, kRate, kScaleDivisor));
  const GapResult at_100 = RunGap(lab, plain, kGapMs, trials);
  heap.gogc = 400;
  PacedProgram wide(VirtualProgram(heap, kRate, kScaleDivisor));
  const GapResult at_400 = RunGap(lab, wide, kGapMs, trials);
  lab.Exact("hit rate with GOGC=100", "", at_100.hit_rate, 0,
            {.source = "0", .criterion_class = Class::kBound});
  lab.AtLeast("hit rate with GOGC=400", "", at_400.hit_rate, 0.98, {.source = "0.99"});
  lab.Within("period with GOGC=400 / with GOGC=100", "", at_400.period_ms / at_100.period_ms, 3.8,
             4.2, {.source = "4.0"});
  lab.Observe("period with GOGC=400", "ms", at_400.period_ms, {.source = "632"});
  lab.Say(ScaleSentence(kScaleDivisor));
}

}  // namespace neap::lab
