// SPDX-License-Identifier: MIT
//
// The utf8 library's work on bytes (manual 6.5). Lua's UTF-8 is the original one, of up to six
// bytes and 2^31 code points; strict decoding refuses what Unicode refuses, surrogates and
// everything above 10FFFF.
//
//   bytes   first      code points
//   1       0xxxxxxx   0 .. 7F
//   2       110xxxxx   80 .. 7FF
//   3       1110xxxx   800 .. FFFF
//   4       11110xxx   10000 .. 1FFFFF
//   5       111110xx   200000 .. 3FFFFFF
//   6       1111110x   4000000 .. 7FFFFFFF         each further byte is 10xxxxxx
//
// A longer sequence than the table asks for is an error in both modes. Positions in the interface
// are the script's: from 1, negative ones from the end.
#ifndef NEAP_VM_TEXT_UTF8_TEXT_H_
#define NEAP_VM_TEXT_UTF8_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/text_status.h"

namespace neap::vm {

inline constexpr uint32_t kMaxUtf8 = 0x7fffffff;
inline constexpr uint32_t kMaxUnicode = 0x10ffff;
inline constexpr char kInvalidUtf8[] = "invalid UTF-8 code";

enum class Utf8Mode : uint8_t { kStrict, kLax };

// Appends the sequence of `code`, at most kMaxUtf8.
void AppendUtf8(uint32_t code, std::string* out);
// As utf8.char does; an argument error (value at hand) when `code` is out of range.
TextStatus EncodeUtf8(int64_t code, std::string* out);

// The length of the sequence at the front of `text`, and its code point; 0 when it is none. An
// empty text has none.
size_t DecodeUtf8(std::string_view text, Utf8Mode mode, uint32_t* code);

inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// utf8.len: the number of characters that begin in [first, last].
struct Utf8Length {
  bool valid = true;
  int64_t count = 0;
  int64_t bad_position = 0;  // if not valid: of the first byte that begins no character
};
TextStatus MeasureUtf8(std::string_view text, int64_t first, int64_t last, Utf8Mode mode,
                       Utf8Length* length);

// utf8.codepoint, in two steps, so that the library can make room for the results: the bounds as
// offsets, and then DecodeUtf8 from `begin` on while begin < end; kInvalidUtf8 is a plain error.
struct Utf8Slice {
  size_t begin = 0;
  size_t end = 0;
};
TextStatus SliceUtf8(std::string_view text, int64_t first, int64_t last, Utf8Slice* slice);

// utf8.offset: where character number `n`, counted from position `from`, begins. Nothing when there
// is no such character.
TextStatus OffsetUtf8(std::string_view text, int64_t n, int64_t from,
                      std::optional<int64_t>* position);
// The default of `from`.
inline int64_t DefaultOffsetStart(std::string_view text, int64_t n) {
  return n >= 0 ? 1 : static_cast<int64_t>(text.size()) + 1;
}

// utf8.codes: first the check of the text (an argument error), then a step at a time.
TextStatus CheckUtf8Start(std::string_view text);
struct Utf8Step {
  int64_t position = 0;  // 0: the end
  uint32_t code = 0;
};
// The character behind the one at position `previous`, 0 at the start.
TextStatus NextUtf8(std::string_view text, int64_t previous, Utf8Mode mode, Utf8Step* step);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_UTF8_TEXT_H_
