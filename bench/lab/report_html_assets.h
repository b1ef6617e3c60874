// SPDX-License-Identifier: MIT
//
// The style sheet and the script of the HTML report (report_html.cc).
#ifndef NEAP_BENCH_LAB_REPORT_HTML_ASSETS_H_
#define NEAP_BENCH_LAB_REPORT_HTML_ASSETS_H_

#include <string_view>

namespace neap::lab {

extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

// Series are told apart by colour and by the shape of their marks; the style sheet names the
// colours .s0 to .s7, so a ninth series repeats the first.
inline constexpr int kSeriesColours = 8;

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_HTML_ASSETS_H_
