// SPDX-License-Identifier: MIT
//
// Who gets a P, and when: R1 and R4.
#include "neap/runtime/scheduler.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "scheduler_steps.h"
#include "support/check_failure.h"
#include "support/dies_with.h"

namespace neap::testing {
namespace {

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

  TEST_CASE("a scheduler that is destroyed while a P is held ends the process with the rule") {
    CHECK(DiesWith("every thread has released its P", [] {
      Scheduler scheduler({.procs = 1});
      scheduler.Acquire();
    }));
  }
}

}  // namespace
}  // namespace neap::testing
