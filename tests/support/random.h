// SPDX-License-Identifier: MIT
//
// Random numbers for tests: small, fast, and the same on every machine for the same seed (the
// distributions of <random> differ between standard libraries). Not for anything but tests.
//
//   neap::testing::Random random;              // the run's seed, printed by the runner
//   size_t n = random.Below(100);              // 0..99
//   if (random.OneIn(8)) heap.MinorGC();
//
// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", 2018), its state filled by SplitMix64 as the authors advise, so that seeds 1, 2, 3
// give unrelated sequences. A Random belongs to one thread; give each thread its own by Fork().
#ifndef NEAP_TESTS_SUPPORT_RANDOM_H_
#define NEAP_TESTS_SUPPORT_RANDOM_H_

#include <cstddef>
#include <cstdint>

#include "support/seed.h"

namespace neap::testing {

class Random {
 public:
  explicit Random(uint64_t seed = Seed()) {
    for (uint64_t& word : state_) word = SplitMix(seed);
  }

  // Uniform over all 64-bit values.
  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform over 0 .. limit-1, without the bias of a modulo. `limit` must not be 0.
  uint64_t Below(uint64_t limit) {
    const uint64_t unfair_below = (0 - limit) % limit;
    uint64_t value = Next();
    while (value < unfair_below) value = Next();
    return value % limit;
  }

  // Uniform over low .. high, both included; low <= high, and not the whole 64-bit range.
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }

  // True once in `n` calls on average. `n` must not be 0.
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // Uniform over [0, 1), 53 bits.
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // A generator for another thread or a sub-task, unrelated to what this one gives from now on.
  Random Fork() { return Random(Next()); }

 private:
  static uint64_t SplitMix(uint64_t& seed) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  static uint64_t Rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

  uint64_t state_[4];
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_RANDOM_H_
