// SPDX-License-Identifier: MIT
//
// The grid of a sweep: axes from text, cells from axes.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "neap/gc/options.h"
#include "sweep.h"

namespace neap::workload {
namespace {

constexpr size_t kMaxValues = 10'000;  // of one axis

// Whole numbers and sizes; a range keeps the way its ends are written.
struct Quantity {
  uint64_t value = 0;
  bool is_size = false;
};

bool ReadQuantity(const std::string& text, Quantity* quantity) {
  if (absl::SimpleAtoi(text, &quantity->value)) return true;
  const absl::StatusOr<uint64_t> bytes = gc::ParseBytes(text);
  if (bytes.ok()) *quantity = {*bytes, true};
  return bytes.ok();
}

std::string QuantityText(uint64_t value, bool is_size) {
  constexpr std::pair<uint64_t, const char*> kUnits[] = {
      {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const auto& [unit, name] : kUnits) {
    if (is_size && value >= unit && value % unit == 0) return absl::StrCat(value / unit, name);
  }
  return absl::StrCat(value);
}

// "LOW..HIGH+STEP" or "LOW..HIGH*FACTOR". False: it is none.
bool ExpandRange(const std::string& text, std::vector<std::string>* values) {
  const size_t dots = text.find("..");
  const size_t step_at = dots == text.npos ? text.npos : text.find_first_of("+*", dots);
  if (step_at == text.npos) return false;
  Quantity low, high, step;
  const bool is_factor = text[step_at] == '*';
  if (!ReadQuantity(text.substr(0, dots), &low) ||
      !ReadQuantity(text.substr(dots + 2, step_at - dots - 2), &high) ||
      !ReadQuantity(text.substr(step_at + 1), &step)) {
    return false;
  }
  if (low.value > high.value || step.value < (is_factor ? 2 : 1)) return false;
  if (is_factor && low.value == 0) return false;
  for (uint64_t value = low.value; value <= high.value && values->size() < kMaxValues;) {
    values->push_back(QuantityText(value, low.is_size || high.is_size));
    const uint64_t next = is_factor ? value * step.value : value + step.value;
    if (next / (is_factor ? step.value : 1) < value) break;  // it wrapped around
    value = next;
  }
  return true;
}

}  // namespace

absl::StatusOr<Axis> ParseAxis(const std::string& text) {
  absl::StatusOr<Knob> knob = ParseKnob(text);
  if (!knob.ok()) return knob.status();
  Axis axis{.name = knob->name, .values = {}};
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(knob->value, ','))) {
    if (part.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(text, ": a value is empty"));
    }
    if (part.find("..") == part.npos) {
      axis.values.push_back(part);
    } else if (!ExpandRange(part, &axis.values)) {
      return absl::InvalidArgumentError(absl::StrCat(
          text, ": \"", part, "\" is no range; give LOW..HIGH+STEP or LOW..HIGH*FACTOR"));
    }
  }
  return axis;
}

absl::StatusOr<std::vector<Knobs>> CellsOf(const Sweep& sweep) {
  size_t count = 1;
  for (const Axis& axis : sweep.axes) {
    if (count > kMaxCells / axis.values.size()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the grid has more than ", kMaxCells, " cells at \"", axis.name, "\""));
    }
    count *= axis.values.size();
  }
  std::vector<Knobs> cells = {{}};
  for (const Axis& axis : sweep.axes) {
    std::vector<Knobs> longer;
    longer.reserve(cells.size() * axis.values.size());
    for (const Knobs& cell : cells) {
      for (const std::string& value : axis.values) {
        longer.push_back(cell);
        longer.back().push_back({axis.name, value});
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

std::string CellText(const Knobs& knobs) {
  return absl::StrJoin(knobs, " ", [](std::string* text, const Knob& knob) {
    absl::StrAppend(text, KnobText(knob));
  });
}

absl::Status CheckSweep(const Sweep& sweep) {
  for (size_t i = 0; i < sweep.axes.size(); ++i) {
    const std::string& name = sweep.axes[i].name;
    const bool is_double =
        std::any_of(sweep.axes.begin(), sweep.axes.begin() + static_cast<long>(i),
                    [&name](const Axis& axis) { return axis.name == name; });
    if (is_double) return absl::InvalidArgumentError(absl::StrCat(name, ": given twice"));
  }
  const absl::StatusOr<std::vector<Knobs>> cells = CellsOf(sweep);
  if (!cells.ok()) return cells.status();
  for (const Knobs& knobs : *cells) {
    const absl::Status status = CheckSpec({.workload = sweep.workload, .knobs = knobs});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A word that a shell takes as it is.
namespace {
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}
}  // namespace

std::string JobList(const Sweep& sweep, const std::string& program, const std::string& folder) {
  std::string text;
  const absl::StatusOr<std::vector<Knobs>> cells = CellsOf(sweep);
  if (!cells.ok()) return text;
  for (size_t i = 0; i < cells->size(); ++i) {
    absl::StrAppend(&text, Quoted(program), " sweep ", Quoted(sweep.workload));
    for (const Knob& knob : (*cells)[i]) absl::StrAppend(&text, " ", Quoted(KnobText(knob)));
    const std::string file = absl::StrCat(folder, "/cell-", i + 1, ".jsonl");
    absl::StrAppend(&text, " --repeat=", sweep.repeat, " --quiet --out=", Quoted(file), "\n");
  }
  return text;
}

}  // namespace neap::workload
