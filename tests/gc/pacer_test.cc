// SPDX-License-Identifier: MIT
//
// The pacer under simulated programs, as Go tests its own: a program is a live size per cycle and a
// stream of promoted bytes; the harness keeps the counter, starts cycles where the decision says
// so, and looks at what the heap grew to.
#include "pacer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::Cause;
using gc::Options;
using gc::Pace;
using gc::PacerClamp;
using gc::PacerDecision;
using gc::PacerInputs;

constexpr uint64_t kKiB = 1 << 10;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kNever = UINT64_MAX;

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kNever : sum;
}

std::string ClampOf(const PacerDecision& decision) { return PacerClampName(decision.clamp); }

// One simulated major cycle.
struct Cycle {
  uint64_t goal_bytes;    // it ran under
  uint64_t peak_bytes;    // live at the last cycle + what was added
  uint64_t period_bytes;  // added since the last cycle
};

class Program {
 public:
  Program() { next_ = Pace(inputs_); }
  // Knobs and what the OS sees; a change is effective at once.
  void Set(const std::function<void(PacerInputs&)>& change) {
    change(inputs_);
    next_ = Pace(inputs_);
  }
  // What a marking would find from now on.
  void SetLive(uint64_t marked_bytes, uint64_t off_heap_bytes = 0, uint64_t root_bytes = 0) {
    live_ = {marked_bytes, off_heap_bytes, root_bytes};
  }
  // Adds `bytes` to old space in steps of `step_bytes`, the way promotion does.
  void Add(uint64_t bytes, uint64_t step_bytes = 64 * kKiB) {
    for (uint64_t added = 0; added < bytes; added += step_bytes) {
      counter_bytes_ += step_bytes;
      if (counter_bytes_ >= next_.runway_bytes) Collect();
    }
  }
  void Collect() {
    const uint64_t before_bytes = inputs_.marked_bytes + inputs_.off_heap_bytes;
    cycles_.push_back({.goal_bytes = next_.goal_bytes,
                       .peak_bytes = before_bytes + counter_bytes_,
                       .period_bytes = counter_bytes_});
    inputs_.marked_bytes = live_.marked_bytes;
    inputs_.off_heap_bytes = live_.off_heap_bytes;
    inputs_.root_bytes = live_.root_bytes;
    counter_bytes_ = 0;
    next_ = Pace(inputs_);
  }
  // Cycles since the last call.
  std::vector<Cycle> TakeCycles() { return std::exchange(cycles_, {}); }
  const PacerDecision& next() const { return next_; }

 private:
  struct Live {
    uint64_t marked_bytes = 0;
    uint64_t off_heap_bytes = 0;
    uint64_t root_bytes = 0;
  };
  PacerInputs inputs_;
  Live live_;
  uint64_t counter_bytes_ = 0;
  PacerDecision next_;
  std::vector<Cycle> cycles_;
};

// The heap reached its goal, and overshot it by no more than one step.
void CheckGoalsMet(const std::vector<Cycle>& cycles, uint64_t step_bytes) {
  for (const Cycle& cycle : cycles) {
    CHECK(cycle.peak_bytes >= cycle.goal_bytes);
    CHECK(cycle.peak_bytes < cycle.goal_bytes + step_bytes);
  }
}

TEST_SUITE("gc/pacer") {
  TEST_CASE("a new heap starts its first cycle at the minimum heap") {
    const PacerDecision decision = Pace({});
    CHECK(decision.goal_bytes == 4 * kMiB);
    CHECK(decision.trigger_bytes == 4 * kMiB);
    CHECK(decision.runway_bytes == 4 * kMiB);
    CHECK(ClampOf(decision) == "min-heap");
    CHECK(PacerCause(decision) == Cause::kPacer);
  }

  TEST_CASE("the minimum heap scales with GOGC") {
    CHECK(Pace({.gogc = 50}).goal_bytes == 2 * kMiB);
    CHECK(Pace({.gogc = 400}).goal_bytes == 16 * kMiB);
  }

  TEST_CASE("the goal is live + off-heap + GOGC percent of live, off-heap and roots") {
    const PacerDecision decision = Pace({.marked_bytes = 100 * kMiB,
                                         .off_heap_bytes = 20 * kMiB,
                                         .root_bytes = 10 * kMiB,
                                         .gogc = 50});
    CHECK(decision.goal_bytes == (100 + 20 + 65) * kMiB);
    CHECK(decision.runway_bytes == 65 * kMiB);
    CHECK(ClampOf(decision) == "gogc");
  }

  TEST_CASE("steady: every period is goal - live, with no overshoot beyond one step") {
    Program program;
    program.SetLive(32 * kMiB);
    program.Add(20 * 32 * kMiB);
    std::vector<Cycle> cycles = program.TakeCycles();
    cycles.erase(cycles.begin());  // the first ran under the minimum heap
    REQUIRE(cycles.size() >= 19);
    for (const Cycle& cycle : cycles) CHECK(cycle.period_bytes == 32 * kMiB);
    CheckGoalsMet(cycles, 64 * kKiB);
  }

  TEST_CASE("steady: the period is proportional to GOGC, and follows a change at once") {
    Program program;
    program.SetLive(32 * kMiB);
    program.Collect();
    for (const uint64_t gogc : {100, 400, 25, 200}) {
      program.Set([gogc](PacerInputs& in) { in.gogc = gogc; });
      program.TakeCycles();
      program.Add(4 * 32 * kMiB * gogc / 100);
      const std::vector<Cycle> cycles = program.TakeCycles();
      REQUIRE(cycles.size() == 4);
      for (const Cycle& cycle : cycles) CHECK(cycle.period_bytes == 32 * kMiB * gogc / 100);
    }
  }

  TEST_CASE("a lower GOGC in the middle of a period starts the cycle that is due by it") {
    Program program;
    program.SetLive(32 * kMiB);
    program.Collect();
    program.TakeCycles();
    program.Add(20 * kMiB);
    CHECK(program.TakeCycles().empty());
    program.Set([](PacerInputs& in) { in.gogc = 50; });
    program.Add(64 * kKiB);
    CHECK(program.TakeCycles().size() == 1);
  }

  TEST_CASE("ramp: a growing program collects a logarithmic number of times") {
    // Everything that is promoted stays alive, from nothing to 4 GiB.
    Program program;
    uint64_t live_bytes = 0;
    while (live_bytes < 4096 * kMiB) {
      live_bytes += kMiB;
      program.SetLive(live_bytes);
      program.Add(kMiB, kMiB);
    }
    const std::vector<Cycle> cycles = program.TakeCycles();
    CHECK(cycles.size() == 11);  // 4 MiB, 8, 16, ... 4 GiB
    CheckGoalsMet(cycles, kMiB);
  }

  TEST_CASE("burst: live x10 and back costs a few cycles, and the goal comes back in one") {
    Program program;
    program.SetLive(10 * kMiB);
    program.Collect();
    const uint64_t goal_bytes = program.next().goal_bytes;
    program.TakeCycles();
    for (uint64_t live = 10; live <= 100; ++live) {
      program.SetLive(live * kMiB);
      program.Add(kMiB);
    }
    CHECK(program.TakeCycles().size() <= 4);  // 20, 40, 80 MiB, and one for the steps between
    program.SetLive(10 * kMiB);
    program.Add(100 * kMiB);
    CHECK(program.TakeCycles().size() >= 1);
    CHECK(program.next().goal_bytes == goal_bytes);
  }

  TEST_CASE("oscillation: the goal follows the last marking, and no period is shorter than it") {
    Program program;
    for (int i = 0; i < 40; ++i) {
      const uint64_t live_bytes = (i % 2 == 0 ? 10 : 50) * kMiB;
      program.SetLive(live_bytes);
      program.Collect();
      CHECK(program.next().goal_bytes == 2 * live_bytes);
      program.TakeCycles();
      program.SetLive(60 * kMiB - live_bytes);
      program.Add(live_bytes - 64 * kKiB);
      CHECK(program.TakeCycles().empty());
    }
  }

  TEST_CASE("a generational heap is not paced by bytes that die young") {
    // 1 GiB is allocated, 1 % is promoted: 10 MiB in the counter. Comparing the allocated bytes
    // with the live ones would have collected 32 times (PerryTS/perry issue 7869).
    Program program;
    program.SetLive(32 * kMiB);
    program.Collect();
    program.TakeCycles();
    program.Add(1024 * kMiB / 100);
    CHECK(program.TakeCycles().empty());
  }

  TEST_CASE("off-heap bursts count on both sides") {
    // A program with 8 MiB of objects that own 100 MiB of native buffers, all replaced all the
    // time.
    Program program;
    program.SetLive(8 * kMiB, 100 * kMiB);
    program.Collect();
    program.TakeCycles();
    CHECK(program.next().runway_bytes == 108 * kMiB);
    program.Add(10 * 108 * kMiB);
    const std::vector<Cycle> cycles = program.TakeCycles();
    CHECK(cycles.size() == 10);
    CheckGoalsMet(cycles, 64 * kKiB);
    // The burst is over: one cycle later it is paced by its objects again.
    program.SetLive(8 * kMiB, 0);
    program.Collect();
    CHECK(program.next().goal_bytes == 16 * kMiB);
  }

  TEST_CASE("the limit's goal is what overhead and headroom leave") {
    PacerInputs in{.marked_bytes = 32 * kMiB,
                   .mapped_bytes = 40 * kMiB,
                   .free_block_bytes = 4 * kMiB,
                   .heap_bytes = 33 * kMiB,
                   .memory_limit_bytes = 44 * kMiB};
    // Overhead 3 MiB; headroom 3 % of 44 MiB = 1.32 MiB.
    const PacerDecision decision = Pace(in);
    CHECK(decision.goal_bytes == 44 * kMiB - 3 * kMiB - 44 * kMiB * 3 / 100);
    CHECK(ClampOf(decision) == "limit");
    CHECK(decision.limit_bound);
    CHECK_FALSE(decision.limit_unreachable);
    CHECK(decision.return_bytes == 0);
    CHECK(PacerCause(decision) == Cause::kLimit);
    in.memory_limit_bytes = 1024 * kMiB;
    CHECK(ClampOf(Pace(in)) == "gogc");
    CHECK(Pace(in).goal_bytes == 64 * kMiB);
  }

  TEST_CASE("headroom is at least 1 MiB") {
    const PacerDecision decision = Pace(
        {.marked_bytes = 2 * kMiB, .memory_limit_bytes = 5 * kMiB, .min_heap_bytes = 64 * kMiB});
    CHECK(decision.goal_bytes == 4 * kMiB);
  }

  TEST_CASE("near the limit: the nearer, the shorter the period, and never a storm") {
    uint64_t last_runway_bytes = kNever;
    for (uint64_t tenths = 20; tenths >= 8; --tenths) {
      const uint64_t limit_bytes = 32 * kMiB * tenths / 10;
      Program program;
      program.Set([limit_bytes](PacerInputs& in) { in.memory_limit_bytes = limit_bytes; });
      program.SetLive(32 * kMiB);
      program.Collect();
      program.TakeCycles();
      CHECK(program.next().runway_bytes <= last_runway_bytes);
      CHECK(program.next().runway_bytes >= gc::kMinRunwayBytes);  // P1
      CHECK(program.next().limit_unreachable == (tenths < 10));
      last_runway_bytes = program.next().runway_bytes;
      program.Add(32 * kMiB, 4 * kKiB);
      CHECK(program.TakeCycles().size() == 32 * kMiB / last_runway_bytes);
    }
    CHECK(last_runway_bytes == gc::kMinRunwayBytes);
  }

  TEST_CASE(
      "a limit under the live size is said to be out of reach, and the goal stays above live") {
    const PacerDecision decision = Pace({.marked_bytes = 32 * kMiB,
                                         .off_heap_bytes = 4 * kMiB,
                                         .mapped_bytes = 34 * kMiB,
                                         .heap_bytes = 32 * kMiB,
                                         .memory_limit_bytes = 30 * kMiB});
    CHECK(decision.limit_unreachable);
    CHECK(decision.limit_bound);
    CHECK(ClampOf(decision) == "live-floor");
    CHECK(decision.goal_bytes == 36 * kMiB + gc::kMinRunwayBytes);
    CHECK(decision.return_bytes == 8 * kMiB);  // 34 mapped + 4 native - 30
  }

  TEST_CASE("after a large heap died, its empty blocks do not count against the limit") {
    // 100 MiB mapped under a limit of 100 MiB, 5 MiB live. Counted as overhead, the empty blocks
    // would leave nothing, and every promotion would start a cycle.
    const PacerDecision decision = Pace({.marked_bytes = 5 * kMiB,
                                         .mapped_bytes = 100 * kMiB,
                                         .free_block_bytes = 90 * kMiB,
                                         .heap_bytes = 6 * kMiB,
                                         .memory_limit_bytes = 100 * kMiB});
    CHECK(ClampOf(decision) == "gogc");
    CHECK(decision.goal_bytes == 10 * kMiB);
  }

  TEST_CASE("GOGC off: only the limit paces, and without one nothing does") {
    PacerInputs in{.marked_bytes = 10 * kMiB, .gogc = Options::kGogcOff};
    CHECK(ClampOf(Pace(in)) == "off");
    CHECK(Pace(in).goal_bytes == kNever);
    CHECK(Pace(in).runway_bytes == kNever);
    in.memory_limit_bytes = 200 * kMiB;
    CHECK(ClampOf(Pace(in)) == "limit");
    CHECK(Pace(in).goal_bytes == 194 * kMiB);
    CHECK(Pace(in).runway_bytes == 184 * kMiB);
  }

  TEST_CASE("GOGC=0 collects as often as the floor allows, and is not the limit's doing") {
    const PacerDecision decision = Pace({.marked_bytes = 10 * kMiB, .gogc = 0});
    CHECK(decision.runway_bytes == gc::kMinRunwayBytes);
    CHECK(ClampOf(decision) == "live-floor");
    CHECK_FALSE(decision.limit_bound);
    CHECK(PacerCause(decision) == Cause::kPacer);
  }

  TEST_CASE("a slow leak into the limit shortens the period step by step, never to nothing") {
    Program program;
    program.Set([](PacerInputs& in) { in.memory_limit_bytes = 64 * kMiB; });
    uint64_t last_period_bytes = kNever;
    for (uint64_t live = 32; live <= 70; ++live) {
      program.SetLive(live * kMiB);
      program.Collect();
      program.TakeCycles();
      program.Add(64 * kMiB, 4 * kKiB);
      const std::vector<Cycle> cycles = program.TakeCycles();
      REQUIRE_FALSE(cycles.empty());
      CHECK(cycles[0].period_bytes <= last_period_bytes);
      CHECK(cycles[0].period_bytes >= gc::kMinRunwayBytes);
      last_period_bytes = cycles[0].period_bytes;
    }
  }

  TEST_CASE("P1-P6 hold for any figures, the largest included") {
    Random random;
    const auto figure = [&random]() -> uint64_t {
      switch (random.Below(6)) {
        case 0:
          return 0;
        case 1:
          return kNever - random.Below(3);
        case 2:
          return random.Next();
        default:
          return random.Below(uint64_t{1} << random.Between(1, 40));
      }
    };
    for (int i = 0; i < 200'000; ++i) {
      PacerInputs in{figure(), figure(), figure(), figure(), figure(),
                     figure(), figure(), figure(), figure()};
      const PacerDecision out = Pace(in);
      const uint64_t live_bytes = SaturatingAdd(in.marked_bytes, in.off_heap_bytes);
      REQUIRE(out.goal_bytes >= SaturatingAdd(live_bytes, gc::kMinRunwayBytes));  // P1, P4
      REQUIRE(out.trigger_bytes <= out.goal_bytes);                               // P2
      if (out.trigger_bytes == kNever) {
        REQUIRE(out.runway_bytes == kNever);
      } else {
        REQUIRE(out.runway_bytes == out.trigger_bytes - live_bytes);  // P3
      }
      if (out.limit_unreachable && out.goal_bytes != kNever) {
        REQUIRE(out.clamp == PacerClamp::kLiveFloor);  // P5
      }
      PacerInputs more = in;
      more.gogc += more.gogc < kNever ? 1 : 0;
      more.memory_limit_bytes += more.memory_limit_bytes < kNever ? 1 : 0;
      more.min_heap_bytes += more.min_heap_bytes < kNever ? 1 : 0;
      REQUIRE(Pace(more).goal_bytes >= out.goal_bytes);  // P6
    }
  }
}

}  // namespace
}  // namespace neap::testing
