// SPDX-License-Identifier: MIT
//
// B20 and B21: the power-up that a reused bullet keeps, and who finds it.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "experiments_b.h"
#include "lab_heap.h"
#include "number_text.h"
#include "pierce_run.h"

namespace neap::lab {
namespace {

// Runs that B20 sums: one run's ratio scatters by about 1 % around its expectation, and the bound
// is 2 %.
constexpr uint32_t kRuns = 8;

struct PierceDamages {
  double fresh = 0, correct = 0, buggy = 0;
};
PierceDamages RunAll(gc::Mutator& m, PierceSpec spec) {
  const auto run = [&](PierceStorage storage) {
    spec.storage = storage;
    return static_cast<double>(RunPierce(m, spec));
  };
  return {run(PierceStorage::kFresh), run(PierceStorage::kCorrectPool),
          run(PierceStorage::kBuggyPool)};
}

// The damages of kRuns runs with seeds of their own, summed.
PierceDamages SumOfRuns(gc::Mutator& m, PierceSpec spec) {
  PierceDamages sum;
  for (uint32_t run = 0; run < kRuns; ++run) {
    const PierceDamages damages = RunAll(m, spec);
    sum.fresh += damages.fresh;
    sum.correct += damages.correct;
    sum.buggy += damages.buggy;
    ++spec.seed;
  }
  return sum;
}

}  // namespace

void RunB20(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  PierceSpec spec{.seed = static_cast<uint32_t>(lab.settings().seed)};
  const PierceDamages many = SumOfRuns(m, spec);
  spec.min_ttl = 20;
  spec.max_ttl = 39;
  const PierceDamages few = SumOfRuns(m, spec);
  const double predicted = PredictedPierceRatio({});
  lab.Add(Table{
      .title = "Damage of 600 frames of 200 shots, 2 % powered, 8 runs",
      .columns = {"lifetime", "fresh", "correct pool", "buggy pool", "buggy / fresh"},
      .rows = {
          {"7 frames (86 generations)", FixedNumber(many.fresh, 0), FixedNumber(many.correct, 0),
           FixedNumber(many.buggy, 0), FixedNumber(many.buggy / many.fresh, 3)},
          {"20-39 frames, LIFO", FixedNumber(few.fresh, 0), FixedNumber(few.correct, 0),
           FixedNumber(few.buggy, 0), FixedNumber(few.buggy / few.fresh, 3)}}});
  lab.Exact("damage, correct pool against fresh", "damage", many.correct, many.fresh,
            {.source = "equal"});
  lab.Exact("the same with lifetimes of 20-39 frames", "damage", few.correct, few.fresh);
  lab.Within("buggy / fresh, against its closed form", "ratio", many.buggy / many.fresh,
             0.98 * predicted, 1.02 * predicted, {.source = "doubled"});
  lab.AtLeast("buggy / fresh", "ratio", many.buggy / many.fresh, 1.8, {.source = "about 2"});
  lab.Observe("buggy / fresh with lifetimes of 20-39 frames", "ratio", few.buggy / few.fresh,
              {.reason = "20 generations: the drift has only begun"});
}

void RunB21(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  lab.Holds("a test of one Get, correct reset", OneGetLooksRight(m, PierceStorage::kCorrectPool),
            "passes", {.criterion_class = Class::kExact});
  lab.Holds("a test of one Get, buggy reset", OneGetLooksRight(m, PierceStorage::kBuggyPool),
            "passes", {.source = "a unit test does not find it", .criterion_class = Class::kExact});
  const PierceDamages damages = RunAll(m, {.seed = static_cast<uint32_t>(lab.settings().seed)});
  lab.Holds("seeded replay, correct reset", damages.correct == damages.fresh, "equals fresh",
            {.criterion_class = Class::kExact});
  lab.Holds("seeded replay, buggy reset", damages.buggy != damages.fresh, "differs from fresh",
            {.source = "a checksum finds it", .criterion_class = Class::kExact});
}

}  // namespace neap::lab
