// SPDX-License-Identifier: MIT
//
// What messages call a chunk. A chunk name says by its first byte what the rest of it is:
//
//   =name      the name itself, for tools and prompts:  name
//   @file.lua  a file:                                  file.lua, a long path keeps its end
//   anything   the source text:                         [string "first line..."]
//
// The result has at most 59 bytes (the reference implementation's LUA_IDSIZE less its terminator),
// because debuggers and scripts copy it into buffers of that size. Not for naming files to open.
#ifndef NEAP_VM_SYNTAX_CHUNK_ID_H_
#define NEAP_VM_SYNTAX_CHUNK_ID_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace neap::vm {

inline constexpr size_t kMaxChunkIdBytes = 59;

// `chunk_name` counts up to its first NUL byte.
std::string ChunkId(std::string_view chunk_name);

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_CHUNK_ID_H_
