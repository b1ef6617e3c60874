// SPDX-License-Identifier: MIT
//
// Warnings of scripts on standard error: "Lua warning: text". Off at first; the messages "@on" and
// "@off" switch them, other messages that begin with @ are ignored. A message may come in pieces.
#ifndef NEAP_VM_CLI_SCRIPT_WARNINGS_H_
#define NEAP_VM_CLI_SCRIPT_WARNINGS_H_

#include <string_view>

#include "interpreter/state.h"

namespace neap::cli {

class ScriptWarnings {
 public:
  // Must outlive the state's use.
  void Attach(vm::State& state);
  void TurnOn() { is_on_ = true; }
  // A piece of a message; the last one, unless `to_continue`.
  void Show(std::string_view piece, bool to_continue);

 private:
  bool is_on_ = false;
  bool is_inside_ = false;  // of a message that has begun
};

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_SCRIPT_WARNINGS_H_
