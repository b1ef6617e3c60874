// SPDX-License-Identifier: MIT
#include "report_text.h"

#include <algorithm>
#include <sstream>

#include "number_text.h"
#include "table_columns.h"

namespace neap::lab {
namespace {

constexpr size_t kTextWidth = 96;  // columns; a report is pasted into mails and issues

// Columns that `text` takes: UTF-8 continuation bytes take none.
size_t DisplayWidth(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string PadRight(const std::string& text, size_t width) {
  const size_t have = DisplayWidth(text);
  return have >= width ? text : text + std::string(width - have, ' ');
}

std::string PadLeft(const std::string& text, size_t width) {
  const size_t have = DisplayWidth(text);
  return have >= width ? text : std::string(width - have, ' ') + text;
}

std::vector<size_t> ColumnWidths(const Table& table) {
  std::vector<size_t> widths;
  const auto widen = [&widths](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(cells[i]));
    }
  };
  widen(table.columns);
  for (const auto& row : table.rows) widen(row);
  return widths;
}

struct Layout {
  std::vector<size_t> widths;
  std::vector<bool> numeric;
};

std::string TableLine(const std::vector<std::string>& cells, const Layout& layout) {
  std::string line = "  ";
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += layout.numeric[i] ? PadLeft(cells[i], layout.widths[i])
                              : PadRight(cells[i], layout.widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string CriterionLine(const Row& row) {
  std::string line = PadRight(VerdictName(row.verdict), 9) + " " + row.experiment + " " +
                     ClassLetter(row.criterion_class) + "  " + row.quantity + ": ";
  if (row.is_figure) {
    line += ReadableNumber(row.ours);
    if (!row.unit.empty()) line += " " + row.unit;
    line += "  ";
  }
  line += row.criterion;
  if (!row.source.empty()) line += "  (source " + row.source + ")";
  line.erase(line.find_last_not_of(' ') + 1);
  if (!row.reason.empty()) line += "; " + row.reason;
  return line;
}

std::string TableText(const Table& table) {
  const Layout layout = {ColumnWidths(table), NumericColumns(table)};
  std::string text = table.title.empty() ? "" : "  " + table.title + "\n";
  text += TableLine(table.columns, layout);
  std::vector<std::string> rules;
  for (const size_t width : layout.widths) rules.push_back(std::string(width, '-'));
  text += TableLine(rules, layout);
  for (const auto& row : table.rows) text += TableLine(row, layout);
  return text;
}

std::string WrapText(const std::string& text, size_t width, const std::string& indent) {
  std::istringstream words(text);
  std::string word, line, wrapped;
  while (words >> word) {
    const bool fits = indent.size() + DisplayWidth(line) + 1 + DisplayWidth(word) <= width;
    if (!line.empty() && !fits) {
      wrapped += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? wrapped : wrapped + indent + line + "\n";
}

void WriteTextHead(const Settings& settings, std::ostream& out) {
  out << "neap lab: seed " << settings.seed << ", scale " << ReadableNumber(settings.scale)
      << (settings.heap_is_default ? ", heap beside the judged preset: defaults"
                                   : ", heap beside the judged preset: as given")
      << (settings.record ? ", recorded and replayed" : "") << "\n";
}

void WriteText(const Experiment& experiment, const Lab& lab, double seconds, std::ostream& out) {
  out << "\n"
      << experiment.id << "  " << experiment.title << "  [" << experiment.family << ", "
      << FixedNumber(seconds, 2) << " s]\n";
  out << WrapText(experiment.explains, kTextWidth, "  ");
  for (const Table& table : lab.tables()) out << "\n" << TableText(table);
  if (!lab.remarks().empty()) out << "\n";
  for (const std::string& remark : lab.remarks()) out << WrapText(remark, kTextWidth, "  ");
  out << "\n";
  for (const Row& row : lab.rows()) out << CriterionLine(row) << "\n";
}

void WriteTextTail(const VerdictCounts& counts, double seconds, std::ostream& out) {
  out << "\n"
      << counts.pass << " pass, " << counts.fail << " FAIL (" << counts.strict_failures
      << " of them strict), " << counts.undecided << " undecided, " << counts.report
      << " report in " << FixedNumber(seconds, 1) << " s\n";
}

}  // namespace neap::lab
