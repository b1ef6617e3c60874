// SPDX-License-Identifier: MIT
//
// The rules that the manual leaves to the reader, as the reference interpreter has them:
//
//   - ']' right after '[' or '[^' stands for itself; so does '-' that has no range to make.
//   - A range is read from its first byte on: in [a-%z] it ends with '%', and 'z' is one more byte.
//   - '%' takes the next byte along when the end of a set is looked for, so [a-%]] is closed by the
//     second bracket although its range ends with '%'.
//   - So a '%' may be the last member, in [a-%%]; it makes the closing bracket a member as well.
//   - %z is still there: the byte zero, from the time when patterns could not contain it.
#include "text/pattern_item.h"

#include <algorithm>
#include <bitset>

#include "text/char_class.h"

namespace neap::vm {
namespace {

// From this many bytes on, a run over a set first lists the set's members: 256 look-ups in the set
// pay off when many bytes follow. Smaller: short runs pay for it; larger: long ones do not gain.
constexpr size_t kListMembersFrom = 512;
constexpr size_t kByteValues = 256;

constexpr char kEndsWithEscape[] = "malformed pattern (ends with '%')";
constexpr char kMissingBracket[] = "malformed pattern (missing ']')";

// The classes of the letter after '%'; 0 when it is no class letter.
unsigned ClassOf(char lower_letter) {
  switch (lower_letter) {
    case 'a':
      return kAlphaClass;
    case 'c':
      return kControlClass;
    case 'd':
      return kDigitClass;
    case 'g':
      return kGraphClass;
    case 'l':
      return kLowerClass;
    case 'p':
      return kPunctClass;
    case 's':
      return kSpaceClass;
    case 'u':
      return kUpperClass;
    case 'w':
      return kAlnumClass;
    case 'x':
      return kHexClass;
    default:
      return 0;
  }
}

bool EscapeTakes(char letter, char c) {
  if ((letter | 0x20) == 'z') return (c == '\0') == (letter == 'z');
  const unsigned classes = IsInClass(letter, kAlphaClass) ? ClassOf(letter | 0x20) : 0;
  if (classes == 0) return letter == c;
  return IsInClass(c, classes) != IsInClass(letter, kUpperClass);
}

// Length of the set at the front of `rest`, or 0 when its bracket is missing.
size_t SetLength(std::string_view rest) {
  size_t at = 1;
  if (at < rest.size() && rest[at] == '^') ++at;
  // The first member may be a bracket, so one is passed over before the closing one is looked for.
  do {
    if (at >= rest.size()) return 0;
    at += rest[at] == '%' ? 2 : 1;
  } while (at >= rest.size() || rest[at] != ']');
  return at + 1;
}

}  // namespace

std::string_view FirstItem(std::string_view rest, const char** message) {
  if (rest[0] == '%') {
    if (rest.size() > 1) return rest.substr(0, 2);
    *message = kEndsWithEscape;
    return {};
  }
  if (rest[0] != '[') return rest.substr(0, 1);
  const size_t length = SetLength(rest);
  if (length == 0) *message = kMissingBracket;
  return rest.substr(0, length);
}

bool SetTakes(std::string_view set, char c) {
  const size_t end = set.size() - 1;  // of the members; the closing bracket stands here
  const bool complement = set[1] == '^';
  const unsigned char byte = static_cast<unsigned char>(c);
  size_t at = complement ? 2 : 1;
  while (at < end) {
    if (set[at] == '%') {
      if (EscapeTakes(set[at + 1], c)) return !complement;
      at += 2;
    } else if (at + 2 < end && set[at + 1] == '-') {
      const unsigned char low = static_cast<unsigned char>(set[at]);
      const unsigned char high = static_cast<unsigned char>(set[at + 2]);
      if (low <= byte && byte <= high) return !complement;
      at += 3;
    } else {
      if (set[at] == c) return !complement;
      ++at;
    }
  }
  return complement;
}

bool ItemTakes(std::string_view item, char c) {
  switch (item[0]) {
    case '.':
      return true;
    case '%':
      return EscapeTakes(item[1], c);
    case '[':
      return SetTakes(item, c);
    default:
      return item[0] == c;
  }
}

size_t RunLength(std::string_view item, std::string_view text) {
  if (item[0] == '.') return text.size();
  size_t length = 0;
  if (item[0] == '[' && text.size() >= kListMembersFrom) {
    // Most runs are short even where much text follows.
    while (length < kListMembersFrom && SetTakes(item, text[length])) ++length;
    if (length < kListMembersFrom) return length;
    std::bitset<kByteValues> members;
    for (unsigned byte = 0; byte < kByteValues; ++byte)
      members[byte] = SetTakes(item, static_cast<char>(byte));
    while (length < text.size() && members[static_cast<unsigned char>(text[length])]) ++length;
    return length;
  }
  while (length < text.size() && ItemTakes(item, text[length])) ++length;
  return length;
}

size_t RunBytes(std::string_view item, size_t length) {
  return length + item.size() * std::min(length, kListMembersFrom + kByteValues);
}

}  // namespace neap::vm
