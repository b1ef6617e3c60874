// SPDX-License-Identifier: MIT
//
// Reading a whole file outside the heap, as a chunk (load) or as it is.
#ifndef NEAP_VM_LIBRARY_FILE_TEXT_H_
#define NEAP_VM_LIBRARY_FILE_TEXT_H_

#include <string>

#include "interpreter/state.h"

namespace neap::vm {

// The chunk in the file (null: standard input): without a byte order mark, and with an empty first
// line instead of one that starts with '#'. False: `*chunk` is a message, "cannot open x: ...".
[[nodiscard]] bool ReadChunkFile(State& state, const char* path, std::string* chunk);
// What ReadChunkFile does with the first line of a text.
void DropFirstLineComment(std::string* chunk);
// Reads it and pushes its function. False: error() says why.
[[nodiscard]] bool LoadFile(State& state, const char* path, std::string_view mode);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_FILE_TEXT_H_
