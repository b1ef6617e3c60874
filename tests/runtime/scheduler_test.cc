// SPDX-License-Identifier: MIT
//
// The scheduler one rule at a time. Where a thread must be somewhere before the test goes on, the
// test waits for a state that proves it (waiting(), poll_requested()), never for a time to pass; a
// time passes only to give a broken rule the chance to show.
#include "neap/runtime/scheduler.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "neap/runtime/clock.h"
#include "support/check_failure.h"
#include "support/dies_with.h"

namespace neap::testing {
namespace {

constexpr uint64_t kNever = UINT64_MAX;  // a time slice that is not over during a test
constexpr uint64_t kShortSliceNs = 500'000;

// Stops and starts the world around `body`; the caller wins (nobody else stops).
template <typename Body>
StopInfo WhileStopped(Scheduler& scheduler, Processor** self, Body body) {
  StopInfo info;
  REQUIRE(scheduler.StopTheWorld(self, &info));
  body();
  scheduler.StartTheWorld();
  return info;
}

void PollUntil(Scheduler& scheduler, Processor** p, const std::atomic<bool>& done) {
  while (!done.load()) {
    if ((*p)->poll_requested()) *p = scheduler.SafepointSlow(*p);
  }
}

void WaitForWaiters(const Scheduler& scheduler, int n) {
  WaitUntil([&] { return scheduler.waiting() == n; });
}

void WaitForPoll(const Processor* p) {
  WaitUntil([&] { return p->poll_requested(); });
}

TEST_SUITE("runtime/scheduler") {
  TEST_CASE("a number of Ps out of range is an error that names it") {
    CHECK(Scheduler::ValidateProcs(1).ok());
    CHECK(Scheduler::ValidateProcs(kMaxProcs).ok());
    for (const int64_t procs : {int64_t{0}, int64_t{-1}, int64_t{kMaxProcs + 1}, INT64_MAX}) {
      const absl::Status status = Scheduler::ValidateProcs(procs);
      CHECK(status.code() == absl::StatusCode::kInvalidArgument);
      CHECK(std::string(status.message()).find(std::to_string(procs)) != std::string::npos);
      CHECK(std::string(status.message()).find("1..256") != std::string::npos);
    }
    CHECK_THROWS_AS(Scheduler({.procs = kMaxProcs + 1}), CheckFailure);
    CHECK_THROWS_AS(Scheduler({.procs = -1}), CheckFailure);
  }

  TEST_CASE("without a number there is a P for each core") {
    const Scheduler scheduler({});
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    CHECK(scheduler.procs() == std::min(cores, kMaxProcs));
    CHECK(scheduler.created() == scheduler.procs());
  }

  TEST_CASE("the idle P with the lowest id is handed out first") {
    Scheduler scheduler({.procs = 130});
    std::vector<Processor*> held;
    for (int id = 0; id < 130; ++id) {
      held.push_back(scheduler.Acquire());
      REQUIRE(held.back()->id == id);
      REQUIRE(held.back() == &scheduler.processor(id));
    }
    scheduler.Release(held[129]);
    scheduler.Release(held[64]);
    scheduler.Release(held[70]);
    CHECK(scheduler.Acquire()->id == 64);
    CHECK(scheduler.Acquire()->id == 70);
    CHECK(scheduler.Acquire()->id == 129);
    for (Processor* p : held) scheduler.Release(p);
  }

  TEST_CASE("R1: releasing or polling on a P that is not held is misuse") {
    Scheduler scheduler({.procs = 1});
    Processor* p = scheduler.Acquire();
    scheduler.Release(p);
    CHECK_THROWS_WITH_AS(scheduler.Release(p), doctest::Contains("R1"), CheckFailure);
    CHECK_THROWS_WITH_AS(scheduler.SafepointSlow(p), doctest::Contains("R1"), CheckFailure);
    StopInfo info;
    CHECK_THROWS_WITH_AS((void)scheduler.StopTheWorld(&p, &info), doctest::Contains("R1"),
                         CheckFailure);
  }

  TEST_CASE("a particular P is waited for even when others are idle") {
    Scheduler scheduler({.procs = 3, .time_slice_ns = kNever});
    Processor* p = scheduler.AcquireSpecific(1);
    CHECK(p->id == 1);
    Crew crew;
    std::atomic<int> got{-1};
    crew.Start([&] {
      Processor* mine = scheduler.AcquireSpecific(1);
      got = mine->id;
      scheduler.Release(mine);
    });
    WaitForWaiters(scheduler, 1);
    Processor* other = scheduler.Acquire();  // the waiter holds up nobody who takes any P
    CHECK(other->id == 0);
    CHECK(got == -1);
    scheduler.Release(p);
    crew.Join();
    CHECK(got == 1);
    scheduler.Release(other);
    CHECK_THROWS_AS(scheduler.AcquireSpecific(3), CheckFailure);
    CHECK_THROWS_AS(scheduler.AcquireSpecific(-1), CheckFailure);
  }

  TEST_CASE("R4: waiters get Ps in order of arrival") {
    Scheduler scheduler({.procs = 1, .time_slice_ns = kNever});
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::vector<int> order;  // guarded by the only P
    for (int i = 0; i < 12; ++i) {
      crew.Start([&, i] {
        Processor* mine = scheduler.Acquire();
        order.push_back(i);
        scheduler.Release(mine);
      });
      WaitForWaiters(scheduler, i + 1);
    }
    scheduler.Release(p);
    crew.Join();
    for (int i = 0; i < 12; ++i) CHECK(order[static_cast<size_t>(i)] == i);
  }

  TEST_CASE("R4: nobody overtakes a waiter by coming at the right moment") {
    Scheduler scheduler({.procs = 1, .time_slice_ns = kNever});
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::atomic<bool> ran{false};
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      ran = true;
      scheduler.Release(mine);
    });
    WaitForWaiters(scheduler, 1);
    scheduler.Release(p);
    p = scheduler.Acquire();  // the waiter may still be asleep, but the P is its own
    CHECK(ran);
    scheduler.Release(p);
  }

  TEST_CASE("R4: a runner whose slice is over is asked for its P and gives it up") {
    Scheduler scheduler({.procs = 1, .time_slice_ns = kShortSliceNs});
    Processor* p = scheduler.Acquire();
    SleepMs(5);
    CHECK_FALSE(p->poll_requested());  // nobody waits: nobody asks
    Crew crew;
    std::atomic<bool> ran{false};
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      ran = true;
      scheduler.Release(mine);
    });
    WaitForPoll(p);
    CHECK_FALSE(ran);  // R3: not before the safepoint
    p = scheduler.SafepointSlow(p);
    CHECK(ran);
    CHECK_FALSE(p->poll_requested());
    scheduler.Release(p);
  }

  TEST_CASE("R4: before its slice is over a runner keeps its P, also at a safepoint") {
    Scheduler scheduler({.procs = 1, .time_slice_ns = kNever});
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::atomic<bool> ran{false};
    crew.Start([&] {
      scheduler.Release(scheduler.Acquire());
      ran = true;
    });
    WaitForWaiters(scheduler, 1);
    SleepMs(20);
    CHECK_FALSE(p->poll_requested());
    CHECK(scheduler.SafepointSlow(p) == p);
    CHECK_FALSE(ran);
    scheduler.Release(p);
  }

  TEST_CASE("R4: who waits for a particular P asks its runner only") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = kShortSliceNs});
    Processor* p0 = scheduler.AcquireSpecific(0);
    Processor* p1 = scheduler.AcquireSpecific(1);
    Crew crew;
    crew.Start([&] { scheduler.Release(scheduler.AcquireSpecific(1)); });
    WaitForPoll(p1);
    SleepMs(5);
    CHECK_FALSE(p0->poll_requested());
    CHECK(scheduler.SafepointSlow(p0) == p0);
    scheduler.Release(p1);
    crew.Join();
    scheduler.Release(p0);
  }

  TEST_CASE("R4: as many runners are asked as threads wait") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = kShortSliceNs});
    Processor* p0 = scheduler.Acquire();
    Processor* p1 = scheduler.Acquire();
    Crew crew;
    for (int i = 0; i < 2; ++i) {
      crew.Start([&] { scheduler.Release(scheduler.Acquire()); });
    }
    WaitForPoll(p0);
    WaitForPoll(p1);
    scheduler.Release(p0);
    scheduler.Release(p1);
  }

  TEST_CASE("R4: a runner keeps its P when who waited for one has been served") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = kShortSliceNs});
    Processor* p0 = scheduler.AcquireSpecific(0);
    Processor* p1 = scheduler.AcquireSpecific(1);
    Crew crew;
    crew.Start([&] { scheduler.Release(scheduler.Acquire()); });
    WaitForPoll(p0);
    scheduler.Release(p0);
    crew.Join();
    SleepMs(2);  // the slice is over, P 0 is idle, nobody waits
    CHECK(scheduler.SafepointSlow(p1) == p1);
    scheduler.Release(p1);
  }

  TEST_CASE("R4: runners take turns on few Ps while all of them compute") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = 100'000});
    constexpr int kThreads = 16;
    std::atomic<int> started{0};
    std::atomic<bool> all_started{false};
    Crew crew;
    for (int i = 0; i < kThreads; ++i) {
      crew.Start([&] {
        Processor* p = scheduler.Acquire();
        if (++started == kThreads) all_started = true;
        PollUntil(scheduler, &p, all_started);
        scheduler.Release(p);
      });
    }
    crew.Join();
    CHECK(started == kThreads);
  }

  TEST_CASE("64 threads on one P meet on a barrier outside of managed code") {
    constexpr int kThreads = 64;
    Scheduler scheduler({.procs = 1});
    std::barrier<> barrier(kThreads);
    Crew crew;
    int rounds = 0;  // guarded by the only P
    for (int i = 0; i < kThreads; ++i) {
      crew.Start([&] {
        for (int round = 0; round < 5; ++round) {
          Processor* p = scheduler.Acquire();
          ++rounds;
          scheduler.Release(p);
          barrier.arrive_and_wait();  // a blocking region
        }
      });
    }
    crew.Join();
    CHECK(rounds == 5 * kThreads);
  }

  TEST_CASE("64 threads on one P meet on a barrier inside managed code, by polling") {
    constexpr int kThreads = 64;
    Scheduler scheduler({.procs = 1, .time_slice_ns = 50'000});
    std::atomic<int> arrived{0};
    Crew crew;
    for (int i = 0; i < kThreads; ++i) {
      crew.Start([&] {
        Processor* p = scheduler.Acquire();
        for (int round = 1; round <= 3; ++round) {
          ++arrived;
          while (arrived < round * kThreads) {
            if (p->poll_requested()) p = scheduler.SafepointSlow(p);
          }
        }
        scheduler.Release(p);
      });
    }
    crew.Join();
    CHECK(arrived == 3 * kThreads);
  }

  TEST_CASE("a stop with no other runner waits for nobody") {
    Scheduler scheduler({.procs = 4});
    Processor* p = scheduler.Acquire();
    CHECK_FALSE(scheduler.IsStopper());
    const uint64_t before = MonotonicNanos();
    const StopInfo info = WhileStopped(scheduler, &p, [&] {
      CHECK(scheduler.stopped());
      CHECK(scheduler.IsStopper());
      CHECK(scheduler.SafepointSlow(p) == p);  // the stopper's own poll does not wait for itself
      Crew crew;
      crew.Start([&] { CHECK_FALSE(scheduler.IsStopper()); });
    });
    CHECK_FALSE(scheduler.stopped());
    CHECK_FALSE(scheduler.IsStopper());
    CHECK(info.waited_for == 0);
    CHECK(info.requested_ns >= before);
    CHECK(info.time_to_safepoint_ns <= MonotonicNanos() - before);
    scheduler.Release(p);
  }

  TEST_CASE("R3: a stop waits for a runner's safepoint and measures how long") {
    Scheduler scheduler({.procs = 2});
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::atomic<bool> was_stopped{false};
    StopInfo info;
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      info = WhileStopped(scheduler, &mine, [&] { was_stopped = true; });
      scheduler.Release(mine);
    });
    WaitForPoll(p);
    SleepMs(20);
    CHECK_FALSE(was_stopped);
    CHECK_FALSE(scheduler.stopped());
    CHECK(scheduler.SafepointSlow(p) == p);  // parks, and keeps its P
    CHECK(was_stopped);
    CHECK_FALSE(p->poll_requested());
    crew.Join();
    CHECK(info.waited_for == 1);
    CHECK(info.time_to_safepoint_ns >= 15'000'000);
    scheduler.Release(p);
  }

  TEST_CASE("R3: releasing the P satisfies a stop like a safepoint") {
    Scheduler scheduler({.procs = 2});
    Processor* p = scheduler.Acquire();
    Crew crew;
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      WhileStopped(scheduler, &mine, [] {});
      scheduler.Release(mine);
    });
    WaitForPoll(p);
    scheduler.Release(p);
    crew.Join();
    CHECK_FALSE(p->poll_requested());  // the next holder is not sent to a safepoint for nothing
  }

  TEST_CASE("R5: a thread that comes back while the world is stopped waits until it starts") {
    Scheduler scheduler({.procs = 4});
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::atomic<bool> back{false};
    WhileStopped(scheduler, &p, [&] {
      crew.Start([&] {
        Processor* mine = scheduler.Acquire();
        back = true;
        scheduler.Release(mine);
      });
      WaitForWaiters(scheduler, 1);  // three Ps are idle
      SleepMs(5);
      CHECK_FALSE(back);
    });
    crew.Join();
    CHECK(back);
    scheduler.Release(p);
  }

  TEST_CASE("of two stops one is lost, and the loser goes on when the other has ended") {
    Scheduler scheduler({.procs = 2});
    Processor* p = scheduler.Acquire();
    Processor* second = scheduler.Acquire();
    StopInfo info;
    std::atomic<bool> ended{false};
    Crew crew;
    crew.Start([&] {
      StopInfo mine;
      Processor* self = second;
      WaitForPoll(self);
      CHECK_FALSE(scheduler.StopTheWorld(&self, &mine));
      CHECK(ended);
      CHECK(self == second);
      scheduler.Release(self);
    });
    REQUIRE(scheduler.StopTheWorld(&p, &info));
    CHECK(info.waited_for == 1);
    SleepMs(2);
    ended = true;
    scheduler.StartTheWorld();
    scheduler.Release(p);
  }

  TEST_CASE("R2: what only a stopper may do is misuse for others") {
    Scheduler scheduler({.procs = 2});
    CHECK_THROWS_WITH_AS(scheduler.StartTheWorld(), doctest::Contains("R2"), CheckFailure);
    CHECK_THROWS_WITH_AS(scheduler.SetProcsWhileStopped(1), doctest::Contains("R2"), CheckFailure);
    Processor* p = scheduler.Acquire();
    WhileStopped(scheduler, &p, [&] {
      StopInfo again;
      CHECK_THROWS_WITH_AS((void)scheduler.StopTheWorld(&p, &again), doctest::Contains("R2"),
                           CheckFailure);
      CHECK_THROWS_WITH_AS(scheduler.Release(p), doctest::Contains("R2"), CheckFailure);
      Crew crew;
      crew.Start([&] {
        CHECK_THROWS_WITH_AS(scheduler.StartTheWorld(), doctest::Contains("R2"), CheckFailure);
      });
    });
    scheduler.Release(p);
  }

  // Without R6 a parked thread can sleep through stop after stop: each time it wakes up, the next
  // one has been requested.
  TEST_CASE("R6: a parked thread sleeps through a bounded number of stops") {
    Scheduler scheduler({.procs = 2});
    Processor* p = scheduler.Acquire();
    uint64_t passes = 0;  // the other thread's; read while stopped
    std::atomic<bool> done{false};
    std::atomic<bool> running{false};
    Crew crew;
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      running = true;
      while (!done.load()) {
        ++passes;
        if (mine->poll_requested()) mine = scheduler.SafepointSlow(mine);
      }
      scheduler.Release(mine);
    });
    WaitUntil([&] { return running.load(); });
    uint64_t last_passes = 0;
    uint32_t stops_without = 0;
    uint32_t longest_without = 0;
    for (int i = 0; i < 2000; ++i) {
      WhileStopped(scheduler, &p, [&] {
        stops_without = passes == last_passes ? stops_without + 1 : 0;
        longest_without = std::max(longest_without, stops_without);
        last_passes = passes;
      });
    }
    done = true;
    scheduler.Release(p);
    crew.Join();
    CHECK(longest_without <= Scheduler::kMaxStopsSleptThrough);
  }

  // The other thread stops without pause. Its next stop must wait for the loser, who takes it over.
  TEST_CASE("R6: who has lost a stop sleeps through no other and wins the next") {
    Scheduler scheduler({.procs = 2});
    Processor* p = scheduler.Acquire();
    Processor* second = scheduler.Acquire();
    std::atomic<bool> done{false};
    std::atomic<bool> lost{false};
    std::atomic<uint64_t> stops{0};
    Crew crew;
    crew.Start([&] {
      while (!done) {
        StopInfo info;
        if (!scheduler.StopTheWorld(&second, &info)) {
          lost = true;
          continue;
        }
        ++stops;
        scheduler.StartTheWorld();
      }
      scheduler.Release(second);
    });
    for (int round = 0; round < 100; ++round) {
      CAPTURE(round);
      StopInfo info;
      lost = false;
      WaitForPoll(p);  // the other's request is pending: it waits for this thread
      const uint64_t stops_before = stops;
      REQUIRE_FALSE(scheduler.StopTheWorld(&p, &info));
      CHECK(stops == stops_before + 1);
      WaitForPoll(p);
      REQUIRE(scheduler.StopTheWorld(&p, &info));
      CHECK(info.waited_for == 1);
      CHECK(stops == stops_before + 1);
      scheduler.StartTheWorld();
      WaitUntil([&] { return lost.load(); });
    }
    done = true;
    scheduler.Release(p);
  }

  TEST_CASE("new Ps are announced before anybody can hold them, and are handed out at the start") {
    Scheduler scheduler({.procs = 1, .time_slice_ns = kNever});
    std::vector<int> announced;
    scheduler.SetNewProcessorFunction(
        [](Processor& p, void* ids) {
          static_cast<std::vector<int>*>(ids)->push_back(p.id);
          p.gc = &p;
        },
        &announced);
    Processor* p = scheduler.Acquire();
    Crew crew;
    std::mutex mutex;
    std::vector<int> got;
    std::barrier<> barrier(3);
    for (int i = 0; i < 3; ++i) {
      crew.Start([&] {
        Processor* mine = scheduler.Acquire();
        {
          const std::lock_guard lock(mutex);
          got.push_back(mine->id);
        }
        CHECK(mine->gc == mine);
        barrier.arrive_and_wait();  // all three hold one at the same time
        scheduler.Release(mine);
      });
    }
    WaitForWaiters(scheduler, 3);
    WhileStopped(scheduler, &p, [&] {
      scheduler.SetProcsWhileStopped(4);
      CHECK(scheduler.procs() == 4);
      CHECK(scheduler.created() == 4);
      CHECK(scheduler.waiting() == 3);  // R5
    });
    crew.Join();
    CHECK(announced == std::vector<int>{1, 2, 3});
    std::sort(got.begin(), got.end());
    CHECK(got == std::vector<int>{1, 2, 3});
    scheduler.Release(p);
  }

  TEST_CASE("a retired P comes back as it was when the number grows again") {
    Scheduler scheduler({.procs = 4});
    Processor* p = scheduler.Acquire();
    int mark = 0;
    scheduler.processor(3).gc = &mark;
    WhileStopped(scheduler, &p, [&] { scheduler.SetProcsWhileStopped(1); });
    CHECK(scheduler.procs() == 1);
    CHECK(scheduler.created() == 4);
    CHECK_THROWS_AS(scheduler.AcquireSpecific(3), CheckFailure);
    WhileStopped(scheduler, &p, [&] { scheduler.SetProcsWhileStopped(4); });
    Processor* third = scheduler.AcquireSpecific(3);
    CHECK(third->gc == &mark);
    scheduler.Release(third);
    scheduler.Release(p);
  }

  TEST_CASE("a parked holder of a retired P goes on with another one, before all who wait") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = kNever});
    Processor* p = scheduler.AcquireSpecific(0);
    Crew crew;
    std::vector<char> order;  // guarded by the only P that is left
    std::atomic<bool> running{false};
    crew.Start([&] {
      Processor* mine = scheduler.AcquireSpecific(1);
      running = true;
      WaitForPoll(mine);
      mine = scheduler.SafepointSlow(mine);
      CHECK(mine->id == 0);
      order.push_back('h');
      scheduler.Release(mine);
    });
    WaitUntil([&] { return running.load(); });
    crew.Start([&] {
      Processor* mine = scheduler.Acquire();
      order.push_back('w');
      scheduler.Release(mine);
    });
    WaitForWaiters(scheduler, 1);
    WhileStopped(scheduler, &p, [&] { scheduler.SetProcsWhileStopped(1); });
    scheduler.Release(p);
    crew.Join();
    CHECK(order == std::vector<char>{'h', 'w'});
  }

  // The holder is still asleep when its P has been retired, has come back and belongs to another.
  TEST_CASE("shrinking and growing within one stop leaves every P with one holder") {
    Scheduler scheduler({.procs = 2, .time_slice_ns = kNever});
    Processor* p = scheduler.AcquireSpecific(0);
    Crew crew;
    std::atomic<bool> running{false};
    std::atomic<int> holders{0};
    std::atomic<int> most_holders{0};
    const auto hold_for_a_while = [&] {
      if (++holders > most_holders) most_holders = holders.load();
      SleepMs(2);
      --holders;
    };
    crew.Start([&] {
      Processor* mine = scheduler.AcquireSpecific(1);
      running = true;
      WaitForPoll(mine);
      mine = scheduler.SafepointSlow(mine);
      CHECK(mine->id == 1);
      hold_for_a_while();
      scheduler.Release(mine);
    });
    WaitUntil([&] { return running.load(); });
    crew.Start([&] {
      Processor* mine = scheduler.AcquireSpecific(1);
      hold_for_a_while();
      scheduler.Release(mine);
    });
    WaitForWaiters(scheduler, 1);
    WhileStopped(scheduler, &p, [&] {
      scheduler.SetProcsWhileStopped(1);
      scheduler.SetProcsWhileStopped(2);
    });
    crew.Join();
    CHECK(most_holders == 1);
    scheduler.Release(p);
  }

  TEST_CASE("a number of Ps that would retire the stopper's own is misuse") {
    CHECK(DiesWith("R1: the stopper's own P is not retired", [] {
      Scheduler scheduler({.procs = 2});
      Processor* p = scheduler.AcquireSpecific(1);
      StopInfo info;
      (void)scheduler.StopTheWorld(&p, &info);
      scheduler.SetProcsWhileStopped(1);
    }));
  }

  TEST_CASE("a scheduler that is destroyed while a P is held ends the process with the rule") {
    CHECK(DiesWith("every thread has released its P", [] {
      Scheduler scheduler({.procs = 1});
      scheduler.Acquire();
    }));
  }
}

}  // namespace
}  // namespace neap::testing
