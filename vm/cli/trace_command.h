// SPDX-License-Identifier: MIT
//
// `neap trace`: summary, comparison, page and export of traces (bench/trace).
#ifndef NEAP_VM_CLI_TRACE_COMMAND_H_
#define NEAP_VM_CLI_TRACE_COMMAND_H_

#include <string>
#include <vector>

namespace neap::cli {

// `arguments`: what follows the word "trace". Exit status: 0; 1 when a trace was read but is cut
// off or has no end line (the output is of what is there), or an output could not be written; 2 for
// a file that is no trace, another version, or wrong flags, with one line on standard error.
int RunTraceCommand(const std::vector<std::string>& arguments);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_TRACE_COMMAND_H_
