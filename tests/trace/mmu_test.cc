// SPDX-License-Identifier: MIT
//
// Minimum mutator utilization against a slow but obvious computation: every window that begins at
// every nanosecond.
#include "mmu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/random.h"

namespace neap::testing {
namespace {

using trace::MutatorUtilization;
using trace::Pause;

double Brute(const std::vector<Pause>& pauses, uint64_t begin, uint64_t end, uint64_t window) {
  std::vector<bool> paused(end - begin, false);
  for (const Pause& pause : pauses) {
    for (uint64_t at = std::max(pause.start_ns, begin); at < std::min(pause.end_ns(), end); ++at) {
      paused[at - begin] = true;
    }
  }
  window = std::min(window, end - begin);
  double least = 1;
  for (uint64_t start = 0; start + window <= end - begin; ++start) {
    const auto from = paused.begin() + static_cast<ptrdiff_t>(start);
    const auto count = std::count(from, from + static_cast<ptrdiff_t>(window), true);
    least = std::min(least, 1 - static_cast<double>(count) / static_cast<double>(window));
  }
  return least;
}

TEST_SUITE("trace/mmu") {
  TEST_CASE("a window within a pause leaves nothing, one twice as long leaves half") {
    const MutatorUtilization run({{100, 10}}, 0, 1000);
    CHECK(run.Minimum(5).utilization == 0);
    CHECK(run.Minimum(10).utilization == 0);
    CHECK(run.Minimum(20).utilization == 0.5);
    CHECK(run.Minimum(1000).utilization == doctest::Approx(0.99));
    CHECK(run.Minimum(5000).utilization == doctest::Approx(0.99));
    CHECK(run.paused_ns() == 10);
  }

  TEST_CASE("short pauses close together pull long windows down") {
    const MutatorUtilization run({{100, 10}, {115, 10}, {130, 10}, {500, 15}}, 0, 1000);
    CHECK(run.Minimum(15).utilization == 0);
    const auto worst = run.Minimum(40);
    CHECK(worst.utilization == 0.25);
    CHECK(worst.start_ns == 100);
  }

  TEST_CASE("without pauses, without time, and with pauses outside the run") {
    CHECK(MutatorUtilization({}, 0, 1000).Minimum(10).utilization == 1);
    CHECK(MutatorUtilization({{5, 5}}, 7, 7).Minimum(10).utilization == 1);
    const MutatorUtilization cut({{0, 20}, {90, 100}}, 10, 100);
    CHECK(cut.paused_ns() == 20);
    CHECK(cut.Minimum(90).utilization == doctest::Approx(1 - 20.0 / 90));
  }

  TEST_CASE("pauses of several heaps that overlap count once") {
    const MutatorUtilization run({{100, 50}, {120, 10}, {140, 30}, {170, 5}}, 0, 1000);
    REQUIRE(run.pauses().size() == 1);
    CHECK(run.pauses()[0].duration_ns == 75);
    CHECK(run.paused_ns() == 75);
  }

  TEST_CASE("it is what looking at every window gives") {
    Random random;
    for (int round = 0; round < 300; ++round) {
      std::vector<Pause> pauses;
      const uint64_t count = random.Below(12);
      for (uint64_t i = 0; i < count; ++i) pauses.push_back({random.Below(400), random.Below(30)});
      const uint64_t begin = random.Below(50), end = begin + 50 + random.Below(350);
      const MutatorUtilization run(pauses, begin, end);
      for (const uint64_t window : {1u, 2u, 7u, 30u, 100u, 399u}) {
        CAPTURE(round);
        CAPTURE(window);
        const auto worst = run.Minimum(window);
        CHECK(worst.utilization == doctest::Approx(Brute(pauses, begin, end, window)));
        CHECK(worst.start_ns >= begin);
      }
    }
  }
}

}  // namespace
}  // namespace neap::testing
