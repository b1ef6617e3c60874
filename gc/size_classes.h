// SPDX-License-Identifier: MIT
//
// Cell sizes of old space: steps of 8 bytes up to 128, then eight per doubling (at most 12.5 %
// waste) up to kMaxCellBytes.
#ifndef NEAP_GC_SIZE_CLASSES_H_
#define NEAP_GC_SIZE_CLASSES_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "heap_range.h"

namespace neap::gc {

inline constexpr int kSmallClasses = 15;  // 16, 24, ..., 128
inline constexpr int kClassesPerDoubling = 8;
inline constexpr int kSizeClasses = kSmallClasses + 6 * kClassesPerDoubling;

constexpr std::array<uint32_t, kSizeClasses> MakeCellSizes() {
  std::array<uint32_t, kSizeClasses> sizes{};
  int n = 0;
  for (uint32_t bytes = 16; bytes <= 128; bytes += 8) sizes[static_cast<size_t>(n++)] = bytes;
  for (uint32_t low = 128; low < kMaxCellBytes; low *= 2) {
    for (uint32_t i = 1; i <= kClassesPerDoubling; ++i) {
      sizes[static_cast<size_t>(n++)] = low + i * low / kClassesPerDoubling;
    }
  }
  return sizes;
}
inline constexpr std::array<uint32_t, kSizeClasses> kCellBytes = MakeCellSizes();
static_assert(kCellBytes.front() == kMinObjectBytes && kCellBytes.back() == kMaxCellBytes);

// The smallest class whose cells hold `bytes` (multiple of 8, 16..kMaxCellBytes).
constexpr int SizeClassFor(size_t bytes) {
  if (bytes <= 128) return static_cast<int>(bytes / 8) - 2;
  const int log2 = std::bit_width(bytes - 1) - 1;  // 2^log2 <= bytes - 1
  const size_t step = (size_t{1} << log2) / kClassesPerDoubling;
  const auto within = static_cast<int>((bytes - 1 - (size_t{1} << log2)) / step);
  return kSmallClasses + (log2 - 7) * kClassesPerDoubling + within;
}
constexpr bool EverySizeFits() {
  for (size_t bytes = 16; bytes <= kMaxCellBytes; bytes += 8) {
    const auto c = static_cast<size_t>(SizeClassFor(bytes));
    if (kCellBytes[c] < bytes || (c > 0 && kCellBytes[c - 1] >= bytes)) return false;
  }
  return true;
}
static_assert(EverySizeFits());

}  // namespace neap::gc

#endif  // NEAP_GC_SIZE_CLASSES_H_
