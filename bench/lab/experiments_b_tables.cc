// SPDX-License-Identifier: MIT
//
// B1-B8 and B23: the bullets over spawn rates and storages. All of them read the same cells.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "bullet_cells.h"
#include "experiments_b.h"
#include "locality.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using Kind = BulletStorageKind;

// Rates of the source's tables, and what quick runs keep of them.
std::vector<int> Rates(const Lab& lab, std::vector<int> rates) {
  const int highest = lab.settings().scale < 0.5 ? 3000 : rates.back();
  std::erase_if(rates, [&](int rate) { return rate > highest; });
  return rates;
}

// Storages that B1 holds to the checksum at a rate. At 10,000 the plain C++ ones are left to B23's
// two: they share their arithmetic with the smaller rates and take seconds.
std::vector<Kind> ChecksumKinds(int spawn) {
  std::vector<Kind> kinds = {Kind::kFresh,     Kind::kPool,     Kind::kGcPool,  Kind::kTyped,
                             Kind::kTypedFifo, Kind::kCppFresh, Kind::kCppDense};
  if (spawn <= 3000) {
    kinds.insert(kinds.end(), {Kind::kCppPool, Kind::kCppTyped, Kind::kCppTypedFifo});
  }
  return kinds;
}

std::string Ratio(double numerator, double denominator) {
  return denominator > 0 ? FixedNumber(numerator / denominator, 2) : "-";
}

// A plot of p50 and p99 against the spawn rate, a pair of curves for each storage.
Plot FramePlot(const Lab& lab, const std::vector<int>& rates, const std::vector<Kind>& kinds) {
  Plot plot{.title = "Frame time against spawn rate (source mode, CPU time)",
            .x_label = "spawns per frame",
            .y_label = "CPU time of a frame, ms",
            .log_x = true,
            .log_y = true,
            .series = {}};
  for (const Kind kind : kinds) {
    Series p50{.name = absl::StrCat(BulletStorageName(kind), " p50"), .points = {}};
    Series p99{.name = absl::StrCat(BulletStorageName(kind), " p99"),
               .points = {},
               .style = Series::Style::kDashed};
    for (const int rate : rates) {
      const CellSummary cell = Summarize(lab, SourceSpec(kind, rate));
      p50.points.emplace_back(rate, cell.p50_ms);
      p99.points.emplace_back(rate, cell.p99_ms);
    }
    plot.series.push_back(std::move(p50));
    plot.series.push_back(std::move(p99));
  }
  return plot;
}

// Pauses over frames, for fresh allocation in both modes.
Plot PausePlot(const Lab& lab, int spawn) {
  Plot plot{.title = absl::StrCat("Pauses over the run, fresh, ", spawn, " spawns a frame"),
            .x_label = "frame",
            .y_label = "pause, ms",
            .series = {}};
  for (const BulletSpec& spec :
       {SourceSpec(Kind::kFresh, spawn), DefaultSpec(lab, Kind::kFresh, spawn)}) {
    Series series{.name = ModeName(spec), .points = {}, .style = Series::Style::kPoints};
    const BulletRun& run = RunBulletCell(lab, spec);
    for (size_t i = 0; i < run.frames.size(); ++i) {
      const auto pause_ns = static_cast<double>(run.frames[i].gc_pause_ns);
      if (pause_ns > 0) series.points.emplace_back(static_cast<double>(i), pause_ns / 1e6);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

void RunB1(Lab& lab) {
  Table table{.title = "Rounded sum of x over 600 frames",
              .columns = {"spawns", "storage", "ours", "expected", "published"},
              .rows = {}};
  for (const int rate : Rates(lab, {300, 1000, 3000, 10000})) {
    const double expected = ExpectedChecksum(rate);
    int equal = 0;
    const std::vector<Kind> kinds = ChecksumKinds(rate);
    for (const Kind kind : kinds) {
      lab.Progress(absl::StrCat("B1 at ", rate), static_cast<uint64_t>(equal), kinds.size());
      const double ours = RunBulletCell(lab, SourceSpec(kind, rate)).checksum;
      equal += ours == expected;
      table.rows.push_back({absl::StrCat(rate), BulletStorageName(kind), FixedNumber(ours, 0),
                            FixedNumber(expected, 0), rate == 300 ? "peers" : "source"});
    }
    lab.Exact(absl::StrCat("storages with the expected checksum at ", rate), "storages", equal,
              static_cast<double>(kinds.size()), {.source = FixedNumber(expected, 0)});
  }
  lab.Add(std::move(table));
}

void RunB2(Lab& lab) {
  const BulletRun& fresh = RunBulletCell(lab, SourceSpec(Kind::kFresh, 1000));
  const BulletRun& pool = RunBulletCell(lab, SourceSpec(Kind::kPool, 1000));
  const BulletRun& typed = RunBulletCell(lab, SourceSpec(Kind::kTyped, 1000));
  lab.Exact("fresh: objects allocated in 600 frames", "objects",
            static_cast<double>(fresh.alloc_objects), 600.0 * 1000, {.source = "S per frame"});
  lab.Exact("free list: objects made in the 30 warm-up frames", "objects",
            static_cast<double>(pool.made_in_warmup), 27258, {.source = "27,258 (computed)"});
  lab.Exact("free list: objects made after them", "objects",
            static_cast<double>(pool.made_measured), 2413, {.source = "2,413 (computed)"});
  lab.Exact(
      "free list: objects allocated after them, by the allocator, less list growth", "objects",
      static_cast<double>(pool.alloc_objects) - static_cast<double>(pool.grown_measured), 2413);
  lab.Exact("free list: objects ever made, against the largest population", "objects",
            static_cast<double>(pool.made_in_warmup + pool.made_measured),
            static_cast<double>(pool.max_live), {.source = "29,671 (computed)"});
  lab.Exact("columns: objects allocated in 600 frames", "objects",
            static_cast<double>(typed.alloc_objects), 0, {.source = "0"});
  lab.Within("mean population while updating", "objects", fresh.mean_live_updating, 29491.65,
             29491.75, {.source = "29,491.7 (computed)", .criterion_class = Class::kExact});
  lab.Observe(
      "collected pool: objects made after the warm-up", "objects",
      static_cast<double>(RunBulletCell(lab, SourceSpec(Kind::kGcPool, 1000)).made_measured));
}

void RunB3(Lab& lab) {
  const std::vector<int> rates = Rates(lab, {100, 300, 1000, 2000, 3000, 10000});
  const CacheSizes caches = ReadCacheSizes();
  lab.Say(absl::StrCat("Caches of this machine: ", CacheSizesText(caches), "."));
  Table table{.title = "Median frame, ms of CPU time",
              .columns = {"spawns", "fresh", "free list", "ratio", "default fresh", "default list",
                          "ratio", "C++ fresh", "source ratio"},
              .rows = {}};
  const auto source_ratio = [](int rate) -> std::string {
    return rate == 1000 ? "1.5" : rate == 3000 ? "2.5" : rate == 10000 ? "4.8" : "-";
  };
  double last = 0;
  double last_ratio = 0;
  double widest_spread = 0;
  bool rises = true;
  for (const int rate : rates) {
    const CellSummary fresh = Summarize(lab, SourceSpec(Kind::kFresh, rate));
    const CellSummary pool = Summarize(lab, SourceSpec(Kind::kPool, rate));
    const CellSummary default_fresh = Summarize(lab, DefaultSpec(lab, Kind::kFresh, rate));
    const CellSummary default_pool = Summarize(lab, DefaultSpec(lab, Kind::kPool, rate));
    const CellSummary cpp = Summarize(lab, SourceSpec(Kind::kCppFresh, rate));
    table.rows.push_back({absl::StrCat(rate), Ms(fresh.p50_ms), Ms(pool.p50_ms),
                          Ratio(pool.p50_ms, fresh.p50_ms), Ms(default_fresh.p50_ms),
                          Ms(default_pool.p50_ms), Ratio(default_pool.p50_ms, default_fresh.p50_ms),
                          Ms(cpp.p50_ms), source_ratio(rate)});
    last_ratio = fresh.p50_ms > 0 ? pool.p50_ms / fresh.p50_ms : 0;
    // "about 30 S" live bullets of 56 bytes.
    if (30.0 * rate * 56 <= 2.0 * static_cast<double>(caches.l2_bytes)) continue;
    rises &= last_ratio >= last;
    last = last_ratio;
    widest_spread = std::max({widest_spread, fresh.p50_spread, pool.p50_spread});
  }
  lab.Add(std::move(table));
  lab.Holds("free list / fresh, once the live set exceeds twice the L2", rises, "non-decreasing",
            {.source = "1.5, 2.5, 4.8",
             .reason = absl::StrCat("medians spread by up to ", FixedNumber(100 * widest_spread, 0),
                                    " % over the processes"),
             .criterion_class = Class::kShape});
  lab.AtLeast(absl::StrCat("free list / fresh, median at ", rates.back()), "ratio", last_ratio, 1.2,
              {.source = "4.8", .criterion_class = Class::kShape});
  const CellSummary fresh = Summarize(lab, NonMovingSpec(Kind::kFresh, rates.back()));
  const CellSummary pool = Summarize(lab, NonMovingSpec(Kind::kPool, rates.back()));
  const double fixed_ratio = fresh.p50_ms > 0 ? pool.p50_ms / fresh.p50_ms : 0;
  lab.Holds(absl::StrCat("free list / fresh at ", rates.back(),
                         " with nothing moving: ", FixedNumber(fixed_ratio, 2)),
            fixed_ratio < last_ratio, absl::StrCat("below ", FixedNumber(last_ratio, 2)),
            {.source = "vanishes (by the mechanism)", .criterion_class = Class::kShape});
}

void RunB4(Lab& lab) {
  Table table{.title = "20 fields (168 bytes), ms of CPU time",
              .columns = {"spawns", "storage", "p50", "p99", "default p50", "default p99"},
              .rows = {}};
  for (const int rate : {1000, 3000}) {
    CellSummary cells[2];
    const Kind kinds[] = {Kind::kFresh, Kind::kPool};
    for (int i = 0; i < 2; ++i) {
      cells[i] = Summarize(lab, SourceSpec(kinds[i], rate, 20));
      const CellSummary beside = Summarize(lab, DefaultSpec(lab, kinds[i], rate, 20));
      table.rows.push_back({absl::StrCat(rate), BulletStorageName(kinds[i]), Ms(cells[i].p50_ms),
                            Ms(cells[i].p99_ms), Ms(beside.p50_ms), Ms(beside.p99_ms)});
    }
    const double median_ratio = cells[0].p50_ms > 0 ? cells[1].p50_ms / cells[0].p50_ms : 0;
    const double tail_ratio = cells[0].p99_ms > 0 ? cells[1].p99_ms / cells[0].p99_ms : 0;
    lab.Observe(absl::StrCat("free list / fresh, median at ", rate), "ratio", median_ratio,
                {.source = rate == 3000 ? "below 1" : ""});
    lab.TimeAtMost(absl::StrCat("free list / fresh, p99 at ", rate), "ratio", tail_ratio, 0.7,
                   Control(lab, rate, 20).p99_spread, {.source = rate == 1000 ? "1/3.5" : "1/6.1"});
  }
  lab.Add(std::move(table));
  lab.Say("The source's 2.0 at 10,000 spawns stands beside ours in B22, which takes longer.");
}

void RunB5(Lab& lab) {
  const std::vector<int> rates = Rates(lab, {1000, 2000, 3000, 10000});
  Table table{.title = "p99 frame, ms of CPU time",
              .columns = {"spawns", "fresh", "columns", "saved", "frames with a collection",
                          "default fresh", "source fresh", "source columns"},
              .rows = {}};
  const auto published = [](int rate) -> std::pair<const char*, const char*> {
    if (rate == 2000) return {"2.183", "1.031"};
    if (rate == 3000) return {"3.640", "2.21"};
    if (rate == 10000) return {"13.896", "7.616"};
    return {"", ""};
  };
  int first_millisecond = 0;
  for (const int rate : rates) {
    const CellSummary fresh = Summarize(lab, SourceSpec(Kind::kFresh, rate));
    const CellSummary typed = Summarize(lab, SourceSpec(Kind::kTyped, rate));
    const CellSummary beside = Summarize(lab, DefaultSpec(lab, Kind::kFresh, rate));
    const auto& frames = RunBulletCell(lab, SourceSpec(Kind::kFresh, rate)).frames;
    const auto collected =
        std::count_if(frames.begin(), frames.end(),
                      [](const FrameSample& frame) { return frame.collections() > 0; });
    const auto [source_fresh, source_typed] = published(rate);
    table.rows.push_back({absl::StrCat(rate), Ms(fresh.p99_ms), Ms(typed.p99_ms),
                          Ms(fresh.p99_ms - typed.p99_ms), absl::StrCat(collected),
                          Ms(beside.p99_ms), source_fresh, source_typed});
    if (first_millisecond == 0 && fresh.p99_ms - typed.p99_ms >= 1) first_millisecond = rate;
    if (collected == 0) continue;
    lab.TimeAtMost(absl::StrCat("columns / fresh, p99 at ", rate), "ratio",
                   fresh.p99_ms > 0 ? typed.p99_ms / fresh.p99_ms : 0, 1,
                   Control(lab, rate).p99_spread,
                   {.source = rate == 1000 ? std::string("0.54 ms less")
                                           : absl::StrCat(source_typed, " / ", source_fresh)});
  }
  lab.Add(std::move(table));
  lab.Observe("first rate with a full millisecond saved (0: none)", "spawns", first_millisecond,
              {.source = "about 2,000"});
  lab.Add(FramePlot(lab, rates, {Kind::kFresh, Kind::kPool, Kind::kTyped, Kind::kCppFresh}));
  lab.Add(PausePlot(lab, 3000));
}

void RunB6(Lab& lab) {
  for (const int rate : Rates(lab, {2000, 3000, 10000})) {
    const CellSummary fresh = Summarize(lab, SourceSpec(Kind::kFresh, rate));
    const CellSummary pool = Summarize(lab, SourceSpec(Kind::kPool, rate));
    lab.Observe(absl::StrCat("free list / fresh, p99 at ", rate), "ratio",
                fresh.p99_ms > 0 ? pool.p99_ms / fresh.p99_ms : 0,
                {.source = rate == 3000    ? "1.45 (5.280 / 3.640)"
                           : rate == 10000 ? "1.69"
                                           : ""});
  }
}

void RunB7(Lab& lab) {
  Table table{.title = "High rates, ms of CPU time",
              .columns = {"spawns", "storage", "p50", "p99", "max"},
              .rows = {}};
  int cells = 0, equal = 0;
  for (const int rate : Rates(lab, {12000, 15000})) {
    for (const Kind kind : {Kind::kFresh, Kind::kPool, Kind::kTyped, Kind::kTypedFifo}) {
      const CellSummary cell = Summarize(lab, SourceSpec(kind, rate));
      ++cells;
      equal += cell.checksum == ExpectedChecksum(rate);
      table.rows.push_back({absl::StrCat(rate), BulletStorageName(kind), Ms(cell.p50_ms),
                            Ms(cell.p99_ms), Ms(cell.max_ms)});
      if (rate == 15000 && (kind == Kind::kFresh || kind == Kind::kTyped)) {
        lab.Observe(absl::StrCat(BulletStorageName(kind), ", p99 at 15000"), "ms", cell.p99_ms,
                    {.source = kind == Kind::kFresh ? "22.9" : "35.2"});
      }
    }
  }
  lab.Add(std::move(table));
  if (cells > 0) {
    lab.Exact("cells with the checksum of plain C++", "cells", equal, cells);
  } else {
    lab.Observe("rates above 12,000 that were run", "rates", 0,
                {.reason = "not part of a quick run"});
  }
}

void RunB8(Lab& lab) {
  for (const int rate : {100, 300}) {
    for (const Kind kind : {Kind::kFresh, Kind::kPool, Kind::kTyped, Kind::kCppFresh}) {
      const CellSummary cell = Summarize(lab, SourceSpec(kind, rate));
      lab.Observe(absl::StrCat(BulletStorageName(kind), ", median frame at ", rate), "ms",
                  cell.p50_ms, {.source = "under 0.25 below 1,000"});
    }
  }
}

void RunB23(Lab& lab) {
  struct Published {
    int rate;
    Kind kind;
    const char *p50, *p99, *collections, *gc_ms;
  };
  static constexpr Published kPublished[] = {
      {1000, Kind::kFresh, ".217", "1.049", "20", "13.2"},
      {1000, Kind::kPool, ".227", "1.200", "2", "3.0"},
      {1000, Kind::kTyped, ".375", ".419", "1", ".3"},
      {3000, Kind::kFresh, ".772", "4.137", "43", "92.3"},
      {3000, Kind::kPool, "1.277", "2.161", "5", "8.6"},
      {3000, Kind::kTyped, "1.234", "1.452", "2", ".4"},
      {10000, Kind::kFresh, "2.748", "15.202", "139", "423.2"},
      {10000, Kind::kPool, "15.007", "25.635", "13", "23.3"},
      {10000, Kind::kTyped, "4.409", "6.928", "8", "4.4"}};
  Table table{
      .title = "Per frame, ms of CPU time; collections and their CPU over 600 frames",
      .columns = {"spawns", "storage", "mode", "p50", "p99", "max", "wall p99", "minors", "majors",
                  "GC ms", "longest pause", "checksum", "source p50", "p99", "GCs", "GC ms"},
      .rows = {}};
  const auto add = [&](const BulletSpec& spec, const Published* beside) {
    const CellSummary cell = Summarize(lab, spec);
    table.rows.push_back(
        {absl::StrCat(spec.spawn), BulletStorageName(spec.kind), ModeName(spec), Ms(cell.p50_ms),
         Ms(cell.p99_ms), Ms(cell.max_ms), Ms(cell.wall_p99_ms), FixedNumber(cell.minors, 0),
         FixedNumber(cell.majors, 0), FixedNumber(cell.gc_ms, 1), Ms(cell.max_pause_ms),
         FixedNumber(cell.checksum, 0), beside ? beside->p50 : "", beside ? beside->p99 : "",
         beside ? beside->collections : "", beside ? beside->gc_ms : ""});
    lab.Exact(absl::StrCat("checksum, ", BulletStorageName(spec.kind), " (", ModeName(spec),
                           ") at ", spec.spawn),
              "sum", cell.checksums_agree ? cell.checksum : 0, ExpectedChecksum(spec.spawn));
    return cell.gc_ms;
  };
  for (const int rate : Rates(lab, {1000, 3000, 10000})) {
    double fresh_ms = 0, others_ms = 0;
    for (const Published& row : kPublished) {
      if (row.rate != rate) continue;
      const double gc_ms = add(SourceSpec(row.kind, rate), &row);
      (row.kind == Kind::kFresh ? fresh_ms : others_ms) =
          row.kind == Kind::kFresh ? gc_ms : std::max(others_ms, gc_ms);
    }
    add(SourceSpec(Kind::kGcPool, rate), nullptr);
    for (const Kind kind : {Kind::kFresh, Kind::kPool}) add(DefaultSpec(lab, kind, rate), nullptr);
    add(SourceSpec(Kind::kCppFresh, rate), nullptr);
    add(SourceSpec(Kind::kCppDense, rate), nullptr);
    lab.Holds(absl::StrCat("GC time at ", rate, ": fresh ", FixedNumber(fresh_ms, 1), " ms"),
              fresh_ms > others_ms,
              absl::StrCat("more than the others' ", FixedNumber(others_ms, 1), " ms"),
              {.criterion_class = Class::kShape});
  }
  lab.Add(std::move(table));
}

}  // namespace neap::lab
