// SPDX-License-Identifier: MIT
#include "write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace neap::cli {

absl::Status WriteFile(const char* flag, const std::string& path, std::string_view bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool is_written = file != nullptr;
  if (is_written) is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != nullptr) is_written &= std::fclose(file) == 0;
  if (is_written) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(flag, ": cannot write '", path, "': ", std::strerror(errno)));
}

}  // namespace neap::cli
