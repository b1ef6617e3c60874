// SPDX-License-Identifier: MIT
//
// From the text of a chunk to its resolved syntax tree (ast.h).
//
//   absl::StatusOr<std::unique_ptr<const Chunk>> chunk = Parse("return 1 + x", "=demo");
//   if (!chunk.ok()) Report(chunk.status().message());   // demo:1: ... near ...
//   Compile((*chunk)->main());
//
// Errors are those of Lua 5.4.8, word for word:
//   kInvalidArgument    the text is not Lua: "chunk:line: message near 'token'". A message that
//                       ends in "<eof>" means that more text could make it Lua (prompts rely on
//                       that).
//   kResourceExhausted  a limit of the implementation: "C stack overflow" and the like.
//
// Not for precompiled chunks. A file's first line that starts with '#' is the caller's to drop.
// Time is linear in the text but for long lists of labels; memory is linear (at most some 64 bytes
// of tree for a byte of text); no text can make the C++ stack grow beyond the level limit.
// Thread safe.
#ifndef NEAP_VM_SYNTAX_PARSER_H_
#define NEAP_VM_SYNTAX_PARSER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ast.h"
#include "syntax_arena.h"

namespace neap::vm {

struct ParseOptions {
  // Levels of nesting: a statement, an expression or a further target of an assignment takes one.
  // It is the reference implementation's limit on nested C calls, which whoever calls has used in
  // part: 2 is what `load` finds in a script's main chunk.
  uint32_t level_limit = 200;
  uint32_t levels_in_use = 2;
};

// A tree and the memory it stands in.
class Chunk {
 public:
  explicit Chunk(std::string_view name) : name_(name) {}
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  const Function& main() const { return *main_; }  // a vararg function
  const std::string& name() const { return name_; }
  size_t used_bytes() const { return arena_.used_bytes(); }

 private:
  friend class ChunkBuilder;

  std::string name_;
  SyntaxArena arena_;
  const Function* main_ = nullptr;
};

// `chunk_name` as in chunk_id.h. The source is not needed any more afterwards.
absl::StatusOr<std::unique_ptr<const Chunk>> Parse(std::string_view source,
                                                   std::string_view chunk_name,
                                                   const ParseOptions& options = {});

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_PARSER_H_
