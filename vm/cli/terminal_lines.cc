// SPDX-License-Identifier: MIT
//
// terminal_lines.h, over libedit's interface in the manner of readline. Its callbacks have no
// context: what they need is static.
#include "terminal_lines.h"

#if NEAP_HAS_LIBEDIT

#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "completion.h"

namespace neap::cli {
namespace {

constexpr int kRememberedLines = 1000;

vm::State* completed_state = nullptr;
std::vector<std::string> completions;

char* NextCompletion(const char*, int index) {
  const auto i = static_cast<size_t>(index);
  return i < completions.size() ? strdup(completions[i].c_str()) : nullptr;
}

char** Complete(const char* word, int, int) {
  rl_attempted_completion_over = 1;  // no names of files
  completions = CompletionsOf(*completed_state, word);
  return rl_completion_matches(word, NextCompletion);
}

std::string HistoryFile() {
  if (const char* path = std::getenv("NEAP_HISTORY")) return path;
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.neap_history";
}

class TerminalLines final : public LineReader {
 public:
  explicit TerminalLines(vm::State& state) : history_file_(HistoryFile()) {
    static char name[] = "neap";
    static char breaks[] = " \t\n\"'`()[]{}<>=,;+-*/%^#&|~!?$\\";
    rl_readline_name = name;
    rl_initialize();
    using_history();
    stifle_history(kRememberedLines);
    if (!history_file_.empty()) read_history(history_file_.c_str());
    completed_state = &state;
    rl_completer_word_break_characters = breaks;
    rl_attempted_completion_function = Complete;
    rl_completion_append_character = '\0';
  }
  ~TerminalLines() override { completed_state = nullptr; }

  bool Read(const std::string& prompt, std::string* line) override {
    char* text = readline(prompt.c_str());
    if (text == nullptr) return false;
    *line = text;
    std::free(text);
    return true;
  }

  // Written at once: os.exit does not come back here.
  void Remember(const std::string& chunk) override {
    if (chunk.empty()) return;
    add_history(chunk.c_str());
    if (!history_file_.empty()) write_history(history_file_.c_str());
  }

 private:
  const std::string history_file_;  // empty: none
};

}  // namespace

std::unique_ptr<LineReader> MakeTerminalLines(vm::State& state) {
  return std::make_unique<TerminalLines>(state);
}

}  // namespace neap::cli

#else

namespace neap::cli {

std::unique_ptr<LineReader> MakeTerminalLines(vm::State&) { return nullptr; }

}  // namespace neap::cli

#endif
