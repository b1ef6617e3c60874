// SPDX-License-Identifier: MIT
//
// When major cycles start: GOGC, the minimum heap, off-heap bytes, the memory limit, with a real
// heap. (The arithmetic itself has its own tests.) Counts of cycles, not times.
#include <cstdint>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "neap/runtime/log.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::Options;
using gc::SlotArray;

// Gathers what is logged as a warning while it lives.
struct Warnings {
  Warnings() {
    SetLogSink(
        [](LogLevel level, std::string_view message, void* context) {
          if (level != LogLevel::kWarning) return;
          static_cast<Warnings*>(context)->lines.emplace_back(message);
        },
        this);
  }
  ~Warnings() { SetLogSink(nullptr, nullptr); }
  std::vector<std::string> lines;
};

// Replaces one of `ring`'s blocks of 4 KiB at a time: everything that is allocated becomes old.
void RollRing(TestHeap& heap, Handle<SlotArray> ring, uint64_t bytes) {
  constexpr uint64_t kBytes = 4096 - 16;
  static uint64_t next = 0;
  for (uint64_t i = 0; i < bytes / 4096; ++i) {
    ByteArray* block = heap.m.NewBytes(kBytes);
    heap.m.Store(ring.get(), ring->slots() + next++ % ring->length, block);
  }
}

QuietHeap PacedHeap(uint64_t gogc, Options::Nursery nursery = Options::Nursery::kFixed) {
  return QuietHeap([&](Options& options) {
    options.gogc = gogc;
    options.nursery = nursery;
    options.nursery_bytes = 64 << 10;
    options.tenure = 1;
    options.min_heap_bytes = 1 << 20;
  });
}

uint64_t MajorsFor(TestHeap& heap, Handle<SlotArray> ring, uint64_t bytes) {
  const uint64_t before = heap.heap().majors();
  RollRing(heap, ring, bytes);
  return heap.heap().majors() - before;
}

TEST_SUITE("gc/pacing") {
  TEST_CASE("GOGC=100 runs one cycle per live heap of promoted bytes") {
    for (const auto nursery : {Options::Nursery::kFixed, Options::Nursery::kOff}) {
      QuietHeap heap = PacedHeap(100, nursery);
      Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(4096));  // 16 MiB live
      RollRing(heap, ring, 64 << 20);
      // 256 MiB of promotion over 16 MiB live: 16 cycles at GOGC=100.
      const uint64_t majors = MajorsFor(heap, ring, 256 << 20);
      CHECK(majors >= 14);
      CHECK(majors <= 18);
    }
  }

  TEST_CASE("GOGC=400 runs a quarter as many, 50 twice as many") {
    const std::pair<uint64_t, uint64_t> expected[] = {{400, 4}, {200, 8}, {50, 32}};
    for (const auto& [gogc, cycles] : expected) {
      CAPTURE(gogc);
      QuietHeap heap = PacedHeap(gogc);
      Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(4096));
      RollRing(heap, ring, 96 << 20);
      const uint64_t majors = MajorsFor(heap, ring, 256 << 20);
      CHECK(majors + majors / 4 + 1 >= cycles);
      CHECK(majors <= cycles + cycles / 4 + 1);
    }
  }

  TEST_CASE("GOGC=off runs none, and SetGogc is effective at once") {
    QuietHeap heap = PacedHeap(Options::kGogcOff);
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(1024));
    CHECK(MajorsFor(heap, ring, 64 << 20) == 0);
    CHECK(heap.heap().SetGogc(100) == Options::kGogcOff);
    CHECK(MajorsFor(heap, ring, 64 << 20) >= 5);
    CHECK(heap.heap().SetGogc(Options::kGogcOff) == 100);
    CHECK(MajorsFor(heap, ring, 64 << 20) == 0);
  }

  TEST_CASE("young garbage alone starts no major cycle: the pacer counts what became old") {
    QuietHeap heap = PacedHeap(100);
    heap.Churn(256 << 20);
    CHECK(heap.heap().majors() == 0);
    CHECK(heap.heap().minors() > 3000);
  }

  TEST_CASE("a heap under the minimum does not collect for less than the minimum") {
    QuietHeap heap([](Options& options) {
      options.gogc = 100;
      options.nursery_bytes = 64 << 10;
      options.tenure = 1;
      options.min_heap_bytes = 8 << 20;
    });
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(16));
    const uint64_t majors = MajorsFor(heap, ring, 64 << 20);
    CHECK(majors >= 6);
    CHECK(majors <= 9);
  }

  TEST_CASE("the goal of the next cycle is live + off-heap + GOGC of both and of the roots") {
    QuietHeap heap = PacedHeap(100);
    Handle<ByteArray> live = heap.Keep(heap.m.NewBytes(8 << 20));
    Handle<toy::Buffer> buffer = heap.Keep(toy::Buffer::TryMake(heap.m, 4 << 20));
    heap.FullGC();
    heap.FullGC();
    const gc::Stats stats = heap.stats();
    CHECK(stats.marked_bytes >= live->length);
    CHECK(stats.off_heap_bytes == buffer->bytes);
    const uint64_t base = stats.marked_bytes + stats.off_heap_bytes;
    CHECK(stats.goal_bytes >= 2 * base);
    CHECK(stats.goal_bytes <= 2 * base + (64 << 10));
    CHECK(stats.trigger_bytes <= stats.goal_bytes);
  }

  TEST_CASE("off-heap bytes whose owners became old pace the major cycle") {
    const int64_t before = toy::Buffer::live_bytes();
    QuietHeap heap = PacedHeap(100);
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(64));
    int64_t most = 0;
    for (uint64_t i = 0; i < 4000; ++i) {
      toy::Buffer* buffer = toy::Buffer::TryMake(heap.m, 64 << 10);
      REQUIRE(buffer != nullptr);
      heap.m.Store(ring.get(), ring->slots() + i % 64, buffer);
      heap.m.Poll();
      most = std::max(most, toy::Buffer::live_bytes() - before);
    }
    // 250 MiB pass through a ring of 4 MiB, with 64 bytes of heap each.
    CHECK(heap.heap().majors() >= 20);
    CHECK(most <= 14 << 20);
  }

  TEST_CASE("a memory limit alone collects in time to stay under it, and warns of nothing") {
    Warnings warnings;
    QuietHeap heap([](Options& options) {
      options.clock =
          Clock::Kind::kVirtual;  // the CPU limiter, which may hold back, reads a real one
      options.gogc = Options::kGogcOff;
      options.memory_limit_bytes = 48 << 20;
      options.nursery_bytes = 256 << 10;
      options.tenure = 1;
    });
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(2048));  // 8 MiB live
    uint64_t most = 0;
    for (int i = 0; i < 64; ++i) {
      RollRing(heap, ring, 4 << 20);
      most = std::max(most, heap.stats().mapped_bytes);
    }
    CHECK(most <= 48 << 20);
    CHECK(heap.heap().majors() >= 5);
    CHECK(heap.heap().majors() <= 40);
    CHECK(warnings.lines.empty());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("SetMemoryLimit tightens a running heap, and lifting it relaxes it") {
    QuietHeap heap([](Options& options) {
      options.clock = Clock::Kind::kVirtual;
      options.gogc = Options::kGogcOff;
      options.nursery_bytes = 256 << 10;
      options.tenure = 1;
    });
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(1024));
    CHECK(MajorsFor(heap, ring, 64 << 20) == 0);
    CHECK(heap.heap().SetMemoryLimit(32 << 20) == Options::kNoLimit);
    CHECK(MajorsFor(heap, ring, 128 << 20) >= 4);
    CHECK(heap.heap().SetMemoryLimit(Options::kNoLimit) == 32 << 20);
    CHECK(MajorsFor(heap, ring, 64 << 20) == 0);
  }

  TEST_CASE("a limit under the live size warns once and does not collect at every allocation") {
    Warnings warnings;
    QuietHeap heap([](Options& options) {
      options.clock = Clock::Kind::kVirtual;
      options.gogc = 100;
      options.nursery_bytes = 256 << 10;
      options.tenure = 1;
    });
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(4096));
    RollRing(heap, ring, 32 << 20);
    heap.heap().SetOutOfMemoryFunction([](void*, uint64_t, uint64_t) { return true; }, nullptr);
    uint64_t told = 0;
    const int listener = heap.heap().AddEventListener([&told](const Event& event) {
      if (event.kind != static_cast<uint16_t>(gc::EventKind::kLimit)) return;
      CHECK(event.payload[0] == 0);  // under-live
      CHECK(event.payload[1] > event.payload[2]);
      ++told;
    });
    heap.heap().SetMemoryLimit(4 << 20);
    const uint64_t majors = MajorsFor(heap, ring, 16 << 20);
    CHECK(majors >= 1);
    // 16 MiB are 64 nurseries of allocation: one cycle each is the worst that may happen.
    CHECK(majors <= 66);
    CHECK(warnings.lines.size() == 1);
    heap.heap().RemoveEventListener(listener);
    CHECK(told == 1);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("Collect is a whole forced cycle each time: two calls are two cycles") {
    QuietHeap heap;
    Handle<Node> list = heap.MakeList(1000);
    const gc::Stats before = heap.stats();
    heap.FullGC();
    heap.FullGC();
    const gc::Stats after = heap.stats();
    CHECK(after.majors == before.majors + 2);
    CHECK(after.forced_majors == before.forced_majors + 2);
    CHECK(after.marked_bytes == 1000 * sizeof(Node));
    CHECK(after.heap_bytes == 1000 * sizeof(Node));
    list.set(nullptr);
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
    CHECK(heap.stats().heap_bytes == 0);
  }

  TEST_CASE("empty blocks are reused, and after the decay go back to the system") {
    QuietHeap heap([](Options& options) {
      options.decay_ms = 1;
      options.nursery_bytes = 64 << 10;
    });
    Handle<Node> list = heap.MakeList(500000);  // 16 MB
    heap.FullGC();
    const uint64_t full = heap.stats().mapped_bytes;
    list.set(nullptr);
    heap.FullGC();
    CHECK(heap.stats().heap_bytes == 0);
    const uint64_t end = MonotonicNanos() + 20'000'000;
    while (MonotonicNanos() < end) {
    }
    heap.FullGC();
    heap.MinorGC();
    CHECK(heap.stats().released_bytes >= 8 << 20);
    CHECK(heap.stats().mapped_bytes < full - (8 << 20));
    list = heap.MakeList(500000);
    CHECK(heap.ListIs(list, 500000));
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
