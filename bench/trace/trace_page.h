// SPDX-License-Identifier: MIT
//
// A run as one HTML page that needs nothing else: no network, no font, no framework. Charts of the
// heap, pauses, survivors and pools over time, the MMU curve, likely problems, and for each
// collection why it ran. trace_page.cc says how it is laid out.
#ifndef NEAP_BENCH_TRACE_TRACE_PAGE_H_
#define NEAP_BENCH_TRACE_TRACE_PAGE_H_

#include <cstddef>
#include <string>

#include "trace_run.h"

namespace neap::trace {

struct PageOptions {
  // Of each kind of collection, in the page's data. Beyond it the shortest pauses of each stretch
  // are left out (the longest are what people look for), and the page says so. 150,000 of both
  // kinds make a page of about 20 MB that opens in a second or two.
  size_t most_collections = 150'000;
  std::string remark;  // a line under the title; escaped
};

// Every text of the run is escaped.
std::string RenderPage(const Run& run, const PageOptions& options = {});

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_PAGE_H_
