// SPDX-License-Identifier: MIT
//
// Strings: immutable bytes, contiguous, followed by a NUL that is not counted.
//
//     0        8        16                 16 + length
//    +--------+--------+------------------+----+
//    | header | length | bytes            | 0  |  rounded up to 8
//    +--------+--------+------------------+----+
//
// The header keeps the 32-bit hash of the text once it was asked for. Of all strings with one text
// at most one is an *atom* (type kAtomType): the string that stands for the text as a key. A string
// is looked up in the AtomTable when it is first used as a key; it becomes the atom in place when
// there is none. So strings that are no keys (most results of concatenation) are never hashed, and
// keys compare by address.
#ifndef NEAP_VM_OBJECTS_LUA_STRING_H_
#define NEAP_VM_OBJECTS_LUA_STRING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "types.h"

namespace neap::vm {

struct String : Object {
  uint64_t length;

  char* data() { return reinterpret_cast<char*>(this) + sizeof(String); }
  const char* data() const { return reinterpret_cast<const char*>(this) + sizeof(String); }
  std::string_view view() const { return {data(), length}; }
  bool is_atom() const { return type() == kAtomType; }

  static constexpr size_t BytesFor(size_t length) {
    return (sizeof(String) + length + 8) & ~size_t{7};
  }
};
static_assert(sizeof(String) == 16);

// Longest string (the reference implementation's limit is SIZE_MAX; ours is what sizes can say).
inline constexpr uint64_t kMaxStringBytes = (uint64_t{1} << 46);

inline String* AsString(Value v) { return static_cast<String*>(v.object()); }

// Same text? Both are strings.
bool StringEqual(const String* a, const String* b);
// Below 0, 0, above 0. Bytes as unsigned, in the "C" locale; otherwise strcoll, NUL-separated part
// by part, as the reference implementation.
int StringCompare(const String* a, const String* b);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_LUA_STRING_H_
