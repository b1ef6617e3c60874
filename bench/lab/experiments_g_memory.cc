// SPDX-License-Identifier: MIT
//
// G10, G11: what a pool keeps alive, and what that costs the collector.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "block.h"
#include "burst_pool.h"
#include "collection_log.h"
#include "experiments_g.h"
#include "experiments_k.h"
#include "frame_times.h"
#include "lab_heap.h"
#include "neap/gc/handle.h"
#include "number_text.h"

namespace neap::lab {
namespace {

// A buffer that grows: an object with a reference to its bytes, as a bytes.Buffer has.
struct GrowingBuffer : gc::Object {
  gc::Ref<gc::ByteArray> bytes;

  static gc::TypeId Type() {
    static const gc::TypeId type = gc::RegisterType({.name = "growing-buffer",
                                                     .layout = gc::Layout::kBitmap,
                                                     .base_bytes = sizeof(GrowingBuffer),
                                                     .slot_bitmap = 0b1});
    return type;
  }
};

size_t HeldBytes(const GrowingBuffer& buffer) {
  const gc::ByteArray* bytes = buffer.bytes.get();
  return sizeof(GrowingBuffer) + (bytes == nullptr ? 0 : gc::ObjectBytes(bytes));
}

// Gets a buffer, makes room for `need` bytes, writes them, puts it back.
void UseBuffer(LabHeap& heap, pool::Pool<GrowingBuffer>& pool, uint64_t need) {
  gc::Mutator& m = heap.mutator();
  gc::HandleScope scope(m);
  const gc::Handle<GrowingBuffer> buffer = scope.New(pool.Get(m));
  const gc::ByteArray* bytes = buffer->bytes.get();
  if (bytes == nullptr || bytes->length < need) {
    gc::ByteArray* grown = m.NewBytes(need);
    m.Store(buffer.get(), buffer->bytes.slot(), grown);
  }
  std::memset(buffer->bytes.get()->data(), 1, need);
  pool.Put(m, buffer.get());
}

struct Oversize {
  uint64_t lowest_held = 0;     // bytes held by the pool over the cycles
  uint64_t held_after_two = 0;  // after two collections
  uint64_t marked_at_end = 0;   // by the collector
};

// One use of 40 MB, then `cycles` of small ones with a collection each.
Oversize RunOversize(Lab& lab, uint64_t guard_bytes, uint64_t cycles) {
  constexpr uint64_t kLarge = 40'000'000, kSmall = 4096;
  LabHeap heap(GoPreset(lab, 1));
  pool::Options<GrowingBuffer> options;
  options.name = "oversize";
  options.make = [](gc::Mutator& m) {
    return static_cast<GrowingBuffer*>(m.Allocate(GrowingBuffer::Type()));
  };
  options.go_exact = true;
  options.size_of = HeldBytes;
  options.account_bytes = true;
  options.max_item_bytes = guard_bytes;
  pool::Pool<GrowingBuffer> pool(heap.heap(), std::move(options));
  UseBuffer(heap, pool, kLarge);
  Oversize result;
  result.lowest_held = UINT64_MAX;
  for (uint64_t i = 0; i < cycles; ++i) {
    heap.Collect();
    UseBuffer(heap, pool, kSmall);
    const uint64_t held = pool.Snapshot().bytes_held;
    result.lowest_held = std::min(result.lowest_held, held);
    if (i == 1) result.held_after_two = held;
  }
  result.marked_at_end = heap.heap().Snapshot().marked_bytes;
  return result;
}

}  // namespace

void RunG10(Lab& lab) {
  const uint64_t cycles = lab.Repetitions(100, 100);
  const Oversize open = RunOversize(lab, pool::kUnlimited, cycles);
  const Oversize guarded = RunOversize(lab, 64 << 10, cycles);
  lab.AtLeast(absl::StrCat("no guard: least held over ", cycles, " collections of small uses"), "B",
              static_cast<double>(open.lowest_held), 40e6,
              {.source = "40 MB", .criterion_class = Class::kExact});
  lab.AtLeast("no guard: marked live by the collector at the end", "B",
              static_cast<double>(open.marked_at_end), 40e6, {.criterion_class = Class::kExact});
  lab.AtMost("guard of 64 KiB: held after two collections", "B",
             static_cast<double>(guarded.held_after_two), 64 << 10,
             {.criterion_class = Class::kExact});
  lab.AtMost("guard of 64 KiB: marked live by the collector at the end", "B",
             static_cast<double>(guarded.marked_at_end), 1 << 20,
             {.criterion_class = Class::kExact});
  lab.Say(
      "Use keeps it: each small use puts the 40 MB back into the primary. Only disuse for two "
      "collections, or a guard at Put, gives them up.");
}

namespace {

// Shortest pause and marking of some forced major cycles: what a busy machine adds has one sign.
struct MajorTimes {
  double mark_ms = 0;
  double pause_ms = 0;
  uint64_t marked_bytes = 0;
};

MajorTimes TimeMajors(LabHeap& heap, int times) {
  CollectionLog log(heap.heap());
  heap.Collect(times);
  log.Drain();
  MajorTimes result{.mark_ms = 1e9, .pause_ms = 1e9};
  for (const MajorRecord& major : log.majors()) {
    result.mark_ms = std::min(result.mark_ms, static_cast<double>(major.mark_ns) * 1e-6);
    result.pause_ms = std::min(result.pause_ms, static_cast<double>(major.pause_ns) * 1e-6);
    result.marked_bytes = major.marked_bytes;
  }
  return result;
}

void ReportMarkTime(Lab& lab) {
  const uint64_t top = lab.Repetitions(1'000'000, 200'000);
  Table table{.title = "A pool of objects with one reference each",
              .columns = {"objects", "marked bytes", "mark, ms", "pause, ms"},
              .rows = {}};
  Plot plot{.title = "Mark time against pooled objects",
            .x_label = "objects in the pool",
            .y_label = "mark time, ms",
            .series = {{.name = "mark", .style = Series::Style::kPoints}}};
  std::vector<double> sizes, mark_ms;
  for (int step = 0; step <= 5; ++step) {
    const uint64_t objects = top / 5 * static_cast<uint64_t>(step);
    gc::Options mode = GoPreset(lab, 1);
    mode.gogc = gc::Options::kGogcOff;  // filling the pool must not age what it holds already
    LabHeap heap(mode);
    gc::Mutator& m = heap.mutator();
    gc::HandleScope scope(m);
    const gc::Handle<gc::ByteArray> shared = scope.New(m.NewBytes(16));
    pool::Options<GrowingBuffer> options;
    // Nobody uses the pool between these collections: keep what it holds over all of them.
    options.retention = pool::Retention::Victim(pool::Retention::kMaxGenerations);
    pool::Pool<GrowingBuffer> pool(heap.heap(), std::move(options));
    for (uint64_t i = 0; i < objects; ++i) {
      auto* buffer = static_cast<GrowingBuffer*>(m.Allocate(GrowingBuffer::Type()));
      m.Store(buffer, buffer->bytes.slot(), shared.get());
      pool.Put(m, buffer);
    }
    const MajorTimes times = TimeMajors(heap, 7);
    sizes.push_back(static_cast<double>(objects));
    mark_ms.push_back(times.mark_ms);
    plot.series[0].points.emplace_back(sizes.back(), times.mark_ms);
    table.rows.push_back({absl::StrCat(objects), absl::StrCat(times.marked_bytes),
                          FixedNumber(times.mark_ms, 3), FixedNumber(times.pause_ms, 3)});
    lab.Progress("mark time", static_cast<uint64_t>(step) + 1, 6);
  }
  lab.Add(std::move(table));
  lab.Add(std::move(plot));
  lab.AtLeast("R^2 of mark time against pooled objects", "", FitLine(sizes, mark_ms).r2, 0.98,
              {.reason = "a pool that fits in a cache is marked faster per object",
               .criterion_class = Class::kShape});
}

pool::Metrics BurstsOnFour(Lab& lab, bool steal, uint64_t bursts) {
  LabHeap heap(GoPreset(lab, 4));
  BurstPool pool(heap, {.procs = 4,
                        .buffer_bytes = 256,
                        .seed = lab.settings().seed,
                        .steal = steal,
                        .record = lab.settings().record});
  for (uint64_t i = 0; i < bursts; ++i) {
    if (i % 3 == 2) heap.Collect();
    pool.TakeAndReturn();
  }
  JudgeReplay(lab, steal ? "stealing" : "not stealing", pool.Replay());
  return pool.Snapshot();
}

}  // namespace

void RunG11(Lab& lab) {
  ReportMarkTime(lab);
  const uint64_t bursts = lab.Repetitions(300, 60);
  const pool::Metrics stealing = BurstsOnFour(lab, true, bursts);
  const pool::Metrics local = BurstsOnFour(lab, false, bursts);
  lab.Observe("P = 4: hits by stealing", "objects", static_cast<double>(stealing.steals));
  lab.AtMost("P = 4, same trace: misses with stealing, bound is without", "objects",
             static_cast<double>(stealing.misses), static_cast<double>(local.misses),
             {.source = "lower", .criterion_class = Class::kExact});
  lab.AtLeast(
      "P = 4: hits by stealing", "objects", static_cast<double>(stealing.steals), 1,
      {.reason = "a trace without steals would prove nothing", .criterion_class = Class::kExact});
}

}  // namespace neap::lab
