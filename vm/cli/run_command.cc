// SPDX-License-Identifier: MIT
//
// run_command.h. In the order of the reference implementation: version; libraries; the table `arg`;
// LUA_INIT; -e, -l and -W as they stand; the script; the prompt.
#include "run_command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "command_line.h"
#include "heap_traces.h"
#include "library/file_text.h"
#include "library/native_setup.h"
#include "machine_facts.h"
#include "objects/table.h"
#include "prompt.h"
#include "script_host.h"

namespace neap::cli {
namespace {

using vm::State;
using vm::Value;

class Interpreter {
 public:
  Interpreter(ScriptHost& host, const ScriptOptions& options)
      : host_(host), state_(host.state()), options_(options) {}

  int Run() {
    if (options_.shows_version) ShowVersion();
    if (!MakeArguments()) return FailWithError();
    int status = options_.ignores_environment ? 0 : RunInit();
    for (const ScriptOptions::Action& action : options_.actions) {
      if (status == 0) status = RunAction(action);
    }
    if (status != 0) return status;
    if (options_.has_script()) {
      status = RunFile(options_.is_stdin ? nullptr : options_.words[options_.script].c_str(), true);
      if (status != 0) return status;
    }
    if (options_.is_interactive) {
      RunPrompt(host_);
    } else if (!options_.has_script() && !HasOtherWork()) {
      return RunStandardInput();
    }
    return 0;
  }

 private:
  // -e and -v stand for the script that is missing.
  bool HasOtherWork() const {
    if (options_.shows_version) return true;
    for (const ScriptOptions::Action& action : options_.actions) {
      if (action.kind == ScriptOptions::Action::Kind::kExecute) return true;
    }
    return false;
  }

  static void ShowVersion() {
    std::puts(VersionLine().c_str());
    std::fflush(stdout);
  }

  int RunStandardInput() {
    if (isatty(STDIN_FILENO) == 0) return RunFile(nullptr, false);
    ShowVersion();
    RunPrompt(host_);
    return 0;
  }

  // The value on top is the message.
  int Fail() {
    host_.Report(&options_.words[0]);
    return kExitScriptError;
  }
  int FailWithError() {
    host_.PushError();
    return Fail();
  }

  // `arg`: the script at 0, its arguments from 1, what stands before it at negative indices.
  bool MakeArguments() {
    const size_t zero = options_.has_script() ? options_.script : 0;
    if (!vm::PushNewTable(state_)) return false;
    for (size_t i = 0; i < options_.words.size(); ++i) {
      if (!vm::PushText(state_, options_.words[i])) return false;
      const int64_t index = static_cast<int64_t>(i) - static_cast<int64_t>(zero);
      if (!vm::RawSetInteger(state_.objects(), vm::AsTable(state_.FromTop(2)), index,
                             state_.FromTop(1))) {
        return state_.MemoryError();
      }
      state_.Pop(1);
    }
    state_.Push(state_.globals_value());
    state_.Push(state_.FromTop(2));
    if (!vm::SetFieldFromTop(state_, "arg")) return false;
    state_.Pop(2);
    return true;
  }

  // The elements of `arg` from 1 on, which the script gets as `...`.
  bool PushArguments(int* count) {
    const Value arguments = vm::RawField(state_, state_.globals(), "arg");
    if (!vm::IsTable(arguments)) return state_.ErrorAt(1, "'arg' is not a table");
    state_.Push(arguments);
    const uint32_t at = host_.height() - 1;
    int64_t length = 0;
    if (!state_.LengthOf(arguments, &length)) return false;
    if (length > INT32_MAX || !state_.EnsureSlots(static_cast<uint32_t>(length) + 3)) {
      return state_.ErrorAt(1, "too many arguments to script");
    }
    for (int64_t i = 1; i <= length; ++i) {
      state_.Push(vm::RawGetInteger(state_.objects(), vm::AsTable(state_.at(at)), i));
    }
    *count = static_cast<int>(length);
    return true;
  }

  // The function on top is what the chunk's text became.
  int RunChunk(int arguments) { return host_.Call(arguments, 0) ? 0 : Fail(); }

  int RunText(const std::string& text, const std::string& name) {
    return state_.Load(text, name, "bt") ? RunChunk(0) : FailWithError();
  }

  // Null: standard input.
  int RunFile(const char* path, bool is_script) {
    std::string chunk;
    if (!vm::ReadChunkFile(state_, path, &chunk)) {
      std::fprintf(stderr, "%s: %s\n", options_.words[0].c_str(), chunk.c_str());
      return kExitMisuse;
    }
    const std::string name = path == nullptr ? "=stdin" : absl::StrCat("@", path);
    if (!state_.Load(chunk, name, "bt")) return FailWithError();
    const uint32_t function = host_.height() - 1;
    int count = 0;
    if (is_script) {
      if (!PushArguments(&count)) return FailWithError();
      // The table between function and arguments goes.
      for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
        state_.running()->stack[function + 1 + i] = state_.at(function + 2 + i).word();
      }
      state_.Pop(1);
    }
    return RunChunk(count);
  }

  int RunInit() {
    const char* name = "LUA_INIT_5_4";
    const char* text = std::getenv(name);
    if (text == nullptr) text = std::getenv(name = "LUA_INIT");
    if (text == nullptr) return 0;
    if (text[0] == '@') return RunFile(text + 1, false);
    return RunText(text, absl::StrCat("=", name));
  }

  int RunAction(const ScriptOptions::Action& action) {
    switch (action.kind) {
      case ScriptOptions::Action::Kind::kExecute:
        return RunText(action.text, "=(command line)");
      case ScriptOptions::Action::Kind::kRequire:
        return Require(action.text);
      case ScriptOptions::Action::Kind::kWarn:
        host_.warnings().TurnOn();
        break;
    }
    return 0;
  }

  // "module" or "global=module".
  int Require(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string global = text.substr(0, equals);
    const std::string module = equals == text.npos ? text : text.substr(equals + 1);
    state_.Push(state_.globals_value());
    if (!state_.PushField(state_.FromTop(1), "require")) return FailWithError();
    if (!vm::PushText(state_, module)) return FailWithError();
    if (!host_.Call(1, 1)) return Fail();
    if (!vm::SetFieldFromTop(state_, global)) return FailWithError();
    state_.Pop(1);
    return 0;
  }

  ScriptHost& host_;
  State& state_;
  const ScriptOptions& options_;
};

}  // namespace

int RunScriptCommand(const ScriptOptions& options) {
  const absl::StatusOr<std::unique_ptr<ScriptHost>> host = ScriptHost::Create(options);
  if (!host.ok()) {
    std::fprintf(stderr, "neap: %s\n", std::string(host.status().message()).c_str());
    return kExitMisuse;
  }
  const int status = (*host)->Finish(Interpreter(**host, options).Run(), true);
#if defined(__SANITIZE_ADDRESS__)
  return status;  // LeakSanitizer looks at what the destructors leave
#else
  LeaveProcess(status);
#endif
}

}  // namespace neap::cli
