// SPDX-License-Identifier: MIT
//
// What `neap trace` prints: the summary of a run and the comparison of two, as text and as JSON.
// The text is for people and may change; the JSON's names stay (Metric::id), new ones are added.
#ifndef NEAP_BENCH_TRACE_SUMMARY_TEXT_H_
#define NEAP_BENCH_TRACE_SUMMARY_TEXT_H_

#include <string>

#include "trace_run.h"

namespace neap::trace {

// Some twenty to sixty lines of at most 100 columns.
std::string SummaryText(const Run& run);

// {"file":...,"source":"neap","heaps":...,"metrics":{id:number},"causes":{...},"survival":[...],
//  "pools":[...],"profile":null or {"complete":true,...,"by_type":[...],"by_site":[...]},
//  "problems":[{"rule":...,"what":...,"remedy":...}]} and a line feed.
std::string SummaryJson(const Run& run);

// A line per metric: both figures and B / A. Metrics that neither run has are left out; a figure
// that a source cannot have (a Go trace knows no nursery) is "-". Types of allocations where both
// runs have a profile.
std::string ComparisonText(const Run& a, const Run& b);

// {"a":{...},"b":{...},"ratio":{id:number or null}}: a and b as in SummaryJson.
std::string ComparisonJson(const Run& a, const Run& b);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_SUMMARY_TEXT_H_
