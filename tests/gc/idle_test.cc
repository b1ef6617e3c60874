// SPDX-License-Identifier: MIT
//
// Idle(deadline), the frame loop's share: what it does, what it leaves alone, and what it says
// about the rest. Deadlines are so far away or so near that no machine is too slow or too fast for
// them.
#include <cstdint>

#include "collector.h"
#include "doctest/doctest.h"
#include "neap/runtime/clock.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::Options;

constexpr uint64_t kSecond = 1'000'000'000;

bool IdleFor(TestHeap& heap, uint64_t ns) {
  return heap.heap().Idle(heap.m, MonotonicNanos() + ns);
}

// Half of what became old is dead: `live` nodes and as many dead ones, a large object of each kind.
struct UnsweptHeap : QuietHeap {
  explicit UnsweptHeap(int64_t live)
      : QuietHeap([](Options& options) {
          options.nursery_bytes = 8 << 20;
          options.tenure = 1;
          options.debug.stress_major = 1;  // CollectAsDue is a major
        }),
        list(MakeList(live)),
        large(Keep(m.NewBytes(100000))) {
    Handle<Node> dead = MakeList(live);
    Handle<gc::ByteArray> dead_large = Keep(m.NewBytes(100000));
    MinorGC();
    REQUIRE_FALSE(IsYoung(dead.get()));
    dead.set(nullptr);
    dead_large.set(nullptr);
  }
  // A cycle that was not forced leaves its sweeping to the mutators.
  void StartMajor() {
    collector().CollectAsDue(m, gc::Cause::kStress);
    REQUIRE(collector().old_space().unswept_blocks() > 0);
    REQUIRE_FALSE(collector().large_space().sweep_done());
  }
  gc::Collector& collector() { return heap().collector(); }
  Handle<Node> list;
  Handle<gc::ByteArray> large;
};

TEST_SUITE("gc/idle") {
  TEST_CASE("Idle with nothing to do returns at once, however far away the deadline is") {
    QuietHeap heap;
    heap.Churn(100 << 10);
    CHECK(heap.heap().Idle(heap.m, UINT64_MAX));
    CHECK(heap.heap().Idle(heap.m, 0));
    CHECK(heap.heap().minors() == 0);
    CHECK(heap.heap().majors() == 0);
  }

  TEST_CASE("Idle collects a nursery that is more than half full, and says when nothing is left") {
    QuietHeap heap;
    heap.Churn(700 << 10);
    CHECK(IdleFor(heap, 10 * kSecond));
    CHECK(heap.heap().minors() == 1);
    CHECK(IdleFor(heap, 10 * kSecond));
    CHECK(heap.heap().minors() == 1);
    CHECK(heap.heap().majors() == 0);
  }

  TEST_CASE("young large and off-heap bytes fill the nursery for Idle as well") {
    QuietHeap heap;
    heap.m.NewBytes(300 << 10);
    (void)toy::Buffer::TryMake(heap.m, 300 << 10);
    CHECK(IdleFor(heap, 10 * kSecond));
    CHECK(heap.heap().minors() == 1);
  }

  TEST_CASE("Idle whose deadline has passed does nothing, and says that something is left") {
    UnsweptHeap heap(20000);
    heap.StartMajor();
    const size_t unswept = heap.collector().old_space().unswept_blocks();
    const size_t large = heap.collector().large_space().objects().size();
    const uint64_t minors = heap.heap().minors();
    CHECK_FALSE(heap.heap().Idle(heap.m, 0));
    CHECK_FALSE(heap.heap().Idle(heap.m, MonotonicNanos()));
    CHECK(heap.collector().old_space().unswept_blocks() == unswept);
    CHECK(heap.collector().large_space().objects().size() == large);
    CHECK(heap.heap().minors() == minors);

    // The same for a nursery, with nothing to sweep.
    QuietHeap young;
    young.Churn(900 << 10);
    CHECK_FALSE(young.heap().Idle(young.m, 0));
    CHECK(young.heap().minors() == 0);
  }

  TEST_CASE("Idle sweeps to the end, old and large space, and starts no cycle") {
    UnsweptHeap heap(20000);
    heap.StartMajor();
    const uint64_t majors = heap.heap().majors();
    CHECK(IdleFor(heap, 60 * kSecond));
    CHECK(heap.collector().old_space().sweep_done());
    CHECK(heap.collector().large_space().sweep_done());
    CHECK(heap.collector().large_space().objects().size() == 1);
    CHECK(heap.heap().majors() == majors);
    CHECK(heap.ListIs(heap.list, 20000));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("frame after frame of Idle finishes what one frame has no time for") {
    UnsweptHeap heap(100000);
    heap.StartMajor();
    int frames = 1;
    while (!IdleFor(heap, 20'000)) REQUIRE(++frames < 100000);
    CHECK(heap.collector().old_space().sweep_done());
    CHECK(heap.collector().large_space().sweep_done());
    CHECK(heap.ListIs(heap.list, 100000));
  }

  TEST_CASE("while nothing is learned a minor runs only when all of the nursery could survive it") {
    QuietHeap heap([](Options& options) { options.nursery_bytes = 32 << 20; });
    heap.Churn(20 << 20);  // 20 ms at a nanosecond a byte
    CHECK_FALSE(IdleFor(heap, 10'000'000));
    CHECK(heap.heap().minors() == 0);
    CHECK(IdleFor(heap, 60 * kSecond));
    CHECK(heap.heap().minors() == 1);
  }

  TEST_CASE("what the past minors cost decides whether the next one fits") {
    for (const bool survives : {false, true}) {
      CAPTURE(survives);
      QuietHeap heap([](Options& options) {
        options.nursery = Options::Nursery::kAdaptive;
        options.nursery_bytes = 512 << 10;
        options.nursery_max_bytes = 512 << 10;
        options.tenure = 1;
      });
      const auto fill = [&](size_t bytes) {
        if (!survives) return heap.Churn(bytes);
        (void)heap.MakeList(static_cast<int64_t>(bytes / sizeof(Node)));
      };
      // The first full minors teach nothing.
      while (heap.heap().minors() < 8) fill(64 << 10);
      heap.MinorGC();
      const uint64_t minors = heap.heap().minors();
      fill(400 << 10);
      REQUIRE(heap.heap().minors() == minors);
      // The survivors are 0.2 ms of work; a heap in which nothing survives expects 10 us.
      CHECK(IdleFor(heap, survives ? 100'000 : 60 * kSecond) != survives);
      CHECK(heap.heap().minors() == (survives ? minors : minors + 1));
      CHECK(IdleFor(heap, 60 * kSecond));
      CHECK(heap.heap().minors() == minors + 1);
    }
  }

  TEST_CASE("a major cycle that is due is not Idle's: the frame has time for a minor at most") {
    QuietHeap heap([](Options& options) {
      options.nursery_bytes = 4 << 20;
      options.gogc = 100;
      options.min_heap_bytes = 1 << 20;
      options.tenure = 1;
    });
    Handle<Node> list = heap.MakeList(100000);  // 3.2 MB become old: past the first trigger
    heap.MinorGC();
    heap.Churn(3 << 20);
    CHECK(IdleFor(heap, 60 * kSecond));
    CHECK(heap.heap().minors() == 2);
    CHECK(heap.heap().majors() == 0);
    heap.Churn(5 << 20);
    CHECK(heap.heap().majors() == 1);
    CHECK(heap.ListIs(list, 100000));
  }

  TEST_CASE("with nursery=off Idle sweeps only") {
    QuietHeap heap([](Options& options) {
      options.nursery = Options::Nursery::kOff;
      options.debug.stress_major = 1;
    });
    Handle<Node> list = heap.MakeList(1000);
    heap.Churn(1 << 20);
    heap.heap().collector().CollectAsDue(heap.m, gc::Cause::kStress);
    REQUIRE_FALSE(heap.heap().Idle(heap.m, 0));
    CHECK(IdleFor(heap, 60 * kSecond));
    CHECK(heap.heap().majors() == 1);
    CHECK(heap.ListIs(list, 1000));
  }

  TEST_CASE("M3: Idle is not for a thread inside a blocking region") {
    QuietHeap heap;
    CHECK(DiesWith("M3", [&] {
      const gc::BlockingRegion blocking(heap.m);
      heap.heap().Idle(heap.m, 0);
    }));
  }
}

}  // namespace
}  // namespace neap::testing
