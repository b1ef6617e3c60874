// SPDX-License-Identifier: MIT
//
// Lines from a terminal, edited with libedit: history in ~/.neap_history (NEAP_HISTORY names
// another file, or none when it is empty), Tab completes names.
#ifndef NEAP_VM_CLI_TERMINAL_LINES_H_
#define NEAP_VM_CLI_TERMINAL_LINES_H_

#include "line_reader.h"

namespace neap::cli {

// Null: libedit was not there at build time, or is not now. One at a time: libedit has one state
// for the process.
std::unique_ptr<LineReader> MakeTerminalLines(vm::State& state);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_TERMINAL_LINES_H_
