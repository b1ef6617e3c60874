// SPDX-License-Identifier: MIT
#include "text/utf8_text.h"

#include <bit>
#include <limits>

namespace neap::vm {
namespace {

constexpr size_t kMaxSequence = 6;
// The largest code point of a sequence of that many bytes.
constexpr uint32_t kLargest[kMaxSequence + 1] = {0,        0x7f,      0x7ff,   0xffff,
                                                 0x1fffff, 0x3ffffff, kMaxUtf8};

// A position from 1 on; 0 when a negative one lies before the start.
uint64_t Absolute(int64_t position, size_t length) {
  if (position >= 0) return static_cast<uint64_t>(position);
  const uint64_t from_end = 0 - static_cast<uint64_t>(position);
  return from_end > length ? 0 : length - from_end + 1;
}

bool IsContinuationAt(std::string_view text, size_t at) {
  return at < text.size() && IsContinuation(text[at]);
}

}  // namespace

void AppendUtf8(uint32_t code, std::string* out) {
  if (code <= kLargest[1]) return out->push_back(static_cast<char>(code));
  size_t length = 2;
  while (code > kLargest[length]) ++length;
  const unsigned shift = 6 * (static_cast<unsigned>(length) - 1);
  // `length` ones, a zero, and the highest bits of the code.
  out->push_back(static_cast<char>((0xff00u >> length) | (code >> shift)));
  for (size_t i = length - 1; i-- > 0;) {
    out->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
}

TextStatus EncodeUtf8(int64_t code, std::string* out) {
  if (code < 0 || code > int64_t{kMaxUtf8}) {
    return TextStatus::Argument(TextStatus::kValueAtHand, "value out of range");
  }
  AppendUtf8(static_cast<uint32_t>(code), out);
  return {};
}

size_t DecodeUtf8(std::string_view text, Utf8Mode mode, uint32_t* code) {
  if (text.empty()) return 0;
  const uint8_t first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  const size_t length = static_cast<size_t>(std::countl_one(first));
  if (length == 1 || length > kMaxSequence || length > text.size()) return 0;
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
    value = (value << 6) | (static_cast<uint8_t>(text[i]) & 0x3f);
  }
  if (value <= kLargest[length - 1]) return 0;
  if (mode == Utf8Mode::kStrict) {
    if (value > kMaxUnicode || (value >= 0xd800 && value <= 0xdfff)) return 0;
  }
  *code = value;
  return length;
}

TextStatus MeasureUtf8(std::string_view text, int64_t first, int64_t last, Utf8Mode mode,
                       Utf8Length* length) {
  const uint64_t begin = Absolute(first, text.size());
  if (begin == 0 || begin - 1 > text.size()) {
    return TextStatus::Argument(2, "initial position out of bounds");
  }
  const uint64_t end = Absolute(last, text.size());
  if (end > text.size()) return TextStatus::Argument(3, "final position out of bounds");
  *length = {};
  for (size_t at = begin - 1; at < end;) {
    uint32_t code;
    const size_t bytes = DecodeUtf8(text.substr(at), mode, &code);
    if (bytes == 0) {
      length->valid = false;
      length->bad_position = static_cast<int64_t>(at) + 1;
      return {};
    }
    at += bytes;
    ++length->count;
  }
  return {};
}

TextStatus SliceUtf8(std::string_view text, int64_t first, int64_t last, Utf8Slice* slice) {
  const uint64_t begin = Absolute(first, text.size());
  const uint64_t end = Absolute(last, text.size());
  if (begin == 0) return TextStatus::Argument(2, "out of bounds");
  if (end > text.size()) return TextStatus::Argument(3, "out of bounds");
  if (begin > end) {
    *slice = {};
    return {};
  }
  if (end - begin >= uint64_t{std::numeric_limits<int>::max()}) {
    return TextStatus::Error("string slice too long");
  }
  *slice = {begin - 1, end};
  return {};
}

TextStatus OffsetUtf8(std::string_view text, int64_t n, int64_t from,
                      std::optional<int64_t>* position) {
  const uint64_t start = Absolute(from, text.size());
  if (start == 0 || start - 1 > text.size()) {
    return TextStatus::Argument(3, "position out of bounds");
  }
  size_t at = start - 1;
  position->reset();
  if (n == 0) {
    while (at > 0 && IsContinuationAt(text, at)) --at;
    *position = static_cast<int64_t>(at) + 1;
    return {};
  }
  if (IsContinuationAt(text, at)) {
    return TextStatus::Error("initial position is a continuation byte");
  }
  if (n < 0) {
    for (; n < 0 && at > 0; ++n) {
      do --at;
      while (at > 0 && IsContinuationAt(text, at));
    }
  } else {
    for (--n; n > 0 && at < text.size(); --n) {
      do ++at;
      while (IsContinuationAt(text, at));
    }
  }
  if (n == 0) *position = static_cast<int64_t>(at) + 1;
  return {};
}

TextStatus CheckUtf8Start(std::string_view text) {
  if (!IsContinuationAt(text, 0)) return {};
  return TextStatus::Argument(1, kInvalidUtf8);
}

TextStatus NextUtf8(std::string_view text, int64_t previous, Utf8Mode mode, Utf8Step* step) {
  // The offset of the byte behind the first one of the previous character.
  uint64_t at = static_cast<uint64_t>(previous);
  while (IsContinuationAt(text, at)) ++at;
  *step = {};
  if (at >= text.size()) return {};
  const size_t bytes = DecodeUtf8(text.substr(at), mode, &step->code);
  if (bytes == 0 || IsContinuationAt(text, at + bytes)) return TextStatus::Error(kInvalidUtf8);
  step->position = static_cast<int64_t>(at) + 1;
  return {};
}

}  // namespace neap::vm
