// SPDX-License-Identifier: MIT
//
// The flags that set options of the heap, for every subcommand that makes one: their names, their
// environment variables, what they mean. Order of precedence, weakest first: defaults of the
// subcommand, preset, variables, flags.
#ifndef NEAP_VM_CLI_HEAP_FLAGS_H_
#define NEAP_VM_CLI_HEAP_FLAGS_H_

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "neap/gc/options.h"

namespace neap::cli {

// In the order of the help text. `variable` is what gc::SetOptionsFromEnvironment reads itself, or
// what is read here when `ours`.
struct HeapFlag {
  const char* name;      // without dashes; also the option's name for gc::SetOption
  const char* value;     // for the help text
  const char* variable;  // environment variable
  bool ours;             // true: gc::SetOptionsFromEnvironment does not know it
  const char* sentence;
};
inline constexpr HeapFlag kHeapFlags[] = {
    {"preset", "NAME", "NEAP_PRESET", true, "go: no nursery; source: as the published runs; tiny"},
    {"gogc", "PERCENT", "NEAP_GOGC", false, "growth between major cycles, or off"},
    {"memlimit", "SIZE", "NEAP_MEMLIMIT", false, "soft memory limit (64MiB, 1GiB), or none"},
    {"nursery", "SIZE", "NEAP_NURSERY", false, "per P: a fixed size, adaptive, or off"},
    {"tenure", "N", "NEAP_TENURE", false, "a survivor is promoted on its Nth survival"},
    {"procs", "N", "NEAP_MAXPROCS", false, "number of Ps (default: the cores; scripts: 1)"},
    {"workers", "N", "NEAP_WORKERS", false, "threads that copy in a minor collection"},
    {"in-place", "on|off", "NEAP_IN_PLACE", true, "cohorts that live on become old uncopied"},
};
inline constexpr size_t kHeapFlagCount = std::size(kHeapFlags);

// What was given on the command line, by index of kHeapFlags.
using HeapFlagTexts = std::optional<std::string>[kHeapFlagCount];

// The variable's value; an empty one counts as none.
std::optional<std::string> Variable(const char* name);

// InvalidArgument: "neap: ..." in one line that names the flag or variable and its value.
// `*is_default`: set to false when a flag or variable said something.
absl::Status FillHeapOptions(const HeapFlagTexts& flags, gc::Options& options, bool* is_default);

// InvalidArgument with the text in one line, "neap: " in front.
absl::Status Misuse(const std::string& line);
// Messages about a variable of the heap begin with its name; those about a switch inside NEAP_DEBUG
// name the switch only.
absl::Status BadVariable(const absl::Status& status);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_HEAP_FLAGS_H_
