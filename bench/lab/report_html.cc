// SPDX-License-Identifier: MIT
//
// The HTML report. One page, in the order in which a reader asks:
//
//   1. did it hold?       counts of the verdicts, and what failed, each a link
//   2. what was run?      command, configuration, machine: enough to run it again
//   3. each experiment    what is tested; findings; plots; tables; verdicts, ours beside the
//                         source's figure
//   4. how to read it     classes of criteria and verdicts
//
// The page needs no network and no script: the script only shows values under the pointer, and the
// same values stand in <title> elements and data tables. Nothing is said by colour alone: a badge
// is a word, a series has a shape.
#include "report_html.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report_html_assets.h"
#include "table_columns.h"
#include "verdict_counts.h"

namespace neap::lab {
namespace {

// The style class of the whole: the worst verdict there is.
const char* StyleOf(const VerdictCounts& counts) {
  if (counts.fail > 0) return "fail";
  if (counts.undecided > 0) return "undecided";
  return counts.pass > 0 ? "pass" : "report";
}

const char* StyleOf(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kReport:
      break;
  }
  return "report";
}

const char* MeaningOf(Class c) {
  switch (c) {
    case Class::kExact:
      return "exact: equality; sets the exit status";
    case Class::kBound:
      return "bound on counts, bytes or virtual time; sets the exit status";
    case Class::kTime:
      return "bound on measured time; undecided when the machine is too noisy";
    case Class::kShape:
      return "shape or ordering";
    case Class::kReport:
      break;
  }
  return "reported only";
}

std::string CountItem(const char* style, int count, const char* word) {
  return absl::StrFormat("<li class=\"%s\"><b>%d</b>%s</li>", style, count, word);
}

std::string FactsHtml(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string out = "<dl>";
  for (const auto& [name, value] : facts) {
    absl::StrAppend(&out, "<dt>", EscapeHtml(name), "</dt><dd>", EscapeHtml(value), "</dd>");
  }
  return out + "</dl>\n";
}

std::string HeadHtml(const HtmlHead& head, const std::vector<HtmlSection>& sections) {
  VerdictCounts counts;
  for (const HtmlSection& section : sections) counts.Add(section.rows);
  std::string out =
      absl::StrCat("<header>\n<h1>", EscapeHtml(head.title), "</h1>\n", "<p class=\"lead\">",
                   sections.size(), sections.size() == 1 ? " experiment" : " experiments",
                   " on real collections. Run on ", EscapeHtml(head.date), " as <code>",
                   EscapeHtml(head.command), "</code></p>\n<ul class=\"counts\">");
  out += CountItem("pass", counts.pass, "pass");
  out += CountItem(counts.fail > 0 ? "fail" : "report", counts.fail, "fail");
  out += CountItem(counts.undecided > 0 ? "undecided" : "report", counts.undecided, "undecided");
  out += CountItem("report", counts.report, "reported");
  absl::StrAppend(&out, "</ul>\n<div class=\"facts\">\n", FactsHtml(head.configuration),
                  FactsHtml(head.machine), "</div>\n</header>\n");
  return out;
}

std::string ContentsHtml(const std::vector<HtmlSection>& sections) {
  if (sections.size() < 2) return "";
  std::string out = "<nav aria-label=\"Experiments\"><ol>\n";
  for (const HtmlSection& section : sections) {
    VerdictCounts counts;
    counts.Add(section.rows);
    const char* style = StyleOf(counts);
    const std::string id = EscapeHtml(section.id);
    absl::StrAppend(&out, "<li><span class=\"dot ", style, "\" role=\"img\" aria-label=\"", style,
                    "\" title=\"", style, "\"></span><a href=\"#", id, "\">", id, " ",
                    EscapeHtml(section.title), "</a></li>\n");
  }
  return out + "</ol></nav>\n";
}

// A row that only says whether something holds has no figure.
std::string OursText(const Row& row) {
  return row.is_figure ? FormatFigure(row.ours) : row.ours != 0 ? "yes" : "no";
}

// The cells of a row carry their column's name: on a phone a row becomes a card.
std::string VerdictRowHtml(const Row& row) {
  std::string out = absl::StrCat("<tr><td><span class=\"badge ", StyleOf(row.verdict), "\">",
                                 VerdictName(row.verdict), "</span></td>");
  absl::StrAppend(&out, "<td>", EscapeHtml(row.quantity));
  if (!row.reason.empty()) {
    absl::StrAppend(&out, "<span class=\"why\">", EscapeHtml(row.reason), "</span>");
  }
  absl::StrAppend(&out, "</td><td class=\"num\" data-label=\"Ours\">", OursText(row));
  if (!row.unit.empty()) {
    absl::StrAppend(&out, " <span class=\"unit\">", EscapeHtml(row.unit), "</span>");
  }
  absl::StrAppend(&out, "</td><td class=\"num\" data-label=\"Source\">", EscapeHtml(row.source),
                  "</td><td data-label=\"Required\">");
  if (row.criterion_class != Class::kReport) {
    absl::StrAppend(&out, "<abbr title=\"", MeaningOf(row.criterion_class), "\">",
                    ClassLetter(row.criterion_class), "</abbr> ", EscapeHtml(row.criterion));
  }
  return out + "</td></tr>\n";
}

std::string VerdictsHtml(const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string out =
      "<div class=\"scroll\"><table class=\"verdicts\"><thead><tr><th>Verdict</th><th>Quantity</th>"
      "<th class=\"num\">Ours</th><th "
      "class=\"num\">Source</th><th>Required</th></tr></thead><tbody>\n";
  for (const Row& row : rows) out += VerdictRowHtml(row);
  return out + "</tbody></table></div>\n";
}

std::string TableHtml(const Table& table) {
  std::string out = absl::StrCat("<div class=\"scroll\"><table class=\"free\"><caption>",
                                 EscapeHtml(table.title), "</caption><thead><tr>");
  std::vector<const char*> cell;  // the opening of a body cell, per column
  const std::vector<bool> numeric = NumericColumns(table);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    cell.push_back(numeric[i] ? "<td class=\"num\">" : "<td>");
    absl::StrAppend(&out, numeric[i] ? "<th class=\"num\">" : "<th>", EscapeHtml(table.columns[i]),
                    "</th>");
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&out, i < cell.size() ? cell[i] : "<td>", EscapeHtml(row[i]), "</td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string SectionHtml(const HtmlSection& section, int* plots) {
  const std::string id = EscapeHtml(section.id);
  std::string out = absl::StrCat("<section id=\"", id, "\">\n<h2><span class=\"id\">", id,
                                 "</span>", EscapeHtml(section.title), "</h2>\n");
  if (!section.explains.empty()) {
    absl::StrAppend(&out, "<p class=\"explains\">", EscapeHtml(section.explains), "</p>\n");
  }
  if (!section.remarks.empty()) {
    out += "<div class=\"findings\">";
    for (const std::string& remark : section.remarks) {
      absl::StrAppend(&out, "<p>", EscapeHtml(remark), "</p>");
    }
    out += "</div>\n";
  }
  for (const Plot& plot : section.plots) out += RenderPlotHtml(plot, ++*plots);
  for (const Table& table : section.tables) out += TableHtml(table);
  out += VerdictsHtml(section.rows);
  return out + "</section>\n";
}

std::string FailuresHtml(const std::vector<HtmlSection>& sections) {
  std::string out;
  for (const HtmlSection& section : sections) {
    for (const Row& row : section.rows) {
      if (row.verdict != Verdict::kFail) continue;
      const std::string id = EscapeHtml(section.id);
      absl::StrAppend(&out, "<p><a href=\"#", id, "\">", id, "</a> ", EscapeHtml(row.quantity),
                      ": ", OursText(row), row.unit.empty() ? "" : " ", EscapeHtml(row.unit),
                      ", required ", EscapeHtml(row.criterion), row.reason.empty() ? "" : ". ",
                      EscapeHtml(row.reason), "</p>\n");
    }
  }
  if (out.empty()) return "";
  return absl::StrCat("<section>\n<h2>What failed</h2>\n", out, "</section>\n");
}

constexpr const char* kHowToRead =
    "<footer>\n<h3>How to read this page</h3>\n<dl>"
    "<dt>X</dt><dd>Exact: the figures are equal. A failure sets the exit status.</dd>"
    "<dt>B</dt><dd>A bound on counts, bytes or virtual time. A failure sets the exit status.</dd>"
    "<dt>T</dt><dd>A bound on measured time; undecided when a control loop in the same run spreads "
    "wider than the margin.</dd>"
    "<dt>S</dt><dd>A shape or an ordering.</dd>"
    "<dt>R</dt><dd>Reported only, with nothing required.</dd>"
    "</dl>\n<p>\"Source\" is the figure in the article that the experiment reproduces, measured "
    "there "
    "on another machine and runtime: compare ratios and shapes, not nanoseconds.</p>\n</footer>\n";

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

// "-1234.5" -> "-1,234.5".
std::string WithThousands(std::string number) {
  const size_t first = number[0] == '-' ? 1 : 0;
  const size_t point = std::min(number.find('.'), number.size());
  for (size_t at = point; at > first + 3;) number.insert(at -= 3, 1, ',');
  return number;
}

}  // namespace

std::string FormatFigure(double value) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::fabs(value);
  // Counts and checksums are shown to the last digit: they are what exact criteria compare.
  if (value == std::floor(value) && size < 1e15)
    return WithThousands(absl::StrFormat("%.0f", value));
  if (size >= 1e5) return FormatFigure(std::round(value));
  if (size >= 1e4) return WithThousands(absl::StrFormat("%.1f", value));
  return absl::StrFormat("%.4g", value);
}

std::string RenderHtml(const HtmlHead& head, const std::vector<HtmlSection>& sections) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapeHtml(head.title), "</title>\n<style>", std::string(kReportStyle),
      "</style>\n</head>\n<body>\n");
  out += HeadHtml(head, sections);
  absl::StrAppend(&out, "<main>\n", ContentsHtml(sections), FailuresHtml(sections));
  int plots = 0;
  for (const HtmlSection& section : sections) out += SectionHtml(section, &plots);
  absl::StrAppend(&out, "</main>\n", kHowToRead, "<script>", std::string(kReportScript),
                  "</script>\n</body>\n</html>\n");
  return out;
}

absl::Status WriteHtmlFile(const std::string& path, std::string_view page) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write '", path, "': ", std::strerror(errno)));
  }
  const bool written = std::fwrite(page.data(), 1, page.size(), file) == page.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    return absl::InternalError(absl::StrCat("writing '", path, "' failed: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace neap::lab
