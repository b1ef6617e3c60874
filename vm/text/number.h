// SPDX-License-Identifier: MIT
//
// Lua's numbers as plain values: a 64-bit integer or a double, and never one pretending to be the
// other. Comparisons are of the mathematical values (manual 3.4.4): converting the integer to a
// double first would call 2^53 + 1 and 2^53 equal.
//
//   std::optional<Number> n = ParseNumber(" 0x10 ");   // int64_t 16
//   std::string text;
//   AppendNumber(*n, &text);                           // "16"
//
// Thread safety: pure functions. No locale is read: the decimal point is '.' always.
#ifndef NEAP_VM_TEXT_NUMBER_H_
#define NEAP_VM_TEXT_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace neap::vm {

using Number = std::variant<int64_t, double>;

// The number that the whole text spells, by the rules of the lexer (manual 3.1) plus an optional
// sign and white space on both sides. Decimal integers that do not fit are floats; hexadecimal ones
// wrap around. "inf" and "nan" are not numbers. A float too large is infinite, too small is zero.
std::optional<Number> ParseNumber(std::string_view text);

inline constexpr int kTostringDigits = 14;

// As `tostring` writes them: `%d`; `%.14g` with ".0" added when that looks like an integer;
// inf, -inf, nan, -nan. With 17 digits, the most there may be, a float reads back as it was.
void AppendInteger(int64_t value, std::string* out);
void AppendFloat(double value, std::string* out, int digits = kTostringDigits);
void AppendNumber(const Number& value, std::string* out);

enum class Rounding : uint8_t {
  kExact,  // only floats with an integral value
  kFloor,
  kCeil,
};
// Nothing when the rounded value is not an int64_t (infinities, NaN and fractions under kExact,
// too).
std::optional<int64_t> FloatToInteger(double value, Rounding rounding);

// Exact comparisons; all are false when one side is NaN.
bool NumberEqual(const Number& left, const Number& right);
bool NumberLess(const Number& left, const Number& right);
bool NumberLessEqual(const Number& left, const Number& right);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_NUMBER_H_
