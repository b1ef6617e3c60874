// SPDX-License-Identifier: MIT
//
// The command line of `neap`, parsed. Nothing here runs anything.
//
// Order of precedence, weakest first: defaults, NEAP_PRESET or --preset, other NEAP_* variables,
// other flags. So a preset never undoes what was asked for by name.
//
// Errors: one line that names the flag (or variable) and the value; the program prints it and exits
// with status 2.
#ifndef NEAP_VM_CLI_COMMAND_LINE_H_
#define NEAP_VM_CLI_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lab.h"
#include "lab_main.h"
#include "script_options.h"

namespace neap::cli {

inline constexpr int kExitMisuse = 2;

struct CommandLine {
  enum class Command {
    kPrint,    // `print` goes to standard output: help, version
    kLab,      // lab
    kLabCell,  // lab-cell NAME ARGUMENT...: one cell of a timing experiment, for the lab itself
    kScript,   // run ..., or no other command: a script, or a prompt
    kDump,     // dump [--escape] FILE
    kSweep,    // these have parsers of their own, which get `words`: sweep_command.h,
    kHeap,     // heap_command.h,
    kTrace,    // trace_command.h
  };
  Command command = Command::kPrint;
  std::string print;
  std::string as_typed;            // for reports
  std::vector<std::string> words;  // names of experiments; cell and its arguments; file
  lab::Settings settings;          // kLab, kLabCell
  lab::OutputFormat format = lab::OutputFormat::kText;
  std::string html_file;       // empty: no report
  int repeat = 3;              // kLab with an own workload: processes for each storage
  bool dumps_escapes = false;  // kDump: what leaves its function, instead of the bytecode
  ScriptOptions script;        // kScript
};

// InvalidArgument is a line for the user.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_COMMAND_LINE_H_
