// SPDX-License-Identifier: MIT
//
// The numbers of math.random, bit for bit those of Lua 5.4, so that a seeded script draws the same
// ones here and there.
//
// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", 2018). The words of its state are seeded with n1, 0xff, n2, 0, and the first 16
// outputs are thrown away. Not for secrets.
//
//   LuaRandom random;
//   random.Seed(1007, 0);
//   random.Next();             // 0x7a7040a5a323c9d6: math.random(0)
//   random.NextFloat();        // [0, 1): math.random()
//   random.Between(1, 6);      // math.random(6)
//
// Thread safety: none; one per Lua state.
#ifndef NEAP_VM_TEXT_LUA_RANDOM_H_
#define NEAP_VM_TEXT_LUA_RANDOM_H_

#include <cstdint>

namespace neap::vm {

class LuaRandom {
 public:
  explicit LuaRandom(uint64_t n1 = 0, uint64_t n2 = 0) { Seed(n1, n2); }

  void Seed(uint64_t n1, uint64_t n2);
  // Uniform over all 64-bit values.
  uint64_t Next();
  // The upper 53 bits of Next() as a fraction.
  double NextFloat() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // Uniform over low .. high, both included; low <= high. Draws once or more: a candidate has as
  // many bits as high - low, and those above it are refused.
  int64_t Between(int64_t low, int64_t high);

 private:
  uint64_t state_[4];
};

// What math.random(low, high) says when low > high; an argument error of its last argument.
inline constexpr char kEmptyInterval[] = "interval is empty";

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_LUA_RANDOM_H_
