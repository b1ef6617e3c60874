// SPDX-License-Identifier: MIT
//
// Programs that neap_bench runs: its own cells, peers in other languages, instruction counts.
//
// A cell or peer prints its result as one line of "key=value" words that starts with RESULT.
#ifndef NEAP_BENCH_CHILD_H_
#define NEAP_BENCH_CHILD_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace neap::bench {

struct ChildRun {
  bool ok = false;     // started and ended with status 0
  std::string output;  // its standard output
  double wall_s = 0;
  double cpu_s = 0;       // user + system, all threads
  double peak_bytes = 0;  // largest resident set
  std::map<std::string, double>
      values;  // of the RESULT line; a value that is no number is left out

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
