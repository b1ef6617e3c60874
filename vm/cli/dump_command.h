// SPDX-License-Identifier: MIT
//
// `neap dump FILE.lua`: the bytecode of a script, text or binary. Nothing is run.
#ifndef NEAP_VM_CLI_DUMP_COMMAND_H_
#define NEAP_VM_CLI_DUMP_COMMAND_H_

#include <string>

namespace neap::cli {

// "-": standard input. Exit status: 0, 1 (no Lua), 2 (cannot be read).
int RunDumpCommand(const std::string& path);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_DUMP_COMMAND_H_
