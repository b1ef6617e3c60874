// SPDX-License-Identifier: MIT
//
// Integers, bytes, strings, pointers, literals. Floats stand in format_float.cc.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "text/char_class.h"
#include "text/format_spec.h"
#include "text/padding.h"

namespace neap::vm {
namespace {

int BaseOf(char conversion) {
  switch (conversion) {
    case 'o':
      return 8;
    case 'x':
    case 'X':
      return 16;
    default:
      return 10;
  }
}

// The precision is the least number of digits; with precision 0 the value 0 has none.
size_t LeadingZeros(const FormatSpec& spec, size_t digits) {
  const size_t least = spec.precision < 0 ? 1 : static_cast<size_t>(spec.precision);
  return least - std::min(least, digits);
}

}  // namespace

void FormatInteger(const FormatSpec& spec, int64_t value, std::string* out) {
  const int base = BaseOf(spec.conversion);
  const bool is_signed = spec.conversion == 'd' || spec.conversion == 'i';
  const bool negative = is_signed && value < 0;
  const uint64_t magnitude =
      negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  char buffer[24];
  char* end = buffer;  // no digits yet: those of 0 are leading zeros
  if (magnitude != 0) end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr;
  if (spec.conversion == 'X') std::transform(buffer, end, buffer, ToUpper);
  const std::string_view digits(buffer, static_cast<size_t>(end - buffer));

  size_t zeros = LeadingZeros(spec, digits.size());
  std::string_view prefix = base == 10 ? SignOf(spec, negative) : "";
  if (spec.alternate && base == 16 && value != 0) prefix = spec.conversion == 'x' ? "0x" : "0X";
  if (spec.alternate && base == 8 && zeros == 0) zeros = 1;
  // A precision says how many zeros there are; then the flag is ignored.
  const Fill fill = spec.zero && spec.precision < 0 ? Fill::kZeros : Fill::kBlanks;
  AppendPadded(spec, prefix, zeros, digits, fill, out);
}

void FormatChar(const FormatSpec& spec, char value, std::string* out) {
  AppendPadded(spec, "", 0, std::string_view(&value, 1), Fill::kBlanks, out);
}

void FormatPointer(const FormatSpec& spec, uint64_t identity, std::string* out) {
  if (identity == 0) return AppendPadded(spec, "", 0, "(null)", Fill::kBlanks, out);
  char buffer[24];
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, identity, 16).ptr;
  const std::string_view digits(buffer, static_cast<size_t>(end - buffer));
  AppendPadded(spec, "0x", 0, digits, Fill::kBlanks, out);
}

TextStatus FormatString(const FormatSpec& spec, std::string_view value, std::string* out) {
  if (spec.text.size() > 2 && value.find('\0') != std::string_view::npos) {
    return TextStatus::Argument(TextStatus::kValueAtHand, "string contains zeros");
  }
  if (TextStatus status = CheckModifiers(spec); !status.ok()) return status;
  if (spec.precision >= 0) value = value.substr(0, static_cast<size_t>(spec.precision));
  AppendPadded(spec, "", 0, value, Fill::kBlanks, out);
  return {};
}

void QuoteString(std::string_view value, std::string* out) {
  out->push_back('"');
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"' || c == '\\' || c == '\n') {
      out->push_back('\\');
      out->push_back(c);
    } else if (IsInClass(c, kControlClass)) {
      out->push_back('\\');
      // A digit behind a shorter escape would be read as part of it.
      const bool digit_follows = i + 1 < value.size() && IsDigit(value[i + 1]);
      std::string digits;
      AppendInteger(static_cast<unsigned char>(c), &digits);
      if (digit_follows) out->append(3 - digits.size(), '0');
      out->append(digits);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void QuoteNumber(const Number& value, std::string* out) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    // In decimal the parser would see a float with a minus sign before it.
    if (*integer == std::numeric_limits<int64_t>::min()) {
      out->append("0x8000000000000000");
    } else {
      AppendInteger(*integer, out);
    }
    return;
  }
  const double real = *std::get_if<double>(&value);
  if (std::isnan(real)) {
    out->append("(0/0)");
  } else if (std::isinf(real)) {
    out->append(real < 0 ? "-1e9999" : "1e9999");
  } else {
    FormatFloat(FormatSpec{.conversion = 'a'}, real, out);
  }
}

}  // namespace neap::vm
