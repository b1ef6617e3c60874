// SPDX-License-Identifier: MIT
//
// From the text of a chunk, or from a binary chunk, to a function.
#include "compiler/code_generator.h"
#include "interpreter/binary_chunk.h"
#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"
#include "interpreter/state.h"
#include "syntax/parser.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

absl::StatusOr<std::unique_ptr<CodeUnit>> Compile(std::string_view text,
                                                  const std::string& chunk_name, uint32_t levels) {
  ParseOptions options;
  options.levels_in_use = levels;
  absl::StatusOr<std::unique_ptr<const Chunk>> chunk = Parse(text, chunk_name, options);
  if (!chunk.ok()) return chunk.status();
  return GenerateCode(**chunk);
}

}  // namespace

bool State::Load(std::string_view chunk, const std::string& chunk_name, std::string_view mode) {
  const bool binary = IsBinaryChunk(chunk);
  const char* kind = binary ? "binary" : "text";
  if (mode.find(kind[0]) == mode.npos) {
    return Refuse(Concat("attempt to load a ", kind, " chunk (mode is '", mode, "')"));
  }
  absl::StatusOr<std::unique_ptr<CodeUnit>> unit =
      binary ? ReadBinaryChunk(chunk, chunk_name)
             : Compile(chunk, chunk_name, 2 + running_->levels);
  if (!unit.ok()) {
    const auto message = unit.status().message();
    return Refuse({message.data(), message.size()});
  }
  return PushMainFunction(*this, std::move(*unit));
}

}  // namespace neap::vm
