// SPDX-License-Identifier: MIT
//
// Floats by the rules of C's printf, with std::to_chars for the digits. What to_chars does not do
// is done here: sign and padding, capitals, '#', and the choice that %g makes.
//
//   %g with precision P (0 counts as 1) and decimal exponent X of the value rounded to P digits:
//       P > X >= -4    as %f with P - 1 - X places
//       otherwise      as %e with P - 1 places
//   and, unless '#', without zeros at the end of the fraction.
//
// Hexadecimal digits come from here, not from to_chars: a subnormal is written with a leading 0 by
// one library and normalised by the next.
//
//   %a   1.hhhhhhhhhhhhh p exponent      a leading 1; 0 for zero and subnormals (exponent -1022)
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "text/char_class.h"
#include "text/format_spec.h"
#include "text/padding.h"

namespace neap::vm {
namespace {

constexpr int kDefaultPrecision = 6;
// 309 digits, a point, 99 places, and room for an exponent.
constexpr size_t kBufferBytes = 512;
constexpr int kFractionHexDigits = 13;
constexpr int kFractionBits = 52;

std::string Digits(double value, std::chars_format format, int precision) {
  char buffer[kBufferBytes];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format, precision);
  return std::string(buffer, end);
}

// Puts a point behind the last digit when there is none: what '#' asks for.
void EnsurePoint(std::string* body) {
  if (body->find('.') != std::string::npos) return;
  const size_t exponent = body->find_first_of("ep");
  body->insert(exponent == std::string::npos ? body->size() : exponent, 1, '.');
}

std::string GeneralWithZeros(double value, int precision) {
  const int digits = precision == 0 ? 1 : precision;
  std::string body = Digits(value, std::chars_format::scientific, digits - 1);
  int exponent = 0;
  const size_t mark = body.find('e');
  const size_t number = mark + (body[mark + 1] == '+' ? 2 : 1);
  std::from_chars(body.data() + number, body.data() + body.size(), exponent);
  if (exponent >= -4 && exponent < digits) {
    body = Digits(value, std::chars_format::fixed, digits - 1 - exponent);
  }
  return body;
}

// Rounds the fraction to `precision` hexadecimal digits, halves to even; may carry into `lead`.
void RoundFraction(int precision, uint64_t* lead, uint64_t* fraction) {
  if (precision >= kFractionHexDigits) return;
  const int dropped = kFractionBits - 4 * precision;
  const uint64_t unit = uint64_t{1} << dropped;
  const uint64_t all = (*lead << kFractionBits) | *fraction;
  const uint64_t remainder = all & (unit - 1);
  const bool odd = (all & unit) != 0;
  uint64_t rounded = all - remainder;
  if (remainder > unit / 2 || (remainder == unit / 2 && odd)) rounded += unit;
  *lead = rounded >> kFractionBits;
  *fraction = rounded & ((uint64_t{1} << kFractionBits) - 1);
}

// `value` is finite and not negative. The precision -1 asks for all digits that are not zero.
std::string HexDigits(double value, int precision) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t biased = bits >> kFractionBits;
  uint64_t fraction = bits & ((uint64_t{1} << kFractionBits) - 1);
  uint64_t lead = biased == 0 ? 0 : 1;
  int exponent = static_cast<int>(biased) - 1023;
  if (biased == 0) exponent = fraction == 0 ? 0 : -1022;
  if (precision >= 0) RoundFraction(precision, &lead, &fraction);

  std::string body = std::to_string(lead);
  std::string places;
  for (int shift = kFractionBits - 4; shift >= 0; shift -= 4) {
    places.push_back("0123456789abcdef"[(fraction >> shift) & 15]);
  }
  if (precision < 0) {
    places.erase(places.find_last_not_of('0') + 1);
  } else {
    places.resize(static_cast<size_t>(precision), '0');
  }
  if (!places.empty()) body.append(1, '.').append(places);
  body.append(exponent < 0 ? "p" : "p+").append(std::to_string(exponent));
  return body;
}

// `value` is finite and not negative.
std::string Body(const FormatSpec& spec, double value) {
  const char conversion = static_cast<char>(spec.conversion | 0x20);
  const int precision = spec.precision < 0 ? kDefaultPrecision : spec.precision;
  switch (conversion) {
    case 'a':
      return HexDigits(value, spec.precision);
    case 'e':
      return Digits(value, std::chars_format::scientific, precision);
    case 'f':
      return Digits(value, std::chars_format::fixed, precision);
    default:
      return spec.alternate ? GeneralWithZeros(value, precision)
                            : Digits(value, std::chars_format::general, precision);
  }
}

}  // namespace

void FormatFloat(const FormatSpec& spec, double value, std::string* out) {
  const bool finite = std::isfinite(value);
  std::string body;
  if (finite) {
    body = Body(spec, std::fabs(value));
    if (spec.alternate) EnsurePoint(&body);
  } else {
    body = std::isnan(value) ? "nan" : "inf";
  }
  std::string prefix(SignOf(spec, std::signbit(value)));
  if (finite && (spec.conversion | 0x20) == 'a') prefix.append("0x");
  if (IsInClass(spec.conversion, kUpperClass)) {
    for (std::string* text : {&prefix, &body}) {
      std::transform(text->begin(), text->end(), text->begin(), ToUpper);
    }
  }
  // Zeros before "inf" would make it look like a number.
  AppendPadded(spec, prefix, 0, body, spec.zero && finite ? Fill::kZeros : Fill::kBlanks, out);
}

}  // namespace neap::vm
