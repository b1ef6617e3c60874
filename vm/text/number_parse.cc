// SPDX-License-Identifier: MIT
//
// Text to number. The shape is decided first, digit by digit, and only then is a value made of it:
//
//   blank* [+-] digits [. digits] [e [+-] digits] blank*          at least one digit before the e
//   blank* [+-] 0x hexdigits [. hexdigits] [p [+-] digits] blank*
//
// Without point and exponent it is an integer, if it is hexadecimal (modulo 2^64) or fits.
// std::from_chars does the rounding. It knows no locale, but leaves the value alone when it is out
// of range; whether that was too large or too small is then read off the place of the first digit.
#include <charconv>
#include <limits>

#include "text/char_class.h"
#include "text/number.h"

namespace neap::vm {
namespace {

// Exponents beyond this are equally infinite or zero; it keeps the sum of two of them in 64 bits.
constexpr int64_t kHugeExponent = int64_t{1} << 40;

std::string_view StripBlanks(std::string_view text) {
  while (!text.empty() && IsInClass(text.front(), kSpaceClass)) text.remove_prefix(1);
  while (!text.empty() && IsInClass(text.back(), kSpaceClass)) text.remove_suffix(1);
  return text;
}

// A numeral without sign and 0x, cut into its parts.
struct Numeral {
  bool hex = false;
  bool has_point = false;
  bool has_exponent = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;  // clamped to +-kHugeExponent

  bool IsInteger() const { return !has_point && !has_exponent; }
};

std::string_view TakeDigits(std::string_view* text, unsigned char_class) {
  size_t count = 0;
  while (count < text->size() && IsInClass((*text)[count], char_class)) ++count;
  const std::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

bool TakeSign(std::string_view* text) {
  const bool negative = !text->empty() && text->front() == '-';
  if (negative || (!text->empty() && text->front() == '+')) text->remove_prefix(1);
  return negative;
}

// False when the text is no numeral from end to end.
bool Split(std::string_view text, Numeral* numeral) {
  const unsigned digit_class = numeral->hex ? kHexClass : kDigitClass;
  numeral->whole = TakeDigits(&text, digit_class);
  if (!text.empty() && text.front() == '.') {
    numeral->has_point = true;
    text.remove_prefix(1);
    numeral->fraction = TakeDigits(&text, digit_class);
  }
  if (numeral->whole.empty() && numeral->fraction.empty()) return false;
  if (text.empty()) return true;
  if ((text.front() | 0x20) != (numeral->hex ? 'p' : 'e')) return false;
  numeral->has_exponent = true;
  text.remove_prefix(1);
  const bool negative = TakeSign(&text);
  const std::string_view digits = TakeDigits(&text, kDigitClass);
  if (digits.empty() || !text.empty()) return false;
  for (const char digit : digits) {
    numeral->exponent = numeral->exponent * 10 + (digit - '0');
    if (numeral->exponent > kHugeExponent) numeral->exponent = kHugeExponent;
  }
  if (negative) numeral->exponent = -numeral->exponent;
  return true;
}

std::optional<int64_t> IntegerValue(const Numeral& numeral, bool negative) {
  uint64_t value = 0;
  if (numeral.hex) {
    for (const char c : numeral.whole) value = value * 16 + static_cast<uint64_t>(HexValue(c));
  } else {
    const uint64_t limit = uint64_t{std::numeric_limits<int64_t>::max()} + (negative ? 1 : 0);
    for (const char c : numeral.whole) {
      const uint64_t digit = static_cast<uint64_t>(c - '0');
      if (value > (limit - digit) / 10) return std::nullopt;
      value = value * 10 + digit;
    }
  }
  return static_cast<int64_t>(negative ? 0 - value : value);
}

// Infinity or zero: which one a value that no double is near to rounds to.
double OutOfRangeValue(const Numeral& numeral) {
  const int64_t digit_weight = numeral.hex ? 4 : 1;
  const size_t whole_zeros = numeral.whole.find_first_not_of('0');
  int64_t place;  // of the first digit that is not 0, counted from the point
  if (whole_zeros != std::string_view::npos) {
    place = static_cast<int64_t>(numeral.whole.size() - whole_zeros);
  } else {
    const size_t zeros = numeral.fraction.find_first_not_of('0');
    if (zeros == std::string_view::npos) return 0;
    place = -static_cast<int64_t>(zeros);
  }
  return place * digit_weight + numeral.exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double FloatValue(std::string_view text, const Numeral& numeral) {
  double value = 0;
  const auto format = numeral.hex ? std::chars_format::hex : std::chars_format::general;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  return OutOfRangeValue(numeral);
}

}  // namespace

std::optional<Number> ParseNumber(std::string_view text) {
  text = StripBlanks(text);
  const bool negative = TakeSign(&text);
  Numeral numeral;
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    numeral.hex = true;
    text.remove_prefix(2);
  }
  if (!Split(text, &numeral)) return std::nullopt;
  if (numeral.IsInteger()) {
    if (const auto integer = IntegerValue(numeral, negative)) return *integer;
  }
  const double value = FloatValue(text, numeral);
  return negative ? -value : value;
}

}  // namespace neap::vm
