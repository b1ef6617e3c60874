// SPDX-License-Identifier: MIT
//
// What a reader of figures needs to know of the machine and the build. For reports only.
#ifndef NEAP_VM_CLI_MACHINE_FACTS_H_
#define NEAP_VM_CLI_MACHINE_FACTS_H_

#include <string>
#include <utility>
#include <vector>

namespace neap::cli {

// Name and value; what the system does not tell is left out.
std::vector<std::pair<std::string, std::string>> MachineFacts();

// "neap 0.1.0  Lua 5.4  (release, gcc 12.2.0, linux x86_64)".
std::string VersionLine();

// "2026-11-30 14:05 UTC".
std::string UtcNow();

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_MACHINE_FACTS_H_
