// SPDX-License-Identifier: MIT
//
// B9, B10, B16, B17, B24, B26: where the time of a frame goes, and what follows for the builder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "bullet_cells.h"
#include "experiments_b.h"
#include "locality.h"
#include "micro_costs.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using Kind = BulletStorageKind;

// Repetitions from here on are processes of their own for B10, apart from those of the tables.
constexpr uint64_t kSeparateProcesses = 100;

// Median over the processes [first, first + count) of a figure.
double MedianFrom(const Lab& lab, BulletSpec spec, uint64_t first, uint64_t count,
                  double (*figure)(const BulletRun&), double* spread = nullptr) {
  std::vector<double> values;
  for (uint64_t i = 0; i < count; ++i) {
    spec.repetition = first + i;
    values.push_back(figure(RunBulletCell(lab, spec)));
  }
  if (spread != nullptr) *spread = Spread(values);
  return Median(values);
}

double MeanFrame(const BulletRun& run) { return run.mean_ms(); }
double MeanUpdate(const BulletRun& run) { return MeanMs(run.frames, &FrameSample::update_ns); }
double MedianSpawn(const BulletRun& run) { return MedianMs(run.frames, &FrameSample::spawn_ns); }
// Collections inside frames, spread over all of them.
double GcPerFrame(const BulletRun& run) { return MeanMs(run.frames, &FrameSample::gc_cpu_ns); }

// --- B24: cells that share a process -------------------------------------------------------------

constexpr Kind kSharedKinds[] = {Kind::kFresh, Kind::kPool, Kind::kTyped};

// `neap lab-cell bullets-shared 3000 fresh pool typed`: one line "name p50 p99" a storage.
int SharedCellMain(const std::vector<std::string>& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const auto kind = ParseBulletStorage(arguments[i]);
    if (!kind.has_value()) return 2;
    const BulletRun run = RunBullets(SourceSpec(*kind, std::atoi(arguments[0].c_str())));
    std::printf("%s %.6f %.6f\n", arguments[i].c_str(), run.p50_ms(), run.p99_ms());
  }
  return arguments.size() > 1 ? 0 : 2;
}
const Cell kCell("bullets-shared", &SharedCellMain);

struct SharedFigures {
  double p50_ms = 0, p99_ms = 0;
};
SharedFigures FiguresOf(const std::string& text, Kind kind) {
  std::istringstream in(text);
  std::string name;
  SharedFigures figures;
  while (in >> name >> figures.p50_ms >> figures.p99_ms) {
    if (name == BulletStorageName(kind)) return figures;
  }
  return {};
}

}  // namespace

void RunB9(Lab& lab) {
  const MicroCosts costs = MeasureMicroCosts(SourceOptions(), lab.Repetitions(9, 3));
  const MicroCosts beside = MeasureMicroCosts(lab.settings().heap, lab.Repetitions(9, 3));
  Table table{.title = "Costs of one bullet's steps, ns of CPU",
              .columns = {"step", "source mode", "defaults", "source (JavaScript)"},
              .rows = {}};
  const auto row = [&](const char* step, double ours, double defaults, const char* source) {
    table.rows.push_back({step, FixedNumber(ours, 2), FixedNumber(defaults, 2), source});
  };
  row("allocate", costs.allocate_ns, beside.allocate_ns, "4.72");
  row("overwrite six fields", costs.overwrite_ns, beside.overwrite_ns, "1.17");
  row("premium", costs.premium_ns(), beside.premium_ns(), "3.55");
  row("push + pop, list of references", costs.list_pair_ns, beside.list_pair_ns, "7.86");
  row("push + pop, int32 stack", costs.index_pair_ns, beside.index_pair_ns, "7.04");
  row("malloc + free, 48 bytes", costs.malloc_pair_ns, beside.malloc_pair_ns, "");
  lab.Add(std::move(table));
  lab.Observe("allocate", "ns", costs.allocate_ns, {.source = "4.72"});
  lab.Observe("allocate, defaults", "ns", beside.allocate_ns,
              {.reason = "an eden that fits the L2 is written without waiting for memory"});
  lab.Observe("overwrite", "ns", costs.overwrite_ns, {.source = "1.17"});
  lab.Observe("push + pop on a managed list", "ns", costs.list_pair_ns, {.source = "7.86"});
  lab.Observe("push + pop on an int32 stack", "ns", costs.index_pair_ns, {.source = "7.04"});
  const double ratio = costs.premium_ns() > 0 ? costs.list_pair_ns / costs.premium_ns() : 0;
  lab.Observe("free list pair / allocation premium", "ratio", ratio,
              {.source = "2.2",
               .reason = "in C++ a free list is far cheaper than in JavaScript, so it may win"});
  lab.Holds("all four costs and the ratio are measured",
            costs.allocate_ns > 0 && costs.overwrite_ns > 0 && costs.list_pair_ns > 0 &&
                costs.index_pair_ns > 0,
            "each above 0", {.criterion_class = Class::kShape});
  lab.Add(BenchLine{
      .name = "BulletAllocate", .iterations = 1, .ns_per_op = costs.allocate_ns, .metrics = {}});
  lab.Add(BenchLine{.name = "BulletFreeListPair",
                    .iterations = 1,
                    .ns_per_op = costs.list_pair_ns,
                    .metrics = {}});
}

void RunB10(Lab& lab) {
  const BulletSpec fresh = SourceSpec(Kind::kFresh, 3000), pool = SourceSpec(Kind::kPool, 3000);
  const uint64_t count = lab.Repetitions(3, 1);
  double fresh_spread = 0, pool_spread = 0;
  const double fresh_mean = MedianFrom(lab, fresh, 0, count, MeanFrame, &fresh_spread);
  const double pool_mean = MedianFrom(lab, pool, 0, count, MeanFrame, &pool_spread);
  const auto apart = [&](const BulletSpec& spec, double (*figure)(const BulletRun&)) {
    return MedianFrom(lab, spec, kSeparateProcesses, count, figure);
  };
  const double update = apart(pool, MeanUpdate) - apart(fresh, MeanUpdate);
  const double spawn = apart(pool, MedianSpawn) - apart(fresh, MedianSpawn);
  const double gc = apart(pool, GcPerFrame) - apart(fresh, GcPerFrame);
  const double predicted = update + spawn + gc;
  const double measured = pool_mean - fresh_mean;
  const MicroCosts micro = MeasureMicroCosts(SourceOptions(), lab.Repetitions(5, 3));
  lab.Add(Table{
      .title = "Mean frame at 3,000: free list less fresh, ms",
      .columns = {"term", "ours", "source"},
      .rows = {{"update phase (iteration penalty, pushes)", Ms(update), ""},
               {"spawn phase without collections (pops, no allocation)", Ms(spawn), ""},
               {"collections", Ms(gc), "-0.150"},
               {"predicted", Ms(predicted), "0.969"},
               {"measured in other processes", Ms(measured), "0.995"},
               {"micro: 3,000 x allocation premium", Ms(3000 * micro.premium_ns() / 1e6), "0.011"},
               {"micro: 3,000 x free list pair", Ms(3000 * micro.list_pair_ns / 1e6), "0.024"}}});
  const double larger = std::max(pool_mean, fresh_mean);
  lab.TimeAtMost("|predicted - measured| / larger mean", "ratio",
                 larger > 0 ? std::abs(predicted - measured) / larger : 1, 0.05,
                 std::max(fresh_spread, pool_spread), {.source = "3%"});
}

void RunB16(Lab& lab) {
  const int rate = lab.settings().scale < 0.5 ? 3000 : 10000;
  const CellSummary fresh = Summarize(lab, SourceSpec(Kind::kFresh, rate));
  const CellSummary pool = Summarize(lab, SourceSpec(Kind::kPool, rate));
  const double spawn = fresh.spawn_p50_ms > 0 ? pool.spawn_p50_ms / fresh.spawn_p50_ms : 0;
  const double update = fresh.update_p50_ms > 0 ? pool.update_p50_ms / fresh.update_p50_ms : 0;
  lab.Add(Table{.title = absl::StrCat("Median phases at ", rate, ", ms of CPU time"),
                .columns = {"phase", "fresh", "free list", "ratio", "source"},
                .rows = {{"spawn", Ms(fresh.spawn_p50_ms), Ms(pool.spawn_p50_ms),
                          FixedNumber(spawn, 2), "1.285 / 1.295"},
                         {"update", Ms(fresh.update_p50_ms), Ms(pool.update_p50_ms),
                          FixedNumber(update, 2), "2.104 / 9.884"}}});
  const double spread = Control(lab, 3000).p50_spread;
  // The source spends 128 ns on a spawn, so a cold object more or less does not show there.
  const std::string reason =
      spawn > 1.3 ? absl::StrCat("a spawn takes ", FixedNumber(1e6 * fresh.spawn_p50_ms / rate, 0),
                                 " ns here and 128 there: the popped object's cache miss shows")
                  : "";
  lab.TimeAtLeast("spawn, free list / fresh", "ratio", spawn, 0.7, spread, {.source = "1.01"});
  lab.TimeAtMost("spawn, free list / fresh (upper bound)", "ratio", spawn, 1.3, spread,
                 {.source = "1.01", .reason = reason});
  lab.TimeAtLeast("update ratio against spawn ratio", "ratio", spawn > 0 ? update / spawn : 0, 1,
                  spread, {.source = "4.7", .reason = reason});
}

void RunB17(Lab& lab) {
  constexpr double kBytesPerSpawn = 45.0 * 56;  // six columns and two index arrays
  const CacheSizes caches = ReadCacheSizes();
  const uint64_t share = MeasuredCacheShareBytes();
  lab.Say(absl::StrCat("Caches: ", CacheSizesText(caches),
                       "; share of the last level, measured: ", share >> 20, " MiB."));
  const int small =
      std::max(50, static_cast<int>(static_cast<double>(caches.l2_bytes) / 2 / kBytesPerSpawn));
  const int wanted = static_cast<int>(2.2 * static_cast<double>(share) / kBytesPerSpawn);
  const int large = std::clamp(wanted, 10000, 15000);
  Table table{.title = "Typed columns, median frame, ms of CPU time",
              .columns = {"spawns", "columns MiB", "LIFO", "FIFO", "FIFO / LIFO", "source"},
              .rows = {}};
  double ratios[2];
  int i = 0;
  for (const int rate : {small, lab.settings().scale < 0.5 ? 3000 : large}) {
    const CellSummary lifo = Summarize(lab, SourceSpec(Kind::kTyped, rate));
    const CellSummary fifo = Summarize(lab, SourceSpec(Kind::kTypedFifo, rate));
    ratios[i] = lifo.p50_ms > 0 ? fifo.p50_ms / lifo.p50_ms : 0;
    table.rows.push_back({absl::StrCat(rate), FixedNumber(rate * kBytesPerSpawn / (1 << 20), 1),
                          Ms(lifo.p50_ms), Ms(fifo.p50_ms), FixedNumber(ratios[i], 2),
                          i == 1 ? "4.812 / 3.684 = 0.77" : "no difference"});
    ++i;
  }
  lab.Add(std::move(table));
  const double spread = Control(lab, 3000).p50_spread;
  const std::string finding =
      "FIFO walks all 45 S slots, LIFO keeps to the 30 S in use; where random reads are dear the "
      "larger working set costs more than the better order gives";
  lab.TimeAtMost("FIFO / LIFO, columns beyond twice the cache share", "ratio", ratios[1], 0.95,
                 spread, {.source = "0.77", .reason = finding});
  lab.TimeAtMost("|FIFO / LIFO - 1|, columns in half the L2", "ratio", std::abs(ratios[0] - 1),
                 0.05, spread, {.source = "0"});
}

void RunB24(Lab& lab) {
  const std::string forward =
      RunIsolated(lab, "bullets-shared", {"3000", "fresh", "pool", "typed"});
  const std::string reverse =
      RunIsolated(lab, "bullets-shared", {"3000", "typed", "pool", "fresh"});
  Table table{.title = "p50 / p99 at 3,000, ms of CPU time",
              .columns = {"storage", "own process", "shared, forwards", "shared, backwards",
                          "spread of p50", "spread of p99"},
              .rows = {}};
  bool all_ran = true;
  double widest = 0;
  for (const Kind kind : kSharedKinds) {
    const CellSummary alone = Summarize(lab, SourceSpec(kind, 3000));
    const SharedFigures first = FiguresOf(forward, kind), last = FiguresOf(reverse, kind);
    all_ran &= first.p50_ms > 0 && last.p50_ms > 0;
    const double p50 = Spread({alone.p50_ms, first.p50_ms, last.p50_ms});
    const double p99 = Spread({alone.p99_ms, first.p99_ms, last.p99_ms});
    widest = std::max({widest, p50, p99});
    const auto pair = [](double a, double b) { return absl::StrCat(Ms(a), " / ", Ms(b)); };
    table.rows.push_back({BulletStorageName(kind), pair(alone.p50_ms, alone.p99_ms),
                          pair(first.p50_ms, first.p99_ms), pair(last.p50_ms, last.p99_ms),
                          absl::StrCat(FixedNumber(100 * p50, 0), " %"),
                          absl::StrCat(FixedNumber(100 * p99, 0), " %")});
  }
  lab.Add(std::move(table));
  lab.Holds("three orders were run", all_ran, "figures for each storage in each",
            {.criterion_class = Class::kShape});
  lab.Observe("widest spread over the orders", "%", 100 * widest, {.source = "order matters"});
  const bool isolated = lab.settings().isolate && !lab.settings().program.empty();
  lab.Holds("published cells have a process of their own", isolated, "isolated",
            {.reason = isolated ? "" : "cells shared this process: their times are not comparable",
             .criterion_class = Class::kShape});
}

void RunB26(Lab& lab) {
  int first_rate = 0;
  for (const int rate : {1000, 2000, 3000}) {
    const double saved = Summarize(lab, SourceSpec(Kind::kFresh, rate)).p99_ms -
                         Summarize(lab, SourceSpec(Kind::kTyped, rate)).p99_ms;
    if (first_rate == 0 && saved >= 1) first_rate = rate;
  }
  const CellSummary beside = Summarize(lab, DefaultSpec(lab, Kind::kFresh, 3000));
  const CellSummary typed = Summarize(lab, SourceSpec(Kind::kTyped, 3000));
  lab.Observe("first rate at which columns save a millisecond of p99, source mode", "spawns",
              first_rate, {.source = "about 2,000"});
  lab.Observe("p99 / p50 of fresh allocation at 3,000 under the defaults", "ratio",
              beside.p50_ms > 0 ? beside.p99_ms / beside.p50_ms : 0,
              {.source = "5.4", .reason = "near 1 means that no pool is needed"});
  lab.Observe("fresh under the defaults, p99 less columns' p99 at 3,000", "ms",
              beside.p99_ms - typed.p99_ms, {.source = "1.43"});
  lab.Say(
      "The advice stands or falls with the collector: it follows from B5 (does a tail exist?) and "
      "B17 (does the order of slots pay?), both above, on the machine at hand.");
}

}  // namespace neap::lab
