// SPDX-License-Identifier: MIT
//
// `neap sweep`: a workload over a grid of knobs, and the merging of results.
#ifndef NEAP_VM_CLI_SWEEP_COMMAND_H_
#define NEAP_VM_CLI_SWEEP_COMMAND_H_

#include <string>
#include <vector>

namespace neap::cli {

// `arguments` stand behind the word; `as_typed` is the whole command line, for the result file.
// Exit status: 0, 1 (a run failed, or a file could not be written), 2 (bad input).
int RunSweepCommand(const std::vector<std::string>& arguments, const std::string& as_typed);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_SWEEP_COMMAND_H_
