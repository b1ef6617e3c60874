// SPDX-License-Identifier: MIT
//
// Compiled chunks as strings: what string.dump writes and load reads.
#ifndef NEAP_VM_INTERPRETER_BINARY_CHUNK_H_
#define NEAP_VM_INTERPRETER_BINARY_CHUNK_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/code_unit.h"

namespace neap::vm {

class State;
struct LuaClosure;

// Appends the function, without its upvalues' values; `strip`: without debug information, too.
// False: it cannot be dumped (no error is set). (no safepoint)
[[nodiscard]] bool DumpFunction(State& state, LuaClosure* closure, bool strip, std::string* out);
// The function in a binary chunk; InvalidArgument says why it is refused ("truncated ...").
absl::StatusOr<std::unique_ptr<CodeUnit>> ReadBinaryChunk(std::string_view chunk,
                                                          const std::string& chunk_name);
// The text begins as a binary chunk does.
bool IsBinaryChunk(std::string_view chunk);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_BINARY_CHUNK_H_
