// SPDX-License-Identifier: MIT
//
// How the commands with flags of their own (sweep, heap, trace) read them: CLI11 throws, and
// nothing it throws leaves this function.
#ifndef NEAP_VM_CLI_READ_FLAGS_H_
#define NEAP_VM_CLI_READ_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"

namespace neap::cli {

// Lets `app` read the arguments. An exit status when that is all there is to do: the help text was
// asked for, or the flags are wrong and one line said so.
inline std::optional<int> ReadFlags(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // last first
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::Error& error) {
    std::fprintf(stderr, "%s: %s; `%s --help` lists the flags\n", app.get_name().c_str(),
                 error.what(), app.get_name().c_str());
    return kExitMisuse;
  }
  return std::nullopt;
}

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_READ_FLAGS_H_
