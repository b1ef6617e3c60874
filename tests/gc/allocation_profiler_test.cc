// SPDX-License-Identifier: MIT
//
// Noted allocations: counted by site and type, followed while they move, counted out when they die.
#include "neap/gc/allocation_profiler.h"

#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::AllocationProfiler;
using gc::AllocationRecord;
using gc::Fate;
using gc::Options;
using gc::TypeId;

const AllocationRecord& Find(const std::vector<AllocationRecord>& records, uint32_t site,
                             TypeId type) {
  static const AllocationRecord none;
  for (const AllocationRecord& record : records) {
    if (record.site == site && record.type == type) return record;
  }
  return none;
}

AllocationRecord NodesOf(const AllocationProfiler& profiler) {
  return Find(profiler.Read(), 0, Node::Type());
}

double At(const AllocationRecord& record, Fate fate, size_t age) {
  return record.fates[static_cast<size_t>(fate)][age].objects;
}

// What the records say, object by object, must add up to what was allocated.
bool FatesAddUp(const AllocationRecord& record) {
  double objects = 0, bytes = 0;
  for (const auto& ages : record.fates) {
    for (const auto& count : ages) {
      objects += count.objects;
      bytes += count.bytes;
    }
  }
  return std::abs(objects - record.allocated.objects) < 1e-6 * (1 + objects) &&
         std::abs(bytes - record.allocated.bytes) < 1e-6 * (1 + bytes);
}

TEST_SUITE("gc/allocation_profiler") {
  TEST_CASE("every allocation is noted, by site and type") {
    TinyHeap heap;
    uint32_t site = 1;
    {
      AllocationProfiler profiler(heap.m, {}, [&](gc::Mutator&, TypeId, size_t) { return site; });
      for (int i = 0; i < 300; ++i) heap.m.New<Node>(Node::Type());
      site = 2;
      for (int i = 0; i < 200; ++i) heap.m.New<Node>(Node::Type());
      for (int i = 0; i < 100; ++i) heap.m.NewBytes(40);
      const std::vector<AllocationRecord> records = profiler.Read();
      CHECK(records.size() == 3);
      CHECK(Find(records, 1, Node::Type()).allocated.objects == 300);
      CHECK(Find(records, 1, Node::Type()).allocated.bytes == 300 * sizeof(Node));
      CHECK(Find(records, 2, Node::Type()).samples == 200);
      CHECK(Find(records, 2, gc::ByteArray::Type()).allocated.bytes == 100 * 56);
    }
    heap.Churn(64 << 10);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("large and stationary objects are noted as well") {
    TinyHeap heap;
    AllocationProfiler profiler(heap.m, {});
    [[maybe_unused]] const Handle<Object> large = heap.Keep<Object>(heap.m.NewBytes(100 << 10));
    [[maybe_unused]] const Handle<Object> still =
        heap.Keep(heap.m.TryAllocateStationary(gc::ByteArray::Type(), 64));
    const AllocationRecord record = Find(profiler.Read(), 0, gc::ByteArray::Type());
    CHECK(record.samples == 2);
    CHECK(record.live().bytes == (100 << 10) + 16 + 64 + 16);
  }

  TEST_CASE("a profiler says which objects survived their first minor, and which became old") {
    QuietHeap heap;
    AllocationProfiler profiler(heap.m, {});
    Handle<Node> list = heap.MakeList(30);
    heap.Churn(70 * sizeof(Node));
    CHECK(NodesOf(profiler).met_a_minor().objects == 0);
    heap.MinorGC();
    CHECK(At(NodesOf(profiler), Fate::kDiedYoung, 0) == 70);
    CHECK(At(NodesOf(profiler), Fate::kYoung, 1) == 30);
    CHECK(NodesOf(profiler).met_a_minor().objects == 100);
    CHECK(NodesOf(profiler).survived_a_minor().objects == 30);
    heap.Churn(10 * sizeof(Node));
    heap.MinorGC();
    CHECK(At(NodesOf(profiler), Fate::kOld, 2) == 30);
    CHECK(NodesOf(profiler).promoted().objects == 30);
    CHECK(NodesOf(profiler).left_youth().objects == 110);
    CHECK(NodesOf(profiler).live().bytes == 30 * sizeof(Node));
    list.set(nullptr);
    heap.FullGC();
    CHECK(At(NodesOf(profiler), Fate::kDiedOld, 2) == 30);
    CHECK(NodesOf(profiler).live().objects == 0);
    CHECK(profiler.followed() == 0);
    CHECK(FatesAddUp(NodesOf(profiler)));
  }

  TEST_CASE("objects that age before they die are counted at their age") {
    QuietHeap heap([](Options& options) { options.tenure = 4; });
    AllocationProfiler profiler(heap.m, {});
    Handle<Node> node = heap.MakeNode(1);
    heap.MinorGC(3);
    node.set(nullptr);
    heap.MinorGC();
    CHECK(At(NodesOf(profiler), Fate::kDiedYoung, 3) == 1);
    CHECK(NodesOf(profiler).promoted().objects == 0);
    CHECK(NodesOf(profiler).left_youth().objects == 1);
  }

  TEST_CASE("lifetimes are counted in bytes allocated until the death was noticed") {
    QuietHeap heap;
    AllocationProfiler profiler(heap.m, {});
    Handle<gc::ByteArray> bytes = heap.Keep(heap.m.NewBytes(8));
    heap.Churn(100 << 10);
    bytes.set(nullptr);
    heap.MinorGC();
    const AllocationRecord record = Find(profiler.Read(), 0, gc::ByteArray::Type());
    CHECK(record.lifetimes[7] == 1);  // between 64 and 128 KiB
    CHECK(record.fates[static_cast<size_t>(Fate::kDiedYoung)][0].objects == 1);
  }

  TEST_CASE("with nursery=off objects are born old and nothing is promoted") {
    QuietHeap heap([](Options& options) { options.nursery = Options::Nursery::kOff; });
    AllocationProfiler profiler(heap.m, {});
    Handle<Node> list = heap.MakeList(10);
    heap.Churn(20 * sizeof(Node));
    CHECK(At(NodesOf(profiler), Fate::kOld, 0) == 30);
    heap.FullGC();
    CHECK(At(NodesOf(profiler), Fate::kOld, 0) == 10);
    CHECK(At(NodesOf(profiler), Fate::kDiedOld, 0) == 20);
    CHECK(NodesOf(profiler).promoted().objects == 0);
    CHECK(TestHeap::ListIs(list, 10));
  }

  TEST_CASE("noted objects are followed through any history of moves and deaths") {
    TinyHeap heap;
    Random random;
    AllocationProfiler profiler(heap.m, {});
    constexpr size_t kSlots = 40;
    std::vector<Handle<Node>> slots;
    for (size_t i = 0; i < kSlots; ++i) slots.push_back(heap.Keep<Node>(nullptr));
    const int steps = heap.heap().options().debug.stress_alloc != 0 ? 1500 : 20'000;
    for (int i = 0; i < steps; ++i) {
      const size_t at = random.Below(kSlots);
      slots[at].set(random.OneIn(3) ? nullptr : heap.m.New<Node>(Node::Type()));
      if (random.OneIn(500)) heap.FullGC();
      if (random.OneIn(100)) heap.MinorGC();
      if (random.OneIn(1000)) CHECK(heap.Broken() == "");
    }
    heap.FullGC();
    heap.FullGC();  // what a dead old object kept until the next minor is gone as well
    double kept = 0;
    for (const Handle<Node>& slot : slots) kept += slot.get() != nullptr;
    CHECK(NodesOf(profiler).live().objects == kept);
    CHECK(profiler.followed() == static_cast<size_t>(kept));
    CHECK(FatesAddUp(NodesOf(profiler)));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("sampling estimates what exact counting says, of small and of large objects") {
    QuietHeap heap;
    AllocationProfiler profiler(heap.m, {.sample_bytes = 1024});
    constexpr int kRounds = 40'000;
    for (int i = 0; i < kRounds; ++i) {
      heap.m.New<Node>(Node::Type());
      if (i % 4 == 0) heap.m.NewBytes(500);
    }
    const AllocationRecord nodes = NodesOf(profiler);
    const AllocationRecord bytes = Find(profiler.Read(), 0, gc::ByteArray::Type());
    CHECK(nodes.samples < kRounds / 20);
    CHECK(nodes.allocated.objects == doctest::Approx(kRounds).epsilon(0.15));
    CHECK(bytes.allocated.objects == doctest::Approx(kRounds / 4).epsilon(0.08));
    CHECK(bytes.allocated.bytes == doctest::Approx(kRounds / 4 * 520).epsilon(0.08));
    CHECK(FatesAddUp(nodes));
  }

  TEST_CASE("an object far larger than the mean distance is always met, and counts for itself") {
    QuietHeap heap;
    AllocationProfiler profiler(heap.m, {.sample_bytes = 512});
    for (int i = 0; i < 50; ++i) heap.m.NewBytes(64 << 10);
    const AllocationRecord record = Find(profiler.Read(), 0, gc::ByteArray::Type());
    CHECK(record.samples == 50);
    CHECK(record.allocated.objects == doctest::Approx(50));
  }

  TEST_CASE("samples repeat with the seed and differ with another one") {
    const auto run = [](uint64_t seed) {
      QuietHeap heap;
      std::vector<int> met;
      int i = 0;
      AllocationProfiler profiler(heap.m, {.sample_bytes = 4096, .seed = seed},
                                  [&](gc::Mutator&, TypeId, size_t) {
                                    met.push_back(i);
                                    return 0u;
                                  });
      for (; i < 20'000; ++i) heap.m.New<Node>(Node::Type());
      return met;
    };
    CHECK(run(1).size() > 50);
    CHECK(run(1) == run(1));
    CHECK(run(1) != run(2));
  }

  TEST_CASE("the inlined path is closed while every allocation is noted, and open again after") {
    QuietHeap heap;
    heap.Churn(sizeof(Node));
    CHECK(heap.m.TryBump(sizeof(Node)) != nullptr);
    heap.MinorGC();
    {
      AllocationProfiler profiler(heap.m, {});
      heap.Churn(sizeof(Node));
      CHECK(heap.m.TryBump(sizeof(Node)) == nullptr);
    }
    heap.Churn(sizeof(Node));
    CHECK(heap.m.TryBump(sizeof(Node)) != nullptr);
    heap.MinorGC();
  }

  TEST_CASE("between two sample points the inlined path is open") {
    QuietHeap heap;
    AllocationProfiler profiler(heap.m, {.sample_bytes = 1 << 20});
    heap.Churn(sizeof(Node));
    int open = 0;
    for (int i = 0; i < 100; ++i) {
      if (heap.m.TryBump(sizeof(Node)) == nullptr) {
        heap.Churn(sizeof(Node));
      } else {
        ++open;
      }
    }
    CHECK(open > 90);
    heap.MinorGC();
  }
}

TEST_SUITE("gc/threads") {
  TEST_CASE("allocations of several threads are noted") {
    TinyHeap heap([](Options& options) { options.procs = 2; });
    const int each = heap.heap().options().debug.stress_alloc != 0 ? 100 : 3000;
    AllocationProfiler profiler(heap.m, {});
    {
      gc::BlockingRegion waiting(heap.m);
      std::vector<std::thread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
          gc::Mutator m(heap.heap());
          for (int n = 0; n < each; ++n) m.New<Node>(Node::Type());
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    heap.FullGC();
    CHECK(NodesOf(profiler).allocated.objects == 3 * each);
    CHECK(NodesOf(profiler).live().objects == 0);
    CHECK(FatesAddUp(NodesOf(profiler)));
  }
}

}  // namespace
}  // namespace neap::testing
