// SPDX-License-Identifier: MIT
//
// heap_flags.h. What a value means is the business of gc::SetOption; here it gets its spelling.
#include "heap_flags.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace neap::cli {
namespace {

std::string OneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// `spelling` is what the user wrote: the flag with its dashes, or the variable. The message of
// gc::SetOption begins with the option's bare name.
absl::Status SetHeapOption(gc::Options& options, const HeapFlag& flag, const std::string& spelling,
                           const std::string& value) {
  const absl::Status status = gc::SetOption(options, flag.name, value);
  if (status.ok()) return status;
  const std::string message(status.message());
  const bool named = message.rfind(flag.name, 0) == 0;
  return Misuse(spelling + (named ? message.substr(std::strlen(flag.name)) : ": " + message));
}

// The flag if given, else the variable when gc does not read it itself.
absl::Status ApplyHeapFlag(gc::Options& options, const HeapFlag& flag,
                           const std::optional<std::string>& given) {
  if (given) return SetHeapOption(options, flag, absl::StrCat("--", flag.name), *given);
  const std::optional<std::string> variable = flag.ours ? Variable(flag.variable) : std::nullopt;
  return variable ? SetHeapOption(options, flag, flag.variable, *variable) : absl::OkStatus();
}

}  // namespace

absl::Status Misuse(const std::string& line) {
  return absl::InvalidArgumentError(absl::StrCat("neap: ", OneLine(line)));
}

absl::Status BadVariable(const absl::Status& status) {
  const std::string message(status.message());
  return Misuse(message.rfind("NEAP_", 0) == 0 ? message : "NEAP_DEBUG: " + message);
}

std::optional<std::string> Variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

absl::Status FillHeapOptions(const HeapFlagTexts& flags, gc::Options& options, bool* is_default) {
  absl::Status status = ApplyHeapFlag(options, kHeapFlags[0], flags[0]);  // the preset
  if (!status.ok()) return status;
  status = gc::SetOptionsFromEnvironment(options);
  if (!status.ok()) return BadVariable(status);
  for (size_t i = 0; i < kHeapFlagCount; ++i) {
    if (flags[i] || Variable(kHeapFlags[i].variable)) *is_default = false;
    if (i == 0) continue;
    status = ApplyHeapFlag(options, kHeapFlags[i], flags[i]);
    if (!status.ok()) return status;
  }
  status = gc::ValidateOptions(options);
  return status.ok() ? status : Misuse(std::string(status.message()));
}

}  // namespace neap::cli
