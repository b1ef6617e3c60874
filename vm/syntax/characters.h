// SPDX-License-Identifier: MIT
//
// The classes of bytes that the lexical grammar knows, independent of the locale. A byte is given
// as an int, so that kNoByte (the end of the input) is in no class.
#ifndef NEAP_VM_SYNTAX_CHARACTERS_H_
#define NEAP_VM_SYNTAX_CHARACTERS_H_

#include <cstdint>

namespace neap::vm {

inline constexpr int kNoByte = -1;

constexpr bool IsDigit(int byte) { return byte >= '0' && byte <= '9'; }
constexpr bool IsLetter(int byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}
constexpr bool IsNameByte(int byte) { return IsLetter(byte) || IsDigit(byte); }
constexpr bool IsNewline(int byte) { return byte == '\n' || byte == '\r'; }
constexpr bool IsBlank(int byte) {  // white space, newlines included
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}
constexpr bool IsPrintable(int byte) { return byte >= ' ' && byte <= '~'; }

// The value of a hexadecimal digit, or -1.
constexpr int HexValue(int byte) {
  if (IsDigit(byte)) return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}
constexpr bool IsHexDigit(int byte) { return HexValue(byte) >= 0; }

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_CHARACTERS_H_
