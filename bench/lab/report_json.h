// SPDX-License-Identifier: MIT
//
// The lab's report for programs: one JSON object per row and line, keys in this order:
//
//   {"experiment":"G1","row":1,"quantity":"...","unit":"objects","ours":100,"source":"100",
//    "class":"X","criterion":"== 100","verdict":"pass","reason":""}
//
// `row` counts from 1 within the experiment. `ours` is null when it is not finite.
#ifndef NEAP_BENCH_LAB_REPORT_JSON_H_
#define NEAP_BENCH_LAB_REPORT_JSON_H_

#include <ostream>
#include <string>
#include <string_view>

#include "lab.h"

namespace neap::lab {

void WriteJson(const Lab& lab, std::ostream& out);

// `text` as a JSON string, quotes included. Bytes above 0x7f pass through (the lab writes UTF-8).
std::string JsonString(std::string_view text);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_JSON_H_
