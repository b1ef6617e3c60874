// SPDX-License-Identifier: MIT
//
// Cells of timing experiments, each in a process of its own: a cell that shares a process inherits
// the warm heap, the grown nursery and the page tables of the one before it, and is not comparable
// (LAB B24 measures by how much).
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lab.h"

extern char** environ;

namespace neap::lab {
namespace {

std::map<std::string, CellFunction, std::less<>>& Cells() {
  static std::map<std::string, CellFunction, std::less<>> cells;
  return cells;
}

std::string ReadToEnd(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

// Starts `program lab-cell NAME ARG...` with its standard output on a pipe. -1: could not.
pid_t Spawn(const std::string& program, const char* name, const std::vector<std::string>& arguments,
            int output) {
  std::vector<std::string> words = {program, "lab-cell", name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child = -1;
  if (posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) {
    child = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

std::string RunInChild(const std::string& program, const char* name,
                       const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = Spawn(program, name, arguments, ends[1]);
  close(ends[1]);
  std::string text = child > 0 ? ReadToEnd(ends[0]) : "";
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool succeeded = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return succeeded ? text : "";
}

// The same without a process: standard output goes to a file in memory meanwhile.
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

void RegisterCell(const char* name, CellFunction function) { Cells()[name] = function; }

CellFunction FindCell(std::string_view name) {
  const auto found = Cells().find(name);
  return found == Cells().end() ? nullptr : found->second;
}

std::string RunIsolated(const Lab& lab, const char* name,
                        const std::vector<std::string>& arguments) {
  if (lab.settings().isolate && !lab.settings().program.empty()) {
    return RunInChild(lab.settings().program, name, arguments);
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
