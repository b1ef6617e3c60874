// SPDX-License-Identifier: MIT
//
// The HTML report: nothing of the data can break the page, and plots keep their rules P1 to P3.
#include "report_html.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "run_program.h"

namespace neap::lab {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Plot OneSeries(std::vector<std::pair<double, double>> points,
               Series::Style style = Series::Style::kPoints) {
  Plot plot;
  plot.title = "t";
  plot.x_label = "x";
  plot.y_label = "y";
  plot.series = {{.name = "s", .points = std::move(points), .style = style}};
  return plot;
}

TEST_CASE("text that looks like markup is escaped wherever it comes from") {
  const std::string evil = "<b>&\"'";
  const std::string safe = "&lt;b&gt;&amp;&quot;&#39;";
  CHECK(EscapeHtml(evil) == safe);
  HtmlSection section;
  section.id = section.title = section.explains = evil;
  section.remarks = {evil};
  section.rows = {{.experiment = evil,
                   .quantity = evil,
                   .unit = evil,
                   .source = evil,
                   .criterion_class = Class::kExact,
                   .criterion = evil,
                   .verdict = Verdict::kFail,
                   .reason = evil}};
  section.tables = {{.title = evil, .columns = {evil}, .rows = {{evil}}}};
  Plot plot = OneSeries({{1, 2}});
  plot.title = plot.x_label = plot.y_label = plot.series[0].name = evil;
  section.plots = {plot};
  HtmlHead head;
  head.title = head.command = head.date = evil;
  head.configuration = head.machine = {{evil, evil}};
  const std::string page = RenderHtml(head, {section, section});
  CHECK_FALSE(Has(page, "<b>&"));
  CHECK_FALSE(Has(page, evil));
  CHECK(CountOf(page, safe) > 20);
}

TEST_CASE("the head counts the verdicts and a failure is told with its reason") {
  HtmlSection section;
  section.id = "G1";
  section.rows = {
      {.quantity = "a", .criterion_class = Class::kExact, .verdict = Verdict::kPass},
      {.quantity = "b", .criterion_class = Class::kExact, .verdict = Verdict::kPass},
      {.quantity = "misses",
       .criterion_class = Class::kExact,
       .criterion = "== 100",
       .verdict = Verdict::kFail,
       .reason = "because"},
      {.quantity = "c", .criterion_class = Class::kTime, .verdict = Verdict::kUndecided},
      {.quantity = "d"}};
  const std::string page = RenderHtml({}, {section});
  CHECK(Has(page, "<li class=\"pass\"><b>2</b>pass</li>"));
  CHECK(Has(page, "<li class=\"fail\"><b>1</b>fail</li>"));
  CHECK(Has(page, "<li class=\"undecided\"><b>1</b>undecided</li>"));
  CHECK(Has(page, "<li class=\"report\"><b>1</b>reported</li>"));
  CHECK(Has(page, "What failed"));
  CHECK(Has(page, "misses: 0, required == 100. because"));
  section.rows.erase(section.rows.begin() + 2);
  CHECK_FALSE(Has(RenderHtml({}, {section}), "What failed"));
}

TEST_CASE("figures: whole numbers in full, others short, never nan") {
  CHECK(FormatFigure(0) == "0");
  CHECK(FormatFigure(-1234) == "-1,234");
  CHECK(FormatFigure(-123) == "-123");
  CHECK(FormatFigure(29491.7) == "29,491.7");
  CHECK(FormatFigure(-1234567) == "-1,234,567");
  CHECK(FormatFigure(68389346017.0) == "68,389,346,017");
  CHECK(FormatFigure(0.123456) == "0.1235");
  CHECK(FormatFigure(123456.7) == "123,457");
  CHECK(FormatFigure(std::nan("")) == "n/a");
  CHECK(FormatFigure(INFINITY) == "n/a");
}

TEST_CASE("P1: points without a place are left out and counted") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Plot plot = OneSeries({{1, 1}, {2, nan}, {INFINITY, 3}, {0, 5}, {10, 10}});
  CHECK(Has(RenderPlotHtml(plot, 1), "2 points have no place"));
  plot.log_x = true;  // now the 0 has none either
  const std::string html = RenderPlotHtml(plot, 1);
  CHECK(Has(html, "3 points have no place"));
  CHECK(CountOf(html, "<path class=\"mark\"") == 2);
  CHECK_FALSE(Has(html.substr(0, html.find("<details>")), "nan"));
}

TEST_CASE("P2: a linear y axis starts at zero") {
  const std::string html = RenderPlotHtml(OneSeries({{1, 900}, {2, 1000}}), 1);
  CHECK(Has(html, ">0</text>"));
}

TEST_CASE(
    "a y axis from zero ends on a tick, and a short logarithmic one has ticks in its decade") {
  CHECK(Has(RenderPlotHtml(OneSeries({{1, 5}, {2, 57}}), 1), ">60</text>"));
  Plot plot = OneSeries({{1, 0.09}, {2, 4}});
  plot.log_y = true;
  const std::string html = RenderPlotHtml(plot, 1);
  for (const char* tick : {"0.1", "0.2", "0.5", "1", "2"}) {
    CHECK(Has(html, std::string("text-anchor=\"end\">") + tick + "</text>"));
  }
}

TEST_CASE("the legend shows the marks that the plot has") {
  std::vector<std::pair<double, double>> many;
  for (int i = 0; i < 100; ++i) many.emplace_back(i, i);
  Plot plot = OneSeries(many, Series::Style::kLine);
  plot.series.push_back({.name = "few", .points = {{1, 1}, {2, 2}}});
  const std::string html = RenderPlotHtml(plot, 1);
  const std::string legend = html.substr(html.find("class=\"legend\""));
  CHECK(CountOf(legend, "class=\"mark") == 1);
}

TEST_CASE("P3: a long series keeps its largest values and says so") {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 10'000; ++i) points.emplace_back(i, 1);
  points[1234].second = 50;  // the tail that people look for
  const std::string html = RenderPlotHtml(OneSeries(points), 1);
  CHECK(CountOf(html, "<path class=\"mark\"") <= 400);
  CHECK(Has(html, "y: 50<"));
  CHECK(Has(html, "10000 points in all"));
}

TEST_CASE("an empty plot and one of a single point are drawn") {
  CHECK(Has(RenderPlotHtml(OneSeries({}), 1), "<svg"));
  CHECK(CountOf(RenderPlotHtml(OneSeries({{5, 5}}, Series::Style::kLine), 1),
                "<path class=\"mark") == 1);
}

TEST_CASE("a dashed series shares the colour of its solid twin") {
  Plot plot = OneSeries({});
  const std::vector<std::pair<double, double>> points = {{1, 1}, {2, 2}};
  plot.series = {{.name = "fresh p50", .points = points},
                 {.name = "fresh p99", .points = points, .style = Series::Style::kDashed},
                 {.name = "pool p50", .points = points}};
  const std::string html = RenderPlotHtml(plot, 1);
  CHECK(CountOf(html, "<g class=\"s0\">") == 2);
  CHECK(CountOf(html, "<g class=\"s1\">") == 1);
}

TEST_CASE("a page that cannot be written names its path") {
  const absl::Status status = WriteHtmlFile("/no-such-folder/x.html", "page");
  CHECK_FALSE(status.ok());
  CHECK(Has(std::string(status.message()), "/no-such-folder/x.html"));
  const std::string path = cli_test::ScratchPath("page.html");
  CHECK(WriteHtmlFile(path, "page").ok());
  CHECK(cli_test::ReadFile(path) == "page");
}

}  // namespace
}  // namespace neap::lab
