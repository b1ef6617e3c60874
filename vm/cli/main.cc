// SPDX-License-Identifier: MIT
//
// The `neap` program: parse (command_line.cc), run one command.
#include <cstdio>

#include "command_line.h"
#include "dump_command.h"
#include "heap_command.h"
#include "lab_command.h"
#include "run_command.h"
#include "sweep_command.h"
#include "trace_command.h"

namespace neap::cli {
namespace {

int Main(int argc, const char* const* argv) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(argc, argv);
  if (!line.ok()) {
    std::fprintf(stderr, "%s\n", std::string(line.status().message()).c_str());
    return kExitMisuse;
  }
  switch (line->command) {
    case CommandLine::Command::kPrint:
      std::fputs(line->print.c_str(), stdout);
      return 0;
    case CommandLine::Command::kLab:
      return RunLabCommand(*line);
    case CommandLine::Command::kLabCell:
      return RunLabCell(*line);
    case CommandLine::Command::kDump:
      return RunDumpCommand(line->words[0], line->dumps_escapes);
    case CommandLine::Command::kSweep:
      return RunSweepCommand(line->words, line->as_typed);
    case CommandLine::Command::kHeap:
      return RunHeapCommand(line->words);
    case CommandLine::Command::kTrace:
      return RunTraceCommand(line->words);
    case CommandLine::Command::kScript:
      break;
  }
  return RunScriptCommand(line->script);
}

}  // namespace
}  // namespace neap::cli

int main(int argc, char** argv) { return neap::cli::Main(argc, argv); }
