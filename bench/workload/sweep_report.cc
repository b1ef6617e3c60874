// SPDX-License-Identifier: MIT
//
// What a sweep found, for people and for spreadsheets.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "number_text.h"
#include "report_text.h"
#include "statistics.h"
#include "sweep.h"

namespace neap::workload {
namespace {

std::vector<std::string> KnobNames(const SweepResult& result) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const SweepResult::Cell& cell : result.cells) {
    for (const Knob& knob : cell.knobs) {
      if (seen.insert(knob.name).second) names.push_back(knob.name);
    }
  }
  return names;
}

std::string ValueOf(const SweepResult::Cell& cell, const std::string& name) {
  for (const Knob& knob : cell.knobs) {
    if (knob.name == name) return knob.value;
  }
  return "";
}

MedianInterval Summary(const SweepResult::Cell& cell, double Figures::*value) {
  std::vector<double> values;
  for (const auto& [repetition, figures] : cell.runs) values.push_back(figures.*value);
  return MedianOf(std::move(values));
}

// A field of a CSV file (RFC 4180).
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// "0.334 ±0.012": the median and the larger half of its interval.
std::string WithSpread(const MedianInterval& m, int decimals) {
  const double half = std::max(m.high - m.median, m.median - m.low);
  const std::string text = lab::FixedNumber(m.median, decimals);
  return half == 0 ? text : absl::StrCat(text, " ±", lab::FixedNumber(half, decimals));
}

// Takes the knobs out that are the same in all cells and gives them as a title.
std::string TakeConstants(const SweepResult& result, std::vector<std::string>* names) {
  std::string title = result.workload;
  std::erase_if(*names, [&](const std::string& name) {
    const std::string value = ValueOf(result.cells[0], name);
    const bool is_constant =
        std::all_of(result.cells.begin(), result.cells.end(),
                    [&](const SweepResult::Cell& cell) { return ValueOf(cell, name) == value; });
    if (is_constant) absl::StrAppend(&title, " ", name, "=", value);
    return is_constant;
  });
  return title;
}

struct Column {
  const char* title;
  double Figures::*value;
  int decimals;
};
constexpr Column kColumns[] = {
    {"p50 ms", &Figures::p50_ms, 3},
    {"p99 ms", &Figures::p99_ms, 3},
    {"max ms", &Figures::max_ms, 3},
    {"minors", &Figures::minors, 0},
    {"majors", &Figures::majors, 0},
    {"gc ms", &Figures::gc_ms, 1},
    {"gc share", &Figures::gc_share, 3},
    {"of the tail", &Figures::tail_gc_share, 2},
    {"pause ms", &Figures::longest_pause_ms, 2},
    {"peak MiB", &Figures::peak_mib, 1},
};

}  // namespace

std::string ToCsv(const SweepResult& result) {
  std::string text;
  const std::vector<std::string> names = KnobNames(result);
  for (const std::string& name : names) absl::StrAppend(&text, Field(name), ",");
  absl::StrAppend(&text, "runs,confidence");
  for (const FigureName& figure : FigureNames()) {
    absl::StrAppend(&text, ",", figure.name, ",", figure.name, "_low,", figure.name, "_high");
  }
  text += "\n";
  for (const SweepResult::Cell& cell : result.cells) {
    for (const std::string& name : names) absl::StrAppend(&text, Field(ValueOf(cell, name)), ",");
    const MedianInterval first = Summary(cell, FigureNames()[0].value);
    absl::StrAppend(&text, cell.runs.size(), ",", lab::ShortestNumber(first.confidence));
    for (const FigureName& figure : FigureNames()) {
      const MedianInterval m = Summary(cell, figure.value);
      for (const double value : {m.median, m.low, m.high}) {
        absl::StrAppend(&text, ",", lab::ShortestNumber(value));
      }
    }
    text += "\n";
  }
  return text;
}

std::string ToTable(const SweepResult& result) {
  lab::Table table;
  std::vector<std::string> names = KnobNames(result);
  table.title = TakeConstants(result, &names);
  table.columns = names;
  for (const Column& column : kColumns) table.columns.emplace_back(column.title);
  table.columns.emplace_back("checksum");
  MedianInterval first;
  if (names.empty()) table.columns.insert(table.columns.begin(), "cell");
  for (const SweepResult::Cell& cell : result.cells) {
    std::vector<std::string>& row = table.rows.emplace_back();
    if (names.empty()) row.emplace_back("the only one");
    for (const std::string& name : names) row.push_back(ValueOf(cell, name));
    for (const Column& column : kColumns) {
      row.push_back(WithSpread(Summary(cell, column.value), column.decimals));
    }
    const MedianInterval sum = Summary(cell, &Figures::checksum);
    row.push_back(sum.low == sum.high ? lab::ReadableNumber(sum.median) : "differs");
    first = Summary(cell, &Figures::p50_ms);
  }
  const std::string confidence = lab::FixedNumber(first.confidence * 100, 0);
  return lab::TableText(table) +
         lab::WrapText(absl::StrCat("Medians over the runs of a cell, ± the larger side of the "
                                    "interval that holds the true median with ",
                                    confidence,
                                    " % confidence (the sign test). Times are CPU times of the "
                                    "thread that runs the frames."),
                       96, "  ");
}

}  // namespace neap::workload
