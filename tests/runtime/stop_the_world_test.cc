// SPDX-License-Identifier: MIT
//
// Stopping the world, and what may be done to the Ps meanwhile: R2, R3, R5 and R6.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <mutex>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/scheduler.h"
#include "scheduler_steps.h"
#include "support/check_failure.h"
#include "support/dies_with.h"

namespace neap::testing {
namespace {

TEST_SUITE("runtime/stop_the_world") {
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
}

}  // namespace
}  // namespace neap::testing
