// SPDX-License-Identifier: MIT
//
// Reading, printing and comparing numbers: as the reference does, on numerals of every shape and on
// random bit patterns.
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "lua_oracle.h"
#include "support/random.h"
#include "text/arithmetic.h"
#include "text/number.h"

namespace neap::testing {
namespace {

using vm::Number;
using vm::NumberEqual;
using vm::NumberLess;
using vm::NumberLessEqual;

constexpr int kCases = 5000;

std::string RandomDigits(Random* random, std::string_view digits, uint64_t most) {
  std::string text;
  for (uint64_t n = random->Below(most + 1); n > 0; --n)
    text += digits[random->Below(digits.size())];
  return text;
}

std::string RandomNumeral(Random* random) {
  const bool hex = random->OneIn(3);
  const std::string_view digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
  const uint64_t most = random->OneIn(10) ? 400 : random->OneIn(2) ? 22 : 4;
  std::string text = random->OneIn(4) ? " \t" : "";
  if (random->OneIn(3)) text += "-+"[random->Below(2)];
  if (hex) text += random->OneIn(2) ? "0x" : "0X";
  if (random->OneIn(6)) text += std::string(random->Below(330), '0');
  text += RandomDigits(random, digits, most);
  if (random->OneIn(2)) text += "." + RandomDigits(random, digits, most);
  if (random->OneIn(2)) {
    text += hex ? "pP"[random->Below(2)] : "eE"[random->Below(2)];
    if (random->OneIn(2)) text += "-+"[random->Below(2)];
    text += RandomDigits(random, "0123456789", random->OneIn(20) ? 30 : 4);
  }
  if (random->OneIn(4)) text += "\n\v ";
  if (random->OneIn(12)) {  // spoil it
    constexpr std::string_view kBytes("xnae.p-+ _\0", 11);
    text.insert(random->Below(text.size() + 1), 1, kBytes[random->Below(kBytes.size())]);
  }
  return text;
}

double RandomDouble(Random* random) {
  constexpr double kSpecial[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 0x1p53,
                                 0x1p63,
                                 -0x1p63,
                                 0x1p64,
                                 1e15,
                                 1e14,
                                 1e100,
                                 5e-324,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 0x1.fffffffffffffp62};
  constexpr uint64_t kCount = sizeof kSpecial / sizeof kSpecial[0];
  switch (random->Below(6)) {
    case 0:
      return kSpecial[random->Below(kCount)];
    case 1:
      return std::bit_cast<double>(random->Next());
    case 2:
      return std::ldexp(random->Unit() - 0.5, static_cast<int>(random->Below(140)) - 70);
    case 3:
      return static_cast<double>(static_cast<int64_t>(random->Next() >> random->Below(64)));
    case 4:
      return static_cast<double>(random->Below(2000)) / 8;
    default:
      return std::round((random->Unit() - 0.5) * 1e6) / 1e3;
  }
}

int64_t RandomInteger(Random* random) {
  switch (random->Below(4)) {
    case 0:
      return static_cast<int64_t>(random->Next());
    case 1:
      return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(random->Below(3));
    case 2:
      return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(random->Below(3));
    default:
      return static_cast<int64_t>(random->Next()) >> random->Below(64);
  }
}

TEST_SUITE_BEGIN("text/number");

TEST_CASE("numerals are read as the reference reads them") {
  LuaOracle oracle("return function(s) return show(true, tonumber(s)) end");
  Random random;
  for (int i = 0; i < 2 * kCases; ++i) {
    const std::string text = RandomNumeral(&random);
    const auto number = vm::ParseNumber(text);
    Shown shown;
    oracle.Ask({text}, number ? shown.Numeric(*number).text() : shown.Nil().text());
  }
  oracle.Compare();
}

TEST_CASE("floats are printed as the reference prints them") {
  LuaOracle oracle("return function(f) return show(true, tostring(float(f))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const double value = RandomDouble(&random);
    std::string text;
    vm::AppendFloat(value, &text);
    oracle.Ask({LuaOracle::HexWord(value)}, Shown().String(text).text());
  }
  oracle.Compare();
}

TEST_CASE("integers are printed as the reference prints them, and read back") {
  LuaOracle oracle("return function(i) return show(true, tostring(integer(i))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const int64_t value = RandomInteger(&random);
    std::string text;
    vm::AppendInteger(value, &text);
    oracle.Ask({LuaOracle::HexWord(value)}, Shown().String(text).text());
    CHECK(vm::ParseNumber(text) == Number(value));
  }
  oracle.Compare();
}

TEST_CASE("integers and floats compare as in the reference") {
  LuaOracle oracle(R"lua(return function(i, f)
    i, f = integer(i), float(f)
    return show(true, i < f, i <= f, i == f, f < i, f <= i, f == i)
  end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const int64_t integer = RandomInteger(&random);
    double real = RandomDouble(&random);
    if (random.OneIn(2)) real = static_cast<double>(integer);
    if (random.OneIn(4)) real += random.OneIn(2) ? 0.5 : -0.5;
    const Number a = integer, b = real;
    Shown shown;
    shown.Boolean(NumberLess(a, b)).Boolean(NumberLessEqual(a, b)).Boolean(NumberEqual(a, b));
    shown.Boolean(NumberLess(b, a)).Boolean(NumberLessEqual(b, a)).Boolean(NumberEqual(b, a));
    oracle.Ask({LuaOracle::HexWord(integer), LuaOracle::HexWord(real)}, shown.text());
  }
  oracle.Compare();
}

TEST_CASE("floats become integers as in the reference") {
  LuaOracle oracle(R"lua(return function(f)
    f = float(f)
    local function only(i) return math.type(i) == "integer" and i or nil end
    return show(true, math.tointeger(f), only(math.floor(f)), only(math.ceil(f)))
  end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const double value = RandomDouble(&random);
    Shown shown;
    for (auto mode : {vm::Rounding::kExact, vm::Rounding::kFloor, vm::Rounding::kCeil}) {
      const auto integer = vm::FloatToInteger(value, mode);
      integer ? shown.Integer(*integer) : shown.Nil();
    }
    oracle.Ask({LuaOracle::HexWord(value)}, shown.text());
  }
  oracle.Compare();
}

TEST_CASE("quotients, remainders and shifts are those of the reference") {
  LuaOracle oracle(R"lua(return function(i, j, f, g)
    i, j, f, g = integer(i), integer(j), float(f), float(g)
    return show(true, i // j, i % j, i << j, i >> j, f // g, f % g, f ^ g, f ^ 2)
  end)lua");
  Random random;
  for (int i = 0; i < 2 * kCases; ++i) {
    const int64_t a = RandomInteger(&random);
    int64_t b =
        random.OneIn(2) ? RandomInteger(&random) : static_cast<int64_t>(random.Below(141)) - 70;
    if (b == 0) b = -1;
    const double f = RandomDouble(&random), g = RandomDouble(&random);
    Shown shown;
    shown.Integer(vm::FloorDivide(a, b)).Integer(vm::FloorModulo(a, b));
    shown.Integer(vm::ShiftLeft(a, b)).Integer(vm::ShiftRight(a, b));
    shown.Float(vm::FloorDivide(f, g)).Float(vm::FloorModulo(f, g));
    shown.Float(vm::Power(f, g)).Float(vm::Power(f, 2));
    oracle.Ask({LuaOracle::HexWord(a), LuaOracle::HexWord(b), LuaOracle::HexWord(f),
                LuaOracle::HexWord(g)},
               shown.text());
  }
  oracle.Compare();
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
