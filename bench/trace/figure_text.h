// SPDX-License-Identifier: MIT
//
// Figures as people read them. One function per unit, so that a figure looks the same everywhere.
#ifndef NEAP_BENCH_TRACE_FIGURE_TEXT_H_
#define NEAP_BENCH_TRACE_FIGURE_TEXT_H_

#include <cstdint>
#include <string>

#include "trace_summary.h"

namespace neap::trace {

// "850 ns", "12.3 us", "4.56 ms", "1.20 s": three significant digits.
std::string TimeText(double ns);
// "512 B", "1.50 KiB", "37.1 MiB".
std::string BytesText(double bytes);
// 0.1234 is "12.3 %"; what is not 0 never shows as 0.
std::string ShareText(double share);
// "1,234,567".
std::string CountText(uint64_t count);
// In the metric's unit.
std::string MetricText(const Metric& metric);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_FIGURE_TEXT_H_
