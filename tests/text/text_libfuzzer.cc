// SPDX-License-Identifier: MIT
//
// The libFuzzer target of the text engines (-Dfuzzers=true, clang): bytes that a script may hand
// over must not crash an engine, nor make it read outside of them. The sanitizers judge; there is
// no oracle here.
//
//   input   | engine (1 byte) | size of the first text (1 byte) | first text | second text |
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/format_spec.h"
#include "text/number.h"
#include "text/pack_format.h"
#include "text/pattern_search.h"
#include "text/utf8_text.h"

namespace neap::fuzz {
namespace {

// Steps of a match: what backtracks for ever is stopped in a millisecond.
constexpr uint64_t kBudget = 20000;

void Patterns(std::string_view pattern, std::string_view subject) {
  vm::WorkBudget budget(kBudget);
  vm::Substitution substitution(INT64_MAX, &budget);
  vm::MatchOutcome outcome;
  while ((outcome = substitution.Next(subject, pattern)) == vm::MatchOutcome::kMatch) {
    if (!substitution.Expand("%0%1").ok()) return;
  }
  if (outcome != vm::MatchOutcome::kError) substitution.Finish(subject);
}

void Formats(std::string_view format, std::string_view value) {
  vm::FormatScanner scanner(format);
  std::string out;
  while (scanner.NextDirective(&out)) {
    vm::FormatSpec spec;
    if (!scanner.TakeSpec(&spec).ok()) return;
    if (spec.conversion == 'q') {
      vm::QuoteString(value, &out);
    } else if (spec.conversion == 's') {
      if (!vm::FormatString(spec, value, &out).ok()) return;
    } else {
      if (!CheckModifiers(spec).ok()) return;
      vm::FormatInteger(spec, static_cast<int64_t>(value.size()) << 55, &out);
      vm::FormatFloat(spec, static_cast<double>(value.size()) / 7, &out);
    }
  }
}

void Packs(std::string_view format, std::string_view data) {
  vm::PackReader reader(format, data, 0);
  vm::PackValue value;
  while (reader.Next(&value)) {
  }
  size_t size;
  if (!vm::PackSize(format, &size).ok()) return;
}

void Utf8(std::string_view text) {
  vm::Utf8Length length;
  if (!MeasureUtf8(text, 1, -1, vm::Utf8Mode::kLax, &length).ok()) return;
  vm::Utf8Step step;
  while (NextUtf8(text, step.position, vm::Utf8Mode::kStrict, &step).ok() && step.position > 0) {
  }
}

void Numbers(std::string_view text) {
  const auto number = vm::ParseNumber(text);
  std::string printed;
  if (number) vm::AppendNumber(*number, &printed);
}

}  // namespace
}  // namespace neap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  // Copies of their own, so that a step over either end is seen.
  const std::string first(rest.substr(0, data[1]));
  const std::string second(rest.substr(first.size()));
  switch (data[0] % 5) {
    case 0:
      neap::fuzz::Patterns(first, second);
      break;
    case 1:
      neap::fuzz::Formats(first, second);
      break;
    case 2:
      neap::fuzz::Packs(first, second);
      break;
    case 3:
      neap::fuzz::Utf8(first);
      break;
    default:
      neap::fuzz::Numbers(first);
  }
  return 0;
}
