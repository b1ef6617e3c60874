// SPDX-License-Identifier: MIT
//
// G4, G5, G8, G9: what pooling saves, and what a miss costs.
#include <algorithm>
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "block.h"
#include "burst_pool.h"
#include "experiments_g.h"
#include "experiments_k.h"
#include "lab_heap.h"
#include "neap/runtime/clock.h"
#include "number_text.h"
#include "pool_throughput.h"

namespace neap::lab {
namespace {

// The loop and a P for the thread that collects.
constexpr int kProcs = 2;

struct ThreeLoops {
  Throughput no_pool, pool, under_gc;
};

ThreeLoops MeasureLoops(Lab& lab, const gc::Options& options) {
  ThreeLoops loops;
  lab.Progress("loops", 0, 3);
  loops.no_pool = MeasureThroughput(lab, "no-pool", options);
  lab.Progress("loops", 1, 3);
  loops.pool = MeasureThroughput(lab, "pool", options);
  lab.Progress("loops", 2, 3);
  loops.under_gc = MeasureThroughput(lab, "under-gc", options);
  lab.Progress("loops", 3, 3);
  return loops;
}

BenchLine ToBenchLine(const std::string& name, const Throughput& t) {
  BenchLine line{.name = absl::StrCat(name, "-", kProcs),
                 .iterations = t.iterations,
                 .ns_per_op = t.ns_per_op,
                 .metrics = {{"B/op", t.bytes_per_op}, {"allocs/op", t.allocs_per_op}}};
  if (name.find("NoPool") == std::string::npos) {
    line.metrics.push_back({"%miss", 100 * t.misses / t.operations});
  }
  return line;
}

std::vector<std::string> TableRow(const std::string& name, const Throughput& t, bool pooled,
                                  const std::string& source) {
  return {
      name,
      FixedNumber(t.ns_per_op, 2),
      absl::StrCat("+-", FixedNumber(50 * t.spread, 0), " %"),
      ReadableNumber(std::round(t.bytes_per_op)),
      ReadableNumber(std::round(t.allocs_per_op * 1000) / 1000),
      pooled ? absl::StrCat(ReadableNumber(t.misses), " in ", ReadableNumber(t.operations)) : "-",
      source};
}

void ShowLoops(Lab& lab, const std::string& mode, const std::string& suffix,
               const ThreeLoops& loops) {
  lab.Add(Table{.title = absl::StrCat("4 KiB buffer per operation, ", mode),
                .columns = {"", "ns/op", "spread", "B/op", "allocs/op", "misses", "source ns/op"},
                .rows = {TableRow("NoPool", loops.no_pool, false, "367.1"),
                         TableRow("Pool", loops.pool, true, "7.202"),
                         TableRow("PoolUnderGC", loops.under_gc, true, "8.236")}});
  lab.Add(ToBenchLine("NoPool" + suffix, loops.no_pool));
  lab.Add(ToBenchLine("Pool" + suffix, loops.pool));
  lab.Add(ToBenchLine("PoolUnderGC" + suffix, loops.under_gc));
}

}  // namespace

void RunG4(Lab& lab) {
  const ThreeLoops go = MeasureLoops(lab, GoPreset(lab, kProcs));
  const ThreeLoops beside = MeasureLoops(lab, BesidePreset(lab, kProcs));
  ShowLoops(lab, "preset go", "", go);
  ShowLoops(lab, BesideName(lab), "Beside", beside);
  lab.Exact("NoPool: bytes per operation, 4096 and the header of 8", "B", go.no_pool.bytes_per_op,
            go.no_pool.object_bytes, {.source = "4.000 KiB"});
  lab.Exact("NoPool: allocations per operation", "", go.no_pool.allocs_per_op, 1, {.source = "1"});
  lab.Exact("Pool: bytes per operation after the first", "B", go.pool.bytes_per_op, 0,
            {.source = "0"});
  lab.Exact("Pool: allocations per operation after the first", "", go.pool.allocs_per_op, 0,
            {.source = "0"});
  lab.Exact("Pool: misses in all, no collection", "", go.pool.misses, 1,
            {.source = "600.0n% = 1 in 166.7 million"});
  // A whole number of objects per operation, as benchmarks print it: what the few misses allocate
  // vanishes in the division.
  lab.Exact("PoolUnderGC: whole allocations per operation", "",
            std::floor(go.under_gc.allocs_per_op), 0, {.source = "0"});
  lab.Observe("PoolUnderGC: misses per million operations", "",
              1e6 * go.under_gc.misses / go.under_gc.operations, {.source = "3.769 (376.9u%)"});
  lab.Observe("PoolUnderGC: collections per millisecond, 1 asked for", "",
              go.under_gc.collections / (go.under_gc.operations * go.under_gc.ns_per_op * 1e-6));
  lab.Observe("NoPool", "ns", go.no_pool.ns_per_op, {.source = "367.1"});
  lab.Observe("Pool", "ns", go.pool.ns_per_op, {.source = "7.202"});
  lab.Observe("PoolUnderGC", "ns", go.under_gc.ns_per_op, {.source = "8.236"});
  lab.Observe(absl::StrCat("NoPool under the ", BesideName(lab)), "ns", beside.no_pool.ns_per_op);
}

void RunG5(Lab& lab) {
  const ThreeLoops go = MeasureLoops(lab, GoPreset(lab, kProcs));
  const ThreeLoops beside = MeasureLoops(lab, BesidePreset(lab, kProcs));
  lab.TimeAtLeast("NoPool / Pool", "x", go.no_pool.ns_per_op / go.pool.ns_per_op, 10,
                  std::max(go.no_pool.control_spread, go.pool.control_spread), {.source = "51"});
  lab.TimeAtMost("PoolUnderGC / Pool, a collection each millisecond", "x",
                 go.under_gc.ns_per_op / go.pool.ns_per_op, 1.5,
                 std::max(go.pool.control_spread, go.under_gc.control_spread), {.source = "1.14"});
  lab.Observe("NoPool / PoolUnderGC", "x", go.no_pool.ns_per_op / go.under_gc.ns_per_op,
              {.source = "44"});
  const double plain = go.pool.misses / go.pool.operations;
  const double under_gc = go.under_gc.misses / go.under_gc.operations;
  lab.Observe("miss rate under collections / without", "x", under_gc / plain,
              {.source = "628", .reason = "the denominator is one miss in the length of the run"});
  lab.Observe("misses per collection", "",
              (go.under_gc.misses - 1) / std::max(1.0, go.under_gc.collections),
              {.source = "0.46"});
  lab.Observe(absl::StrCat("NoPool / Pool under the ", BesideName(lab)), "x",
              beside.no_pool.ns_per_op / beside.pool.ns_per_op);
  lab.Say(
      "The multiple of 51 compares a pool with an allocator that takes 367 ns for 4 KiB. A nursery "
      "allocates the same buffer in the time that zeroing takes, so the multiple shrinks under the "
      "defaults: the pool did not get worse, its rival got better.");
  lab.Say(
      "628 is the length of two benchmark runs, not a property of the pool: one miss is one miss, "
      "and the longer the run without collections, the larger the multiple.");
}

namespace {

// Busy for `ns`; returns what it really took.
uint64_t Spin(uint64_t ns) {
  const uint64_t start_ns = MonotonicNanos();
  uint64_t now_ns = start_ns;
  while (now_ns - start_ns < ns) now_ns = MonotonicNanos();
  return now_ns - start_ns;
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

struct PairTimes {
  double lost_ns = 0;   // median pair with a costly New - median pair with a free one
  double noise_ns = 0;  // what pairs with a free New vary by: third quartile - first
  double cost_ns = 0;   // median of what New really took
  double misses_per_pair = 0;
};

// Pairs of collections, each with a Get and a Put after it. New is costly in every second pair, so
// that whatever else changes during the run meets both kinds alike.
PairTimes TimePairs(Lab& lab, uint64_t cost_ns, uint64_t pairs) {
  LabHeap heap(GoPreset(lab, 1));
  gc::Mutator& m = heap.mutator();
  bool costly = false;
  uint64_t misses = 0;
  std::vector<double> costs, with, without;
  pool::Options<Block> options;
  options.go_exact = true;
  options.make = [&](gc::Mutator& mutator) {
    ++misses;
    if (costly) costs.push_back(static_cast<double>(Spin(cost_ns)));
    return static_cast<Block*>(mutator.Allocate(BlockType(4096)));
  };
  pool::Pool<Block> pool(heap.heap(), std::move(options));
  pool.Put(m, pool.Get(m));
  misses = 0;
  for (uint64_t i = 0; i < 2 * pairs; ++i) {
    costly = i % 2 == 1;
    const uint64_t start_ns = MonotonicNanos();
    heap.Collect(2);
    pool.Put(m, pool.Get(m));
    (costly ? with : without).push_back(static_cast<double>(MonotonicNanos() - start_ns));
  }
  return {.lost_ns = Quantile(with, 0.5) - Quantile(without, 0.5),
          .noise_ns = Quantile(without, 0.75) - Quantile(without, 0.25),
          .cost_ns = costs.empty() ? 0 : Quantile(costs, 0.5),
          .misses_per_pair = static_cast<double>(misses) / static_cast<double>(2 * pairs)};
}

}  // namespace

void RunG8(Lab& lab) {
  constexpr double kBound = 0.05;
  const uint64_t pairs = lab.Repetitions(200, 20);
  Table table{.title = "Time lost per pair of collections, one object held",
              .columns = {"New takes", "misses/pair", "lost, us", "lost / (misses x cost)"},
              .rows = {}};
  for (const uint64_t cost_ns : {100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000}) {
    const uint64_t count = cost_ns >= 1'000'000 ? std::min<uint64_t>(pairs, 30) : pairs;
    const PairTimes times = TimePairs(lab, cost_ns, count);
    const double ratio = times.lost_ns / (times.misses_per_pair * times.cost_ns);
    const std::string cost =
        absl::StrCat(ReadableNumber(static_cast<double>(cost_ns) * 1e-3), " us");
    table.rows.push_back({cost, FixedNumber(times.misses_per_pair, 2),
                          FixedNumber(times.lost_ns * 1e-3, 2), FixedNumber(ratio, 3)});
    lab.TimeAtMost(absl::StrCat("New of ", cost, ": |lost / (misses x cost) - 1|"), "",
                   std::fabs(ratio - 1), kBound, times.noise_ns / times.cost_ns / kBound);
    lab.Exact(absl::StrCat("New of ", cost, ": misses per pair"), "", times.misses_per_pair, 1);
    lab.Progress("costs", static_cast<uint64_t>(table.rows.size()), 6);
  }
  lab.Add(std::move(table));
  lab.Say(
      "A New that is cheaper than what a pair of collections varies by cannot be seen in it, and "
      "its time bound is undecided.");
}

namespace {

struct Requests {
  uint64_t misses = 0;
  double per_cycle = 0;
};

// `count` requests of one buffer each at 200 a second, beside allocation that collects each 100 ms.
Requests ServeRequests(Lab& lab, bool regular, uint64_t count) {
  constexpr double kMeanGapMs = 5, kPeriodMs = 100;
  const double rate_mb_s = 32 * 1.048576 / (kPeriodMs * 1e-3);  // 32 MiB of room per period
  PacedProgram program(VirtualProgram(GoPreset(lab, 1), rate_mb_s, kScaleDivisor));
  BurstPool pool(program.lab_heap(), {.workers = 1,
                                      .buffer_bytes = program.buffer_bytes(),
                                      .seed = lab.settings().seed,
                                      .record = lab.settings().record});
  std::mt19937_64 random(lab.settings().seed);
  std::exponential_distribution<double> wait(1 / kMeanGapMs);
  BurstCounts counts;
  program.ForgetMajors();
  for (uint64_t i = 0; i < count; ++i) {
    const double gap_ms = regular ? kMeanGapMs : wait(random);
    program.WaitUntil(program.Now() + program.FromMs(gap_ms));
    counts += pool.TakeAndReturn();
  }
  JudgeReplay(lab, regular ? "regular requests" : "random requests", pool.Replay());
  return {.misses = counts.misses,
          .per_cycle = static_cast<double>(count) /
                       std::max<double>(1, static_cast<double>(program.major_starts().size()))};
}

}  // namespace

void RunG9(Lab& lab) {
  const uint64_t count = lab.Repetitions(4000, 400);
  const Requests regular = ServeRequests(lab, true, count);
  const Requests poisson = ServeRequests(lab, false, count);
  lab.Exact(absl::StrCat("regular, a request each 5 ms: misses of ", count, " (the cold one)"), "",
            static_cast<double>(regular.misses), 1, {.source = "cold as often as warm"});
  lab.Within("requests per collection", "", regular.per_cycle, 19, 22, {.source = "about 20"});
  lab.Observe("Poisson arrivals, 200 a second: hit rate", "",
              1 - static_cast<double>(poisson.misses) / static_cast<double>(count),
              {.source = "0.5 (claimed)"});
  lab.Say(
      "Refuted: a gap of 5 ms is 0.05 of a period, and an object is lost only when two collections "
      "fall into one gap. 20 operations per collection keep a pool as warm as 122,000 do. The "
      "claim "
      "also contradicts source K, whose line gives 100 % up to one period.");
}

}  // namespace neap::lab
