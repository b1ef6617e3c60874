// SPDX-License-Identifier: MIT
//
// Times of frames and what can be said of them: percentiles, the tail and what it holds.
//
// A frame is judged by the CPU time of its thread (the machine is shared; wall time is kept beside
// it). Percentiles follow the article: with n = 600 sorted ascending, p50 is element n/2 and p99
// element floor(0.99 n) = 594, so "at or above p99" are the six worst frames.
#ifndef NEAP_BENCH_LAB_FRAME_TIMES_H_
#define NEAP_BENCH_LAB_FRAME_TIMES_H_

#include <cstdint>
#include <vector>

namespace neap::lab {

struct FrameSample {
  uint64_t wall_ns = 0, cpu_ns = 0;
  uint64_t spawn_ns = 0, update_ns = 0;     // CPU, the two phases
  uint64_t minors = 0, majors = 0;          // collections that fell into it
  uint64_t gc_cpu_ns = 0, gc_pause_ns = 0;  // their CPU and their pauses
  uint64_t collections() const { return minors + majors; }
};
using FrameField = uint64_t FrameSample::*;

// The element at floor(fraction * n) of the sorted values, in milliseconds; 0 when there are none.
double PercentileMs(const std::vector<FrameSample>& frames, FrameField field, double fraction);
double MedianMs(const std::vector<FrameSample>& frames, FrameField field);
double MeanMs(const std::vector<FrameSample>& frames, FrameField field);
double MaxMs(const std::vector<FrameSample>& frames, FrameField field);

// What stands in the worst hundredth, by CPU time.
struct FrameTail {
  int frames = 0;                 // at or above p99
  int with_collection = 0;        // of these
  double gc_share_of_excess = 0;  // GC CPU / sum of (frame - median) over them
  double share_of_others = 0;     // frames below p99 that contain a collection, 0..1
};
FrameTail TailOf(const std::vector<FrameSample>& frames);

// Median of a list (mean of the middle two for even sizes) and (max - min) / median.
double Median(std::vector<double> values);
double Spread(const std::vector<double>& values);

// Least squares y = a + b x; r2 is the coefficient of determination (NaN when all y are equal:
// they show no line).
struct LineFit {
  double intercept = 0, slope = 0, r2 = 0;
};
LineFit FitLine(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_FRAME_TIMES_H_
