// SPDX-License-Identifier: MIT
#include "frame_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace neap::lab {
namespace {

constexpr double kNsPerMs = 1e6;

std::vector<uint64_t> Sorted(const std::vector<FrameSample>& frames, FrameField field) {
  std::vector<uint64_t> values;
  values.reserve(frames.size());
  for (const FrameSample& frame : frames) values.push_back(frame.*field);
  std::sort(values.begin(), values.end());
  return values;
}

size_t Rank(size_t count, double fraction) {
  const auto rank = static_cast<size_t>(fraction * static_cast<double>(count));
  return std::min(rank, count - 1);
}

}  // namespace

double PercentileMs(const std::vector<FrameSample>& frames, FrameField field, double fraction) {
  if (frames.empty()) return 0;
  const std::vector<uint64_t> values = Sorted(frames, field);
  return static_cast<double>(values[Rank(values.size(), fraction)]) / kNsPerMs;
}

double MedianMs(const std::vector<FrameSample>& frames, FrameField field) {
  return PercentileMs(frames, field, 0.5);
}

double MeanMs(const std::vector<FrameSample>& frames, FrameField field) {
  if (frames.empty()) return 0;
  double sum = 0;
  for (const FrameSample& frame : frames) sum += static_cast<double>(frame.*field);
  return sum / static_cast<double>(frames.size()) / kNsPerMs;
}

double MaxMs(const std::vector<FrameSample>& frames, FrameField field) {
  return PercentileMs(frames, field, 1);
}

FrameTail TailOf(const std::vector<FrameSample>& frames) {
  FrameTail tail;
  if (frames.empty()) return tail;
  std::vector<size_t> order(frames.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Ranked, not compared with p99: the tail is the last hundredth even when times tie.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return frames[a].cpu_ns < frames[b].cpu_ns; });
  const size_t first = Rank(frames.size(), 0.99);
  const double median = MedianMs(frames, &FrameSample::cpu_ns) * kNsPerMs;
  double excess = 0, gc = 0;
  int others_with = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const FrameSample& frame = frames[order[i]];
    const bool collected = frame.collections() > 0;
    if (i < first) {
      others_with += collected;
      continue;
    }
    ++tail.frames;
    tail.with_collection += collected;
    excess += static_cast<double>(frame.cpu_ns) - median;
    gc += static_cast<double>(frame.gc_cpu_ns);
  }
  if (excess > 0) tail.gc_share_of_excess = gc / excess;
  if (first > 0) tail.share_of_others = others_with / static_cast<double>(first);
  return tail;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Spread(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double median = Median(values);
  return median == 0 ? 0 : (*high - *low) / median;
}

LineFit FitLine(const std::vector<double>& x, const std::vector<double>& y) {
  LineFit fit;
  const auto n = static_cast<double>(std::min(x.size(), y.size()));
  if (n < 2) return fit;
  double mean_x = 0, mean_y = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (xx == 0) return fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  fit.r2 = xy * xy / (xx * yy);
  return fit;
}

}  // namespace neap::lab
