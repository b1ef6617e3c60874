// SPDX-License-Identifier: MIT
//
// One Lua state of the program, with all libraries, on a heap of its own: what scripts, the prompt
// and the options run in. Code runs in the state's lowest frame, with a message handler that adds a
// traceback. One thread.
//
//   absl::StatusOr<std::unique_ptr<ScriptHost>> host = ScriptHost::Create(options);
//   if (!(*host)->state().Load(...)) (*host)->PushError();
//   if (!(*host)->Call(0, 0)) (*host)->Report(&name);
//
// Destroying it closes the state: variables of the main coroutine, then all finalizers.
#ifndef NEAP_VM_CLI_SCRIPT_HOST_H_
#define NEAP_VM_CLI_SCRIPT_HOST_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "interpreter/state.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "profile_files.h"
#include "script_options.h"
#include "script_warnings.h"

namespace neap::cli {

// A script failed, or a file of its run could not be written.
inline constexpr int kExitScriptError = 1;

// Ends the process with its standard streams flushed. The heap stays: the system takes memory back
// faster than destructors would.
[[noreturn]] void LeaveProcess(int status);

class ScriptHost {
 public:
  // Opens the traces, makes the heap and the state. The error is a line for the user.
  static absl::StatusOr<std::unique_ptr<ScriptHost>> Create(const ScriptOptions& options);
  ~ScriptHost();
  ScriptHost(const ScriptHost&) = delete;
  ScriptHost& operator=(const ScriptHost&) = delete;

  vm::State& state() { return state_; }
  ScriptWarnings& warnings() { return warnings_; }
  // Ends the run: writes the profiles that the options ask for, closes the state (`closes`: os.exit
  // may leave it as it is), completes the trace. Returns `status`, but kExitScriptError where that
  // was 0 and a file could not be written; standard error says which.
  int Finish(int status, bool closes);

  // Calls the function below the `arguments` on top, which are replaced by `wanted` (-1: all)
  // results. False: by the message instead. Ctrl-C stops it; a second one ends the process.
  [[nodiscard]] bool Call(int arguments, int wanted);
  // The error of a function that returned false, pushed.
  void PushError();
  // "name: message" on standard error, of the value on top, which is popped. No name: message only.
  void Report(const std::string* program);

  // Number of values in the frame code runs in.
  uint32_t height();
  void SetHeight(uint32_t height);

 private:
  ScriptHost(std::unique_ptr<gc::Heap> heap, const ScriptOptions& options);
  [[nodiscard]] bool Open(const ScriptOptions& options);

  std::unique_ptr<gc::Heap> heap_;
  gc::Mutator mutator_;
  ScriptWarnings warnings_;
  vm::State state_;
  ProfileFiles profiles_;
  uint32_t handler_ = 0;  // stack index of the message handler
};

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_SCRIPT_HOST_H_
