// SPDX-License-Identifier: MIT
//
// Text from pieces, each a text or an integer: Concat("line ", 3). Debian's abseil is built without
// std::string_view, so absl::StrCat takes none.
#ifndef NEAP_VM_TEXT_CONCAT_H_
#define NEAP_VM_TEXT_CONCAT_H_

#include <concepts>
#include <string>
#include <string_view>

namespace neap::vm {

inline void AppendPiece(std::string& text, std::string_view piece) { text += piece; }
inline void AppendPiece(std::string& text, std::integral auto number) {
  text += std::to_string(number);
}

template <typename... Pieces>
std::string Concat(const Pieces&... pieces) {
  std::string text;
  (AppendPiece(text, pieces), ...);
  return text;
}

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_CONCAT_H_
