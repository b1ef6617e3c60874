// SPDX-License-Identifier: MIT
//
// Printing, rounding and comparing. Reading stands in number_parse.cc.
//
// A comparison of an integer i with a float f goes through an integer again: i < f exactly when
// i < ceil(f), and i <= f exactly when i <= floor(f). When the rounded f is no int64_t, f lies
// outside the range of all integers and its sign alone decides.
#include "text/number.h"

#include <charconv>
#include <cmath>

namespace neap::vm {
namespace {

bool Less(int64_t left, double right) {
  if (const auto bound = FloatToInteger(right, Rounding::kCeil)) return left < *bound;
  return right > 0;
}
bool Less(double left, int64_t right) {
  if (const auto bound = FloatToInteger(left, Rounding::kFloor)) return *bound < right;
  return left < 0;
}
bool LessEqual(int64_t left, double right) {
  if (const auto bound = FloatToInteger(right, Rounding::kFloor)) return left <= *bound;
  return right > 0;
}
bool LessEqual(double left, int64_t right) {
  if (const auto bound = FloatToInteger(left, Rounding::kCeil)) return *bound <= right;
  return left < 0;
}
template <typename T>
bool Less(T left, T right) {
  return left < right;
}
template <typename T>
bool LessEqual(T left, T right) {
  return left <= right;
}

}  // namespace

void AppendInteger(int64_t value, std::string* out) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out->append(buffer, end);
}

void AppendFloat(double value, std::string* out, int digits) {
  if (!std::isfinite(value)) {
    if (std::signbit(value)) out->push_back('-');
    out->append(std::isnan(value) ? "nan" : "inf");
    return;
  }
  char buffer[40];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out->append(text);
  if (text.find_first_not_of("-0123456789") == std::string_view::npos) out->append(".0");
}

void AppendNumber(const Number& value, std::string* out) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) return AppendInteger(*integer, out);
  AppendFloat(*std::get_if<double>(&value), out);
}

std::optional<int64_t> FloatToInteger(double value, Rounding rounding) {
  double integral = std::floor(value);
  if (integral != value) {  // NaN comes here as well
    if (rounding == Rounding::kExact) return std::nullopt;
    if (rounding == Rounding::kCeil) integral += 1;
  }
  // Both bounds are exact doubles; the upper one is the first value that does not fit.
  if (!(integral >= -0x1p63 && integral < 0x1p63)) return std::nullopt;
  return static_cast<int64_t>(integral);
}

bool NumberEqual(const Number& left, const Number& right) {
  if (left.index() == right.index()) return left == right;
  const bool left_is_integer = std::holds_alternative<int64_t>(left);
  const int64_t integer = *std::get_if<int64_t>(left_is_integer ? &left : &right);
  const double real = *std::get_if<double>(left_is_integer ? &right : &left);
  return FloatToInteger(real, Rounding::kExact) == integer;
}

bool NumberLess(const Number& left, const Number& right) {
  return std::visit([](auto a, auto b) { return Less(a, b); }, left, right);
}

bool NumberLessEqual(const Number& left, const Number& right) {
  return std::visit([](auto a, auto b) { return LessEqual(a, b); }, left, right);
}

}  // namespace neap::vm
