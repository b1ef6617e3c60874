// SPDX-License-Identifier: MIT
//
// A histogram of durations with a bounded relative error, for honest percentiles of pauses.
//
// Log-linear buckets as in HdrHistogram (Gil Tene): every power of two is cut into equal parts, so
// many that two values in one part differ by less than one unit of the last of `digits` significant
// digits. Recording is a few instructions and takes no memory; a percentile is the highest value
// that its part can hold, so that a pause is never understated.
//
//   PauseHistogram pauses;                       // 3 digits, up to 18 minutes
//   pauses.Record(pause_ns);
//   uint64_t p99_ns = pauses.ValueAtPercentile(99);
//
// Thread safety: one thread at a time records (or merges into, or resets) a histogram; any thread
// may read at any time, without a lock. A reader that overlaps a writer sees a histogram that some
// records of that moment may be missing from; count(), sum and buckets may then differ by them.
//
// Not for coordinated omission: it counts what was recorded. A stalled recorder records too little.
#ifndef NEAP_GC_PAUSE_HISTOGRAM_H_
#define NEAP_GC_PAUSE_HISTOGRAM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "neap/runtime/os_memory.h"

namespace neap::gc {

class PauseHistogram {
 public:
  // digits: 1..5 significant decimal digits. max_ns: values above it count as max_ns in the
  // percentiles (and are counted in clamped()); max() and mean() still see the true value.
  explicit PauseHistogram(int digits = 3, uint64_t max_ns = uint64_t{1} << 40);
  PauseHistogram(const PauseHistogram&) = delete;
  PauseHistogram& operator=(const PauseHistogram&) = delete;

  // Writer only.
  void Record(uint64_t value_ns) { RecordTimes(value_ns, 1); }
  void RecordTimes(uint64_t value_ns, uint64_t times);
  // Adds every record of `other`. Checks that both have the same digits and max_ns.
  void MergeFrom(const PauseHistogram& other);
  void Reset();

  // Any thread. All are 0 for an empty histogram.
  uint64_t count() const { return Load(count_); }
  uint64_t min() const;
  uint64_t max() const { return Load(max_seen_); }  // exact
  double mean() const;                              // exact sum over count
  uint64_t total_ns() const { return Load(sum_); }
  uint64_t clamped() const { return Load(clamped_); }
  // The smallest recorded value (rounded up within the error) that `percent` of all records do not
  // exceed, never above max(). percent in [0, 100]; 0 gives the smallest record's part.
  uint64_t ValueAtPercentile(double percent) const;
  // How many records are at most value_ns (to the resolution).
  uint64_t CountAtMost(uint64_t value_ns) const;
  // Calls visit(lowest value, highest value, count) for each part that is not empty, ascending.
  void ForEach(const std::function<void(uint64_t, uint64_t, uint64_t)>& visit) const;

  int digits() const { return digits_; }
  uint64_t max_ns() const { return max_ns_; }
  // Largest relative error of a percentile: 10^-digits.
  double relative_error() const;
  size_t buckets() const { return buckets_; }

  // The bucket arithmetic, public for tests: IndexOf(v) is the part of v; [LowestOf(i),
  // HighestOf(i)] are the values of part i.
  size_t IndexOf(uint64_t value_ns) const;
  uint64_t LowestOf(size_t index) const;
  uint64_t HighestOf(size_t index) const;

 private:
  static uint64_t Load(const std::atomic<uint64_t>& word) {
    return word.load(std::memory_order_relaxed);
  }
  // The one writer needs no read-modify-write.
  static void Bump(std::atomic<uint64_t>& word, uint64_t by) {
    word.store(word.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  uint64_t CountOf(size_t index) const;
  void AddToCount(size_t index, uint64_t by);

  // Most parts of a histogram stay zero: pages that are not touched cost nothing.
  struct Free {
    size_t bytes;
    void operator()(void* memory) const { OsRelease(memory, bytes); }
  };

  const int digits_;
  const uint64_t max_ns_;
  int part_bits_ = 0;   // a power of two above 2^part_bits_ is cut into 2^(part_bits_ - 1) parts
  size_t buckets_ = 0;  // number of parts
  // calloc'ed, so that pages of parts that never occur are never touched (a histogram of 3 digits
  // spans 250 KiB and touches a page or two).
  std::unique_ptr<uint64_t[], Free> counts_;
  std::atomic<uint64_t> count_{0};
  std::atomic<uint64_t> sum_{0};
  std::atomic<uint64_t> min_seen_{UINT64_MAX};
  std::atomic<uint64_t> max_seen_{0};
  std::atomic<uint64_t> clamped_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_PAUSE_HISTOGRAM_H_
