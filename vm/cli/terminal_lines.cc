// SPDX-License-Identifier: MIT
//
// terminal_lines.h, over libedit's interface in the manner of readline. Only a prompt pays for the
// library: it is loaded here. Its callbacks have no context: what they need is static.
#include "terminal_lines.h"

#if NEAP_HAS_LIBEDIT

#include <dlfcn.h>
#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "completion.h"

namespace neap::cli {
namespace {

constexpr int kRememberedLines = 1000;

// What is used of libedit, by the names and types of its header.
class Libedit {
 public:
  bool Load() {
    library_ = dlopen("libedit.so.2", RTLD_NOW);
    if (library_ == nullptr) return false;
    return Find("rl_initialize", initialize) && Find("using_history", using_history) &&
           Find("stifle_history", stifle_history) && Find("read_history", read_history) &&
           Find("write_history", write_history) && Find("add_history", add_history) &&
           Find("readline", read_line) && Find("rl_completion_matches", completion_matches) &&
           Find("rl_readline_name", name) &&
           Find("rl_completer_word_break_characters", word_breaks) &&
           Find("rl_attempted_completion_function", complete) &&
           Find("rl_attempted_completion_over", completion_over) &&
           Find("rl_completion_append_character", append_character);
  }

  decltype(&rl_initialize) initialize;
  decltype(&::using_history) using_history;
  decltype(&::stifle_history) stifle_history;
  decltype(&::read_history) read_history;
  decltype(&::write_history) write_history;
  decltype(&::add_history) add_history;
  decltype(&readline) read_line;
  decltype(&rl_completion_matches) completion_matches;
  decltype(&rl_readline_name) name;
  decltype(&rl_completer_word_break_characters) word_breaks;
  decltype(&rl_attempted_completion_function) complete;
  decltype(&rl_attempted_completion_over) completion_over;
  decltype(&rl_completion_append_character) append_character;

 private:
  template <typename T>
  bool Find(const char* symbol, T*& place) {
    place = reinterpret_cast<T*>(dlsym(library_, symbol));
    return place != nullptr;
  }

  void* library_ = nullptr;  // never unloaded: it has hooks in the process
};

Libedit libedit;
vm::State* completed_state = nullptr;
std::vector<std::string> completions;

char* NextCompletion(const char*, int index) {
  const auto i = static_cast<size_t>(index);
  return i < completions.size() ? strdup(completions[i].c_str()) : nullptr;
}

char** Complete(const char* word, int, int) {
  *libedit.completion_over = 1;  // no names of files
  completions = CompletionsOf(*completed_state, word);
  return libedit.completion_matches(word, NextCompletion);
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
    *libedit.name = name;
    libedit.initialize();
    libedit.using_history();
    libedit.stifle_history(kRememberedLines);
    if (!history_file_.empty()) libedit.read_history(history_file_.c_str());
    completed_state = &state;
    *libedit.word_breaks = breaks;
    *libedit.complete = Complete;
    *libedit.append_character = '\0';
  }
  ~TerminalLines() override { completed_state = nullptr; }

  bool Read(const std::string& prompt, std::string* line) override {
    char* text = libedit.read_line(prompt.c_str());
    if (text == nullptr) return false;
    *line = text;
    std::free(text);
    return true;
  }

  // Written at once: os.exit does not come back here.
  void Remember(const std::string& chunk) override {
    if (chunk.empty()) return;
    libedit.add_history(chunk.c_str());
    if (!history_file_.empty()) libedit.write_history(history_file_.c_str());
  }

 private:
  const std::string history_file_;  // empty: none
};

}  // namespace

std::unique_ptr<LineReader> MakeTerminalLines(vm::State& state) {
  if (!libedit.Load()) return nullptr;
  return std::make_unique<TerminalLines>(state);
}

}  // namespace neap::cli

#else

namespace neap::cli {

std::unique_ptr<LineReader> MakeTerminalLines(vm::State&) { return nullptr; }

}  // namespace neap::cli

#endif
