// SPDX-License-Identifier: MIT
//
// `neap dump FILE.lua`: the bytecode of a script, text or binary. `neap dump --escape FILE.lua`:
// for each table and closure that the script makes, whether it leaves the function that makes it
// (compiler/escape_report.h). Nothing is run.
#ifndef NEAP_VM_CLI_DUMP_COMMAND_H_
#define NEAP_VM_CLI_DUMP_COMMAND_H_

#include <string>

namespace neap::cli {

// "-": standard input. Exit status: 0, 1 (no Lua), 2 (cannot be read).
int RunDumpCommand(const std::string& path, bool shows_escapes);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_DUMP_COMMAND_H_
