// SPDX-License-Identifier: MIT
//
// The lab's report as one HTML file that needs nothing else: no network, no font, no image, no
// framework. See report_html.cc for how it is laid out.
#ifndef NEAP_BENCH_LAB_REPORT_HTML_H_
#define NEAP_BENCH_LAB_REPORT_HTML_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lab.h"

namespace neap::lab {

// What one experiment left behind.
struct HtmlSection {
  std::string id;
  std::string title;
  std::string explains;
  std::vector<Row> rows;
  std::vector<Table> tables;
  std::vector<Plot> plots;
  std::vector<std::string> remarks;
};

// What stands at the top of the page. Pairs are shown as "name: value".
struct HtmlHead {
  std::string title = "neap lab";
  std::string command;  // as typed, so that a reader can run it again
  std::string date;     // UTC
  std::vector<std::pair<std::string, std::string>> configuration;  // heap options, seed, scale
  std::vector<std::pair<std::string, std::string>> machine;        // processor, caches, system
};

// The page as a string. Every text is escaped; a number that is not finite is shown as "n/a".
std::string RenderHtml(const HtmlHead& head, const std::vector<HtmlSection>& sections);

// One plot as a <figure>: inline SVG, legend, and its data as a table. `number` makes ids unique.
std::string RenderPlotHtml(const Plot& plot, int number);

// "&", "<", ">" and both quotes replaced.
std::string EscapeHtml(std::string_view text);

// A figure for people: four significant digits, thousands separated, "n/a" when not finite.
std::string FormatFigure(double value);

// Creates or truncates `path` and writes `page`. The error names the path and the system's reason.
absl::Status WriteHtmlFile(const std::string& path, std::string_view page);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_HTML_H_
