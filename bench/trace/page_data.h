// SPDX-License-Identifier: MIT
//
// The data of the page (trace_page.h): one JSON object inside a <script> element.
//
//   {"source":"neap","seconds":12.3,"minor":SET,"major":SET,"pools":[...]}
//   SET   {"all":4711,"rows":4711,"columns":{"pause_ns":[...],"workers":1,...}}
//
// A column is a field of the event. A field that is the same in all rows is its value alone, which
// halves the page: most fields of most runs are 0. start_ns counts from second 0. Text fields are
// text. null is 2^64-1.
#ifndef NEAP_BENCH_TRACE_PAGE_DATA_H_
#define NEAP_BENCH_TRACE_PAGE_DATA_H_

#include <cstddef>
#include <string>

#include "trace_run.h"

namespace neap::trace {

// "<" is escaped: no text can end the element.
std::string PageData(const Run& run, size_t most_collections);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_PAGE_DATA_H_
