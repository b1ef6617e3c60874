// SPDX-License-Identifier: MIT
//
// Plots of the HTML report: inline SVG, drawn here.
//
//      y label (HTML)
//      +--------+----------------------------------------+
//      | ticks  |  grid, series                          |  view box 640 x 320; the page scales it
//      |        |                                        |
//      +--------+----------------------------------------+
//               |  ticks                                 |
//      x label, legend, data table (HTML)
//
// Titles, labels and the legend are HTML, so that they wrap and keep their size on a phone; only
// tick labels are inside the drawing, few of them, so that they may grow there
// (report_html_assets.cc).
//
// Rules:
//   P1  A point that is not finite, or not positive on a logarithmic axis, is left out and counted
//       in the caption; it is never moved.
//   P2  A linear y axis that does not cross zero starts at zero: the reader compares lengths.
//   P3  A series of more than kMostPoints is thinned to the largest value of each column (a tail is
//       what people look for), and the caption says so.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report_html.h"
#include "report_html_assets.h"

namespace neap::lab {
namespace {

using Point = std::pair<double, double>;

constexpr double kWidth = 640, kHeight = 320;  // of the view box
constexpr double kLeft = 74, kRight = 14, kTop = 12, kBottom = 34;
constexpr size_t kMostPoints = 400;      // more marks than this cannot be told apart at 560 units
constexpr size_t kMostMarksOnLine = 60;  // beyond it, marks hide the line
constexpr size_t kMostTableRows = 400;   // of the data table under the plot

// Maps values to units of the view box.
struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // units
  bool logarithmic = false;

  bool Shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  double Scale(double v) const { return logarithmic ? std::log10(v) : v; }
  double At(double v) const {
    return from + (Scale(v) - Scale(low)) / (Scale(high) - Scale(low)) * (to - from);
  }
};

// The step of 1, 2 or 5 times a power of ten that divides `span` into at most `most` parts.
double NiceStep(double span, int most) {
  const double rough = span / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> LinearTicks(const Axis& axis, int most) {
  std::vector<double> ticks;
  const double step = NiceStep(axis.high - axis.low, most);
  for (double i = std::ceil(axis.low / step - 1e-9); i * step <= axis.high + step * 1e-9; ++i) {
    ticks.push_back(i * step + 0.0);  // + 0.0: no "-0"
  }
  return ticks;
}

// Decades; with 2 and 5 between them over at most two, every nth when there are many.
std::vector<double> LogTicks(const Axis& axis, int most) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  const int stride = std::max(1, (last - first + most - 1) / most);
  const bool between = axis.high / axis.low <= 100 * (1 + 1e-9);
  for (int decade = first; decade <= last; decade += stride) {
    for (double factor : {1.0, 2.0, 5.0}) {
      const double v = factor * std::pow(10, decade);
      const bool inside = v >= axis.low * (1 - 1e-9) && v <= axis.high * (1 + 1e-9);
      if (inside && (factor == 1 || between)) ticks.push_back(v);
    }
  }
  return ticks;
}

std::vector<double> Ticks(const Axis& axis, int most) {
  return axis.logarithmic ? LogTicks(axis, most) : LinearTicks(axis, most);
}

std::string TickLabel(double v) {
  const double size = std::fabs(v);
  if (size >= 1e6) return absl::StrFormat("%gM", v / 1e6);
  if (size >= 1e4) return absl::StrFormat("%gk", v / 1e3);
  if (size != 0 && size < 1e-3) return absl::StrFormat("%.0e", v);
  return absl::StrFormat("%g", v);
}

constexpr int kTicksX = 6, kTicksY = 5;

// Widens [low, high] to a range that can be drawn. With `from_zero` (P2) both ends are ticks.
void Settle(Axis& axis, bool from_zero) {
  if (axis.logarithmic) {
    if (axis.low == axis.high) axis.low /= 2, axis.high *= 2;
    axis.low /= 1.1, axis.high *= 1.1;
    return;
  }
  if (from_zero && axis.low > 0) axis.low = 0;
  if (from_zero && axis.high < 0) axis.high = 0;
  if (axis.low == axis.high) axis.high = axis.low + 1;
  if (from_zero) {
    const double step = NiceStep(axis.high - axis.low, kTicksY);
    axis.low = std::floor(axis.low / step + 1e-9) * step;
    axis.high = std::ceil(axis.high / step - 1e-9) * step;
    return;
  }
  const double margin = (axis.high - axis.low) * 0.04;  // no mark stands on the y axis
  axis.low -= margin;
  axis.high += margin;
}

// A plot whose points can all be drawn, and what had to be done for that.
struct Drawing {
  Axis x, y;
  std::vector<std::vector<Point>> series;  // same order as in the plot
  size_t left_out = 0;                     // P1
  size_t thinned_from = 0;                 // P3: points of the longest thinned series, or 0
};

std::vector<Point> Thinned(const std::vector<Point>& points, const Axis& x) {
  std::vector<Point> columns(kMostPoints, {0, -INFINITY});
  for (const Point& p : points) {
    const double share = (x.At(p.first) - x.from) / (x.to - x.from);
    const size_t column = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * (kMostPoints - 1));
    if (p.second > columns[column].second) columns[column] = p;
  }
  std::erase_if(columns, [](const Point& p) { return std::isinf(p.second); });
  return columns;
}

Drawing Prepare(const Plot& plot) {
  Drawing d;
  d.x = {INFINITY, -INFINITY, kLeft, kWidth - kRight, plot.log_x};
  d.y = {INFINITY, -INFINITY, kHeight - kBottom, kTop, plot.log_y};
  for (const Series& series : plot.series) {
    auto& points = d.series.emplace_back();
    for (const Point& p : series.points) {
      if (!d.x.Shows(p.first) || !d.y.Shows(p.second)) {
        ++d.left_out;
        continue;
      }
      points.push_back(p);
      d.x.low = std::min(d.x.low, p.first), d.x.high = std::max(d.x.high, p.first);
      d.y.low = std::min(d.y.low, p.second), d.y.high = std::max(d.y.high, p.second);
    }
  }
  if (d.x.low > d.x.high) d.x.low = d.y.low = 1, d.x.high = d.y.high = 1;  // nothing to draw
  Settle(d.x, /*from_zero=*/false);
  Settle(d.y, /*from_zero=*/true);
  for (auto& points : d.series) {
    if (points.size() <= kMostPoints) continue;
    d.thinned_from = std::max(d.thinned_from, points.size());
    points = Thinned(points, d.x);
  }
  return d;
}

std::string GridSvg(const Drawing& d) {
  std::string out;
  for (double v : Ticks(d.y, kTicksY)) {
    const double y = d.y.At(v);
    absl::StrAppendFormat(&out, R"(<path class="grid" d="M%g %.1fH%g"/>)", d.x.from, y, d.x.to);
    absl::StrAppendFormat(&out, R"(<text x="%g" y="%.1f" dy=".35em" text-anchor="end">%s</text>)",
                          kLeft - 8, y, TickLabel(v));
  }
  for (double v : Ticks(d.x, kTicksX)) {
    const double x = d.x.At(v);
    absl::StrAppendFormat(&out, R"(<path class="axis" d="M%.1f %gv5"/>)", x, d.y.from);
    absl::StrAppendFormat(&out, R"(<text x="%.1f" y="%g" text-anchor="middle">%s</text>)", x,
                          d.y.from + 24, TickLabel(v));
  }
  absl::StrAppendFormat(&out, R"(<path class="axis" d="M%g %gH%g"/>)", d.x.from, d.y.from, d.x.to);
  return out;
}

// A dashed series that shares its first word with an earlier one ("fresh p50", "fresh p99") takes
// that one's colour: the pair reads as one storage, seen twice.
std::vector<int> Colours(const Plot& plot) {
  std::vector<int> colours;
  std::map<std::string, int> of_word;
  int next = 0;
  for (const Series& series : plot.series) {
    const std::string word = series.name.substr(0, series.name.find(' '));
    const auto twin = of_word.find(word);
    const bool paired = series.style == Series::Style::kDashed && twin != of_word.end();
    colours.push_back(paired ? twin->second : next++);
    of_word.try_emplace(word, colours.back());
  }
  return colours;
}

// The shapes repeat every four series, the colours every eight.
std::string MarkPath(int shape, double x, double y) {
  switch (shape % 4) {
    case 0:
      return absl::StrFormat("M%.1f %.1fm-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z", x, y);
    case 1:
      return absl::StrFormat("M%.1f %.1fm-3.3 -3.3h6.6v6.6h-6.6z", x, y);
    case 2:
      return absl::StrFormat("M%.1f %.1fm0 -4.4l4.2 7.4h-8.4z", x, y);
    default:
      return absl::StrFormat("M%.1f %.1fm0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z", x, y);
  }
}

std::string MarkSvg(const Plot& plot, const Series& series, int shape, const Drawing& d,
                    const Point& p) {
  const char* solid = series.style == Series::Style::kPoints ? "" : " solid";
  return absl::StrFormat(R"(<path class="mark%s" d="%s"><title>%s: %s, %s: %s</title></path>)",
                         solid, MarkPath(shape, d.x.At(p.first), d.y.At(p.second)),
                         EscapeHtml(absl::StrCat(series.name, ". ", plot.x_label)),
                         FormatFigure(p.first), EscapeHtml(plot.y_label), FormatFigure(p.second));
}

bool ShowsMarks(const Series& series, const std::vector<Point>& points) {
  if (series.style == Series::Style::kPoints || points.size() == 1) return true;
  return series.style == Series::Style::kLine && points.size() <= kMostMarksOnLine;
}

std::string SeriesSvg(const Plot& plot, const Drawing& d, size_t index, int colour) {
  const Series& series = plot.series[index];
  const std::vector<Point>& points = d.series[index];
  std::string out = absl::StrFormat(R"(<g class="s%d">)", colour % kSeriesColours);
  if (series.style != Series::Style::kPoints && points.size() > 1) {
    std::string path;
    for (const Point& p : points) {
      absl::StrAppendFormat(&path, "%c%.1f %.1f", path.empty() ? 'M' : 'L', d.x.At(p.first),
                            d.y.At(p.second));
    }
    const char* dashed = series.style == Series::Style::kDashed ? " dashed" : "";
    absl::StrAppendFormat(&out, R"(<path class="line%s" d="%s"/>)", dashed, path);
  }
  if (ShowsMarks(series, points)) {
    for (const Point& p : points) {
      out += MarkSvg(plot, series, colour, d, p);
    }
  }
  return out + "</g>\n";
}

std::string LegendHtml(const Plot& plot, const Drawing& d, const std::vector<int>& colours) {
  if (plot.series.size() < 2) return "";
  std::string out = R"(<ul class="legend">)";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const bool points = series.style == Series::Style::kPoints;
    const bool dashed = series.style == Series::Style::kDashed;
    absl::StrAppendFormat(&out, R"(<li class="s%d"><svg viewBox="0 0 28 12" aria-hidden="true">)",
                          colours[i] % kSeriesColours);
    if (!points) {
      absl::StrAppendFormat(&out, R"(<path class="line%s" d="M1 6H27"/>)", dashed ? " dashed" : "");
    }
    if (ShowsMarks(series, d.series[i])) {
      absl::StrAppendFormat(&out, R"(<path class="mark%s" d="%s"/>)", points ? "" : " solid",
                            MarkPath(colours[i], 14, 6));
    }
    absl::StrAppend(&out, "</svg><span>", EscapeHtml(series.name), "</span></li>");
  }
  return out + "</ul>\n";
}

// What a screen reader, and anyone who wants the figures, gets.
std::string DataHtml(const Plot& plot) {
  std::string out = absl::StrCat(
      R"(<details><summary>Data</summary><div class="scroll"><table class="free"><thead><tr>)",
      "<th>Series</th><th class=\"num\">", EscapeHtml(plot.x_label), "</th><th class=\"num\">",
      EscapeHtml(plot.y_label), "</th></tr></thead><tbody>");
  size_t rows = 0, total = 0;
  for (const Series& series : plot.series) {
    total += series.points.size();
    for (const Point& p : series.points) {
      if (++rows > kMostTableRows) break;
      absl::StrAppend(&out, "<tr><td>", EscapeHtml(series.name), "</td><td class=\"num\">",
                      FormatFigure(p.first), "</td><td class=\"num\">", FormatFigure(p.second),
                      "</td></tr>");
    }
  }
  out += "</tbody></table></div>";
  if (total > kMostTableRows) {
    absl::StrAppend(&out, "<p>The first ", kMostTableRows, " of ", total, " points.</p>");
  }
  return out + "</details>\n";
}

}  // namespace

std::string RenderPlotHtml(const Plot& plot, int number) {
  const Drawing d = Prepare(plot);
  const std::vector<int> colours = Colours(plot);
  std::string out = absl::StrFormat("<figure>\n<figcaption id=\"plot%d\">%s</figcaption>\n", number,
                                    EscapeHtml(plot.title));
  absl::StrAppend(&out, "<p class=\"y-label\">", EscapeHtml(plot.y_label),
                  plot.log_y ? " (logarithmic)" : "", "</p>\n");
  absl::StrAppendFormat(&out,
                        R"(<div class="plot"><svg class="chart" viewBox="0 0 %g %g" role="img" )"
                        R"(aria-labelledby="plot%d">)",
                        kWidth, kHeight, number);
  out += GridSvg(d);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    out += SeriesSvg(plot, d, i, colours[i]);
  }
  absl::StrAppend(&out, "</svg></div>\n<p class=\"x-label\">", EscapeHtml(plot.x_label),
                  plot.log_x ? " (logarithmic)" : "", "</p>\n", LegendHtml(plot, d, colours));
  if (d.thinned_from > 0) {
    absl::StrAppend(&out,
                    "<p class=\"y-label\">Each mark is the largest of its column: ", d.thinned_from,
                    " points in all.</p>\n");
  }
  if (d.left_out > 0) {
    absl::StrAppend(&out, "<p class=\"y-label\">", d.left_out,
                    " points have no place on these axes and are left out.</p>\n");
  }
  return out + DataHtml(plot) + "</figure>\n";
}

}  // namespace neap::lab
