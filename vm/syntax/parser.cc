// SPDX-License-Identifier: MIT
#include "parser.h"

#include "grammar.h"
#include "lexer.h"
#include "scopes.h"
#include "syntax_error.h"

namespace neap::vm {

// May fill in a chunk.
class ChunkBuilder {
 public:
  static void Build(Chunk& chunk, std::string_view source, const ParseOptions& options) {
    SymbolTable symbols(chunk.arena_);
    InternKeywords(symbols);
    Lexer lexer(source, chunk.name_, symbols);
    Scopes scopes(chunk.arena_, lexer, symbols);
    Grammar grammar(chunk.arena_, symbols, lexer, scopes, options);
    chunk.main_ = grammar.ParseChunk();
  }
};

absl::StatusOr<std::unique_ptr<const Chunk>> Parse(std::string_view source,
                                                   std::string_view chunk_name,
                                                   const ParseOptions& options) {
  if (source.size() > kMaxSourceBytes) return absl::ResourceExhaustedError("chunk too large");
  auto chunk = std::make_unique<Chunk>(chunk_name);
  try {
    ChunkBuilder::Build(*chunk, source, options);
  } catch (const SyntaxError& error) {
    if (error.kind == SyntaxError::Kind::kTooLarge) {
      return absl::ResourceExhaustedError(error.message);
    }
    return absl::InvalidArgumentError(error.message);
  }
  return chunk;
}

}  // namespace neap::vm
