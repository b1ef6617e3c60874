// SPDX-License-Identifier: MIT
//
// Bucket arithmetic of the pause histogram. With b = part_bits_:
//
//   value                       parts                          width of a part
//   [0, 2^b)                    2^b, one value each            1
//   [2^b, 2^(b+1))              2^(b-1)                        2
//   [2^(b+1), 2^(b+2))          2^(b-1)                        4
//   ...
//
// In a row whose parts are 2^s wide the smallest value is 2^(s+b-1), so a part spans at most
// 2^-(b-1) of any value in it; b is the least for which that is at most 10^-digits.
//
// Invariants:
//   Q1  LowestOf(IndexOf(v)) <= v <= HighestOf(IndexOf(v)) for v <= max_ns.
//   Q2  HighestOf(i) + 1 == LowestOf(i + 1): no gap, no overlap.
//   Q3  (HighestOf(i) - LowestOf(i)) <= LowestOf(i) x 10^-digits.
#include "neap/gc/pause_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "neap/runtime/check.h"

namespace neap::gc {
namespace {

int PartBitsFor(int digits) {
  uint64_t parts = 2;
  for (int i = 0; i < digits; ++i) parts *= 10;
  return std::bit_width(parts - 1);  // least b with 2^b >= 2 x 10^digits
}

}  // namespace

PauseHistogram::PauseHistogram(int digits, uint64_t max_ns)
    : digits_(digits), max_ns_(max_ns), part_bits_(PartBitsFor(digits)) {
  NEAP_CHECK(digits >= 1 && digits <= 5, "a histogram has 1 to 5 significant digits", "digits=%d",
             digits);
  NEAP_CHECK(max_ns >= 1 && max_ns <= UINT64_MAX / 2, "a histogram's range is 1 .. 2^63 - 1");
  buckets_ = IndexOf(max_ns) + 1;
  const size_t page_mask = kOsPageBytes - 1;
  const size_t bytes = (buckets_ * sizeof(uint64_t) + page_mask) & ~page_mask;
  counts_ = {static_cast<uint64_t*>(OsZeroes(bytes)), Free{bytes}};
  NEAP_CHECK(counts_ != nullptr, "memory for a histogram can be had", "buckets=%zu", buckets_);
}

double PauseHistogram::relative_error() const { return std::pow(10.0, -digits_); }

size_t PauseHistogram::IndexOf(uint64_t value_ns) const {
  const int width = std::bit_width(value_ns);
  if (width <= part_bits_) return value_ns;
  const int shift = width - part_bits_;
  const uint64_t half = uint64_t{1} << (part_bits_ - 1);
  // The leading bit of (value >> shift) is always set; the rows overlap by it.
  return static_cast<size_t>(shift) * half + (value_ns >> shift);
}

uint64_t PauseHistogram::LowestOf(size_t index) const {
  const uint64_t half = uint64_t{1} << (part_bits_ - 1);
  if (index < 2 * half) return index;
  const uint64_t shift = index / half - 1;
  return (index - shift * half) << shift;
}

uint64_t PauseHistogram::HighestOf(size_t index) const { return LowestOf(index + 1) - 1; }

uint64_t PauseHistogram::CountOf(size_t index) const {
  return std::atomic_ref<uint64_t>(counts_[index]).load(std::memory_order_relaxed);
}

void PauseHistogram::AddToCount(size_t index, uint64_t by) {
  std::atomic_ref<uint64_t> count(counts_[index]);
  count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void PauseHistogram::RecordTimes(uint64_t value_ns, uint64_t times) {
  if (times == 0) return;
  if (value_ns > max_ns_) Bump(clamped_, times);
  AddToCount(IndexOf(std::min(value_ns, max_ns_)), times);
  Bump(sum_, value_ns * times);
  if (value_ns < Load(min_seen_)) min_seen_.store(value_ns, std::memory_order_relaxed);
  if (value_ns > Load(max_seen_)) max_seen_.store(value_ns, std::memory_order_relaxed);
  Bump(count_, times);
}

void PauseHistogram::MergeFrom(const PauseHistogram& other) {
  NEAP_CHECK(digits_ == other.digits_ && max_ns_ == other.max_ns_,
             "merged histograms have the same digits and range", "digits=%d,%d", digits_,
             other.digits_);
  for (size_t i = 0; i < buckets_; ++i) {
    if (const uint64_t times = other.CountOf(i); times != 0) AddToCount(i, times);
  }
  min_seen_.store(std::min(Load(min_seen_), Load(other.min_seen_)), std::memory_order_relaxed);
  max_seen_.store(std::max(Load(max_seen_), Load(other.max_seen_)), std::memory_order_relaxed);
  Bump(sum_, Load(other.sum_));
  Bump(clamped_, Load(other.clamped_));
  Bump(count_, Load(other.count_));
}

void PauseHistogram::Reset() {
  for (size_t i = 0; i < buckets_; ++i) {
    // Tested first: a store would touch pages that no record ever needed.
    if (CountOf(i) != 0) {
      std::atomic_ref<uint64_t>(counts_[i]).store(0, std::memory_order_relaxed);
    }
  }
  count_.store(0, std::memory_order_relaxed);
  sum_.store(0, std::memory_order_relaxed);
  clamped_.store(0, std::memory_order_relaxed);
  min_seen_.store(UINT64_MAX, std::memory_order_relaxed);
  max_seen_.store(0, std::memory_order_relaxed);
}

uint64_t PauseHistogram::min() const { return count() == 0 ? 0 : Load(min_seen_); }

double PauseHistogram::mean() const {
  const uint64_t records = count();
  return records == 0 ? 0 : static_cast<double>(Load(sum_)) / static_cast<double>(records);
}

uint64_t PauseHistogram::ValueAtPercentile(double percent) const {
  // The sum of the parts, not count(): a record in flight may be in one and not in the other.
  uint64_t total = 0;
  for (size_t i = 0; i < buckets_; ++i) total += CountOf(i);
  if (total == 0) return 0;
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(total)));
  const uint64_t rank = std::clamp<uint64_t>(wanted, 1, total);
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_; ++i) {
    seen += CountOf(i);
    if (seen >= rank) return std::min(HighestOf(i), max());
  }
  return max();
}

uint64_t PauseHistogram::CountAtMost(uint64_t value_ns) const {
  const size_t last = IndexOf(std::min(value_ns, max_ns_));
  uint64_t seen = 0;
  for (size_t i = 0; i <= last; ++i) seen += CountOf(i);
  return seen;
}

void PauseHistogram::ForEach(const std::function<void(uint64_t, uint64_t, uint64_t)>& visit) const {
  for (size_t i = 0; i < buckets_; ++i) {
    if (const uint64_t times = CountOf(i); times != 0) visit(LowestOf(i), HighestOf(i), times);
  }
}

}  // namespace neap::gc
