// SPDX-License-Identifier: MIT
//
// D4, D5, D12, D13: what pooling buffers saves, in time and in collections.
#include <algorithm>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "byte_buffer.h"
#include "experiments_d.h"
#include "frame_times.h"
#include "lab_heap.h"
#include "managed_list.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"
#include "neap/runtime/clock.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using BufferPool = pool::Pool<BufferObject>;

enum class Supply : uint8_t { kFresh, kPooled };

pool::Options<BufferObject> MakingBuffers() {
  return {.name = "payloads", .make = [](gc::Mutator& m) { return BufferObject::New(m); }};
}

void FillFresh(gc::Mutator& m) {
  gc::HandleScope scope(m);
  FillFourKib(m, scope.New(BufferObject::New(m)));
}

void FillPooled(gc::Mutator& m, BufferPool& buffers) {
  gc::HandleScope scope(m);
  BufferHandle buffer = scope.New(buffers.Get(m));
  buffer->Reset();
  FillFourKib(m, buffer);
  buffers.Put(m, buffer.get());
}

void FillMany(gc::Mutator& m, BufferPool& buffers, Supply supply, uint64_t operations) {
  for (uint64_t i = 0; i < operations; ++i) {
    m.Poll();
    if (supply == Supply::kFresh) {
      FillFresh(m);
    } else {
      FillPooled(m, buffers);
    }
  }
}

// Wall nanoseconds an operation, over all threads together; one thread is the caller's own.
double TimeFilling(gc::Heap& heap, gc::Mutator& m, BufferPool& buffers, Supply supply, int threads,
                   uint64_t operations) {
  const uint64_t each = operations / static_cast<uint64_t>(threads);
  const uint64_t start_ns = MonotonicNanos();
  if (threads == 1) {
    FillMany(m, buffers, supply, each);
  } else {
    gc::BlockingRegion blocking(m);
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        gc::Mutator own(heap);
        FillMany(own, buffers, supply, each);
      });
    }
    for (std::thread& worker : workers) worker.join();
  }
  return static_cast<double>(MonotonicNanos() - start_ns) /
         static_cast<double>(each * static_cast<uint64_t>(threads));
}

struct FillTimes {
  double fresh_ns = 0, pooled_ns = 0, spread = 0;  // spread: the pooled rounds
  double gap() const { return pooled_ns > 0 ? fresh_ns / pooled_ns : 0; }
};
FillTimes MeasureFilling(const Lab& lab, const gc::Options& options, int threads) {
  LabHeap lab_heap(options);
  BufferPool buffers(lab_heap.heap(), MakingBuffers());
  std::vector<double> fresh, pooled;
  const uint64_t operations = lab.Repetitions(20'000, 2'000);
  for (uint64_t round = 0; round < lab.Repetitions(5, 3); ++round) {
    for (const Supply supply : {Supply::kFresh, Supply::kPooled}) {
      (supply == Supply::kFresh ? fresh : pooled)
          .push_back(TimeFilling(lab_heap.heap(), lab_heap.mutator(), buffers, supply, threads,
                                 operations));
    }
  }
  return {Median(fresh), Median(pooled), Spread(pooled)};
}

// --- D5 ------------------------------------------------------------------------------------------

struct SizeTimes {
  double fresh_ns = 0, pooled_ns = 0, spread = 0;
  double ratio() const { return fresh_ns > 0 ? pooled_ns / fresh_ns : 0; }
};

// A struct of kBytes, zeroed when it is made. Those that fit a nursery are allocated inline, as a
// compiled program would; larger ones through the general path.
template <uint32_t kBytes>
struct Struct : gc::Object {
  static Struct* New(gc::Mutator& m) {
    static const gc::TypeId type = gc::RegisterType(
        {.name = "struct", .layout = gc::Layout::kNone, .base_bytes = sizeof(Struct)});
    if constexpr (kBytes <= 4096) {
      return m.New<Struct>(type);
    } else {
      return static_cast<Struct*>(m.Allocate(type));
    }
  }
  void Touch() {
    volatile uint64_t* const first = words;
    first[0] = kBytes;
    first[kBytes / 8 - 1] = kBytes;
  }
  uint64_t words[kBytes / 8] = {};
};

// One operation: have a struct, write its first and last word.
template <uint32_t kBytes>
SizeTimes MeasureSize(const Lab& lab, const gc::Options& options) {
  LabHeap lab_heap(options);
  gc::Mutator& m = lab_heap.mutator();
  pool::Pool<Struct<kBytes>> structs(lab_heap.heap(),
                                     {.name = "structs", .make = &Struct<kBytes>::New});
  const uint64_t operations =
      std::max<uint64_t>(lab.Repetitions(400'000, 40'000) / (1 + kBytes / 512), 500);
  std::vector<double> fresh, pooled;
  for (uint64_t round = 0; round < lab.Repetitions(7, 3); ++round) {
    const uint64_t start_ns = ThreadCpuNanos();
    for (uint64_t i = 0; i < operations; ++i) Struct<kBytes>::New(m)->Touch();
    const uint64_t middle_ns = ThreadCpuNanos();
    for (uint64_t i = 0; i < operations; ++i) {
      Struct<kBytes>* const object = structs.Get(m);
      object->Touch();
      structs.Put(m, object);
    }
    const uint64_t end_ns = ThreadCpuNanos();
    fresh.push_back(static_cast<double>(middle_ns - start_ns) / static_cast<double>(operations));
    pooled.push_back(static_cast<double>(end_ns - middle_ns) / static_cast<double>(operations));
  }
  return {Median(fresh), Median(pooled), Spread(pooled)};
}

// --- D12, D13 ------------------------------------------------------------------------------------

struct ServiceRun {
  double collections = 0, wall_ns = 0, cpu_ns = 0, gc_ns = 0;
};

// Times `requests` calls of `request`.
template <typename Request>
ServiceRun RunService(LabHeap& lab_heap, uint64_t requests, Request request) {
  const gc::Stats before = lab_heap.heap().Snapshot();
  const uint64_t start_ns = MonotonicNanos(), start_cpu_ns = ThreadCpuNanos();
  for (uint64_t i = 0; i < requests; ++i) request(i);
  const gc::Stats after = lab_heap.heap().Snapshot();
  return {.collections =
              static_cast<double>(after.minors - before.minors + after.majors - before.majors),
          .wall_ns = static_cast<double>(MonotonicNanos() - start_ns),
          .cpu_ns = static_cast<double>(ThreadCpuNanos() - start_cpu_ns),
          .gc_ns = static_cast<double>(after.gc_cpu_ns - before.gc_cpu_ns)};
}

// D12: each request fills a payload of 4 KiB, over 8 MiB of live data.
ServiceRun RunFillingService(const gc::Options& options, Supply supply, uint64_t requests) {
  LabHeap lab_heap(options);
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  ManagedList live(m, scope, 2048);
  for (int i = 0; i < 2048; ++i) live.Append(m, m.NewBytes(4080));
  BufferPool buffers(lab_heap.heap(), MakingBuffers());
  return RunService(lab_heap, requests, [&](uint64_t) { FillMany(m, buffers, supply, 1); });
}

// D13: each request has one 4 KiB buffer and works for some 50 us, over 16 MiB of live small
// objects, so that collections take a few percent of the time.
ServiceRun RunWorkingService(const gc::Options& options, Supply supply, uint64_t requests) {
  constexpr int kWorkSteps = 50'000;
  constexpr int kLiveObjects = 500'000;
  LabHeap lab_heap(options);
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  ManagedList live(m, scope, kLiveObjects);
  for (int i = 0; i < kLiveObjects; ++i) live.Append(m, BufferObject::New(m));
  pool::Pool<gc::ByteArray> buffers(
      lab_heap.heap(),
      {.name = "buffers", .make = [](gc::Mutator& mutator) { return mutator.NewBytes(4080); }});
  return RunService(lab_heap, requests, [&](uint64_t i) {
    gc::HandleScope request_scope(m);
    auto buffer = request_scope.New(supply == Supply::kFresh ? m.NewBytes(4080) : buffers.Get(m));
    uint8_t* const bytes = buffer->data();  // valid: nothing below reaches a safepoint before Poll
    uint64_t hash = i;
    for (int step = 0; step < kWorkSteps; ++step) {
      hash = hash * 6364136223846793005ull + 1;
      bytes[(hash >> 32) % 4080] = static_cast<uint8_t>(hash);
    }
    if (supply == Supply::kPooled) buffers.Put(m, buffer.get());
    m.Poll();
  });
}

}  // namespace

void RunD4(Lab& lab) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Table table{.title = "512 writes of 8 bytes, wall ns an operation",
              .columns = {"mode", "threads", "fresh", "pooled", "gap", "source"},
              .rows = {}};
  const auto add = [&](const char* mode, int threads, const FillTimes& times, const char* source) {
    table.rows.push_back({mode, absl::StrCat(threads), FixedNumber(times.fresh_ns, 0),
                          FixedNumber(times.pooled_ns, 0), FixedNumber(times.gap(), 2), source});
  };
  const gc::Options beside = BesidePreset(lab, cores);
  const FillTimes one = MeasureFilling(lab, beside, 1);
  add(BesideName(lab), 1, one, "2,297 / 1,318 = 1.7");
  const FillTimes many = MeasureFilling(lab, beside, cores);
  add(BesideName(lab), cores, many, "2,077 / 205 = 10 (ten threads)");
  add("go", 1, MeasureFilling(lab, GoPreset(lab, cores), 1), "");
  add("go", cores, MeasureFilling(lab, GoPreset(lab, cores), cores), "");
  lab.Add(std::move(table));
  lab.TimeAtLeast("fresh / pooled, one thread", "ratio", one.gap(), 1, one.spread,
                  {.source = "1.7"});
  lab.TimeAtLeast(absl::StrCat("fresh / pooled, ", cores, " threads"), "ratio", many.gap(), 1,
                  many.spread, {.source = "10"});
  if (cores >= 2) {
    lab.AtLeast("gap in parallel / gap in one thread", "ratio",
                one.gap() > 0 ? many.gap() / one.gap() : 0, 1,
                {.source = "5.8", .criterion_class = Class::kShape});
  }
  lab.Add(BenchLine{.name = "Allocate", .iterations = 1, .ns_per_op = one.fresh_ns});
  lab.Add(BenchLine{.name = "Pooled", .iterations = 1, .ns_per_op = one.pooled_ns});
  lab.Add(BenchLine{.name = absl::StrCat("AllocateParallel-", cores),
                    .iterations = 1,
                    .ns_per_op = many.fresh_ns});
  lab.Add(BenchLine{.name = absl::StrCat("PooledParallel-", cores),
                    .iterations = 1,
                    .ns_per_op = many.pooled_ns});
}

void RunD5(Lab& lab) {
  Table table{
      .title = "A struct made or pooled, CPU ns an operation",
      .columns = {"bytes", "fresh", "pooled", "pooled / fresh", "fresh (go)", "pooled (go)"},
      .rows = {}};
  SizeTimes smallest, largest;
  uint32_t crossover = 0;
  const auto measure = [&]<uint32_t kBytes>() {
    const SizeTimes times = MeasureSize<kBytes>(lab, BesidePreset(lab, 1));
    const SizeTimes go = MeasureSize<kBytes>(lab, GoPreset(lab, 1));
    if (kBytes == 16) smallest = times;
    largest = times;
    if (crossover == 0 && times.ratio() < 0.8) crossover = kBytes;
    table.rows.push_back({absl::StrCat(kBytes), FixedNumber(times.fresh_ns, 1),
                          FixedNumber(times.pooled_ns, 1), FixedNumber(times.ratio(), 3),
                          FixedNumber(go.fresh_ns, 1), FixedNumber(go.pooled_ns, 1)});
  };
  measure.operator()<16>();
  measure.operator()<64>();
  measure.operator()<256>();
  measure.operator()<1024>();
  measure.operator()<4096>();
  measure.operator()<16384>();
  measure.operator()<65536>();
  lab.Add(std::move(table));
  const bool saves = smallest.ratio() < 0.8;
  lab.TimeAtLeast(
      "pooled / fresh, 16 bytes", "ratio", smallest.ratio(), 0.8, smallest.spread,
      {.source = "nothing to save",
       .reason = saves ? "a pair of this pool is cheaper than Go's: it saves even here" : ""});
  lab.TimeAtMost("pooled / fresh, 64 KiB", "ratio", largest.ratio(), 0.5, largest.spread,
                 {.source = "large"});
  lab.Observe("smallest size at which the pool saves a fifth (0: none)", "bytes", crossover);
}

void RunD12(Lab& lab) {
  const uint64_t requests = lab.Repetitions(100'000, 20'000);
  const auto collections = [&](const gc::Options& options, Supply supply) {
    return RunFillingService(options, supply, requests).collections * 1e5 /
           static_cast<double>(requests);
  };
  const double fresh = collections(GoPreset(lab, 1), Supply::kFresh);
  const double pooled = collections(GoPreset(lab, 1), Supply::kPooled);
  lab.AtMost("collections per 100,000 requests, pooled / fresh (preset go)", "ratio",
             fresh > 0 ? pooled / fresh : 1, 0.05, {.source = "lower collection frequency"});
  lab.Observe("fresh (preset go)", "collections", fresh);
  lab.Observe("pooled (preset go)", "collections", pooled);
  const char* beside = BesideName(lab);
  lab.Observe(absl::StrCat("fresh (", beside, ")"), "collections",
              collections(BesidePreset(lab, 1), Supply::kFresh));
  lab.Observe(absl::StrCat("pooled (", beside, ")"), "collections",
              collections(BesidePreset(lab, 1), Supply::kPooled));
}

void RunD13(Lab& lab) {
  const uint64_t requests = lab.Repetitions(20'000, 4'000);
  for (const bool go : {true, false}) {
    const gc::Options options = go ? GoPreset(lab, 1) : BesidePreset(lab, 1);
    const char* mode = go ? "go" : BesideName(lab);
    const ServiceRun fresh = RunWorkingService(options, Supply::kFresh, requests);
    const ServiceRun pooled = RunWorkingService(options, Supply::kPooled, requests);
    const double gc_percent = 100 * fresh.gc_ns / fresh.cpu_ns;
    const double gain_percent = 100 * (fresh.cpu_ns - pooled.cpu_ns) / fresh.cpu_ns;
    lab.Observe(absl::StrCat("GC share before pooling (", mode, ")"), "%", gc_percent,
                {.source = "a few percent"});
    lab.Observe(absl::StrCat("GC share after (", mode, ")"), "%",
                100 * pooled.gc_ns / pooled.cpu_ns);
    lab.Observe(absl::StrCat("gain in wall time (", mode, ")"), "%",
                100 * (fresh.wall_ns - pooled.wall_ns) / fresh.wall_ns);
    lab.AtMost(absl::StrCat("gain in CPU time (", mode, ")"), "%", gain_percent, gc_percent + 5,
               {.source = "little to win", .criterion_class = Class::kShape});
  }
}

}  // namespace neap::lab
