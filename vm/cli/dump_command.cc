// SPDX-License-Identifier: MIT
//
// dump_command.h. No heap is needed: the listing is of code units (compiler/lister.h).
#include "dump_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "command_line.h"
#include "compiler/code_generator.h"
#include "compiler/escape_report.h"
#include "compiler/lister.h"
#include "interpreter/binary_chunk.h"
#include "library/file_text.h"
#include "syntax/parser.h"

namespace neap::cli {
namespace {

absl::StatusOr<std::unique_ptr<vm::CodeUnit>> Compile(const std::string& text,
                                                      const std::string& name) {
  if (vm::IsBinaryChunk(text)) return vm::ReadBinaryChunk(text, name);
  absl::StatusOr<std::unique_ptr<const vm::Chunk>> chunk = vm::Parse(text, name, {});
  if (!chunk.ok()) return chunk.status();
  return vm::GenerateCode(**chunk);
}

// False: errno says why not.
bool ReadWhole(FILE* file, std::string* text) {
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    text->append(buffer, n);
  }
  return std::ferror(file) == 0;
}

}  // namespace

int RunDumpCommand(const std::string& path, bool shows_escapes) {
  const bool is_stdin = path == "-";
  FILE* file = is_stdin ? stdin : std::fopen(path.c_str(), "rb");
  std::string text;
  if (file == nullptr || !ReadWhole(file, &text)) {
    std::fprintf(stderr, "neap: cannot %s %s: %s\n", file == nullptr ? "open" : "read",
                 path.c_str(), std::strerror(errno));
    return kExitMisuse;
  }
  if (!is_stdin) std::fclose(file);
  vm::DropFirstLineComment(&text);
  const auto unit = Compile(text, is_stdin ? "=stdin" : absl::StrCat("@", path));
  if (!unit.ok()) {
    std::fprintf(stderr, "neap: %s\n", std::string(unit.status().message()).c_str());
    return 1;
  }
  const std::string shown =
      shows_escapes ? vm::EscapeText(vm::FindEscapes(**unit)) : vm::ListCode(**unit);
  std::fputs(shown.c_str(), stdout);
  return 0;
}

}  // namespace neap::cli
