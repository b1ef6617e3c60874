// SPDX-License-Identifier: MIT
//
// Cells of timing experiments, each in a process of its own: a cell that shares a process inherits
// the warm heap, the grown nursery and the page tables of the one before it, and is not comparable
// (LAB B24 measures by how much).
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "child_process.h"
#include "lab.h"

namespace neap::lab {
namespace {

constinit const Cell* last_cell = nullptr;

// A cell without a process: standard output goes to a file in memory meanwhile.
std::string RunHere(CellFunction function, const std::vector<std::string>& arguments) {
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  const int file = memfd_create("lab-cell", MFD_CLOEXEC);
  if (saved < 0 || file < 0) return "";
  dup2(file, STDOUT_FILENO);
  const int status = function(arguments);
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  lseek(file, 0, SEEK_SET);
  std::string text = ReadToEnd(file);
  close(file);
  return status == 0 ? text : "";
}

}  // namespace

Cell::Cell(const char* name, CellFunction function)
    : name_(name), function_(function), next_(last_cell) {
  last_cell = this;
}

CellFunction FindCell(std::string_view name) {
  const Cell* cell = last_cell;
  while (cell != nullptr && cell->name_ != name) cell = cell->next_;
  return cell == nullptr ? nullptr : cell->function_;
}

std::string RunIsolated(const Lab& lab, const char* name,
                        const std::vector<std::string>& arguments) {
  if (lab.settings().isolate && !lab.settings().program.empty()) {
    std::vector<std::string> argv = {lab.settings().program, "lab-cell", name};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    ChildProcess run = RunToEnd(argv);
    return run.ok ? std::move(run.output) : "";
  }
  const CellFunction function = FindCell(name);
  return function == nullptr ? "" : RunHere(function, arguments);
}

std::vector<std::string> OptionArguments(const gc::Options& options) {
  using Nursery = gc::Options::Nursery;
  std::vector<std::string> arguments;
  arguments.push_back(options.gogc == gc::Options::kGogcOff ? "gogc=off"
                                                            : absl::StrCat("gogc=", options.gogc));
  if (options.memory_limit_bytes != gc::Options::kNoLimit) {
    arguments.push_back(absl::StrCat("memlimit=", options.memory_limit_bytes));
  }
  arguments.push_back(options.nursery == Nursery::kOff ? "nursery=off"
                      : options.nursery == Nursery::kAdaptive
                          ? "nursery=adaptive"
                          : absl::StrCat("nursery=", options.nursery_bytes));
  arguments.push_back(absl::StrCat("tenure=", options.tenure));
  if (options.procs != 0) arguments.push_back(absl::StrCat("procs=", options.procs));
  arguments.push_back(absl::StrCat("workers=", options.workers));
  arguments.push_back(options.in_place ? "in-place=on" : "in-place=off");
  return arguments;
}

std::vector<std::string> TakeOptionArguments(const std::vector<std::string>& arguments,
                                             gc::Options& options) {
  std::vector<std::string> others;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const bool taken =
        equals != std::string::npos &&
        gc::SetOption(options, argument.substr(0, equals), argument.substr(equals + 1)).ok();
    if (!taken) others.push_back(argument);
  }
  return others;
}

}  // namespace neap::lab
