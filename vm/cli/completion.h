// SPDX-License-Identifier: MIT
//
// Completion of names at the prompt.
//
//   CompletionsOf(state, "string.for")  ->  "string.format"
//   CompletionsOf(state, "file:re")     ->  "file:read"
#ifndef NEAP_VM_CLI_COMPLETION_H_
#define NEAP_VM_CLI_COMPLETION_H_

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/state.h"

namespace neap::cli {

// Whole words, sorted. A chain of names is followed from the globals through fields and through
// __index tables; no metamethod is called. Behind a colon only functions count. (no safepoint)
std::vector<std::string> CompletionsOf(vm::State& state, std::string_view word);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_COMPLETION_H_
