// SPDX-License-Identifier: MIT
//
// The operations on numbers that C++ defines in another way than Lua (manual 3.4.1, 3.4.2).
// Quotients are rounded down, a remainder has the sign of the divisor, shifts bring in zeros and
// accept any count. The results of integers wrap around. A division of integers by zero is the
// caller's error to report.
#ifndef NEAP_VM_TEXT_ARITHMETIC_H_
#define NEAP_VM_TEXT_ARITHMETIC_H_

#include <cmath>
#include <cstdint>

namespace neap::vm {

// `b` is not 0.
constexpr int64_t FloorDivide(int64_t a, int64_t b) {
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));  // no overflow
  const bool is_rounded_up = a % b != 0 && (a < 0) != (b < 0);
  return a / b - (is_rounded_up ? 1 : 0);
}
inline double FloorDivide(double a, double b) { return std::floor(a / b); }

// `b` is not 0.
constexpr int64_t FloorModulo(int64_t a, int64_t b) {
  if (b == -1) return 0;  // no overflow
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline double FloorModulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline double Power(double a, double b) { return b == 2 ? a * a : std::pow(a, b); }

// A negative count shifts the other way.
constexpr int64_t ShiftLeft(int64_t bits, int64_t count) {
  if (count <= -64 || count >= 64) return 0;
  const uint64_t word = static_cast<uint64_t>(bits);
  return static_cast<int64_t>(count >= 0 ? word << count : word >> -count);
}
constexpr int64_t ShiftRight(int64_t bits, int64_t count) {
  // The least integer has no negative; as a count it is far out either way.
  return ShiftLeft(bits, static_cast<int64_t>(0 - static_cast<uint64_t>(count)));
}

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_ARITHMETIC_H_
