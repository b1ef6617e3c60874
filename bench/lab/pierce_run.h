// SPDX-License-Identifier: MIT
//
// The bug class that pools invite, in its smallest form: a bullet has a pierce count, 1 by default
// and 3 when its shot is powered (2 % are). The reset of the buggy pool says
//
//   if (powered) pierce = 3;          and forgets: else pierce = 1;
//
// so a reused bullet keeps the power-up of any of its earlier lives. Nothing throws and nothing
// leaks; the game's damage drifts up with the number of generations.
//
// The source gives the outcome ("doubled"), not the lifetimes or the damage rule. Here the damage
// of a shot is its pierce count. With 2 % powered, the chance that a slot in its g-th generation is
// powered is 0.02 in a correct pool and 1 - 0.98^g in the buggy one, so
//
//   buggy / fresh = (1 + 2 f) / 1.04       f = mean over all shots of 1 - 0.98^g
//
// and doubling takes about 90 generations: 600 frames of lifetime 7 give 86.
#ifndef NEAP_BENCH_LAB_PIERCE_RUN_H_
#define NEAP_BENCH_LAB_PIERCE_RUN_H_

#include <cstdint>

#include "neap/gc/mutator.h"

namespace neap::lab {

enum class PierceStorage : uint8_t {
  kFresh,        // a new bullet a shot
  kCorrectPool,  // LIFO free list, reset writes both branches
  kBuggyPool,    // LIFO free list, reset forgets the else
};
struct PierceSpec {
  PierceStorage storage = PierceStorage::kFresh;
  int frames = 600;
  int spawn = 200;
  int min_ttl = 7, max_ttl = 7;  // frames, drawn uniformly
  uint32_t seed = 12345;
};

// Damage of the whole run: the sum of the pierce counts of all shots.
uint64_t RunPierce(gc::Mutator& m, const PierceSpec& spec);

// The mean damage of a shot, buggy over fresh, for a constant lifetime.
double PredictedPierceRatio(const PierceSpec& spec);

// What a unit test of one Get sees: takes one plain and one powered bullet from a new pool with the
// given reset and says whether both have the right pierce count.
bool OneGetLooksRight(gc::Mutator& m, PierceStorage storage);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_PIERCE_RUN_H_
