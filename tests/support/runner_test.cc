// SPDX-License-Identifier: MIT
//
// The runner and the helpers that every other test stands on. That a run without a test case fails
// (R3) is tested from outside, by a filter that matches nothing: see meson.build.
#include <cstdint>
#include <set>
#include <vector>

#include "doctest/doctest.h"
#include "neap/runtime/check.h"
#include "support/check_failure.h"
#include "support/random.h"
#include "support/seed.h"

namespace neap::testing {
namespace {

std::vector<uint64_t> Draw(Random random, int count) {
  std::vector<uint64_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(random.Next());
  return drawn;
}

TEST_SUITE("support/runner") {
  TEST_CASE("R1: a failed check is an exception with the rule and the values") {
    const int depth = 65;
    CHECK_THROWS_WITH_AS(NEAP_CHECK(depth < 64, "S3: scopes nest at most 64 deep", "depth=%d", 65),
                         doctest::Contains("S3"), CheckFailure);
    CHECK_THROWS_WITH_AS(NEAP_CHECK(depth < 64, "S3: scopes nest at most 64 deep", "depth=%d", 65),
                         doctest::Contains("depth=65"), CheckFailure);
  }

  TEST_CASE("R2: the same seed gives the same numbers, the next seed unrelated ones") {
    CHECK(Draw(Random(7), 100) == Draw(Random(7), 100));
    const std::vector<uint64_t> seven = Draw(Random(7), 100);
    std::set<uint64_t> both(seven.begin(), seven.end());
    for (uint64_t value : Draw(Random(8), 100)) both.insert(value);
    CHECK(both.size() == 200);
  }

  TEST_CASE("a Random without arguments starts from the seed of the run") {
    CHECK(Draw(Random(), 10) == Draw(Random(Seed()), 10));
  }

  // The first outputs of the authors' C programs: SplitMix64 seeded with 0 fills the state.
  TEST_CASE("the generator is xoshiro256**") {
    Random random(0);
    CHECK(random.Next() == 11091344671253066420u);
    CHECK(random.Next() == 13793997310169335082u);
    CHECK(random.Next() == 1900383378846508768u);
  }

  TEST_CASE("Below and Between stay in their range and reach all of it") {
    Random random;
    std::set<uint64_t> seen;
    for (int i = 0; i < 2000; ++i) seen.insert(random.Between(10, 19));
    CHECK(seen.size() == 10);
    CHECK(*seen.begin() == 10);
    CHECK(*seen.rbegin() == 19);
    for (int i = 0; i < 100; ++i) CHECK(random.Below(1) == 0);
    for (int i = 0; i < 1000; ++i) {
      const double unit = random.Unit();
      CHECK(unit >= 0);
      CHECK(unit < 1);
    }
  }
}

}  // namespace
}  // namespace neap::testing
