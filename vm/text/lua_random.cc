// SPDX-License-Identifier: MIT
#include "text/lua_random.h"

#include <bit>

namespace neap::vm {
namespace {

// Outputs thrown away after seeding: the state starts with few bits set and needs time to mix.
constexpr int kDiscarded = 16;

}  // namespace

void LuaRandom::Seed(uint64_t n1, uint64_t n2) {
  state_[0] = n1;
  state_[1] = 0xff;  // a state of zeros only would stay so
  state_[2] = n2;
  state_[3] = 0;
  for (int i = 0; i < kDiscarded; ++i) Next();
}

uint64_t LuaRandom::Next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

int64_t LuaRandom::Between(int64_t low, int64_t high) {
  const uint64_t most = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const uint64_t mask = most == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(most);
  uint64_t candidate = Next() & mask;
  while (candidate > most) candidate = Next() & mask;
  return static_cast<int64_t>(static_cast<uint64_t>(low) + candidate);
}

}  // namespace neap::vm
