// SPDX-License-Identifier: MIT
#include "support/reference_lua.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "doctest/doctest.h"

namespace neap::testing {
namespace {

// A file that goes away with its object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "neap-reference-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    REQUIRE(file >= 0);
    close(file);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (const size_t bytes = fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, bytes);
  pclose(pipe);
  return output;
}

std::string Chosen(const char* variable, const char* usual) {
  const char* chosen = std::getenv(variable);
  return chosen != nullptr ? chosen : usual;
}

void SaySkipped(const std::string& program) {
  MESSAGE("skipped: ", program, " is not installed (Debian: lua5.4)");
}

}  // namespace

ReferenceLua::ReferenceLua() : program_(Chosen("NEAP_REFERENCE_LUA", "lua5.4")) {
  const std::string version = OutputOf(program_ + " -v 2>/dev/null");
  if (std::sscanf(version.c_str(), "Lua 5.4.%d", &release_) == 1) return;
  release_ = -1;
  SaySkipped(program_);
}

std::string ReferenceLua::Run(std::string_view script, std::string_view input) const {
  const TemporaryFile script_file(script);
  const TemporaryFile input_file(input);
  return OutputOf(program_ + " '" + script_file.path() + "' '" + input_file.path() + "'");
}

ReferenceCompiler::ReferenceCompiler() : program_(Chosen("NEAP_REFERENCE_LUAC", "luac5.4")) {
  is_installed_ = OutputOf(program_ + " -v 2>/dev/null").starts_with("Lua 5.4.");
  if (!is_installed_) SaySkipped(program_);
}

std::string ReferenceCompiler::List(std::string_view source) const {
  const TemporaryFile file(source);
  return OutputOf(program_ + " -l -l -p '" + file.path() + "' 2>/dev/null");
}

}  // namespace neap::testing
