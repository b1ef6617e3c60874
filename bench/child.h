// SPDX-License-Identifier: MIT
//
// Programs that neap_bench runs: its own cells, peers in other languages, instruction counts.
//
// A cell or peer prints its result as "key=value" words in a line that starts with RESULT; behind
// it a cell prints peak_bytes, the largest resident set of its own process.
#ifndef NEAP_BENCH_CHILD_H_
#define NEAP_BENCH_CHILD_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "child_process.h"

namespace neap::bench {

struct ChildRun : lab::ChildProcess {
  // Of the RESULT lines; a value that is no number is left out.
  std::map<std::string, double> values;

  double operator[](const std::string& key) const;  // NaN when the line has no such key
};

// Runs `argv` (argv[0] is searched in PATH) to its end. `environment` words "NAME=VALUE" are added.
ChildRun RunChild(const std::vector<std::string>& argv,
                  const std::vector<std::string>& environment = {});

// `neap_bench cell NAME ARGUMENTS...` in a process of its own.
ChildRun RunCell(const std::string& name, const std::vector<std::string>& arguments);

// Path of the C++ peer `name` beside this program, or nullopt when it was not built.
std::optional<std::string> CppPeer(const std::string& name);
// Builds bench/peers/go/NAME into a scratch folder, once a process. nullopt: no Go here, or it does
// not build; `reason` says which.
std::optional<std::string> GoPeer(const std::string& name, std::string* reason);
// Command words that run bench/peers/js/NAME.mjs, or nullopt when there is no Node.
std::optional<std::vector<std::string>> NodePeer(const std::string& name);

// Instructions that `neap_bench cell NAME ARGUMENTS...` executes, counted by valgrind; nullopt when
// there is no valgrind or it fails. `symbol`, when given, receives the inclusive instructions of
// the functions whose name contains it.
struct InstructionCount {
  double total = 0;
  double in_symbol = 0;
};
std::optional<InstructionCount> CountInstructions(const std::string& cell,
                                                  const std::vector<std::string>& arguments,
                                                  const std::string& symbol = "");

}  // namespace neap::bench

#endif  // NEAP_BENCH_CHILD_H_
