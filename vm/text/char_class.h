// SPDX-License-Identifier: MIT
//
// What <cctype> says in the C locale, whatever locale the host program has set: a script must not
// behave differently because its host speaks Turkish. One table, a mask of bits for each byte.
#ifndef NEAP_VM_TEXT_CHAR_CLASS_H_
#define NEAP_VM_TEXT_CHAR_CLASS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace neap::vm {

enum CharClass : uint8_t {
  kUpperClass = 1,
  kLowerClass = 2,
  kDigitClass = 4,
  kHexLetterClass = 8,
  kPunctClass = 16,
  kSpaceClass = 32,
  kControlClass = 64,
  // Unions of the above.
  kAlphaClass = kUpperClass | kLowerClass,
  kAlnumClass = kAlphaClass | kDigitClass,
  kGraphClass = kAlnumClass | kPunctClass,
  kHexClass = kDigitClass | kHexLetterClass,
};

constexpr std::array<uint8_t, 256> MakeCharClasses() {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 128; ++c) {
    unsigned mask = 0;
    if (c < 32 || c == 127) mask |= kControlClass;
    if (c == ' ' || (c >= '\t' && c <= '\r')) mask |= kSpaceClass;
    if (c >= '0' && c <= '9') mask |= kDigitClass;
    if (c >= 'A' && c <= 'Z') mask |= kUpperClass;
    if (c >= 'a' && c <= 'z') mask |= kLowerClass;
    if ((c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f')) mask |= kHexLetterClass;
    if (c > ' ' && c < 127 && (mask & kAlnumClass) == 0) mask |= kPunctClass;
    table[static_cast<size_t>(c)] = static_cast<uint8_t>(mask);
  }
  return table;
}

inline constexpr std::array<uint8_t, 256> kCharClasses = MakeCharClasses();

// True when the byte is in one of the classes of `mask`. It may be given as a char of either sign;
// -1, which stands for no byte, is in no class.
constexpr bool IsInClass(int c, unsigned mask) {
  return (kCharClasses[static_cast<uint8_t>(c)] & mask) != 0;
}
constexpr bool IsDigit(int c) { return c >= '0' && c <= '9'; }
constexpr bool IsHexDigit(int c) { return IsInClass(c, kHexClass); }
// Of a hexadecimal digit.
constexpr int HexValue(int c) { return IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

constexpr char ToUpper(char c) {
  return IsInClass(c, kLowerClass) ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_CHAR_CLASS_H_
