// SPDX-License-Identifier: MIT
//
// file_text.h. The thread gives its processor up while it reads: standard input may be a terminal.
#include "library/file_text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char kBinarySignature = '\x1b';

std::string Failure(std::string_view what, const char* path, int code) {
  const char* name = path == nullptr ? "stdin" : path;
  if (code == 0) return Concat("cannot ", what, " ", name);
  return Concat("cannot ", what, " ", name, ": ", std::strerror(code));
}

// False: a read error, errno says which.
bool ReadAll(gc::Mutator& m, FILE* file, std::string* text) {
  gc::BlockingRegion region(m);
  char buffer[4096];
  errno = 0;
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    text->append(buffer, n);
  }
  return std::ferror(file) == 0;
}

}  // namespace

// A comment on the first line leaves its line end, so that lines are counted right; not in front of
// a binary chunk, which starts with its signature.
void DropFirstLineComment(std::string* chunk) {
  if (chunk->starts_with(kByteOrderMark)) chunk->erase(0, kByteOrderMark.size());
  if (!chunk->starts_with('#')) return;
  const size_t end = chunk->find('\n');
  if (end == std::string::npos) {
    *chunk = "\n";
    return;
  }
  const bool is_binary = end + 1 < chunk->size() && (*chunk)[end + 1] == kBinarySignature;
  chunk->erase(0, is_binary ? end + 1 : end);
}

bool ReadChunkFile(State& state, const char* path, std::string* chunk) {
  errno = 0;
  FILE* file = path == nullptr ? stdin : std::fopen(path, "rb");
  if (file == nullptr) {
    *chunk = Failure("open", path, errno);
    return false;
  }
  std::string text;
  const bool is_read = ReadAll(state.mutator(), file, &text);
  const int code = errno;
  if (path != nullptr) std::fclose(file);
  if (!is_read) {
    *chunk = Failure("read", path, code);
    return false;
  }
  DropFirstLineComment(&text);
  *chunk = std::move(text);
  return true;
}

bool LoadFile(State& state, const char* path, std::string_view mode) {
  std::string chunk;
  if (!ReadChunkFile(state, path, &chunk)) return state.Refuse(chunk);
  return state.Load(chunk, path == nullptr ? "=stdin" : Concat("@", path), mode);
}

}  // namespace neap::vm
