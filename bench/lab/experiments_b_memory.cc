// SPDX-License-Identifier: MIT
//
// B15, B18, B19: where bullets lie, what they weigh, and what pools hold after a burst.
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "bullet_cells.h"
#include "bullets_managed.h"
#include "experiments_b.h"
#include "lab_heap.h"
#include "managed_bullet.h"
#include "managed_list.h"
#include "neap/pool/pool.h"
#include "neap/runtime/os_memory.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using Kind = BulletStorageKind;
using Bullet = ManagedBullet<6>;

// Bytes that the allocator counted for one object of `fields` doubles.
double BytesOfFields(gc::Heap& heap, gc::Mutator& m, uint32_t fields) {
  const gc::TypeId type = gc::RegisterType(
      {.name = "fields", .layout = gc::Layout::kNone, .base_bytes = 8 + 8 * fields});
  const gc::Stats before = heap.Snapshot();
  for (int i = 0; i < 10'000; ++i) m.Allocate(type);
  const gc::Stats after = heap.Snapshot();
  return static_cast<double>(after.alloc_bytes - before.alloc_bytes) /
         static_cast<double>(after.alloc_objects - before.alloc_objects);
}

// Makes `count` bullets and parks them all in a free list with just enough room.
void FillFreeList(gc::Mutator& m, ManagedList& free, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Bullet* const bullet = m.New<Bullet>(Bullet::Type(), Shot{});
    free.Append(m, bullet);
  }
}

// Live bytes that a free list of `count` bullets holds after `collections` full collections.
double HeldBytes(size_t count, int collections) {
  LabHeap lab_heap(SourceOptions());
  lab_heap.Collect();
  const uint64_t before = lab_heap.heap().Snapshot().marked_bytes;
  gc::HandleScope scope(lab_heap.mutator());
  ManagedList free(lab_heap.mutator(), scope, count);
  FillFreeList(lab_heap.mutator(), free, count);
  lab_heap.Collect(collections);
  return static_cast<double>(lab_heap.heap().Snapshot().marked_bytes - before);
}

// `neap lab-cell bullets-resident pool|typed`: bytes by which the resident set grew.
int ResidentCellMain(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) return 2;
  LabHeap lab_heap(SourceOptions());
  gc::Mutator& m = lab_heap.mutator();
  // The heap's own pages are brought in first: one nursery full of garbage.
  for (int i = 0; i < 100'000; ++i) m.New<Bullet>(Bullet::Type(), Shot{});
  const uint64_t before = OsResidentBytes();
  uint64_t after = 0;
  if (arguments[0] == "typed") {
    const auto storage = MakeManagedStorage(m, Kind::kTyped, 6, 10'000);
    after = OsResidentBytes();
  } else {
    gc::HandleScope scope(m);
    ManagedList free(m, scope, 300'000);
    FillFreeList(m, free, 300'000);
    lab_heap.Collect();
    after = OsResidentBytes();
  }
  std::printf("%llu\n", static_cast<unsigned long long>(after > before ? after - before : 0));
  return 0;
}
const Cell kCell("bullets-resident", &ResidentCellMain);

double ResidentBytes(const Lab& lab, const char* storage) {
  return std::strtod(RunIsolated(lab, "bullets-resident", {storage}).c_str(), nullptr);
}

double Mib(double bytes) { return bytes / (1 << 20); }

}  // namespace

void RunB15(Lab& lab) {
  const int rate = lab.settings().scale < 0.5 ? 3000 : 10000;
  Table table{.title = absl::StrCat("Steps between neighbours of the live list at ", rate),
              .columns = {"storage", "mode", "median step, bytes", "within 4 KiB",
                          "cache misses per bullet"},
              .rows = {}};
  double medians[2] = {0, 0};
  const BulletSpec specs[] = {
      SourceSpec(Kind::kFresh, rate),       SourceSpec(Kind::kPool, rate),
      DefaultSpec(lab, Kind::kFresh, rate), NonMovingSpec(Kind::kFresh, rate),
      SourceSpec(Kind::kGcPool, rate),      SourceSpec(Kind::kTyped, rate),
      SourceSpec(Kind::kTypedFifo, rate),   SourceSpec(Kind::kCppFresh, rate)};
  int i = 0;
  for (const BulletSpec& spec : specs) {
    const BulletRun& run = RunBulletCell(lab, spec);
    if (i < 2) medians[i] = run.locality.median_step_bytes;
    ++i;
    const double bullets = run.mean_live_updating * static_cast<double>(run.frames.size());
    table.rows.push_back({BulletStorageName(spec.kind), ModeName(spec),
                          FixedNumber(run.locality.median_step_bytes, 0),
                          absl::StrCat(FixedNumber(100 * run.locality.share_within_4kib, 1), " %"),
                          run.cache_misses_known != 0
                              ? FixedNumber(static_cast<double>(run.cache_misses) / bullets, 3)
                              : "not available"});
  }
  lab.Add(std::move(table));
  lab.AtLeast("median step, free list / fresh", "ratio",
              medians[0] > 0 ? medians[1] / medians[0] : 0, 50,
              {.source = "random order against near order"});
  lab.Observe("median step, fresh", "bytes", medians[0], {.source = "near the object size"});
  lab.Observe("working set", "MiB", Mib(30.0 * rate * static_cast<double>(ManagedBulletBytes(6))),
              {.source = "20.6 (300,000 x 72 bytes)"});
}

void RunB18(Lab& lab) {
  {
    LabHeap lab_heap(SourceOptions());
    double bytes[2] = {0, 0};
    for (const uint32_t fields : {6u, 8u, 12u, 16u, 20u}) {
      const double ours = BytesOfFields(lab_heap.heap(), lab_heap.mutator(), fields);
      if (fields == 6) bytes[0] = ours;
      if (fields == 20) bytes[1] = ours;
      lab.Exact(absl::StrCat("bytes of a bullet of ", fields, " fields"), "bytes", ours,
                8 + 8 * fields,
                {.source = fields == 6    ? "72.0 (24-byte header)"
                           : fields == 20 ? "184.0"
                                          : ""});
    }
    lab.Exact("slope", "bytes/field", (bytes[1] - bytes[0]) / 14, 8, {.source = "8.0"});
  }
  const double peak = HeldBytes(300'000, 1), steady = HeldBytes(30'000, 1);
  lab.Within("held by the free list, peak 300,000 / steady 30,000", "ratio",
             steady > 0 ? peak / steady : 0, 9.9, 10.1,
             {.source = "10", .criterion_class = Class::kExact});
  lab.Observe("held for a peak of 300,000", "MiB", Mib(peak),
              {.source = "22.9 heap", .reason = "56 bytes each and 8 for its slot"});
  lab.Observe("held for a steady 30,000", "MiB", Mib(steady), {.source = "2.3"});
  lab.Observe("resident growth for a peak of 300,000", "MiB", Mib(ResidentBytes(lab, "pool")),
              {.source = "39.4 RSS"});
  const double wanted = 45.0 * 10'000 * 56;
  const double typed = ResidentBytes(lab, "typed");
  lab.Within("resident growth, columns for 10,000 spawns", "MiB", Mib(typed), Mib(0.95 * wanted),
             Mib(1.05 * wanted), {.source = "21.1 of 20.6 (six columns)"});
}

void RunB19(Lab& lab) {
  const auto burst = static_cast<size_t>(lab.Repetitions(300'000, 30'000));
  LabHeap lab_heap(SourceOptions());
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  pool::Pool<Bullet> collected(lab_heap.heap(), {.name = "burst"});
  ManagedList free(m, scope, burst);
  FillFreeList(m, free, burst);
  {
    // A burst is live before it is parked: both pools meet it as a list.
    gc::HandleScope burst_scope(m);
    ManagedList live(m, burst_scope, burst);
    FillFreeList(m, live, burst);
    while (live.count() > 0) {
      collected.Put(m, live.RemoveLast<Bullet>(m));
      if (live.count() % kBatchSteps == 0) m.Poll();
    }
  }
  lab.Exact("collected pool: items held after the burst", "objects",
            static_cast<double>(collected.Snapshot().items_held), static_cast<double>(burst));
  lab_heap.Collect(2);
  lab.Exact("collected pool: items held two collections later", "objects",
            static_cast<double>(collected.Snapshot().items_held), 0,
            {.source = "0 (two collections)"});
  lab.Exact("free list: items held two collections later", "objects",
            static_cast<double>(free.count()), static_cast<double>(burst), {.source = "300,000"});
  uint64_t reachable = 0;
  lab_heap.heap().WalkReachable(
      m, [&](gc::Object* object) { reachable += object->type() == Bullet::Type(); });
  lab.Exact("bullets reachable on the heap then", "objects", static_cast<double>(reachable),
            static_cast<double>(burst), {.reason = "the free list's, and no other"});
}

}  // namespace neap::lab
