// SPDX-License-Identifier: MIT
//
// What the lexer and the parser throw at the first error of a chunk. It never leaves this folder:
// Parse() in parser.h turns it into an absl::Status.
#ifndef NEAP_VM_SYNTAX_SYNTAX_ERROR_H_
#define NEAP_VM_SYNTAX_SYNTAX_ERROR_H_

#include <cstdint>
#include <string>

namespace neap::vm {

struct SyntaxError {
  enum class Kind : uint8_t {
    kGrammar,   // the chunk is not Lua; the message names chunk and line
    kTooLarge,  // a limit of the implementation; the message stands alone
  };
  Kind kind;
  std::string message;
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_SYNTAX_ERROR_H_
