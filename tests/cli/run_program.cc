// SPDX-License-Identifier: MIT
#include "run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace neap::cli_test {
namespace {

namespace fs = std::filesystem;

const fs::path& ScratchFolder() {
  static const struct Scratch {
    Scratch() {
      std::string pattern = (fs::temp_directory_path() / "neap-cli-XXXXXX").string();
      path = mkdtemp(pattern.data()) == nullptr ? "." : pattern;
    }
    ~Scratch() {
      std::error_code ignored;
      if (path != ".") fs::remove_all(path, ignored);
    }
    fs::path path;
  } scratch;
  return scratch.path;
}

std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> words = added;
  for (char** word = environ; *word != nullptr; ++word) {
    const std::string text = *word;
    if (!text.starts_with("NEAP_") && !text.starts_with("LUA_")) words.push_back(text);
  }
  return words;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

bool ProgramRun::OneLineOfError() const {
  return err.size() > 1 && err.find('\n') == err.size() - 1;
}

ProgramRun RunNeap(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment, const std::string& input) {
  std::vector<std::string> argv = {NEAP_PROGRAM};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = Environment(environment);
  const std::string out = ScratchPath("stdout"), err = ScratchPath("stderr");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kMode = O_WRONLY | O_CREAT | O_TRUNC;
  const std::string in = WriteScratch("stdin", input);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kMode, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kMode, 0600);
  pid_t child = -1;
  ProgramRun run;
  if (posix_spawn(&child, NEAP_PROGRAM, &actions, nullptr, Pointers(argv).data(),
                  Pointers(variables).data()) == 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  }
  posix_spawn_file_actions_destroy(&actions);
  run.out = ReadFile(out);
  run.err = ReadFile(err);
  return run;
}

std::string ScratchPath(const std::string& name) { return (ScratchFolder() / name).string(); }

std::string WriteScratch(const std::string& name, const std::string& text) {
  const std::string path = ScratchPath(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace neap::cli_test
