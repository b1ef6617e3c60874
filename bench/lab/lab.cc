// SPDX-License-Identifier: MIT
//
// Judging. Each helper turns a measured figure and a requirement into a row; the text of the
// requirement is made here, beside the comparison, so that the two cannot drift apart (L1).
#include "lab.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "neap/runtime/check.h"
#include "neap/runtime/clock.h"
#include "number_text.h"
#include "verdict_counts.h"

namespace neap::lab {
namespace {

// A terminal line may be rewritten four times a second; a log file gets a line each ten seconds, so
// that a long run in CI shows life and no flood.
constexpr uint64_t kTerminalProgressNs = 250'000'000;
constexpr uint64_t kLogProgressNs = 10'000'000'000;

Class ClassOr(const Lab::Remark& remark, Class otherwise) {
  return remark.criterion_class == Class::kReport ? otherwise : remark.criterion_class;
}

Verdict Judge(bool holds) { return holds ? Verdict::kPass : Verdict::kFail; }

// How far `ours` is from `bound`, relative to the bound: what the noise has to stay under.
double Margin(double ours, double bound) {
  return bound == 0 ? std::fabs(ours) : std::fabs(ours - bound) / std::fabs(bound);
}

// Ends that rounding would make equal are told in full.
std::string IntervalText(double low, double high) {
  const std::string rounded[] = {ReadableNumber(low), ReadableNumber(high)};
  if (low == high || rounded[0] != rounded[1]) return "in [" + rounded[0] + ", " + rounded[1] + "]";
  return "in [" + ShortestNumber(low) + ", " + ShortestNumber(high) + "]";
}

}  // namespace

const char* ClassLetter(Class c) {
  switch (c) {
    case Class::kExact:
      return "X";
    case Class::kBound:
      return "B";
    case Class::kTime:
      return "T";
    case Class::kShape:
      return "S";
    case Class::kReport:
      return "R";
  }
  return "?";
}

const char* VerdictName(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kReport:
      return "report";
  }
  return "?";
}

bool Lab::AddRow(std::string quantity, std::string unit, double ours, Class c,
                 std::string criterion, Verdict verdict, Remark remark) {
  NEAP_CHECK(!experiment_.empty(), "L1: a row belongs to an experiment; Begin() comes first");
  rows_.push_back({.experiment = experiment_,
                   .quantity = std::move(quantity),
                   .unit = std::move(unit),
                   .ours = ours,
                   .source = std::move(remark.source),
                   .criterion_class = c,
                   .criterion = std::move(criterion),
                   .verdict = verdict,
                   .reason = std::move(remark.reason)});
  return verdict == Verdict::kPass || verdict == Verdict::kReport;
}

bool Lab::Exact(std::string quantity, std::string unit, double ours, double wanted, Remark remark) {
  const Class c = ClassOr(remark, Class::kExact);
  return AddRow(std::move(quantity), std::move(unit), ours, c, "== " + ShortestNumber(wanted),
                Judge(ours == wanted), std::move(remark));
}

bool Lab::Within(std::string quantity, std::string unit, double ours, double low, double high,
                 Remark remark) {
  const Class c = ClassOr(remark, Class::kBound);
  return AddRow(std::move(quantity), std::move(unit), ours, c, IntervalText(low, high),
                Judge(ours >= low && ours <= high), std::move(remark));
}

bool Lab::AtMost(std::string quantity, std::string unit, double ours, double bound, Remark remark) {
  const Class c = ClassOr(remark, Class::kBound);
  return AddRow(std::move(quantity), std::move(unit), ours, c, "<= " + ReadableNumber(bound),
                Judge(ours <= bound), std::move(remark));
}

bool Lab::AtLeast(std::string quantity, std::string unit, double ours, double bound,
                  Remark remark) {
  const Class c = ClassOr(remark, Class::kBound);
  return AddRow(std::move(quantity), std::move(unit), ours, c, ">= " + ReadableNumber(bound),
                Judge(ours >= bound), std::move(remark));
}

namespace {

// A time bound is decided only when the control loop was steadier than the distance to the bound.
Verdict JudgeTime(bool holds, double margin, double spread, std::string& reason) {
  if (std::isnan(margin)) return Verdict::kFail;  // L3
  if (spread <= margin) return Judge(holds);
  if (!reason.empty()) reason += "; ";
  reason += "the control loop of this run spread by " + ReadableNumber(spread * 100) +
            " %, the distance to the bound is " + ReadableNumber(margin * 100) + " %";
  return Verdict::kUndecided;
}

}  // namespace

bool Lab::TimeAtMost(std::string quantity, std::string unit, double ours, double bound,
                     double spread, Remark remark) {
  const Verdict verdict = JudgeTime(ours <= bound, Margin(ours, bound), spread, remark.reason);
  return AddRow(std::move(quantity), std::move(unit), ours, Class::kTime,
                "<= " + ReadableNumber(bound), verdict, std::move(remark));
}

bool Lab::TimeAtLeast(std::string quantity, std::string unit, double ours, double bound,
                      double spread, Remark remark) {
  const Verdict verdict = JudgeTime(ours >= bound, Margin(ours, bound), spread, remark.reason);
  return AddRow(std::move(quantity), std::move(unit), ours, Class::kTime,
                ">= " + ReadableNumber(bound), verdict, std::move(remark));
}

bool Lab::Holds(std::string quantity, bool holds, std::string criterion, Remark remark) {
  const Class c = ClassOr(remark, Class::kShape);
  AddRow(std::move(quantity), "", holds ? 1 : 0, c, std::move(criterion), Judge(holds),
         std::move(remark));
  rows_.back().is_figure = false;
  return holds;
}

void Lab::Observe(std::string quantity, std::string unit, double ours, Remark remark) {
  AddRow(std::move(quantity), std::move(unit), ours, Class::kReport, "", Verdict::kReport,
         std::move(remark));
}

uint64_t Lab::Repetitions(uint64_t full, uint64_t least) const {
  const double scaled = static_cast<double>(full) * settings_.scale;
  return std::max(least, static_cast<uint64_t>(std::llround(scaled)));
}

void Lab::Progress(std::string_view what, uint64_t done, uint64_t total) {
  if (!settings_.progress) return;
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  const uint64_t now_ns = MonotonicNanos();
  if (last_progress_ns_ == 0) last_progress_ns_ = terminal ? 1 : now_ns;
  const bool last = done >= total;
  if (terminal && !last && now_ns - last_progress_ns_ < kTerminalProgressNs) return;
  if (!terminal && now_ns - last_progress_ns_ < kLogProgressNs) return;
  last_progress_ns_ = now_ns;
  // On a terminal the line is rewritten in place and erased at the end: what stays is the report.
  std::fprintf(stderr, terminal ? "\r\033[K%s %.*s %llu/%llu" : "%s %.*s %llu/%llu\n",
               experiment_.c_str(), static_cast<int>(what.size()), what.data(),
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total));
  if (terminal && last) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

int Lab::strict_failures() const {
  VerdictCounts counts;
  counts.Add(rows_);
  return counts.strict_failures;
}

}  // namespace neap::lab
