// SPDX-License-Identifier: MIT
//
// Threads that do everything at once, with a book that must balance.
//
// Each thread adds to a plain counter of its P and to a plain counter of its own, in pairs between
// two safepoints. Nothing but the scheduler orders these accesses: two holders of one P (R1), a
// runner beside a stopper (R2) or a stop in the middle of a pair (R3) make the sums differ, and
// TSan sees the race itself.
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"
#include "neap/runtime/scheduler.h"
#include "support/random.h"

namespace neap::testing {
namespace {

struct alignas(64) Counter {
  uint64_t count = 0;
};

class Storm {
 public:
  struct Options {
    int procs = 2;
    int threads = 4;
    int steps = 20'000;  // per thread
    uint64_t time_slice_ns = 100'000;
    bool changes_procs = false;
    int max_procs = 8;
  };
  explicit Storm(const Options& options)
      : options_(options),
        scheduler_({.procs = options.procs, .time_slice_ns = options.time_slice_ns}),
        all_started_(options.threads),
        by_thread_(static_cast<size_t>(options.threads)) {}

  void Run() {
    Random random;
    {
      Crew crew;
      for (int i = 0; i < options_.threads; ++i) {
        crew.Start([this, i, mine = random.Fork()]() mutable { Play(i, mine); });
      }
    }
    Balance();
  }

  uint64_t stops() const { return stops_; }
  uint64_t lost_stops() const { return lost_stops_; }
  uint64_t unbalanced() const { return unbalanced_; }
  uint64_t retired_runs() const { return retired_runs_; }
  uint64_t total() const { return Sum(by_thread_); }

 private:
  void Play(int thread, Random& random) {
    all_started_.arrive_and_wait();
    Processor* p = scheduler_.Acquire();
    for (int step = 0; step < options_.steps; ++step) {
      Work(thread, p, random);
      const uint64_t choice = random.Below(100);
      if (choice < 3) {
        p = StopOnce(p, random);
      } else if (choice < 6) {
        scheduler_.Release(p);
        p = scheduler_.Acquire();
      } else if (choice < 7) {
        scheduler_.Release(p);
        std::this_thread::yield();
        p = scheduler_.AcquireSpecific(0);  // the one that is never retired
      } else if (p->poll_requested()) {
        p = scheduler_.SafepointSlow(p);
      }
    }
    scheduler_.Release(p);
  }

  // Managed code between two safepoints. Now and then it loses its core in the middle of a pair, so
  // that stops and waiters meet it there.
  void Work(int thread, Processor* p, Random& random) {
    if (p->id >= scheduler_.procs()) ++retired_runs_;
    for (int i = 0; i < 20; ++i) {
      ++by_proc_[static_cast<size_t>(p->id)].count;
      if (random.OneIn(1000)) std::this_thread::yield();
      ++by_thread_[static_cast<size_t>(thread)].count;
    }
  }

  Processor* StopOnce(Processor* p, Random& random) {
    StopInfo info;
    if (!scheduler_.StopTheWorld(&p, &info)) {
      ++lost_stops_;
      return p;
    }
    ++stops_;
    Balance();
    if (options_.changes_procs && random.OneIn(2)) {
      const auto least = static_cast<uint64_t>(p->id) + 1;
      const auto most = static_cast<uint64_t>(options_.max_procs);
      scheduler_.SetProcsWhileStopped(static_cast<int>(random.Between(least, most)));
    }
    scheduler_.StartTheWorld();
    return p;
  }

  void Balance() { unbalanced_ += Sum(by_proc_) == Sum(by_thread_) ? 0 : 1; }

  template <typename Counters>
  static uint64_t Sum(const Counters& counters) {
    return std::accumulate(counters.begin(), counters.end(), uint64_t{0},
                           [](uint64_t sum, const Counter& one) { return sum + one.count; });
  }

  const Options options_;
  Scheduler scheduler_;
  std::barrier<> all_started_;      // short threads would else be done before the next one starts
  std::vector<Counter> by_thread_;  // each its own; read while stopped
  std::array<Counter, kMaxProcs> by_proc_{};  // the holder's; read while stopped
  uint64_t stops_ = 0;                        // written while stopped
  uint64_t unbalanced_ = 0;                   // written while stopped
  std::atomic<uint64_t> lost_stops_{0};
  std::atomic<uint64_t> retired_runs_{0};
};

void RunAndCheck(const Storm::Options& options) {
  Storm storm(options);
  storm.Run();
  CHECK(storm.unbalanced() == 0);
  CHECK(storm.retired_runs() == 0);
  CHECK(storm.total() ==
        static_cast<uint64_t>(options.threads) * static_cast<uint64_t>(options.steps) * 20);
  CHECK(storm.stops() > 0);
  MESSAGE(storm.stops() << " stops won, " << storm.lost_stops() << " lost");
}

TEST_SUITE("runtime/stop_storm") {
  TEST_CASE("R1-R3 hold while threads stop, poll, block and yield at random") {
    RunAndCheck({.procs = 2, .threads = 4});
  }

  TEST_CASE("R1-R3 hold with a P for every thread") { RunAndCheck({.procs = 4, .threads = 4}); }

  TEST_CASE("R1-R3 hold with many threads on one P") {
    RunAndCheck({.procs = 1, .threads = 24, .steps = 800, .time_slice_ns = 10'000});
  }

  TEST_CASE("R1-R3 hold while the number of Ps grows and shrinks under load") {
    RunAndCheck({.procs = 4, .threads = 8, .changes_procs = true});
  }

  TEST_CASE("R1-R3 hold with a time slice of nothing: every wait asks at once") {
    RunAndCheck({.procs = 2, .threads = 6, .steps = 5000, .time_slice_ns = 0});
  }

  TEST_CASE("stops from several threads at once are won by one and lost by the others") {
    constexpr int kThreads = 4;
    constexpr int kRounds = 3000;
    Scheduler scheduler({.procs = kThreads});
    uint64_t won = 0;  // while stopped
    std::atomic<uint64_t> lost{0};
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::barrier<> all_started(kThreads);
    Crew crew;
    for (int i = 0; i < kThreads; ++i) {
      crew.Start([&] {
        all_started.arrive_and_wait();
        Processor* p = scheduler.Acquire();
        for (int round = 0; round < kRounds; ++round) {
          if (round % 4 == 1) std::this_thread::yield();  // others ask while this one runs
          StopInfo info;
          if (!scheduler.StopTheWorld(&p, &info)) {
            ++lost;
            continue;
          }
          overlaps += inside.fetch_add(1) == 0 ? 0 : 1;
          ++won;
          if (round % 4 == 0) std::this_thread::yield();
          --inside;
          scheduler.StartTheWorld();
        }
        scheduler.Release(p);
      });
    }
    crew.Join();
    CHECK(overlaps == 0);
    CHECK(won > 0);
    CHECK(won + lost == kThreads * kRounds);
    MESSAGE(won << " stops won, " << lost.load() << " lost");
  }
}

}  // namespace
}  // namespace neap::testing
