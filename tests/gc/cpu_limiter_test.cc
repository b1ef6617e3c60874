// SPDX-License-Identifier: MIT
//
// The CPU limiter under simulated programs: times are handed in, so every run is exact.
#include "cpu_limiter.h"

#include <algorithm>
#include <cstdint>

#include "doctest/doctest.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::CpuLimiter;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1000 * kMs;
constexpr uint64_t kMiB = 1 << 20;

gc::CycleCost Cycle(uint64_t gc_ns, uint64_t freed_percent, bool limit_bound = true) {
  return {.gc_ns = gc_ns,
          .heap_before_bytes = 100 * kMiB,
          .freed_bytes = freed_percent * kMiB,
          .limit_bound = limit_bound};
}

// A program whose limit wants a cycle after every `quantum_ns` of running; a cycle that may not
// start is asked for again after the next quantum.
struct Thrashing {
  CpuLimiter limiter;
  uint64_t mutator_ns = 0;
  uint64_t gc_ns = 0;
  int refused = 0;

  void Run(uint64_t until_mutator_ns, uint64_t quantum_ns, uint64_t cycle_ns,
           uint64_t freed_percent = 50) {
    while (mutator_ns < until_mutator_ns) {
      limiter.AddMutatorTime(quantum_ns);
      mutator_ns += quantum_ns;
      if (!limiter.MayStart()) {
        ++refused;
        continue;
      }
      limiter.EndCycle(Cycle(cycle_ns, freed_percent));
      gc_ns += cycle_ns;
      REQUIRE(gc_ns <= mutator_ns + limiter.capacity_ns());  // U2
    }
  }
};

TEST_SUITE("gc/cpu_limiter") {
  TEST_CASE("a program with little collection is never held back") {
    Thrashing program{CpuLimiter(2)};
    program.Run(100 * kSecond, 100 * kMs, 10 * kMs);
    CHECK(program.refused == 0);
    CHECK(program.limiter.engagements() == 0);
    CHECK(program.limiter.engaged_ns() == 0);
    CHECK(program.limiter.fill_ns() <= 10 * kMs);
  }

  TEST_CASE("thrashing is held to half of the CPU, whatever a cycle costs") {
    for (const uint64_t cycle_ns : {kMs, 50 * kMs, 500 * kMs, 900 * kMs, kSecond, 5 * kSecond}) {
      CAPTURE(cycle_ns);
      Thrashing program{CpuLimiter(1)};
      program.Run(200 * kSecond, kMs / 2, cycle_ns);
      CHECK(program.refused > 0);
      const double share = static_cast<double>(program.gc_ns) /
                           static_cast<double>(program.gc_ns + program.mutator_ns);
      CHECK(share <= 0.51);
      CHECK(share >= 0.49);
    }
  }

  TEST_CASE("a burst of one CPU-second per P passes before the limiter engages") {
    CpuLimiter limiter(4);
    int cycles = 0;
    while (limiter.MayStart()) {
      limiter.EndCycle(Cycle(100 * kMs, 50));
      ++cycles;
    }
    CHECK(cycles == 40);
    CHECK(limiter.engaged());
    CHECK(limiter.engagements() == 1);
  }

  TEST_CASE("it lets go when the program has run for what a cycle costs") {
    CpuLimiter limiter(1);
    while (limiter.MayStart()) limiter.EndCycle(Cycle(200 * kMs, 50));
    CHECK(limiter.fill_ns() == kSecond);
    limiter.AddMutatorTime(199 * kMs);
    CHECK(limiter.engaged());
    limiter.AddMutatorTime(kMs);
    CHECK_FALSE(limiter.engaged());
    CHECK(limiter.engaged_ns() == 200 * kMs);
    limiter.AddMutatorTime(10 * kSecond);
    CHECK(limiter.engaged_ns() == 200 * kMs);
  }

  TEST_CASE("the time spent engaged ends inside a long stretch of running") {
    CpuLimiter limiter(1);
    while (limiter.MayStart()) limiter.EndCycle(Cycle(200 * kMs, 50));
    limiter.AddMutatorTime(10 * kSecond);
    CHECK_FALSE(limiter.engaged());
    CHECK(limiter.engaged_ns() == 200 * kMs);
  }

  TEST_CASE("quiet hours are not saved up") {
    CpuLimiter limiter(1);
    limiter.AddMutatorTime(3600 * kSecond);
    CHECK(limiter.fill_ns() == 0);
    int cycles = 0;
    while (limiter.MayStart()) {
      limiter.EndCycle(Cycle(100 * kMs, 50));
      ++cycles;
    }
    CHECK(cycles == 10);
  }

  TEST_CASE("a cycle longer than the bucket may run when the program has run as long") {
    CpuLimiter limiter(1);
    limiter.EndCycle(Cycle(5 * kSecond, 50));
    CHECK(limiter.engaged());
    limiter.AddMutatorTime(5 * kSecond - 1);
    CHECK(limiter.engaged());
    limiter.AddMutatorTime(1);
    CHECK_FALSE(limiter.engaged());
  }

  TEST_CASE("cycles that nobody may refuse do not build up a debt") {
    CpuLimiter limiter(1);
    for (int i = 0; i < 1000; ++i) limiter.EndCycle(Cycle(100 * kMs, 50, false));
    CHECK(limiter.fill_ns() == limiter.capacity_ns());
    limiter.AddMutatorTime(100 * kMs);
    CHECK_FALSE(limiter.engaged());
  }

  TEST_CASE("minor pauses fill the bucket") {
    CpuLimiter limiter(1);
    limiter.EndCycle(Cycle(300 * kMs, 50));
    CHECK(limiter.MayStart());
    limiter.AddMinorTime(500 * kMs);
    CHECK_FALSE(limiter.MayStart());
  }

  TEST_CASE("three futile cycles while engaged are out of memory; fewer are not") {
    CpuLimiter limiter(1);
    while (limiter.MayStart()) limiter.EndCycle(Cycle(400 * kMs, 50));
    limiter.EndCycle(Cycle(400 * kMs, 4));
    limiter.EndCycle(Cycle(400 * kMs, 4));
    CHECK_FALSE(limiter.out_of_memory());
    limiter.EndCycle(Cycle(400 * kMs, 4));
    CHECK(limiter.out_of_memory());
    limiter.ForgetFutileCycles();
    CHECK_FALSE(limiter.out_of_memory());
  }

  TEST_CASE("futile cycles that cost little are not out of memory") {
    CpuLimiter limiter(1);
    for (int i = 0; i < 100; ++i) {
      limiter.AddMutatorTime(10 * kMs);
      limiter.EndCycle(Cycle(kMs, 0));
    }
    CHECK_FALSE(limiter.out_of_memory());
  }

  TEST_CASE("a cycle that frees 5 % starts the count anew, and so does one of another cause") {
    CpuLimiter limiter(1);
    for (int i = 0; i < 10; ++i) limiter.EndCycle(Cycle(400 * kMs, 0));
    REQUIRE(limiter.out_of_memory());
    limiter.EndCycle(Cycle(400 * kMs, 5));
    CHECK_FALSE(limiter.out_of_memory());
    for (int i = 0; i < 3; ++i) limiter.EndCycle(Cycle(400 * kMs, 0));
    REQUIRE(limiter.out_of_memory());
    limiter.EndCycle(Cycle(400 * kMs, 0, false));
    CHECK_FALSE(limiter.out_of_memory());
  }

  TEST_CASE("a program that forces collections of a full heap all day is not out of memory") {
    CpuLimiter limiter(2);
    for (int i = 0; i < 10'000; ++i) limiter.EndCycle(Cycle(100 * kMs, 0, false));
    CHECK(limiter.engaged());
    CHECK_FALSE(limiter.out_of_memory());
  }

  TEST_CASE("a slow leak: engages, gives up within seconds of CPU, not hours") {
    // Every cycle frees a little less. The program makes 20 ms of progress between two.
    CpuLimiter limiter(2);
    uint64_t cpu_ns = 0;
    uint64_t freed_percent = 40;
    while (!limiter.out_of_memory()) {
      REQUIRE(cpu_ns < 60 * kSecond);
      limiter.AddMutatorTime(20 * kMs);
      cpu_ns += 20 * kMs;
      if (!limiter.MayStart()) continue;
      limiter.EndCycle(Cycle(500 * kMs, freed_percent));
      cpu_ns += 500 * kMs;
      if (freed_percent > 0) freed_percent -= 2;
    }
    CHECK(limiter.engagements() > 0);
    CHECK(freed_percent <= 4);
  }

  TEST_CASE("fewer Ps make the bucket smaller at once") {
    CpuLimiter limiter(4);
    for (int i = 0; i < 30; ++i) limiter.EndCycle(Cycle(100 * kMs, 50));
    CHECK(limiter.MayStart());
    limiter.SetProcs(1);
    CHECK(limiter.fill_ns() == limiter.capacity_ns());
    CHECK_FALSE(limiter.MayStart());
    limiter.SetProcs(4);
    CHECK(limiter.MayStart());
  }

  TEST_CASE("U1 and U3 hold for any sequence of times") {
    Random random;
    CpuLimiter limiter(2);
    for (int i = 0; i < 100'000; ++i) {
      const uint64_t ns = random.Below(uint64_t{1} << random.Between(1, 36));
      switch (random.Below(4)) {
        case 0:
          limiter.AddMutatorTime(ns);
          break;
        case 1:
          limiter.AddMinorTime(ns);
          break;
        case 2:
          limiter.EndCycle(Cycle(ns, random.Below(100), random.OneIn(2)));
          break;
        default:
          limiter.SetProcs(static_cast<int>(random.Between(1, 8)));
      }
      REQUIRE(limiter.fill_ns() <= limiter.capacity_ns());  // U1
      CpuLimiter later = limiter;
      later.AddMutatorTime(later.capacity_ns());
      REQUIRE_FALSE(later.engaged());  // U3
    }
  }
}

}  // namespace
}  // namespace neap::testing
