// SPDX-License-Identifier: MIT
//
// `neap [run] [OPTIONS] [SCRIPT [ARGUMENTS]]`: the stand-alone interpreter.
#ifndef NEAP_VM_CLI_RUN_COMMAND_H_
#define NEAP_VM_CLI_RUN_COMMAND_H_

#include "script_options.h"

namespace neap::cli {

// Exit status: 0, 1 (an error in a script), 2 (the script or a trace cannot be opened); whatever
// os.exit says does not come back here.
int RunScriptCommand(const ScriptOptions& options);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_RUN_COMMAND_H_
