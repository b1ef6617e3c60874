// SPDX-License-Identifier: MIT
//
// From the syntax tree of a chunk to its bytecode.
//
//   absl::StatusOr<std::unique_ptr<CodeUnit>> unit = GenerateCode(*chunk);
//
// kInvalidArgument: a limit of the bytecode, as "chunk:line: message" in the words of Lua 5.4
// ("function or expression needs too many registers", "control structure too long"). Thread safe.
#ifndef NEAP_VM_COMPILER_CODE_GENERATOR_H_
#define NEAP_VM_COMPILER_CODE_GENERATOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "code_unit.h"
#include "parser.h"

namespace neap::vm {

absl::StatusOr<std::unique_ptr<CodeUnit>> GenerateCode(const Chunk& chunk);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_CODE_GENERATOR_H_
