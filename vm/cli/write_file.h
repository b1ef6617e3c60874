// SPDX-License-Identifier: MIT
//
// Files that a flag names.
#ifndef NEAP_VM_CLI_WRITE_FILE_H_
#define NEAP_VM_CLI_WRITE_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace neap::cli {

// Makes the file anew, or empties it, and writes all of `bytes`. The error names flag, path and
// reason.
absl::Status WriteFile(const char* flag, const std::string& path, std::string_view bytes);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_WRITE_FILE_H_
