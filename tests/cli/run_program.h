// SPDX-License-Identifier: MIT
//
// Runs the built `neap` and keeps what it said.
#ifndef NEAP_TESTS_CLI_RUN_PROGRAM_H_
#define NEAP_TESTS_CLI_RUN_PROGRAM_H_

#include <string>
#include <vector>

namespace neap::cli_test {

struct ProgramRun {
  int status = -1;  // exit status; -1: killed by a signal
  std::string out, err;

  // True when standard error is exactly one line that is not empty.
  bool OneLineOfError() const;
};

// `environment`: "NAME=VALUE" words on top of this process's, whose NEAP_* and LUA_* variables are
// not passed. `input`: standard input, a file.
ProgramRun RunNeap(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {}, const std::string& input = "");

// Writes a file in the scratch folder; its path.
std::string WriteScratch(const std::string& name, const std::string& text);

// A path in a scratch folder that is removed at exit.
std::string ScratchPath(const std::string& name);
std::string ReadFile(const std::string& path);
std::vector<std::string> Lines(const std::string& text);

}  // namespace neap::cli_test

#endif  // NEAP_TESTS_CLI_RUN_PROGRAM_H_
