// SPDX-License-Identifier: MIT
//
// Strings as people read them in listings and trees: between quotes, other bytes than printable
// ASCII as \x00. Not a literal of Lua (string.format's %q writes those).
#ifndef NEAP_VM_SYNTAX_QUOTED_TEXT_H_
#define NEAP_VM_SYNTAX_QUOTED_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "characters.h"

namespace neap::vm {

// At most `most` bytes of it; "..." behind the quotes says that there were more.
inline std::string QuotedText(std::string_view text, size_t most = std::string_view::npos) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, most)) {
    const int byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (IsPrintable(byte)) {
      quoted.push_back(c);
    } else {
      constexpr char kDigits[] = "0123456789abcdef";
      quoted += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  quoted += text.size() > most ? "\"..." : "\"";
  return quoted;
}

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_QUOTED_TEXT_H_
