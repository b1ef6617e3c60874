// SPDX-License-Identifier: MIT
//
// prompt.h. A chunk is not complete when its syntax error ends in "<eof>" (parser.h).
#include "prompt.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "library/native_setup.h"
#include "line_reader.h"

namespace neap::cli {
namespace {

constexpr std::string_view kIncomplete = "<eof>";
constexpr const char* kChunkName = "=stdin";

class Prompt {
 public:
  Prompt(ScriptHost& host, LineReader& lines) : host_(host), state_(host.state()), lines_(lines) {}

  void Run() {
    const uint32_t height = host_.height();
    bool is_loaded = false;
    while (ReadChunk(&is_loaded)) {
      if (is_loaded && host_.Call(0, -1)) {
        PrintResults(height);
      } else {
        host_.Report(nullptr);
      }
      host_.SetHeight(height);
    }
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }

 private:
  // The text of the variable, by tostring; `otherwise` when it is nil or fails.
  std::string PromptText(const char* variable, const char* otherwise) {
    const vm::Value value = vm::RawField(state_, state_.globals(), variable);
    if (value.is_nil()) return otherwise;
    if (!state_.PushTostring(value)) {
      state_.ClearError();
      return otherwise;
    }
    std::string text = vm::State::TextOf(state_.FromTop(1));
    state_.Pop(1);
    return text;
  }

  bool ReadFirstLine(std::string* line) { return lines_.Read(PromptText("_PROMPT", "> "), line); }
  bool ReadNextLine(std::string* line) { return lines_.Read(PromptText("_PROMPT2", ">> "), line); }

  bool Load(const std::string& text) { return state_.Load(text, kChunkName, "t"); }

  bool IsIncomplete() {
    return vm::IsString(state_.error()) &&
           vm::AsString(state_.error())->view().ends_with(kIncomplete);
  }

  // Pushes the function, or a message. False: the input has ended.
  bool ReadChunk(bool* is_loaded) {
    std::string text;
    if (!ReadFirstLine(&text)) return false;
    std::string remembered = text;
    if (text.starts_with('=')) text.erase(0, 1);
    *is_loaded = Load(absl::StrCat("return ", text));
    if (remembered.starts_with('=')) text.insert(0, "return ");
    while (!*is_loaded) {
      *is_loaded = Load(text);
      std::string line;
      if (*is_loaded || !IsIncomplete() || !ReadNextLine(&line)) break;
      absl::StrAppend(&text, "\n", line);
      absl::StrAppend(&remembered, "\n", line);
    }
    if (!*is_loaded) host_.PushError();
    state_.ClearError();
    lines_.Remember(remembered);
    return true;
  }

  // All values above `height`, with the global `print`.
  void PrintResults(uint32_t height) {
    const uint32_t count = host_.height() - height;
    if (count == 0) return;
    if (!state_.EnsureSlots(2)) return host_.Report(nullptr);
    state_.Push(vm::RawField(state_, state_.globals(), "print"));
    vm::Word* stack = state_.running()->stack;
    for (uint32_t i = height + count; i > height; --i) std::swap(stack[i], stack[i - 1]);
    if (host_.Call(static_cast<int>(count), 0)) return;
    const vm::Value error = state_.FromTop(1);
    const std::string why = vm::IsString(error) ? vm::State::TextOf(error) : "not a string";
    state_.Pop(1);
    state_.ClearError();
    std::fprintf(stderr, "error calling 'print' (%s)\n", why.c_str());
  }

  ScriptHost& host_;
  vm::State& state_;
  LineReader& lines_;
};

}  // namespace

void RunPrompt(ScriptHost& host) {
  const std::unique_ptr<LineReader> lines = LineReader::ForStandardInput(host.state());
  Prompt(host, *lines).Run();
}

}  // namespace neap::cli
