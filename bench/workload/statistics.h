// SPDX-License-Identifier: MIT
//
// The median of repeated measurements, and an interval that it lies in.
//
// The interval is free of assumptions about the distribution: that a sample's k-th smallest and
// k-th largest value enclose the median is a matter of coin tosses (the sign test, see David and
// Nagaraja, Order Statistics, 7.1). With n values the widest interval, all of them, has a
// confidence of 1 - 2^(1-n): 75 % for three, 94 % for five, 97 % for six.
#ifndef NEAP_BENCH_WORKLOAD_STATISTICS_H_
#define NEAP_BENCH_WORKLOAD_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace neap::workload {

struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  // the narrowest interval of at least kWantedConfidence, or all values
  double confidence = 0;     // that the true median lies in it, 0..1
};
inline constexpr double kWantedConfidence = 0.95;

// NaN when there are no values.
MedianInterval MedianOf(std::vector<double> values);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_STATISTICS_H_
