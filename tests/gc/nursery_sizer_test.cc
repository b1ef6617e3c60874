// SPDX-License-Identifier: MIT
//
// The nursery sizer and the cohort predictor under simulated programs. A program is a survival
// curve: how many bytes of an eden of E bytes are alive at the minor.
#include "nursery_sizer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "doctest/doctest.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::CohortPredictor;
using gc::MinorSample;
using gc::NurserySizer;
using gc::SizerReason;

constexpr uint64_t kKiB = 1 << 10;
constexpr uint64_t kMiB = 1 << 20;
// Objects so small that a surviving byte costs 1 ns of work: 12 ns an object and 0.05 a byte.
constexpr double kObjectBytes = 12 / 0.95;
constexpr NurserySizer::Config kConfig{.min_bytes = 256 * kKiB, .max_bytes = 4 * kMiB};

using Curve = std::function<double(double eden_bytes)>;

Curve NothingSurvives() {
  return [](double) { return 0.0; };
}
// Everything lives for exactly `life_bytes` of allocation: bullets.
Curve Cohort(double life_bytes) {
  return [life_bytes](double eden) { return std::min(eden, life_bytes); };
}
// Lifetimes are exponential with this mean: S(E) = mean x (1 - e^(-E/mean)).
Curve Exponential(double mean_bytes) {
  return [mean_bytes](double eden) { return mean_bytes * (1 - std::exp(-eden / mean_bytes)); };
}

MinorSample SampleOf(uint64_t eden_bytes, double survivor_bytes) {
  return {.budget_bytes = eden_bytes,
          .copied_bytes = static_cast<uint64_t>(survivor_bytes),
          .copied_objects = static_cast<uint64_t>(survivor_bytes / kObjectBytes)};
}

// Runs minors; `noise` is the relative spread of survivors.
struct Host {
  NurserySizer sizer;
  Random random{};
  NurserySizer::Decision last{};
  int changes = 0;
  double worst_work_ns = 0;
  std::set<std::string> reasons{};

  void Run(const Curve& curve, int minors, double noise = 0) {
    for (int i = 0; i < minors; ++i) {
      const uint64_t before_bytes = sizer.bytes();
      double survivors = curve(static_cast<double>(before_bytes));
      survivors *= 1 + noise * (2 * random.Unit() - 1);
      const MinorSample sample = SampleOf(before_bytes, survivors);
      worst_work_ns = std::max(worst_work_ns, NurserySizer::SurvivorWorkNs(sample));
      last = sizer.EndMinor(sample);
      reasons.insert(SizerReasonName(last.reason));
      changes += last.changed ? 1 : 0;
      REQUIRE(last.bytes == sizer.bytes());
      REQUIRE(last.changed == (last.bytes != before_bytes));
      REQUIRE(sizer.bytes() >= kConfig.min_bytes);  // E1
      REQUIRE(sizer.bytes() <= kConfig.max_bytes);
      REQUIRE(sizer.bytes() <= 2 * before_bytes);
      REQUIRE(2 * sizer.bytes() >= before_bytes);
    }
  }
};

TEST_SUITE("gc/nursery_sizer") {
  TEST_CASE("work is reckoned by objects, and a little by bytes") {
    CHECK(NurserySizer::SurvivorWorkNs({.copied_bytes = 64'000, .copied_objects = 1000}) ==
          doctest::Approx(15'200));
    CHECK(NurserySizer::SurvivorWorkNs({.in_place_bytes = 64'000, .in_place_objects = 1000}) ==
          doctest::Approx(8'000));
    CHECK(NurserySizer::SurvivorWorkNs(SampleOf(kMiB, 64'000)) ==
          doctest::Approx(64'000).epsilon(0.001));
  }

  TEST_CASE("nothing survives: it grows to the maximum, a step each few minors, and stays") {
    Host host{NurserySizer(kConfig)};
    host.Run(NothingSurvives(), 30);
    CHECK(host.sizer.bytes() == 4 * kMiB);
    CHECK(host.changes == 4);
    CHECK(host.last.reason == SizerReason::kAtMax);
    host.Run(NothingSurvives(), 1000);
    CHECK(host.changes == 4);
  }

  TEST_CASE("the start-up cohort teaches nothing") {
    Host host{NurserySizer({.min_bytes = 256 * kKiB,
                            .max_bytes = 4 * kMiB,
                            .initial_bytes = kMiB,
                            .budget_ns = 100'000})};
    host.Run(Cohort(1e9), 3);  // everything survives while the program sets itself up
    CHECK(host.changes == 0);
    CHECK(host.last.reason == SizerReason::kStart);
    host.Run(NothingSurvives(), 30);
    CHECK(host.reasons.count("shrink") == 0);
    CHECK(host.sizer.bytes() == 4 * kMiB);
  }

  TEST_CASE("everything survives: it shrinks to where the work fits the budget") {
    Host host{
        NurserySizer({.min_bytes = 256 * kKiB, .max_bytes = 4 * kMiB, .initial_bytes = 4 * kMiB})};
    host.Run(Cohort(1e9), 60);
    // 1 ns a byte: 512 KiB are 0.52 ms, 1 MiB would be 1.05 ms.
    CHECK(host.sizer.bytes() == 512 * kKiB);
  }

  TEST_CASE("over the budget at every size, it goes to the minimum and says so") {
    Host host{NurserySizer({.min_bytes = 256 * kKiB,
                            .max_bytes = 4 * kMiB,
                            .initial_bytes = 4 * kMiB,
                            .budget_ns = 100'000})};
    host.Run(Cohort(1e9), 20);
    CHECK(host.sizer.bytes() == 256 * kKiB);
    CHECK(host.last.reason == SizerReason::kOverAtMin);
  }

  TEST_CASE("E2: growing never leads to a size whose steady survivors exceed the budget") {
    for (const double life : {1e5, 3e5, 6e5, 1e6, 2e6, 1e9}) {
      CAPTURE(life);
      Host host{NurserySizer(kConfig)};
      host.Run(Cohort(life), 2000);
      CHECK(host.worst_work_ns <= 1'000'000);
    }
  }

  TEST_CASE("E2: a size that would use 90 % of the budget is not even probed") {
    Host host{NurserySizer({.min_bytes = 256 * kKiB, .max_bytes = 4 * kMiB, .budget_ns = 580'000})};
    host.Run(Cohort(1e9), 300);
    CHECK(host.changes == 0);
    CHECK(host.last.reason == SizerReason::kTooDear);
  }

  TEST_CASE("a probe finds the size at which a cohort dies, which no single step shows") {
    // Lives for 400 KiB of allocation: 100 % survives at 256 KiB. Larger edens cost no more work
    // per minor once they outlast it, and a tenth per byte.
    Host host{NurserySizer(kConfig)};
    host.Run(Cohort(400 * kKiB), 400);
    CHECK(host.sizer.bytes() == 4 * kMiB);
    CHECK(host.reasons.count("probe-kept") == 1);
  }

  TEST_CASE("E3: a probe that does not pay comes back, and costs few of the minors") {
    Host host{NurserySizer(kConfig)};
    host.Run(Cohort(1e9), 20);
    const uint64_t settled_bytes = host.sizer.bytes();
    CHECK(settled_bytes == 256 * kKiB);
    int elsewhere = 0;
    for (int i = 0; i < 6400; ++i) {
      host.Run(Cohort(1e9), 1);
      elsewhere += host.sizer.bytes() != settled_bytes ? 1 : 0;
    }
    CHECK(host.reasons.count("probe") == 1);
    CHECK(host.reasons.count("probe-back") == 1);
    CHECK(elsewhere > 0);
    CHECK(elsewhere < 6400 / 10);
  }

  TEST_CASE("short exponential lifetimes end at the maximum, the budget permitting") {
    Host host{NurserySizer(kConfig)};
    host.Run(Exponential(100 * kKiB), 1000);
    CHECK(host.sizer.bytes() == 4 * kMiB);
  }

  TEST_CASE("it un-learns: a phase that made a size too dear does not bar it for ever") {
    Host host{NurserySizer(kConfig)};
    host.Run(NothingSurvives(), 50);
    REQUIRE(host.sizer.bytes() == 4 * kMiB);
    host.Run(Cohort(1e9), 50);
    CHECK(host.sizer.bytes() == 512 * kKiB);
    host.Run(NothingSurvives(), 50);
    CHECK(host.sizer.bytes() == 4 * kMiB);
    host.Run(Cohort(1e9), 50);
    CHECK(host.sizer.bytes() == 512 * kKiB);
  }

  TEST_CASE("noise does not make it flutter") {
    Host host{NurserySizer(kConfig)};
    host.Run(Exponential(600 * kKiB), 300, 0.3);
    host.changes = 0;
    host.Run(Exponential(600 * kKiB), 3000, 0.3);
    CHECK(host.changes <= 3000 / 10);
  }

  TEST_CASE("a spike shrinks it once or twice, and it returns") {
    Host host{NurserySizer(kConfig)};
    host.Run(NothingSurvives(), 50);
    host.changes = 0;
    host.Run(Cohort(1e9), 1);
    CHECK(host.last.reason == SizerReason::kShrink);
    host.Run(NothingSurvives(), 40);
    CHECK(host.sizer.bytes() == 4 * kMiB);
    CHECK(host.changes <= 4);
  }

  TEST_CASE("a minor before eden was full teaches nothing") {
    NurserySizer sizer(kConfig);
    for (int i = 0; i < 100; ++i) {
      const auto decision = sizer.EndMinor(SampleOf(sizer.bytes() / 2, 0));
      REQUIRE(decision.reason == SizerReason::kPartial);
      REQUIRE_FALSE(decision.changed);
    }
    CHECK(sizer.bytes() == 256 * kKiB);
    CHECK(sizer.PredictedSurvivorBytes() == sizer.bytes());
    CHECK(sizer.PredictedWorkNs() == 0);
  }

  TEST_CASE("predictions cover steady survivors, with room for their spread") {
    Host host{NurserySizer(kConfig)};
    host.Run(Cohort(1e9), 30);
    CHECK(host.sizer.PredictedSurvivorBytes() == host.sizer.bytes());
    Host noisy{NurserySizer(kConfig)};
    int covered = 0;
    for (int i = 0; i < 500; ++i) {
      const uint64_t predicted = noisy.sizer.PredictedSurvivorBytes();
      const uint64_t eden = noisy.sizer.bytes();
      const double survivors = static_cast<double>(eden) * (0.2 + 0.2 * noisy.random.Unit());
      noisy.sizer.EndMinor(SampleOf(eden, survivors));
      covered += static_cast<double>(predicted) >= survivors ? 1 : 0;
    }
    CHECK(covered >= 450);
  }

  TEST_CASE("new bounds hold at once, keep the size where they can, and forget") {
    NurserySizer sizer({.min_bytes = 256 * kKiB, .max_bytes = 4 * kMiB, .initial_bytes = 2 * kMiB});
    CHECK_FALSE(sizer.SetBounds(256 * kKiB, 4 * kMiB).changed);
    NurserySizer::Decision decision = sizer.SetBounds(256 * kKiB, kMiB);
    CHECK(decision.changed);
    CHECK(decision.bytes == kMiB);
    CHECK(decision.reason == SizerReason::kBounds);
    decision = sizer.SetBounds(512 * kKiB, 8 * kMiB);
    CHECK_FALSE(decision.changed);
    CHECK(sizer.bytes() == kMiB);
  }

  TEST_CASE("a maximum that is no power of two of the minimum is reached all the same") {
    NurserySizer sizer({.min_bytes = 256 * kKiB, .max_bytes = 1300 * kKiB});
    for (int i = 0; i < 40; ++i) sizer.EndMinor(SampleOf(sizer.bytes(), 0));
    CHECK(sizer.bytes() == 1300 * kKiB);
  }

  TEST_CASE("the same counts give the same decisions") {
    Host a{NurserySizer(kConfig), Random(7)};
    Host b{NurserySizer(kConfig), Random(7)};
    for (int i = 0; i < 500; ++i) {
      a.Run(Exponential(300 * kKiB), 1, 0.5);
      b.Run(Exponential(300 * kKiB), 1, 0.5);
      REQUIRE(a.last.bytes == b.last.bytes);
      REQUIRE(a.last.reason == b.last.reason);
    }
  }
}

// `count` minors with these shares of eden and of aged objects surviving.
bool RunMinors(CohortPredictor& predictor, int count, double survival, double aged_survival = 1) {
  for (int i = 0; i < count; ++i) {
    predictor.EndMinor({.eden_bytes = 1'000'000,
                        .eden_survived_bytes = static_cast<uint64_t>(survival * 1e6),
                        .aged_bytes = 1'000'000,
                        .aged_survived_bytes = static_cast<uint64_t>(aged_survival * 1e6)});
  }
  return predictor.in_place();
}

TEST_SUITE("gc/cohort_predictor") {
  TEST_CASE("it enters after the start-up rounds and three more at 85 % or better") {
    CohortPredictor predictor;
    CHECK_FALSE(RunMinors(predictor, 5, 0.95));
    CHECK(RunMinors(predictor, 1, 0.95));
    CHECK(predictor.switches() == 1);
    CohortPredictor below;
    CHECK_FALSE(RunMinors(below, 100, 0.84));
  }

  TEST_CASE("survival that is high on average but swings does not enter") {
    CohortPredictor predictor;
    for (int i = 0; i < 100; ++i) REQUIRE_FALSE(RunMinors(predictor, 1, i % 2 == 0 ? 0.76 : 1.0));
  }

  TEST_CASE("a start-up cohort alone does not enter") {
    CohortPredictor predictor;
    RunMinors(predictor, 3, 1.0);
    CHECK_FALSE(RunMinors(predictor, 100, 0.1));
    CHECK(predictor.switches() == 0);
  }

  TEST_CASE("between 70 and 85 % it stays in the mode it is in") {
    CohortPredictor predictor;
    REQUIRE(RunMinors(predictor, 10, 0.95));
    CHECK(RunMinors(predictor, 100, 0.75));
    CHECK_FALSE(RunMinors(predictor, 1, 0.69));
    CHECK_FALSE(RunMinors(predictor, 100, 0.75));
    CHECK(predictor.switches() == 2);
  }

  TEST_CASE("one cohort that dies is enough to leave") {
    CohortPredictor predictor;
    REQUIRE(RunMinors(predictor, 50, 1.0));
    CHECK_FALSE(RunMinors(predictor, 1, 0.3));
  }

  TEST_CASE("survivors that die at the next minor are not worth promoting in place") {
    CohortPredictor predictor;
    CHECK_FALSE(RunMinors(predictor, 100, 0.95, 0.2));
    // It entered when they lived on; then the sensor sees them die.
    CHECK(RunMinors(predictor, 100, 0.95, 0.9));
    CHECK_FALSE(RunMinors(predictor, 10, 0.95, 0.1));
  }

  TEST_CASE("a minor without eden, and one without aged objects, say nothing") {
    CohortPredictor predictor;
    REQUIRE(RunMinors(predictor, 10, 0.95));
    predictor.EndMinor({});
    CHECK(predictor.in_place());
    predictor.EndMinor({.eden_bytes = 100, .eden_survived_bytes = 95});
    CHECK(predictor.in_place());
  }

  TEST_CASE("one block in 16 is a sensor, and every position takes its turn") {
    CohortPredictor predictor;
    std::set<uint64_t> seen;
    for (int round = 0; round < 16; ++round) {
      int sensors = 0;
      for (uint64_t block = 0; block < 64; ++block) {
        if (!predictor.IsSensor(block)) continue;
        ++sensors;
        seen.insert(block % 16);
      }
      CHECK(sensors == 4);
      RunMinors(predictor, 1, 0.5);
    }
    CHECK(seen.size() == 16);
  }
}

}  // namespace
}  // namespace neap::testing
