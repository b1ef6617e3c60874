// SPDX-License-Identifier: MIT
#include "text/number.h"

#include <cmath>
#include <limits>
#include <string>

#include "doctest/doctest.h"

namespace neap::testing {
namespace {

using vm::Number;
using vm::NumberEqual;
using vm::NumberLess;
using vm::NumberLessEqual;
using vm::ParseNumber;

constexpr int64_t kMaxInteger = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInteger = std::numeric_limits<int64_t>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Text(const Number& number) {
  std::string text;
  vm::AppendNumber(number, &text);
  return text;
}

TEST_SUITE_BEGIN("text/number");

TEST_CASE("decimal integers are integers until they do not fit") {
  CHECK(ParseNumber("0") == Number(int64_t{0}));
  CHECK(ParseNumber(" \t+42\n") == Number(int64_t{42}));
  CHECK(ParseNumber("9223372036854775807") == Number(kMaxInteger));
  CHECK(ParseNumber("-9223372036854775808") == Number(kMinInteger));
  CHECK(ParseNumber("9223372036854775808") == Number(0x1p63));
}

TEST_CASE("hexadecimal integers wrap around") {
  CHECK(ParseNumber("0xffffffffffffffff") == Number(int64_t{-1}));
  CHECK(ParseNumber("0x10000000000000002") == Number(int64_t{2}));
  CHECK(ParseNumber("-0X1F") == Number(int64_t{-31}));
}

TEST_CASE("floats have a point or an exponent, hexadecimal ones too") {
  CHECK(ParseNumber("3.") == Number(3.0));
  CHECK(ParseNumber(".5e1") == Number(5.0));
  CHECK(ParseNumber("1e2") == Number(100.0));
  CHECK(ParseNumber("0x.8p1") == Number(1.0));
  CHECK(ParseNumber("0xA.8") == Number(10.5));
  CHECK(ParseNumber("0x1P-4") == Number(0.0625));
}

TEST_CASE("what is out of range is infinite or zero") {
  CHECK(ParseNumber("1e400") == Number(kInfinity));
  CHECK(ParseNumber("-1e99999999999999999999") == Number(-kInfinity));
  CHECK(ParseNumber("1e-400") == Number(0.0));
  CHECK(ParseNumber("0x1p99999") == Number(kInfinity));
  CHECK(ParseNumber("0e99999") == Number(0.0));
  CHECK(ParseNumber(std::string(400, '0') + "1e-400") == Number(0.0));
  CHECK(ParseNumber("0." + std::string(400, '0') + "1e402") == Number(10.0));
}

TEST_CASE("what is no numeral is refused") {
  for (const char* text :
       {"",    " ",     "-",    "+-1", "--1",  "1 2", "0x",       "0xg",   ".",   "e1", "1e",
        "1e+", "0x.p1", "0x1p", "inf", "-inf", "nan", "infinity", "1_000", "0b1", "1x"}) {
    CAPTURE(text);
    CHECK(!ParseNumber(text));
  }
  CHECK(!ParseNumber(std::string_view("1\0", 2)));
}

TEST_CASE("numbers are written so that floats look like floats") {
  CHECK(Text(int64_t{-7}) == "-7");
  CHECK(Text(kMinInteger) == "-9223372036854775808");
  CHECK(Text(1.0) == "1.0");
  CHECK(Text(-0.0) == "-0.0");
  CHECK(Text(0.1) == "0.1");
  CHECK(Text(1e15) == "1e+15");
  CHECK(Text(1e14) == "1e+14");
  CHECK(Text(3.14159265358979) == "3.1415926535898");
  CHECK(Text(kInfinity) == "inf");
  CHECK(Text(-kInfinity) == "-inf");
  CHECK(Text(std::copysign(std::nan(""), 1.0)) == "nan");
  CHECK(Text(std::copysign(std::nan(""), -1.0)) == "-nan");
}

TEST_CASE("comparisons are exact where doubles are not") {
  const Number big = (int64_t{1} << 53) + 1;
  CHECK(!NumberEqual(big, 0x1p53));
  CHECK(NumberLess(0x1p53, big));
  CHECK(!NumberLessEqual(big, 0x1p53));
  CHECK(NumberLess(kMaxInteger, 0x1p63));
  CHECK(!NumberEqual(kMaxInteger, 0x1p63));
  CHECK(NumberEqual(kMinInteger, -0x1p63));
  CHECK(NumberLess(Number(kMaxInteger), kInfinity));
  CHECK(NumberLess(-kInfinity, kMinInteger));
  CHECK(!NumberLessEqual(int64_t{0}, std::nan("")));
  CHECK(!NumberLess(std::nan(""), int64_t{0}));
}

TEST_CASE("floats become integers exactly, downwards or upwards") {
  using vm::FloatToInteger;
  using vm::Rounding;
  CHECK(FloatToInteger(-1.5, Rounding::kExact) == std::nullopt);
  CHECK(FloatToInteger(-1.5, Rounding::kFloor) == -2);
  CHECK(FloatToInteger(-1.5, Rounding::kCeil) == -1);
  CHECK(FloatToInteger(0x1p63, Rounding::kFloor) == std::nullopt);
  CHECK(FloatToInteger(-0x1p63, Rounding::kExact) == kMinInteger);
  CHECK(FloatToInteger(std::nan(""), Rounding::kCeil) == std::nullopt);
  CHECK(FloatToInteger(kInfinity, Rounding::kFloor) == std::nullopt);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
