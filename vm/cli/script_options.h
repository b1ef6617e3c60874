// SPDX-License-Identifier: MIT
//
// The command line of a script, as the stand-alone interpreter of the reference implementation
// reads it, with flags of the heap among the options:
//
//   neap [run] [OPTIONS] [SCRIPT [ARGUMENTS]]
//
// The first word that is no option (or "-", or what follows "--") is the script; all behind it is
// the script's own. Nothing here runs anything.
#ifndef NEAP_VM_CLI_SCRIPT_OPTIONS_H_
#define NEAP_VM_CLI_SCRIPT_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "neap/gc/flight_recorder.h"
#include "neap/gc/options.h"
#include "profile_files.h"

namespace neap::cli {

struct ScriptOptions {
  // What is done before the script, in the order of the command line.
  struct Action {
    enum class Kind {
      kExecute,  // -e text
      kRequire,  // -l text, "module" or "global=module"
      kWarn,     // -W
    } kind;
    std::string text;
  };

  std::vector<std::string> words;    // argv; words[0] names the program in messages
  size_t script = 0;                 // its index in `words`; words.size(): none
  bool is_stdin = false;             // the script is "-"
  bool shows_version = false;        // -v, -i
  bool is_interactive = false;       // -i
  bool ignores_environment = false;  // -E
  std::vector<Action> actions;
  gc::Options heap;
  std::string trace_file;            // empty: none
  gc::FlightRecorderOptions flight;  // no path: none
  // NEAP_SEED, or drawn: of string hashes and of math.random, until the script seeds it.
  uint64_t seed = 0;
  ProfileOptions profiles;

  bool has_script() const { return script < words.size(); }
};

// `first`: index of the word where options begin. InvalidArgument is a line for the user.
absl::StatusOr<ScriptOptions> ParseScriptOptions(std::vector<std::string> words, size_t first);

// The part of the help text about these options.
std::string DescribeScriptOptions();

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_SCRIPT_OPTIONS_H_
