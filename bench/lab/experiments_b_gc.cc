// SPDX-License-Identifier: MIT
//
// B11-B14, B22, B25: what collections do to a frame, read from the events of the collections
// themselves.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "bullet_cells.h"
#include "experiments_b.h"
#include "managed_bullet.h"
#include "neap/gc/event.h"
#include "number_text.h"
#include "survival_run.h"

namespace neap::lab {
namespace {

using Kind = BulletStorageKind;

// One TLAB: the most by which a P can be short of the nursery's end when it asks for a minor.
constexpr double kTlabBytes = 32 << 10;

BulletSpec FixedNursery(int fields, uint64_t nursery_bytes) {
  BulletSpec spec = SourceSpec(Kind::kFresh, 3000, fields);
  spec.options.back() = absl::StrCat("nursery=", nursery_bytes);
  return spec;
}

// A fixed nursery with which exactly `wanted` minors fall into the 600 frames, found by trying: the
// count is a pure function of the size. 0 when no try hits it.
uint64_t NurseryForMinors(const Lab& lab, uint64_t wanted) {
  const double young_bytes = 600.0 * 3000 * static_cast<double>(ManagedBulletBytes(6));
  double bytes = young_bytes / (static_cast<double>(wanted) + 0.5);
  for (int tries = 0; tries < 8; ++tries) {
    const auto nursery_bytes = static_cast<uint64_t>(bytes);
    const uint64_t minors = RunBulletCell(lab, FixedNursery(6, nursery_bytes)).minors;
    if (minors == wanted) return nursery_bytes;
    bytes *= (static_cast<double>(minors) + 0.5) / (static_cast<double>(wanted) + 0.5);
  }
  return 0;
}

bool InFrames(const MinorRecord& minor) { return minor.frame >= 0 && minor.frame < kBulletFrames; }

double SumEdenBytes(const BulletRun& run) {
  double sum = 0;
  for (const MinorRecord& minor : run.minor_records) sum += static_cast<double>(minor.eden_bytes);
  return sum;
}

// In the measured frames: minors for a full nursery that started more than a TLAB a P away from the
// limit, and how many had other causes. In the warm-up the doubling list asks for more at once than
// the nursery has left, so those minors start early for a good reason.
struct CauseCounts {
  int full = 0, early = 0, other = 0;
};
CauseCounts CountCauses(const BulletRun& run) {
  CauseCounts counts;
  for (const MinorRecord& minor : run.minor_records) {
    if (!InFrames(minor)) continue;
    if (minor.cause != static_cast<uint64_t>(gc::Cause::kNurseryFull)) {
      ++counts.other;
      continue;
    }
    ++counts.full;
    const double used = static_cast<double>(minor.eden_bytes + minor.young_large_bytes);
    counts.early += used + kTlabBytes < static_cast<double>(minor.eden_limit_bytes);
  }
  return counts;
}

double GcMs(const BulletRun& run) { return static_cast<double>(run.gc_cpu_ns) / 1e6; }

// Mean CPU of the minors of the measured frames that had a pause of their own, ns.
double MeanMinorNs(const BulletRun& run) {
  double sum = 0;
  int count = 0;
  for (const MinorRecord& minor : run.minor_records) {
    if (!InFrames(minor) || minor.pause_ns == 0) continue;
    sum += static_cast<double>(minor.cpu_ns);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// Bytes that the nursery-full minors copied, over the bullets alive at them.
double CopiedPerLiveBullet(const BulletRun& run) {
  double bytes = 0, bullets = 0;
  for (const MinorRecord& minor : run.minor_records) {
    if (minor.cause != static_cast<uint64_t>(gc::Cause::kNurseryFull)) continue;
    bytes += static_cast<double>(minor.copied_bytes + minor.promoted_bytes);
    bullets += static_cast<double>(minor.live_objects);
  }
  return bullets > 0 ? bytes / bullets : 0;
}

}  // namespace

void RunB11(Lab& lab) {
  const BulletRun& run = RunBulletCell(lab, SourceSpec(Kind::kFresh, 3000));
  const FrameTail tail = TailOf(run.frames);
  const double gc_mean = MeanMs(run.frames, &FrameSample::gc_cpu_ns);
  lab.AtLeast("minor collections in the run", "collections", static_cast<double>(run.minors), 12,
              {.source = "53"});
  lab.Exact("frames at or above p99 that contain a collection", "frames", tail.with_collection,
            tail.frames, {.source = "6 of 6", .reason = "frames judged by thread CPU time"});
  const double spread = Control(lab, 3000).p99_spread;
  lab.TimeAtLeast("share of their excess over the median that is GC", "ratio",
                  tail.gc_share_of_excess, 0.75, spread, {.source = "0.86"});
  lab.TimeAtMost("share of the other frames that contain a collection", "ratio",
                 tail.share_of_others, 0.15, 0, {.source = "0.04"});
  lab.Observe("GC share of the mean frame", "ratio",
              run.mean_ms() > 0 ? gc_mean / run.mean_ms() : 0, {.source = "0.18"});
}

void RunB12(Lab& lab) {
  const uint64_t small_bytes = NurseryForMinors(lab, 53), large_bytes = NurseryForMinors(lab, 25);
  const BulletRun& small = RunBulletCell(lab, FixedNursery(6, small_bytes));
  const BulletRun& large = RunBulletCell(lab, FixedNursery(6, large_bytes));
  lab.Add(Table{
      .title = "Fresh, 3,000 spawns, two nurseries",
      .columns = {"", "small", "large", "source small", "source large"},
      .rows = {
          {"nursery, KiB", absl::StrCat(small_bytes >> 10), absl::StrCat(large_bytes >> 10),
           "16384 (recall)", "65536"},
          {"minors", absl::StrCat(small.minors), absl::StrCat(large.minors), "53", "25"},
          {"GC ms", FixedNumber(GcMs(small), 1), FixedNumber(GcMs(large), 1), "94.3", "38.1"},
          {"p99 ms", Ms(small.p99_ms()), Ms(large.p99_ms()), "3.822", "3.449"},
          {"longest pause, ms of CPU time", Ms(static_cast<double>(small.max_pause_cpu_ns) / 1e6),
           Ms(static_cast<double>(large.max_pause_cpu_ns) / 1e6), "3.895", "4.562"}}});
  lab.Exact("minors with the small nursery", "collections", static_cast<double>(small.minors), 53,
            {.source = "53"});
  lab.Exact("minors with the large nursery", "collections", static_cast<double>(large.minors), 25,
            {.source = "25"});
  for (const BulletRun* run : {&small, &large}) {
    const char* name = run == &small ? "small" : "large";
    const CauseCounts causes = CountCauses(*run);
    lab.Exact(absl::StrCat("eden bytes of all minors, ", name), "bytes", SumEdenBytes(*run),
              static_cast<double>(run->total_young_bytes),
              {.reason = "a last minor outside the frames collects the remainder"});
    lab.Exact(absl::StrCat("nursery-full minors more than a TLAB early, ", name), "collections",
              causes.early, 0);
    lab.Observe(absl::StrCat("minors of other causes, ", name), "collections", causes.other);
  }
  const double spread = Control(lab, 3000).p50_spread;
  lab.TimeAtMost("GC time, large / small", "ratio", GcMs(small) > 0 ? GcMs(large) / GcMs(small) : 1,
                 1, spread, {.source = "0.40"});
  const double pause_ratio = small.max_pause_cpu_ns > 0
                                 ? static_cast<double>(large.max_pause_cpu_ns) /
                                       static_cast<double>(small.max_pause_cpu_ns)
                                 : 0;
  lab.TimeAtLeast("longest pause, large / small", "ratio", pause_ratio, 1,
                  Control(lab, 3000).p99_spread, {.source = "1.17"});
  lab.Observe("p99, large / small", "ratio",
              small.p99_ms() > 0 ? large.p99_ms() / small.p99_ms() : 0, {.source = "0.90"});
}

void RunB13(Lab& lab) {
  const gc::Options options = SourceOptions();
  const uint64_t minors = lab.Repetitions(40, 12);
  const SurvivalRun dead = RunSurvival(options, 0, minors);
  std::vector<double> copied, pauses;
  Table table{.title = "Pause against survivors (nursery 2 MiB, medians)",
              .columns = {"alive", "copied KiB", "CPU per minor, us"},
              .rows = {{"0/8", FixedNumber(dead.copied_bytes / 1024, 1),
                        FixedNumber(dead.pause_ns / 1e3, 1)}}};
  Plot plot{.title = "Pause against bytes copied",
            .x_label = "copied in a minor collection, KiB",
            .y_label = "CPU time of the collection, us",
            .series = {Series{.name = "minors", .points = {}, .style = Series::Style::kPoints}}};
  for (uint32_t eighths = 1; eighths <= 8; ++eighths) {
    const SurvivalRun run = RunSurvival(options, eighths, minors);
    copied.push_back(run.copied_bytes);
    pauses.push_back(run.pause_ns);
    plot.series[0].points.emplace_back(run.copied_bytes / 1024, run.pause_ns / 1e3);
    table.rows.push_back({absl::StrCat(eighths, "/8"), FixedNumber(run.copied_bytes / 1024, 1),
                          FixedNumber(run.pause_ns / 1e3, 1)});
  }
  const LineFit fit = FitLine(copied, pauses);
  lab.Add(std::move(table));
  lab.Add(std::move(plot));
  const BulletRun& bullets = RunBulletCell(lab, SourceSpec(Kind::kFresh, 3000));
  const double per_minor =
      bullets.minors > 0 ? static_cast<double>(bullets.copied_bytes + bullets.promoted_bytes) /
                               static_cast<double>(bullets.minors)
                         : 0;
  lab.AtMost("copied per minor, all dead, against eden", "ratio",
             dead.eden_bytes > 0 ? dead.copied_bytes / dead.eden_bytes : 1, 0.01,
             {.source = "about 0"});
  lab.AtLeast("copied per minor, bullets, against the dead workload's eden", "ratio",
              dead.eden_bytes > 0 ? per_minor / dead.eden_bytes : 0, 0.5,
              {.source = "everything that is alive", .criterion_class = Class::kBound});
  lab.TimeAtLeast("CPU per minor, bullets / all dead", "ratio",
                  dead.pause_ns > 0 ? MeanMinorNs(bullets) / dead.pause_ns : 0, 3,
                  Control(lab, 3000).p99_spread, {.source = "5.8"});
  lab.AtLeast("R^2 of CPU per minor over bytes copied, 8 levels", "", fit.r2, 0.95,
              {.criterion_class = Class::kShape});
  lab.Observe("copying, from the slope", "GB/s", fit.slope > 0 ? 1 / fit.slope : 0);
}

void RunB14(Lab& lab) {
  const BulletRun& run = RunBulletCell(lab, FixedNursery(6, uint64_t{16} << 20));
  int counted = 0, equal = 0;
  double largest = 0, extra = 0;
  for (const MinorRecord& minor : run.minor_records) {
    if (minor.cause != static_cast<uint64_t>(gc::Cause::kNurseryFull)) continue;
    ++counted;
    const double bytes = static_cast<double>(minor.copied_bytes + minor.promoted_bytes);
    const double live = static_cast<double>(minor.live_objects * ManagedBulletBytes(6));
    equal += bytes == live;
    extra = std::max(extra, std::abs(bytes - live));
    largest = std::max(largest, bytes);
  }
  lab.AtLeast("minors looked at", "collections", counted, 3);
  lab.Exact("minors that copied exactly the live bullets x 56 bytes", "collections", equal, counted,
            {.source = "6.18 MiB of 72-byte bullets", .reason = "extras allowed: none"});
  lab.Observe("largest difference", "bytes", extra);
  lab.Observe("largest copy", "MiB", largest / (1 << 20), {.source = "6.5 (90,000 x 72 bytes)"});
}

void RunB22(Lab& lab) {
  const CellSummary fresh6 = Summarize(lab, SourceSpec(Kind::kFresh, 3000));
  const CellSummary fresh20 = Summarize(lab, SourceSpec(Kind::kFresh, 3000, 20));
  const CellSummary pool20 = Summarize(lab, SourceSpec(Kind::kPool, 3000, 20));
  const CellSummary typed20 = Summarize(lab, SourceSpec(Kind::kTyped, 3000, 20));
  lab.Add(Table{.title = "3,000 spawns, ms of CPU time",
                .columns = {"", "p50", "p99", "GC ms", "source p50", "source p99", "source GC"},
                .rows = {{"fresh, 6 fields", Ms(fresh6.p50_ms), Ms(fresh6.p99_ms),
                          FixedNumber(fresh6.gc_ms, 1), ".670", "3.640", "90.0"},
                         {"fresh, 20", Ms(fresh20.p50_ms), Ms(fresh20.p99_ms),
                          FixedNumber(fresh20.gc_ms, 1), ".815", "7.071", "178.8"},
                         {"free list, 20", Ms(pool20.p50_ms), Ms(pool20.p99_ms),
                          FixedNumber(pool20.gc_ms, 1), "2.021", "", ""},
                         {"columns, 20", Ms(typed20.p50_ms), Ms(typed20.p99_ms),
                          FixedNumber(typed20.gc_ms, 1), "1.545", "1.680", ""}}});
  const auto moved = [](const BulletRun& run) {
    return static_cast<double>(run.copied_bytes + run.promoted_bytes);
  };
  const double bytes6 = moved(RunBulletCell(lab, SourceSpec(Kind::kFresh, 3000)));
  const double bytes20 = moved(RunBulletCell(lab, SourceSpec(Kind::kFresh, 3000, 20)));
  const double time_ratio = fresh6.gc_ms > 0 ? fresh20.gc_ms / fresh6.gc_ms : 0;
  const double byte_ratio = bytes6 > 0 ? bytes20 / bytes6 : 0;
  lab.Observe("GC time, 20 fields / 6", "ratio", time_ratio, {.source = "1.99"});
  lab.Observe("bytes moved, 20 fields / 6, same nursery", "ratio", byte_ratio,
              {.source = "2.6 (sizes)"});
  lab.TimeAtMost("|GC time ratio / bytes moved ratio - 1|", "ratio",
                 byte_ratio > 0 ? std::abs(time_ratio / byte_ratio - 1) : 1, 0.15,
                 Control(lab, 3000).p50_spread,
                 {.source = "1.99 of 2.6 (0.23)",
                  .reason = "part of the cost is per object, so time grows less than bytes do"});
  if (lab.settings().scale >= 0.5) {
    const CellSummary fresh = Summarize(lab, SourceSpec(Kind::kFresh, 10000, 20));
    const CellSummary pool = Summarize(lab, SourceSpec(Kind::kPool, 10000, 20));
    lab.Observe("free list / fresh, median at 10,000, 20 fields (B4)", "ratio",
                fresh.p50_ms > 0 ? pool.p50_ms / fresh.p50_ms : 0, {.source = "2.0"});
    lab.Observe("free list / fresh, p99 at 10,000, 20 fields (B4)", "ratio",
                fresh.p99_ms > 0 ? pool.p99_ms / fresh.p99_ms : 0);
  }
  // A nursery three times as large for bullets three times as large, longer than a lifetime. The
  // two runs' minors fall on different frames (the list debits both nurseries alike), so each is
  // held against the bullets that were alive at it.
  const double per6 = CopiedPerLiveBullet(RunBulletCell(lab, FixedNursery(6, uint64_t{16} << 20)));
  const double per20 =
      CopiedPerLiveBullet(RunBulletCell(lab, FixedNursery(20, uint64_t{48} << 20)));
  lab.Exact("copied per minor and live bullet, 20 fields / 6, nursery scaled alike", "ratio",
            per6 > 0 ? per20 / per6 : 0, 3, {.source = "size ratio"});
}

void RunB25(Lab& lab) {
  for (const int rate : {1000, 3000}) {
    const BulletRun& run = RunBulletCell(lab, SourceSpec(Kind::kFresh, rate));
    const double seen = static_cast<double>(run.minors + run.majors);
    lab.Holds(absl::StrCat("collections seen, fresh at ", rate, ": ", FixedNumber(seen, 0)),
              seen > 0, "more than 0", {.criterion_class = Class::kExact});
    uint64_t in_frames = 0;
    for (const FrameSample& frame : run.frames) in_frames += frame.minors;
    lab.Exact(absl::StrCat("minors attributed to frames, against the counter, at ", rate),
              "collections", static_cast<double>(in_frames), static_cast<double>(run.minors));
    lab.Exact(absl::StrCat("events lost at ", rate), "events", static_cast<double>(run.lost_events),
              0);
  }
}

}  // namespace neap::lab
