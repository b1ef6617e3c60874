// SPDX-License-Identifier: MIT
#include "neap/runtime/event_ring.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/random.h"

namespace neap::testing {
namespace {

struct Seen {
  uint16_t kind;
  uint16_t proc;
  uint64_t time;
  std::vector<uint64_t> payload;
};

std::vector<Seen> DrainAll(EventRing& ring) {
  std::vector<Seen> seen;
  ring.Drain([&](const Event& event) {
    seen.push_back({event.kind, event.proc, event.time,
                    std::vector<uint64_t>(event.payload.begin(), event.payload.end())});
  });
  return seen;
}

// A record whose words all follow from its number, so that a torn or shifted one is noticed.
struct Numbered {
  static uint64_t Words(uint64_t number) { return number * 7 % 23; }
  static uint64_t Word(uint64_t number, uint64_t index) { return number * 1000 + index; }

  static bool Emit(EventRing& ring, uint64_t number) {
    std::vector<uint64_t> payload;
    for (uint64_t i = 0; i < Words(number); ++i) payload.push_back(Word(number, i));
    return ring.Emit(static_cast<uint16_t>(number), number, payload);
  }
  static bool IsWhole(const Event& event) {
    const uint64_t number = event.time;
    if (event.kind != static_cast<uint16_t>(number)) return false;
    if (event.payload.size() != Words(number)) return false;
    for (uint64_t i = 0; i < event.payload.size(); ++i) {
      if (event.payload[i] != Word(number, i)) return false;
    }
    return true;
  }
};

TEST_SUITE("runtime/event_ring") {
  TEST_CASE("records come out oldest first, with all their fields") {
    EventRing ring(/*proc=*/65535, 64);
    CHECK(DrainAll(ring).empty());
    CHECK(ring.Emit(65535, UINT64_MAX, {}));
    CHECK(ring.Emit(2, 20, std::vector<uint64_t>{1, UINT64_MAX, 3}));
    const std::vector<Seen> seen = DrainAll(ring);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].kind == 65535);
    CHECK(seen[0].proc == 65535);
    CHECK(seen[0].time == UINT64_MAX);
    CHECK(seen[0].payload.empty());
    CHECK(seen[1].kind == 2);
    CHECK(seen[1].time == 20);
    CHECK(seen[1].payload == std::vector<uint64_t>{1, UINT64_MAX, 3});
    CHECK(DrainAll(ring).empty());
    CHECK(ring.lost() == 0);
  }

  TEST_CASE("records stay whole while the ring goes round many times") {
    EventRing ring(3, 64);
    Random random;
    uint64_t emitted = 0;
    uint64_t drained = 0;
    while (emitted < 10'000) {
      for (uint64_t n = random.Below(4); n > 0; --n) {
        if (Numbered::Emit(ring, emitted)) ++emitted;
      }
      bool whole = true;
      ring.Drain([&](const Event& event) {
        whole = whole && Numbered::IsWhole(event) && event.time == drained++;
      });
      REQUIRE(whole);
      REQUIRE(drained == emitted);
    }
  }

  TEST_CASE("a record that does not fit is dropped whole and counted") {
    EventRing ring(0, 64);
    const std::vector<uint64_t> payload(30);  // 32 words with the header: two fill the ring exactly
    CHECK(ring.Emit(1, 1, payload));
    CHECK(ring.Emit(1, 2, payload));
    CHECK_FALSE(ring.Emit(1, 3, {}));
    CHECK_FALSE(ring.Emit(1, 4, payload));
    CHECK(ring.lost() == 2);
    const std::vector<Seen> seen = DrainAll(ring);
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].time == 2);
    CHECK(ring.Emit(1, 5, payload));
    CHECK(ring.lost() == 2);
    CHECK(DrainAll(ring)[0].time == 5);
  }

  TEST_CASE("a record larger than the ring is lost even when somebody drains") {
    EventRing ring(0, 64);
    CHECK(ring.Emit(1, 1, std::vector<uint64_t>(62)));
    CHECK(DrainAll(ring).size() == 1);
    int calls = 0;
    ring.set_full_function([&] { ++calls; });
    CHECK_FALSE(ring.Emit(1, 2, std::vector<uint64_t>(63)));
    CHECK(ring.lost() == 1);
    CHECK(calls == 0);
  }

  TEST_CASE("in blocking mode a full ring is drained and nothing is lost") {
    EventRing ring(0, 64);
    uint64_t drained = 0;
    bool whole = true;
    const auto drain = [&] {
      ring.Drain([&](const Event& event) {
        whole = whole && Numbered::IsWhole(event) && event.time == drained++;
      });
    };
    int full = 0;
    ring.set_full_function([&] {
      ++full;
      drain();
    });
    for (uint64_t n = 0; n < 1000; ++n) REQUIRE(Numbered::Emit(ring, n));
    drain();
    CHECK(whole);
    CHECK(drained == 1000);
    CHECK(full > 10);
    CHECK(ring.lost() == 0);
  }

  TEST_CASE("a full function that does not drain loses the record, counted once") {
    EventRing ring(0, 64);
    int full = 0;
    ring.set_full_function([&] { ++full; });
    CHECK(ring.Emit(1, 1, std::vector<uint64_t>(62)));
    CHECK_FALSE(ring.Emit(1, 2, {}));
    CHECK(full == 1);
    CHECK(ring.lost() == 1);
  }

  TEST_CASE("what is emitted during a drain waits for the next one") {
    EventRing ring(0, 64);
    ring.Emit(1, 1, {});
    int visited = 0;
    ring.Drain([&](const Event&) {
      ++visited;
      ring.Emit(1, 2, {});
    });
    CHECK(visited == 1);
    CHECK(DrainAll(ring).size() == 1);
  }

  TEST_CASE("a capacity that is no power of two or below 64 words is misuse") {
    CHECK_THROWS_AS(EventRing(0, 32), CheckFailure);
    CHECK_THROWS_AS(EventRing(0, 96), CheckFailure);
    CHECK_THROWS_AS(EventRing(0, 0), CheckFailure);
  }

  TEST_CASE("with a drainer on another thread every record is seen whole or counted as lost") {
    constexpr uint64_t kRecords = 100'000;
    EventRing ring(1, 256);
    std::atomic<bool> done{false};
    uint64_t accepted = 0;
    Crew crew;
    crew.Start([&] {
      for (uint64_t n = 0; n < kRecords; ++n) accepted += Numbered::Emit(ring, n) ? 1 : 0;
      done.store(true);
    });
    uint64_t drained = 0;
    uint64_t torn = 0;
    uint64_t unordered = 0;
    uint64_t next = 0;
    const auto drain = [&] {
      ring.Drain([&](const Event& event) {
        ++drained;
        torn += Numbered::IsWhole(event) ? 0 : 1;
        unordered += event.time < next ? 1 : 0;
        next = event.time + 1;
      });
    };
    while (!done.load()) drain();
    drain();
    crew.Join();
    CHECK(torn == 0);
    CHECK(unordered == 0);
    CHECK(drained == accepted);
    CHECK(drained + ring.lost() == kRecords);
    CHECK(drained > 0);
  }
}

}  // namespace
}  // namespace neap::testing
