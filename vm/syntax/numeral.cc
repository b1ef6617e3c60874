// SPDX-License-Identifier: MIT
#include "numeral.h"

#include <locale.h>  // newlocale and strtod_l are POSIX, not C++

#include <clocale>
#include <cstdlib>
#include <limits>
#include <string>

#include "characters.h"

namespace neap::vm {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

struct Signed {
  bool is_negative = false;
  std::string_view digits;
};

Signed SplitSign(std::string_view text) {
  if (text.starts_with('-')) return {true, text.substr(1)};
  if (text.starts_with('+')) return {false, text.substr(1)};
  return {false, text};
}

bool IsHex(std::string_view digits) {
  return digits.size() >= 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

Numeral Integer(uint64_t magnitude, bool is_negative) {
  const uint64_t bits = is_negative ? 0 - magnitude : magnitude;
  return {.kind = Numeral::Kind::kInteger, .integer = static_cast<int64_t>(bits)};
}

Numeral HexInteger(std::string_view digits, bool is_negative) {
  uint64_t value = 0;
  if (digits.empty()) return {};
  for (const char c : digits) {
    const int digit = HexValue(c);
    if (digit < 0) return {};
    value = value * 16 + static_cast<uint64_t>(digit);
  }
  return Integer(value, is_negative);
}

Numeral DecimalInteger(std::string_view digits, bool is_negative) {
  const uint64_t limit = uint64_t{std::numeric_limits<int64_t>::max()} + (is_negative ? 1 : 0);
  uint64_t value = 0;
  if (digits.empty()) return {};
  for (const char c : digits) {
    if (!IsDigit(c)) return {};
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (value > (limit - digit) / 10) return {};  // does not fit: it is a float
    value = value * 10 + digit;
  }
  return Integer(value, is_negative);
}

// strtod reads the decimal point of the process's locale, which a host may have set.
double ToDouble(const char* text, char** end) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(text, end, c_locale);
}

Numeral Float(std::string_view text) {
  if (text.find_first_of("nN") != std::string_view::npos) return {};  // inf, nan
  const std::string terminated(text);
  char* end = nullptr;
  const double value = ToDouble(terminated.c_str(), &end);
  if (end == terminated.c_str() || end != terminated.c_str() + terminated.size()) return {};
  return {.kind = Numeral::Kind::kFloat, .real = value};
}

}  // namespace

Numeral ParseNumeral(std::string_view text) {
  text = Trim(text);
  const auto [is_negative, digits] = SplitSign(text);
  const Numeral integer = IsHex(digits) ? HexInteger(digits.substr(2), is_negative)
                                        : DecimalInteger(digits, is_negative);
  return integer.kind == Numeral::Kind::kInteger ? integer : Float(text);
}

}  // namespace neap::vm
