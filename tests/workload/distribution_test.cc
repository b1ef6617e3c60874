// SPDX-License-Identifier: MIT
//
// Draws have the mean and the limits that their distribution promises, and the same seed draws the
// same numbers. The intervals of medians, against figures worked out by hand.
#include "distribution.h"

#include <doctest/doctest.h>

#include <cmath>

#include "statistics.h"

namespace neap::workload {
namespace {

double MeanOf(const Distribution& distribution, int draws) {
  Random random(7);
  double sum = 0;
  for (int i = 0; i < draws; ++i) sum += distribution.Draw(random);
  return sum / draws;
}

TEST_CASE("draws average to the mean that the distribution states") {
  for (const char* text : {"64", "uniform:16-256", "exp:64KiB", "lognormal:48:0.7", "pareto:16:3",
                           "choice:16/16/64/4096"}) {
    INFO(text);
    const auto distribution = Distribution::Parse(text);
    REQUIRE(distribution.ok());
    CHECK(MeanOf(*distribution, 200'000) == doctest::Approx(distribution->mean()).epsilon(0.02));
  }
  CHECK(Distribution::Parse("exp:64KiB")->mean() == 65536);
  CHECK(Distribution::Parse("choice:1/2/6")->mean() == 3);
  CHECK(std::isinf(Distribution::Parse("pareto:16:0.9")->mean()));
}

TEST_CASE("draws stay within their limits, and a seed repeats them") {
  const auto uniform = Distribution::Parse("uniform:16-32");
  const auto pareto = Distribution::Parse("pareto:16:1.5");
  REQUIRE(uniform.ok());
  REQUIRE(pareto.ok());
  Random one(3), two(3);
  for (int i = 0; i < 10'000; ++i) {
    const double value = uniform->Draw(one);
    CHECK(value >= 16);
    CHECK(value < 32);
    CHECK(uniform->Draw(two) == value);
    CHECK(pareto->Draw(one) >= 16);
    pareto->Draw(two);
  }
}

TEST_CASE("what is no distribution is refused by its text") {
  for (const char* text : {"", "x", "exp", "exp:", "exp:-1", "uniform:5-2", "uniform:5", "nan",
                           "lognormal:0:1", "pareto:1:0", "choice:", "choice:1//2", "gamma:1:2"}) {
    INFO(text);
    const auto distribution = Distribution::Parse(text);
    REQUIRE_FALSE(distribution.ok());
    CHECK(std::string(distribution.status().message()).find(text) != std::string::npos);
  }
}

TEST_CASE("the interval of a median") {
  // Three values: all of them, and 1 - 2 / 2^3.
  const MedianInterval three = MedianOf({3, 1, 2});
  CHECK(three.median == 2);
  CHECK(three.low == 1);
  CHECK(three.high == 3);
  CHECK(three.confidence == 0.75);
  // Eight: leaving one out on each side has 1 - 2 * 9 / 256 = 0.9297, too little; so none is.
  const MedianInterval eight = MedianOf({8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(eight.median == 4.5);
  CHECK(eight.low == 1);
  CHECK(eight.high == 8);
  // Nine: one out leaves 1 - 2 * 10 / 512 = 0.9609.
  const MedianInterval nine = MedianOf({1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(nine.low == 2);
  CHECK(nine.high == 8);
  CHECK(nine.confidence == doctest::Approx(1 - 20.0 / 512));
  CHECK(std::isnan(MedianOf({}).median));
  CHECK(MedianOf({4}).low == 4);
}

}  // namespace
}  // namespace neap::workload
