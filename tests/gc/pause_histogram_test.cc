// SPDX-License-Identifier: MIT
//
// The pause histogram against the sorted list of what was recorded.
#include "neap/gc/pause_histogram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::PauseHistogram;

constexpr double kPercentiles[] = {0, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};

// The smallest value that `percent` of the sorted values do not exceed.
uint64_t ExactPercentile(const std::vector<uint64_t>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

void CheckAgainst(const PauseHistogram& histogram, std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  REQUIRE(histogram.count() == values.size());
  CHECK(histogram.min() == values.front());
  CHECK(histogram.max() == values.back());
  double sum = 0;
  for (const uint64_t value : values) sum += static_cast<double>(value);
  CHECK(histogram.mean() == doctest::Approx(sum / static_cast<double>(values.size())));
  for (const double percent : kPercentiles) {
    CAPTURE(percent);
    const uint64_t exact = ExactPercentile(values, percent);
    const uint64_t found = histogram.ValueAtPercentile(percent);
    CHECK(found >= exact);  // never understated
    CHECK(static_cast<double>(found - exact) <=
          static_cast<double>(exact) * histogram.relative_error());
  }
}

// Pauses of many magnitudes: uniform in the logarithm.
uint64_t AnyPause(Random& random) {
  return static_cast<uint64_t>(std::exp(random.Unit() * std::log(1e11)));
}

TEST_SUITE("gc/pause_histogram") {
  TEST_CASE("an empty histogram says 0 everywhere") {
    PauseHistogram histogram;
    CHECK(histogram.count() == 0);
    CHECK(histogram.min() == 0);
    CHECK(histogram.max() == 0);
    CHECK(histogram.mean() == 0);
    CHECK(histogram.ValueAtPercentile(99) == 0);
    CHECK(histogram.CountAtMost(UINT64_MAX) == 0);
  }

  TEST_CASE("Q1-Q3: parts leave no gap, do not overlap, and are narrow enough") {
    for (const int digits : {1, 2, 3, 4}) {
      CAPTURE(digits);
      PauseHistogram histogram(digits, uint64_t{1} << 30);
      CHECK(histogram.LowestOf(0) == 0);
      for (size_t i = 0; i < histogram.buckets(); ++i) {
        const uint64_t low = histogram.LowestOf(i);
        const uint64_t high = histogram.HighestOf(i);
        REQUIRE(high >= low);
        REQUIRE(histogram.IndexOf(low) == i);
        REQUIRE(histogram.IndexOf(high) == i);
        REQUIRE(histogram.LowestOf(i + 1) == high + 1);
        REQUIRE(static_cast<double>(high - low) <=
                static_cast<double>(low) * histogram.relative_error());
      }
    }
  }

  TEST_CASE("percentiles of pauses of all sizes are within the promised error") {
    Random random;
    for (const int digits : {1, 2, 3, 4}) {
      CAPTURE(digits);
      PauseHistogram histogram(digits);
      std::vector<uint64_t> values;
      for (int i = 0; i < 20'000; ++i) {
        values.push_back(AnyPause(random));
        histogram.Record(values.back());
      }
      CheckAgainst(histogram, values);
    }
  }

  TEST_CASE("few records, equal records and zeros") {
    Random random;
    for (int count = 1; count <= 20; ++count) {
      PauseHistogram histogram;
      std::vector<uint64_t> values;
      for (int i = 0; i < count; ++i) {
        values.push_back(random.OneIn(3) ? 0 : random.Below(5) * 1'000'003);
        histogram.Record(values.back());
      }
      CheckAgainst(histogram, values);
    }
  }

  TEST_CASE("recording n times at once is recording n times") {
    PauseHistogram histogram;
    histogram.RecordTimes(1'000'000, 99);
    histogram.Record(70'000'000);
    CHECK(histogram.count() == 100);
    CHECK(histogram.ValueAtPercentile(99) == doctest::Approx(1e6).epsilon(0.001));
    CHECK(histogram.ValueAtPercentile(99.1) == 70'000'000);
    CHECK(histogram.total_ns() == 169'000'000);
  }

  TEST_CASE("a merge is the histogram of both") {
    Random random;
    PauseHistogram both;
    PauseHistogram other;
    std::vector<uint64_t> values;
    for (int i = 0; i < 10'000; ++i) {
      values.push_back(AnyPause(random));
      (i % 3 == 0 ? both : other).Record(values.back());
    }
    both.MergeFrom(other);
    CheckAgainst(both, values);
    both.MergeFrom(PauseHistogram());
    CheckAgainst(both, values);
  }

  TEST_CASE("histograms of different resolution do not merge") {
    PauseHistogram three(3);
    PauseHistogram two(2);
    CHECK_THROWS_WITH_AS(three.MergeFrom(two), doctest::Contains("same digits"), CheckFailure);
  }

  TEST_CASE("reset forgets everything") {
    PauseHistogram histogram;
    for (uint64_t i = 1; i < 1000; ++i) histogram.Record(i * i * i);
    histogram.Reset();
    CHECK(histogram.count() == 0);
    CHECK(histogram.ValueAtPercentile(100) == 0);
    int parts = 0;
    histogram.ForEach([&parts](uint64_t, uint64_t, uint64_t) { ++parts; });
    CHECK(parts == 0);
    histogram.Record(5);
    CheckAgainst(histogram, {5});
  }

  TEST_CASE("values beyond the range count as its end, and are counted apart") {
    PauseHistogram histogram(3, 1'000'000);
    histogram.Record(10);
    histogram.Record(50'000'000);
    CHECK(histogram.clamped() == 1);
    CHECK(histogram.max() == 50'000'000);
    CHECK(histogram.ValueAtPercentile(100) >= 1'000'000);
    CHECK(histogram.ValueAtPercentile(100) <= 1'001'000);
  }

  TEST_CASE("the count up to a value, and the parts, add up") {
    PauseHistogram histogram;
    for (uint64_t i = 0; i < 1000; ++i) histogram.Record(i);
    CHECK(histogram.CountAtMost(499) == 500);
    uint64_t total = 0;
    uint64_t last_high = 0;
    histogram.ForEach([&](uint64_t low, uint64_t high, uint64_t times) {
      CHECK((low == 0 || low > last_high));
      last_high = high;
      total += times;
    });
    CHECK(total == 1000);
  }

  TEST_CASE("digits out of range are misuse") {
    CHECK_THROWS_AS(PauseHistogram(0), CheckFailure);
    CHECK_THROWS_AS(PauseHistogram(6), CheckFailure);
  }

  TEST_CASE("readers see whole figures while one thread records") {
    PauseHistogram histogram;
    std::atomic<bool> done{false};
    std::thread writer([&] {
      for (uint64_t i = 0; i < 200'000; ++i) histogram.Record(1000 + i % 1000);
      done = true;
    });
    uint64_t last_count = 0;
    bool in_range = true;
    bool grows = true;
    while (!done) {
      const uint64_t count = histogram.count();
      grows = grows && count >= last_count;
      last_count = count;
      const uint64_t median = histogram.ValueAtPercentile(50);
      in_range = in_range && (median == 0 || (median >= 1000 && median < 2000));
    }
    writer.join();
    CHECK(grows);
    CHECK(in_range);
    CHECK(histogram.count() == 200'000);
    CHECK(histogram.CountAtMost(UINT64_MAX) == 200'000);
  }
}

}  // namespace
}  // namespace neap::testing
