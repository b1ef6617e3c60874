// SPDX-License-Identifier: MIT
//
// The classes of bytes that the lexical grammar knows. A byte is given as an int, so that kNoByte
// (the end of the input) is in no class.
#ifndef NEAP_VM_SYNTAX_CHARACTERS_H_
#define NEAP_VM_SYNTAX_CHARACTERS_H_

#include "text/char_class.h"

namespace neap::vm {

inline constexpr int kNoByte = -1;

constexpr bool IsLetter(int byte) { return byte == '_' || IsInClass(byte, kAlphaClass); }
constexpr bool IsNameByte(int byte) { return byte == '_' || IsInClass(byte, kAlnumClass); }
constexpr bool IsNewline(int byte) { return byte == '\n' || byte == '\r'; }
constexpr bool IsBlank(int byte) { return IsInClass(byte, kSpaceClass); }  // newlines included
constexpr bool IsPrintable(int byte) { return byte == ' ' || IsInClass(byte, kGraphClass); }

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_CHARACTERS_H_
