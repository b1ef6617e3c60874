// SPDX-License-Identifier: MIT
#include "number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace neap::lab {

std::string ShortestNumber(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 1e15) return FixedNumber(value, 0);
  char text[64];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, result.ptr);
}

std::string FixedNumber(double value, int decimals) {
  char text[400];  // the largest double has 309 places before the point
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string ReadableNumber(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double magnitude = std::fabs(value);
  if (value == std::trunc(value) && magnitude < 1e15) return FixedNumber(value, 0);
  if (magnitude >= 1e15 || magnitude < 1e-6) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.4g", value);
    return text;
  }
  const int places = 3 - static_cast<int>(std::floor(std::log10(magnitude)));
  std::string text = FixedNumber(value, std::max(places, 0));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace neap::lab
