// SPDX-License-Identifier: MIT
#include "report_brief.h"

#include <algorithm>
#include <string>

#include "explanations.h"
#include "number_text.h"
#include "report_text.h"
#include "verdict_counts.h"

namespace neap::lab {
namespace {

constexpr size_t kTextWidth = 96;
constexpr size_t kFiguresTold = 8;    // of the source's, in an explanation
constexpr size_t kUndecidedTold = 2;  // lines of criteria that noise left open

VerdictCounts CountsOf(const Lab& lab) {
  VerdictCounts counts;
  counts.Add(lab.rows());
  return counts;
}

const char* Word(const VerdictCounts& counts) {
  if (counts.strict_failures > 0) return "FAIL";
  if (counts.fail > 0) return "fail";
  if (counts.undecided > 0) return "undecided";
  return counts.pass > 0 ? "pass" : "report";
}

std::string CountsText(const VerdictCounts& counts) {
  std::string text;
  const std::pair<int, const char*> parts[] = {{counts.pass, "pass"},
                                               {counts.fail, "fail"},
                                               {counts.undecided, "undecided"},
                                               {counts.report, "report"}};
  for (const auto& [count, name] : parts) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text;
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

// "misses of 100 after 2 collections: 100 objects (source 100)".
std::string Told(const Row& row) {
  std::string text = row.quantity + ": ";
  if (row.is_figure) {
    text += ReadableNumber(row.ours) + (row.unit.empty() ? "" : " " + row.unit);
  } else {
    text += row.ours != 0 ? "yes" : "no";
  }
  return text + " (source " + row.source + ")";
}

std::string WhatIsSeen(const Lab& lab) {
  std::string text = "Seen here: " + CountsText(CountsOf(lab)) + ".";
  size_t told = 0, left = 0;
  for (const Row& row : lab.rows()) {
    if (row.source.empty()) continue;
    if (++told <= kFiguresTold) {
      text += " " + Told(row) + ".";
    } else {
      ++left;
    }
  }
  if (left > 0) text += " And " + std::to_string(left) + " more figures beside the source's.";
  return text;
}

}  // namespace

void WriteBrief(const Experiment& experiment, const Lab& lab, double seconds, std::ostream& out) {
  const VerdictCounts counts = CountsOf(lab);
  out << Padded(Word(counts), 10) << Padded(experiment.id, 5) << experiment.title << ": "
      << CountsText(counts) << "; " << FixedNumber(seconds, 1) << " s\n";
  for (const Row& row : lab.rows()) {
    if (row.verdict == Verdict::kFail) out << WrapText(CriterionLine(row), kTextWidth, "    ");
  }
}

void WriteExplanation(const Experiment& experiment, const Lab& lab, std::ostream& out) {
  out << "\n" << experiment.id << "  " << experiment.title << "\n";
  out << WrapText(std::string("Tested, and claimed: ") + experiment.explains, kTextWidth, "  ");
  out << WrapText(WhatIsSeen(lab), kTextWidth, "  ");
  size_t shown = 0;
  for (const Row& row : lab.rows()) {
    const bool is_open = row.verdict == Verdict::kUndecided && ++shown <= kUndecidedTold;
    if (row.verdict != Verdict::kFail && !is_open) continue;
    out << WrapText(CriterionLine(row), kTextWidth, "    ");
  }
  std::string why = std::string(" ") + WhyOf(experiment.id);
  for (const std::string& remark : lab.remarks()) why += " " + remark;
  if (why != " ") out << WrapText("Why:" + why, kTextWidth, "  ");
}

}  // namespace neap::lab
