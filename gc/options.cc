// SPDX-License-Identifier: MIT
//
// Options from text. Every way in (command line, environment, presets) ends in the same setters, so
// that one spelling has one meaning and one error message. A message says what was set, to what,
// and what is allowed; it is one line, for a person who reads it on stderr after a failed start.
#include "neap/gc/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "neap/runtime/scheduler.h"

namespace neap::gc {
namespace {

constexpr size_t kMinNurseryBytes = size_t{4} << 10;
constexpr size_t kMaxNurseryBytes = size_t{1} << 30;
constexpr uint32_t kMaxTenure = 15;  // the age field of the header has four bits
constexpr uint32_t kMaxWorkers = 64;
// More than a thousandfold growth between two cycles is "off" in all but name.
constexpr uint64_t kMaxGogc = 100'000;
// One chunk of old space, one of nursery and one to grow into.
constexpr size_t kMinReserveBytes = size_t{16} << 20;

constexpr const char* kGogcAllowed = "off, or a percentage from 0 to 100000";
constexpr const char* kLimitAllowed = "none, or a size of at least 1MiB";
constexpr const char* kNurseryAllowed = "off, adaptive, or a size from 4KiB to 1GiB";
constexpr const char* kTenureAllowed = "a number from 1 to 15";
constexpr const char* kProcsAllowed = "a number from 1 to 256, or 0 for the number of cores";
constexpr const char* kWorkersAllowed = "a number from 1 to 64";
constexpr const char* kInPlaceAllowed = "on or off";
constexpr const char* kPresetAllowed = "go, source or tiny";
static_assert(kMaxProcs == 256, "kProcsAllowed says the same");
static_assert(kMinLimitBytes == 1 << 20, "kLimitAllowed says the same");

// What is being set, for messages: the option's name, or the environment variable's.
struct Setting {
  std::string_view label;
  std::string_view value;
};

absl::Status NotAllowed(const Setting& setting, const char* allowed) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(setting.label), ": \"",
                                                 std::string(setting.value),
                                                 "\" is not allowed; give ", allowed));
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// A decimal number in [least, most].
absl::StatusOr<uint64_t> NumberIn(const Setting& setting, uint64_t least, uint64_t most,
                                  const char* allowed) {
  uint64_t number = 0;
  if (!ParseNumber(setting.value, &number) || number < least || number > most) {
    return NotAllowed(setting, allowed);
  }
  return number;
}

// A size in [least, most].
absl::StatusOr<uint64_t> BytesIn(const Setting& setting, uint64_t least, uint64_t most,
                                 const char* allowed) {
  const absl::StatusOr<uint64_t> bytes = ParseBytes(setting.value);
  if (!bytes.ok() || *bytes < least || *bytes > most) return NotAllowed(setting, allowed);
  return *bytes;
}

absl::Status SetGogcOption(Options& options, const Setting& setting) {
  if (setting.value == "off") {
    options.gogc = Options::kGogcOff;
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> percent = NumberIn(setting, 0, kMaxGogc, kGogcAllowed);
  if (percent.ok()) options.gogc = *percent;
  return percent.status();
}

absl::Status SetMemoryLimitOption(Options& options, const Setting& setting) {
  if (setting.value == "none") {
    options.memory_limit_bytes = Options::kNoLimit;
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> bytes =
      BytesIn(setting, kMinLimitBytes, Options::kNoLimit - 1, kLimitAllowed);
  if (bytes.ok()) options.memory_limit_bytes = *bytes;
  return bytes.status();
}

absl::Status SetNurseryOption(Options& options, const Setting& setting) {
  if (setting.value == "off") {
    options.nursery = Options::Nursery::kOff;
    return absl::OkStatus();
  }
  if (setting.value == "adaptive") {
    options.nursery = Options::Nursery::kAdaptive;
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> bytes =
      BytesIn(setting, kMinNurseryBytes, kMaxNurseryBytes, kNurseryAllowed);
  if (bytes.ok()) {
    options.nursery = Options::Nursery::kFixed;
    options.nursery_bytes = *bytes;
  }
  return bytes.status();
}

absl::Status SetTenureOption(Options& options, const Setting& setting) {
  const absl::StatusOr<uint64_t> number = NumberIn(setting, 1, kMaxTenure, kTenureAllowed);
  if (number.ok()) options.tenure = static_cast<uint32_t>(*number);
  return number.status();
}

absl::Status SetProcsOption(Options& options, const Setting& setting) {
  const absl::StatusOr<uint64_t> number = NumberIn(setting, 0, kMaxProcs, kProcsAllowed);
  if (number.ok()) options.procs = static_cast<int>(*number);
  return number.status();
}

absl::Status SetWorkersOption(Options& options, const Setting& setting) {
  const absl::StatusOr<uint64_t> number = NumberIn(setting, 1, kMaxWorkers, kWorkersAllowed);
  if (number.ok()) options.workers = static_cast<uint32_t>(*number);
  return number.status();
}

absl::Status SetInPlaceOption(Options& options, const Setting& setting) {
  if (setting.value != "on" && setting.value != "off") return NotAllowed(setting, kInPlaceAllowed);
  options.in_place = setting.value == "on";
  return absl::OkStatus();
}

// Sets only the fields that the preset is about, so that it can be mixed with other options: what
// is set later wins.
absl::Status SetPresetOption(Options& options, const Setting& setting) {
  if (setting.value == "go") {
    options.nursery = Options::Nursery::kOff;
  } else if (setting.value == "source") {
    options.nursery = Options::Nursery::kFixed;
    options.nursery_bytes = size_t{16} << 20;
    options.tenure = 2;
    options.in_place = false;
    options.procs = 1;
  } else if (setting.value == "tiny") {
    options.nursery = Options::Nursery::kFixed;
    options.nursery_bytes = kMinNurseryBytes;
  } else {
    return NotAllowed(setting, kPresetAllowed);
  }
  return absl::OkStatus();
}

struct Setter {
  const char* name;
  const char* variable;  // of the environment; null for none
  absl::Status (*set)(Options& options, const Setting& setting);
};
constexpr Setter kSetters[] = {
    {"gogc", "NEAP_GOGC", SetGogcOption},
    {"memlimit", "NEAP_MEMLIMIT", SetMemoryLimitOption},
    {"nursery", "NEAP_NURSERY", SetNurseryOption},
    {"tenure", "NEAP_TENURE", SetTenureOption},
    {"procs", "NEAP_MAXPROCS", SetProcsOption},
    {"workers", "NEAP_WORKERS", SetWorkersOption},
    {"in-place", nullptr, SetInPlaceOption},
    {"preset", nullptr, SetPresetOption},
};

// An error of ValidateOptions: the field of the struct, its value, the rule.
absl::Status OutOfRange(const char* field, uint64_t value, const char* allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("Options::", field, ": ", value, " is not allowed; give ", allowed));
}

absl::Status ValidateNursery(const Options& options) {
  if (options.nursery == Options::Nursery::kOff) return absl::OkStatus();
  if (options.nursery_bytes < kMinNurseryBytes || options.nursery_bytes > kMaxNurseryBytes) {
    return OutOfRange("nursery_bytes", options.nursery_bytes, "4096 to 1073741824");
  }
  if (options.nursery == Options::Nursery::kFixed) return absl::OkStatus();
  if (options.nursery_max_bytes < options.nursery_bytes) {
    return OutOfRange("nursery_max_bytes", options.nursery_max_bytes, "at least nursery_bytes");
  }
  if (options.nursery_max_bytes > kMaxNurseryBytes) {
    return OutOfRange("nursery_max_bytes", options.nursery_max_bytes, "at most 1073741824");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Options> Options::Preset(std::string_view name) {
  Options options;
  const absl::Status status = SetPresetOption(options, {.label = "preset", .value = name});
  if (!status.ok()) return status;
  return options;
}

absl::Status SetOption(Options& options, std::string_view name, std::string_view value) {
  std::string names;
  for (const Setter& setter : kSetters) {
    if (name == setter.name) return setter.set(options, {.label = name, .value = value});
    absl::StrAppend(&names, names.empty() ? "" : ", ", setter.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", std::string(name), "\" is not an option; there are ", names));
}

bool IsOption(std::string_view name) {
  return std::any_of(std::begin(kSetters), std::end(kSetters),
                     [name](const Setter& setter) { return name == setter.name; });
}

absl::Status SetOptionsFromEnvironment(Options& options) {
  for (const Setter& setter : kSetters) {
    if (setter.variable == nullptr) continue;
    const char* value = std::getenv(setter.variable);
    if (value == nullptr || *value == '\0') continue;  // set to nothing is not set, as for GOGC
    absl::Status status = setter.set(options, {.label = setter.variable, .value = value});
    if (!status.ok()) return status;
  }
  if (const char* text = std::getenv("NEAP_DEBUG"); text != nullptr && *text != '\0') {
    absl::StatusOr<DebugSwitches> switches = ParseDebugSwitches(text, options.debug);
    if (!switches.ok()) return switches.status();
    options.debug = *switches;
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ParseBytes(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    int shift;
  };
  // "B" last: it ends the others too.
  static constexpr Unit kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"B", 0}};
  std::string_view digits = text;
  int shift = 0;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    digits.remove_suffix(unit.suffix.size());
    shift = unit.shift;
    break;
  }
  uint64_t number = 0;
  if (!ParseNumber(digits, &number)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", std::string(text),
                     "\" is not a size; give a whole number of bytes, or one with B, KiB, MiB or "
                     "GiB behind it"));
  }
  if (number > UINT64_MAX >> shift) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", std::string(text), "\" is more than 2^64 bytes"));
  }
  return number << shift;
}

absl::Status ValidateOptions(const Options& options) {
  if (absl::Status status = ValidateNursery(options); !status.ok()) return status;
  if (options.tenure < 1 || options.tenure > kMaxTenure) {
    return OutOfRange("tenure", options.tenure, kTenureAllowed);
  }
  if (options.workers < 1 || options.workers > kMaxWorkers) {
    return OutOfRange("workers", options.workers, kWorkersAllowed);
  }
  if (options.procs < 0 || options.procs > kMaxProcs) {
    return absl::InvalidArgumentError(
        absl::StrCat("Options::procs: ", options.procs, " is not allowed; give ", kProcsAllowed));
  }
  if (options.memory_limit_bytes < kMinLimitBytes) {
    return OutOfRange("memory_limit_bytes", options.memory_limit_bytes, kLimitAllowed);
  }
  if (options.hard_limit_bytes < kMinLimitBytes) {
    return OutOfRange("hard_limit_bytes", options.hard_limit_bytes, kLimitAllowed);
  }
  if (options.gogc > kMaxGogc && options.gogc != Options::kGogcOff) {
    return OutOfRange("gogc", options.gogc, kGogcAllowed);
  }
  if (options.reserve_bytes < kMinReserveBytes) {
    return OutOfRange("reserve_bytes", options.reserve_bytes, "at least 16777216");
  }
  return absl::OkStatus();
}

}  // namespace neap::gc
