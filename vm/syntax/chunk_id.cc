// SPDX-License-Identifier: MIT
#include "chunk_id.h"

#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr std::string_view kEllipsis = "...";
constexpr std::string_view kOpen = "[string \"";
constexpr std::string_view kClose = "\"]";

// Source text that is shown whole must leave room for an ellipsis it does not need: scripts compare
// messages, so the limits are the reference implementation's.
constexpr size_t kMaxQuotedBytes =
    kMaxChunkIdBytes - kOpen.size() - kEllipsis.size() - kClose.size();

std::string FileId(std::string_view path) {
  if (path.size() <= kMaxChunkIdBytes) return std::string(path);
  return Concat(kEllipsis, path.substr(path.size() - (kMaxChunkIdBytes - kEllipsis.size())));
}

std::string TextId(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool is_whole = line.size() == text.size() && line.size() < kMaxQuotedBytes;
  if (is_whole) return Concat(kOpen, line, kClose);
  return Concat(kOpen, line.substr(0, kMaxQuotedBytes), kEllipsis, kClose);
}

}  // namespace

std::string ChunkId(std::string_view chunk_name) {
  const std::string_view name = chunk_name.substr(0, chunk_name.find('\0'));
  if (name.starts_with('=')) return std::string(name.substr(1, kMaxChunkIdBytes));
  if (name.starts_with('@')) return FileId(name.substr(1));
  return TextId(name);
}

}  // namespace neap::vm
