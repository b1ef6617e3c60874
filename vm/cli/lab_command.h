// SPDX-License-Identifier: MIT
//
// `neap lab` and its cells: traces around, report after.
#ifndef NEAP_VM_CLI_LAB_COMMAND_H_
#define NEAP_VM_CLI_LAB_COMMAND_H_

#include "command_line.h"

namespace neap::cli {

// Exit status: 0, 1 (a strict criterion failed, or a result could not be written), 2 (bad input).
int RunLabCommand(const CommandLine& line);

// One isolated cell; prints what the cell prints.
int RunLabCell(const CommandLine& line);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_LAB_COMMAND_H_
