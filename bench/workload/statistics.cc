// SPDX-License-Identifier: MIT
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace neap::workload {
namespace {

// The chance that more than `outside` of n fair coins fall short on a given side, doubled and
// taken from one: the confidence of the interval that leaves `outside` values out on each side.
double ConfidenceWithout(size_t n, size_t outside) {
  double tail = 0, term = std::pow(0.5, static_cast<double>(n));  // C(n, 0) / 2^n
  for (size_t k = 0; k <= outside; ++k) {
    tail += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return 1 - 2 * tail;
}

}  // namespace

MedianInterval MedianOf(std::vector<double> values) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const size_t n = values.size();
  if (n == 0) return {kNone, kNone, kNone, 0};
  std::sort(values.begin(), values.end());
  size_t outside = 0;
  while (2 * (outside + 1) < n && ConfidenceWithout(n, outside + 1) >= kWantedConfidence) ++outside;
  const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  return {median, values[outside], values[n - 1 - outside], ConfidenceWithout(n, outside)};
}

}  // namespace neap::workload
