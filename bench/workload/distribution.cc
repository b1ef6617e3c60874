// SPDX-License-Identifier: MIT
#include "distribution.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "neap/gc/options.h"

namespace neap::workload {
namespace {

constexpr const char* kAllowed =
    "N, uniform:LOW-HIGH, exp:MEAN, lognormal:MEDIAN:SIGMA, pareto:MIN:ALPHA or choice:A/B/C, with "
    "values of at least 0";

// A size ("64KiB") or a plain number ("0.5").
bool ReadValue(const std::string& text, double* value) {
  if (absl::SimpleAtod(text, value)) return std::isfinite(*value) && *value >= 0;
  const absl::StatusOr<uint64_t> bytes = gc::ParseBytes(text);
  if (!bytes.ok()) return false;
  *value = static_cast<double>(*bytes);
  return true;
}

bool ReadPair(const std::string& text, char between, double* first, double* second) {
  const std::vector<std::string> parts = absl::StrSplit(text, between);
  return parts.size() == 2 && ReadValue(parts[0], first) && ReadValue(parts[1], second);
}

}  // namespace

absl::StatusOr<Distribution> Distribution::Parse(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  Distribution d;
  bool fits = false;
  if (colon == text.npos) {
    fits = ReadValue(text, &d.a_);
  } else if (name == "uniform") {
    d.kind_ = Kind::kUniform;
    fits = ReadPair(rest, '-', &d.a_, &d.b_) && d.a_ <= d.b_;
  } else if (name == "exp") {
    d.kind_ = Kind::kExponential;
    fits = ReadValue(rest, &d.a_);
  } else if (name == "lognormal") {
    d.kind_ = Kind::kLogNormal;
    fits = ReadPair(rest, ':', &d.a_, &d.b_) && d.a_ > 0;
  } else if (name == "pareto") {
    d.kind_ = Kind::kPareto;
    fits = ReadPair(rest, ':', &d.a_, &d.b_) && d.a_ > 0 && d.b_ > 0;
  } else if (name == "choice") {
    d.kind_ = Kind::kChoice;
    fits = true;
    for (const std::string& part : std::vector<std::string>(absl::StrSplit(rest, '/'))) {
      d.choices_.push_back(0);
      fits = fits && ReadValue(part, &d.choices_.back());
    }
  }
  if (fits) return d;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no distribution; give ", kAllowed));
}

double Distribution::Draw(Random& random) const {
  switch (kind_) {
    case Kind::kFixed:
      return a_;
    case Kind::kUniform:
      return a_ + (b_ - a_) * UnitInterval(random);
    case Kind::kExponential:
      return -a_ * std::log1p(-UnitInterval(random));
    case Kind::kLogNormal: {
      // Box and Muller, 1958; the second of the pair is not kept, so that a draw has no memory.
      const double radius = std::sqrt(-2 * std::log1p(-UnitInterval(random)));
      const double normal = radius * std::cos(2 * std::numbers::pi * UnitInterval(random));
      return a_ * std::exp(b_ * normal);
    }
    case Kind::kPareto:
      return a_ * std::pow(1 - UnitInterval(random), -1 / b_);
    case Kind::kChoice:
      break;
  }
  return choices_[static_cast<size_t>(UnitInterval(random) * static_cast<double>(choices_.size()))];
}

double Distribution::mean() const {
  switch (kind_) {
    case Kind::kFixed:
    case Kind::kExponential:
      return a_;
    case Kind::kUniform:
      return (a_ + b_) / 2;
    case Kind::kLogNormal:
      return a_ * std::exp(b_ * b_ / 2);
    case Kind::kPareto:
      return b_ > 1 ? a_ * b_ / (b_ - 1) : std::numeric_limits<double>::infinity();
    case Kind::kChoice:
      break;
  }
  return std::accumulate(choices_.begin(), choices_.end(), 0.0) /
         static_cast<double>(choices_.size());
}

}  // namespace neap::workload
