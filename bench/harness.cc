// SPDX-License-Identifier: MIT
#include "harness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace neap::bench {

Sample Summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const double median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return {.median = median, .low = values.front(), .high = values.back(), .runs = n};
}

Pairing PairUp(std::vector<double> ours, std::vector<double> reference) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(ours.size(), reference.size()); ++i) {
    if (reference[i] != 0) ratios.push_back(ours[i] / reference[i]);
  }
  return {.ours = Summarize(std::move(ours)),
          .reference = Summarize(std::move(reference)),
          .ratio = Summarize(std::move(ratios))};
}

Pairing MeasurePairs(int pairs, const std::function<double()>& ours,
                     const std::function<double()>& reference) {
  std::vector<double> our_values, reference_values;
  for (int i = 0; i < pairs; ++i) {
    if (i % 2 == 0) our_values.push_back(ours());
    reference_values.push_back(reference());
    if (i % 2 == 1) our_values.push_back(ours());
  }
  return PairUp(std::move(our_values), std::move(reference_values));
}

std::string Figure(double value) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::fabs(value);
  char text[64];
  if (size >= 1000 || value == std::floor(value)) {
    std::snprintf(text, sizeof(text), "%.0f", value);
  } else {
    const int decimals = size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.01 ? 3 : 5;
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  }
  return text;
}

namespace {

std::string WithSpread(const Sample& sample) {
  if (sample.runs < 2) return Figure(sample.median);
  char text[96];
  std::snprintf(text, sizeof(text), "%s (%s..%s)", Figure(sample.median).c_str(),
                Figure(sample.low).c_str(), Figure(sample.high).c_str());
  return text;
}

std::string InWords(Requirement requirement) {
  switch (requirement.kind) {
    case Requirement::Kind::kNone:
      return "";
    case Requirement::Kind::kAtMost:
      return "<= " + Figure(requirement.bound);
    case Requirement::Kind::kAtLeast:
      return ">= " + Figure(requirement.bound);
    case Requirement::Kind::kAim:
      return "aim " + Figure(requirement.bound);
  }
  return "";
}

}  // namespace

void Board::Begin(const std::string& name, const std::string& sentence) {
  std::printf("\n%s: %s\n", name.c_str(), sentence.c_str());
  std::printf("  %-46s %-26s %-34s %-22s %-10s %s\n", "quantity", "ours", "reference", "ratio",
              "required", "");
  std::fflush(stdout);
}

void Board::Print(const std::string& quantity, const std::string& ours,
                  const std::string& reference, const std::string& ratio, Requirement requirement,
                  double judged) {
  const char* verdict = "";
  const bool at_most = requirement.kind == Requirement::Kind::kAtMost;
  if (at_most || requirement.kind == Requirement::Kind::kAtLeast) {
    const bool holds = at_most ? judged <= requirement.bound : judged >= requirement.bound;
    verdict = holds ? "met" : "NOT MET";
    ++(holds ? met_ : not_met_);
  }
  std::printf("  %-46s %-26s %-34s %-22s %-10s %s\n", quantity.c_str(), ours.c_str(),
              reference.c_str(), ratio.c_str(), InWords(requirement).c_str(), verdict);
  std::fflush(stdout);
}

void Board::Compare(const std::string& quantity, const std::string& unit, const Pairing& pairing,
                    const std::string& reference, Requirement requirement) {
  Print(quantity + ", " + unit, WithSpread(pairing.ours),
        WithSpread(pairing.reference) + " " + reference, WithSpread(pairing.ratio), requirement,
        pairing.ratio.median);
}

void Board::Value(const std::string& quantity, const std::string& unit, const Sample& ours,
                  Requirement requirement) {
  Print(quantity + ", " + unit, WithSpread(ours), "", "", requirement, ours.median);
}

void Board::Value(const std::string& quantity, const std::string& unit, double ours,
                  Requirement requirement) {
  Value(quantity, unit, Sample{.median = ours, .low = ours, .high = ours, .runs = 1}, requirement);
}

void Board::Skip(const std::string& quantity, const std::string& reason) {
  ++skipped_;
  std::printf("  %-46s skipped: %s\n", quantity.c_str(), reason.c_str());
  std::fflush(stdout);
}

void Board::Broken(const std::string& quantity, const std::string& reason) {
  ++broken_;
  std::printf("  %-46s BROKEN: %s\n", quantity.c_str(), reason.c_str());
  std::fflush(stdout);
}

void Board::Note(const std::string& sentence) {
  std::printf("  note: %s\n", sentence.c_str());
  std::fflush(stdout);
}

}  // namespace neap::bench
