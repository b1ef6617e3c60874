// SPDX-License-Identifier: MIT
//
// The interactive prompt: reads lines, runs them, prints what they return, until the input ends.
//
// A line is tried as an expression first ("return LINE"), a leading "=" is dropped; a chunk that is
// not complete goes on in the next lines. _PROMPT and _PROMPT2 are the prompts.
#ifndef NEAP_VM_CLI_PROMPT_H_
#define NEAP_VM_CLI_PROMPT_H_

#include "script_host.h"

namespace neap::cli {

// On a terminal with history and completion, otherwise plain lines.
void RunPrompt(ScriptHost& host);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_PROMPT_H_
