// SPDX-License-Identifier: MIT
//
// script_warnings.h. A control message is one that comes in one piece.
#include "script_warnings.h"

#include <cstdio>

namespace neap::cli {

void ScriptWarnings::Attach(vm::State& state) {
  state.warn_context = this;
  state.warn = [](vm::State& from, std::string_view piece, bool to_continue) {
    static_cast<ScriptWarnings*>(from.warn_context)->Show(piece, to_continue);
  };
}

void ScriptWarnings::Show(std::string_view piece, bool to_continue) {
  const bool is_first = !is_inside_;
  is_inside_ = to_continue;
  if (is_first && !to_continue && piece.starts_with('@')) {
    if (piece == "@on") is_on_ = true;
    if (piece == "@off") is_on_ = false;
    return;
  }
  if (!is_on_) return;
  if (is_first) std::fputs("Lua warning: ", stderr);
  std::fwrite(piece.data(), 1, piece.size(), stderr);
  if (!to_continue) std::fputc('\n', stderr);
  std::fflush(stderr);
}

}  // namespace neap::cli
