// SPDX-License-Identifier: MIT
//
// What the page of a trace adds to the style sheet of the lab's report, and its script.
#ifndef NEAP_BENCH_TRACE_PAGE_ASSETS_H_
#define NEAP_BENCH_TRACE_PAGE_ASSETS_H_

#include <string_view>

namespace neap::trace {

extern const std::string_view kPageStyle;
extern const std::string_view kPageCharts;  // drawing; knows nothing of collections
extern const std::string_view kPageScript;  // the page: data, charts, selection, why

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_PAGE_ASSETS_H_
