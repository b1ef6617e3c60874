// SPDX-License-Identifier: MIT
#include "neap/runtime/clock.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "support/check_failure.h"

namespace neap::testing {
namespace {

// A virtual clock whose allocated bytes the test moves by hand.
struct VirtualClock {
  VirtualClock() {
    clock.SetSource([](void* bytes) { return static_cast<std::atomic<uint64_t>*>(bytes)->load(); },
                    &allocated_bytes);
  }
  void Allocate(uint64_t bytes) {
    allocated_bytes += bytes;
    clock.WakeDue();
  }
  // A registered thread that sleeps until `time` and leaves what the clock says then in `*woke_at`.
  void StartSleeper(Crew& crew, uint64_t time, std::atomic<uint64_t>* woke_at) {
    clock.Register();
    crew.Start([this, time, woke_at] {
      clock.SleepUntil(time);
      woke_at->store(clock.Now());
      clock.Unregister();
    });
  }

  std::atomic<uint64_t> allocated_bytes{0};
  Clock clock{Clock::Kind::kVirtual};
};

TEST_SUITE("runtime/clock") {
  TEST_CASE("the real clock goes forward and sleeps at least as long as asked") {
    Clock clock(Clock::Kind::kReal);
    CHECK_FALSE(clock.is_virtual());
    const uint64_t before = clock.Now();
    clock.SleepFor(3'000'000);
    CHECK(clock.Now() - before >= 3'000'000);
    clock.SleepUntil(before);  // in the past: returns at once
    clock.WakeDue();           // nobody to wake
  }

  TEST_CASE("CPU time counts work and not sleep") {
    const uint64_t before_thread = ThreadCpuNanos();
    const uint64_t before_process = ProcessCpuNanos();
    const uint64_t start = MonotonicNanos();
    SleepMs(50);
    const uint64_t slept_cpu = ThreadCpuNanos() - before_thread;
    CHECK(slept_cpu < MonotonicNanos() - start);
    while (ThreadCpuNanos() - before_thread < slept_cpu + 2'000'000) {
    }
    CHECK(ProcessCpuNanos() - before_process >= 2'000'000);
  }

  TEST_CASE("virtual time is allocated bytes plus skipped ticks") {
    VirtualClock v;
    CHECK(v.clock.is_virtual());
    CHECK(v.clock.Now() == 0);
    v.Allocate(100);
    CHECK(v.clock.Now() == 100);
    v.clock.Skip(11);
    CHECK(v.clock.Now() == 111);
    v.Allocate(1);
    CHECK(v.clock.Now() == 112);
  }

  TEST_CASE("a virtual clock without a source has skipped ticks only") {
    Clock clock(Clock::Kind::kVirtual);
    CHECK(clock.Now() == 0);
    clock.Register();
    clock.SleepUntil(1000);
    CHECK(clock.Now() == 1000);
    clock.Unregister();
  }

  TEST_CASE("the only registered thread sleeps by jumping, exactly to the wake-up") {
    VirtualClock v;
    v.Allocate(50);
    v.clock.Register();
    v.clock.SleepFor(25);
    CHECK(v.clock.Now() == 75);
    v.clock.SleepUntil(60);  // has passed: no time goes by
    CHECK(v.clock.Now() == 75);
    v.clock.SleepUntil(uint64_t{1} << 60);
    CHECK(v.clock.Now() == uint64_t{1} << 60);
    v.clock.Unregister();
  }

  TEST_CASE("while a registered thread can run, a sleeper wakes by allocation alone") {
    VirtualClock v;
    v.clock.Register();  // this thread
    Crew crew;
    std::atomic<uint64_t> woke_at{0};
    v.StartSleeper(crew, 100, &woke_at);
    SleepMs(5);
    CHECK(woke_at == 0);
    CHECK(v.clock.Now() == 0);
    v.Allocate(99);
    SleepMs(5);
    CHECK(woke_at == 0);
    v.Allocate(1);
    crew.Join();
    CHECK(woke_at == 100);
    v.clock.Unregister();
  }

  TEST_CASE("a thread that unregisters lets the sleepers' clock jump") {
    VirtualClock v;
    v.clock.Register();
    Crew crew;
    std::atomic<uint64_t> first{0};
    std::atomic<uint64_t> second{0};
    v.StartSleeper(crew, 1000, &first);
    v.StartSleeper(crew, 500, &second);
    SleepMs(5);
    CHECK(v.clock.Now() == 0);
    v.clock.Unregister();
    crew.Join();
    CHECK(second == 500);
    CHECK(first == 1000);
  }

  TEST_CASE("sleepers of one wake-up time wake together, and time stands still for them") {
    VirtualClock v;
    v.clock.Register();
    Crew crew;
    std::vector<std::atomic<uint64_t>> woke_at(16);
    for (auto& one : woke_at) v.StartSleeper(crew, 300, &one);
    SleepMs(5);
    v.clock.Unregister();
    crew.Join();
    for (auto& one : woke_at) CHECK(one == 300);
  }

  // An event simulation: each thread wakes every `period` ticks. With exact jumps the times at
  // which the clock is seen are exactly the multiples, in order, whatever the threads' real speed.
  TEST_CASE("several sleeping threads make the clock jump from wake-up to wake-up") {
    constexpr uint64_t kEnd = 3000;
    const std::vector<uint64_t> periods = {7, 11, 13, 30, 30, 101, 2999};
    VirtualClock v;
    std::mutex mutex;
    std::map<uint64_t, int> seen;
    uint64_t latest = 0;
    bool ordered = true;
    for (size_t i = 0; i < periods.size(); ++i) v.clock.Register();
    Crew crew;
    for (const uint64_t period : periods) {
      crew.Start([&, period] {
        for (uint64_t time = period; time <= kEnd; time += period) {
          v.clock.SleepUntil(time);
          const std::lock_guard lock(mutex);
          const uint64_t now = v.clock.Now();
          ordered = ordered && now >= latest;
          latest = now;
          ++seen[now];
        }
        v.clock.Unregister();
      });
    }
    crew.Join();
    std::map<uint64_t, int> expected;
    for (const uint64_t period : periods) {
      for (uint64_t time = period; time <= kEnd; time += period) ++expected[time];
    }
    CHECK(ordered);
    CHECK(seen == expected);
  }

  TEST_CASE("sleepers and an allocating thread agree on a time that never goes back") {
    constexpr int kSleepers = 4;
    VirtualClock v;
    std::atomic<int> awake{kSleepers};
    std::atomic<int> too_early{0};
    v.clock.Register();
    for (int i = 0; i < kSleepers; ++i) v.clock.Register();
    Crew crew;
    for (int i = 0; i < kSleepers; ++i) {
      crew.Start([&, i] {
        for (int n = 0; n < 300; ++n) {
          const uint64_t time = v.clock.Now() + static_cast<uint64_t>(n * (i + 1));
          v.clock.SleepUntil(time);
          too_early += v.clock.Now() < time ? 1 : 0;
        }
        v.clock.Unregister();
        --awake;
      });
    }
    while (awake > 0) v.Allocate(64);
    v.clock.Unregister();
    crew.Join();
    CHECK(too_early == 0);
  }

  TEST_CASE("sleeping or leaving without being registered is misuse") {
    VirtualClock v;
    CHECK_THROWS_WITH_AS(v.clock.SleepUntil(10), doctest::Contains("registers before it sleeps"),
                         CheckFailure);
    CHECK_THROWS_WITH_AS(v.clock.Unregister(), doctest::Contains("unregisters once"), CheckFailure);
    Clock real(Clock::Kind::kReal);
    CHECK_THROWS_AS(real.Register(), CheckFailure);
    CHECK_THROWS_AS(real.SetSource(nullptr, nullptr), CheckFailure);
  }
}

}  // namespace
}  // namespace neap::testing
