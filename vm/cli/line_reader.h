// SPDX-License-Identifier: MIT
//
// Lines for the prompt: from a terminal with editing, history and completion, or plain.
#ifndef NEAP_VM_CLI_LINE_READER_H_
#define NEAP_VM_CLI_LINE_READER_H_

#include <memory>
#include <string>

#include "interpreter/state.h"

namespace neap::cli {

class LineReader {
 public:
  // Completes names of the state's globals. The state must outlive it.
  static std::unique_ptr<LineReader> ForStandardInput(vm::State& state);
  virtual ~LineReader() = default;

  // The next line, without its end. False: there is none.
  virtual bool Read(const std::string& prompt, std::string* line) = 0;
  // Adds a chunk to the history.
  virtual void Remember(const std::string& chunk) = 0;
};

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_LINE_READER_H_
