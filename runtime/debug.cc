// SPDX-License-Identifier: MIT
#include "neap/runtime/debug.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "absl/status/status.h"

namespace neap {
namespace {

// The field of `switches` that `name` means, or nullptr.
uint64_t* FindSwitch(DebugSwitches& switches, std::string_view name) {
#define NEAP_MATCH_SWITCH(field, text, value, sentence) \
  if (name == text) return &switches.field;
  NEAP_DEBUG_SWITCHES(NEAP_MATCH_SWITCH)
#undef NEAP_MATCH_SWITCH
  return nullptr;
}

bool ParseDecimal(std::string_view text, uint64_t* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

absl::Status SetSwitch(DebugSwitches& switches, std::string_view item) {
  const size_t equals = item.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError("debug switch \"" + std::string(item) +
                                      "\" has no value: write name=value");
  }
  const std::string name(item.substr(0, equals));
  const std::string text(item.substr(equals + 1));
  uint64_t* const field = FindSwitch(switches, name);
  if (field == nullptr) {
    return absl::InvalidArgumentError("unknown debug switch \"" + name + "\" (value \"" + text +
                                      "\")");
  }
  uint64_t value = 0;
  if (!ParseDecimal(text, &value)) {
    return absl::InvalidArgumentError("debug switch \"" + name + "\": value \"" + text +
                                      "\" is not an unsigned decimal number below 2^64");
  }
  *field = value;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DebugSwitches> ParseDebugSwitches(std::string_view text, DebugSwitches base) {
  if (text.empty()) return base;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    absl::Status status = SetSwitch(base, text.substr(begin, end - begin));
    if (!status.ok()) return status;
    begin = end + 1;
  }
  return base;
}

absl::StatusOr<DebugSwitches> DebugSwitchesFromEnvironment() {
  const char* const text = std::getenv("NEAP_DEBUG");
  return ParseDebugSwitches(text == nullptr ? "" : text);
}

std::string DescribeDebugSwitches() {
  constexpr size_t kNameColumn = 20;
  std::string lines;
  const auto add = [&](std::string name, uint64_t value, const char* sentence) {
    name.resize(std::max(kNameColumn, name.size() + 1), ' ');
    lines += "  " + name + sentence + " (default " + std::to_string(value) + ")\n";
  };
#define NEAP_DESCRIBE_SWITCH(field, name, value, sentence) add(name, value, sentence);
  NEAP_DEBUG_SWITCHES(NEAP_DESCRIBE_SWITCH)
#undef NEAP_DESCRIBE_SWITCH
  return lines;
}

}  // namespace neap
