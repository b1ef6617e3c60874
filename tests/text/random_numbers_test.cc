// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>

#include "doctest/doctest.h"
#include "lua_oracle.h"
#include "support/random.h"
#include "text/lua_random.h"

namespace neap::testing {
namespace {

using vm::LuaRandom;

TEST_SUITE_BEGIN("text/random");

TEST_CASE("seed 1007 gives the number that every Lua 5.4 gives") {
  LuaRandom random(1007, 0);
  CHECK(random.Next() == 0x7a7040a5a323c9d6);
}

TEST_CASE("floats lie in [0, 1) and intervals hold their bounds") {
  LuaRandom random(7, 9);
  bool low = false, high = false;
  for (int i = 0; i < 2000; ++i) {
    const double unit = random.NextFloat();
    CHECK((unit >= 0 && unit < 1));
    const int64_t die = random.Between(-3, 2);
    CHECK((die >= -3 && die <= 2));
    low |= die == -3;
    high |= die == 2;
  }
  CHECK((low && high));
  CHECK(random.Between(5, 5) == 5);
}

TEST_CASE("sequences are those of the reference") {
  LuaOracle oracle(R"lua(return function(n1, n2, low, high)
    math.randomseed(integer(n1), integer(n2))
    low, high = integer(low), integer(high)
    return show(true, math.random(0), math.random(), math.random(low, high), math.random(low, high))
  end)lua");
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const int64_t n1 = static_cast<int64_t>(random.Next()),
                  n2 = static_cast<int64_t>(random.Next());
    int64_t low = static_cast<int64_t>(random.Next()) >> random.Below(64);
    int64_t high = static_cast<int64_t>(random.Next()) >> random.Below(64);
    if (random.OneIn(20)) low = std::numeric_limits<int64_t>::min();
    if (random.OneIn(20)) high = std::numeric_limits<int64_t>::max();
    if (low > high) std::swap(low, high);
    LuaRandom ours(static_cast<uint64_t>(n1), static_cast<uint64_t>(n2));
    Shown shown;
    shown.Integer(static_cast<int64_t>(ours.Next())).Float(ours.NextFloat());
    shown.Integer(ours.Between(low, high));
    shown.Integer(ours.Between(low, high));
    oracle.Ask({LuaOracle::HexWord(n1), LuaOracle::HexWord(n2), LuaOracle::HexWord(low),
                LuaOracle::HexWord(high)},
               shown.text());
  }
  oracle.Compare();
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
