// SPDX-License-Identifier: MIT
//
// string.unpack. The data may come from anywhere: each size is compared with what is left before it
// is used, and never by an addition that could wrap around.
#include <bit>

#include "text/concat.h"
#include "text/pack_format.h"
#include "text/string_position.h"

namespace neap::vm {
namespace {

constexpr int kDataArgument = 2;
constexpr int kPositionArgument = 3;

uint64_t ByteAt(std::string_view bytes, size_t significance, bool little_endian) {
  const size_t at = little_endian ? significance : bytes.size() - 1 - significance;
  return static_cast<unsigned char>(bytes[at]);
}

uint64_t LowWord(std::string_view bytes, bool little_endian) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size() && i < sizeof word; ++i) {
    word |= ByteAt(bytes, i, little_endian) << (8 * i);
  }
  return word;
}

}  // namespace

bool PackReader::Fail(TextStatus status) {
  status_ = std::move(status);
  return false;
}

// The bytes beyond the eighth must be nothing but the sign.
bool PackReader::TakeInteger(std::string_view bytes, bool is_signed, int64_t* value) {
  const bool little = format_.little_endian();
  const uint64_t word = LowWord(bytes, little);
  *value = static_cast<int64_t>(word);
  if (bytes.size() < sizeof word) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes.size());
    if (is_signed) *value = static_cast<int64_t>(word << unused) >> unused;
    return true;
  }
  const uint64_t sign_byte = is_signed && *value < 0 ? 0xff : 0;
  for (size_t i = sizeof word; i < bytes.size(); ++i) {
    if (ByteAt(bytes, i, little) == sign_byte) continue;
    return Fail(
        TextStatus::Error(Concat(bytes.size(), "-byte integer does not fit into Lua Integer")));
  }
  return true;
}

bool PackReader::TakeCounted(std::string_view count_bytes, PackValue* value) {
  int64_t count;
  if (!TakeInteger(count_bytes, /*is_signed=*/false, &count)) return false;
  const size_t length = static_cast<size_t>(count);
  if (length > data_.size() - offset_) {
    return Fail(TextStatus::Argument(kDataArgument, "data string too short"));
  }
  *value = data_.substr(offset_, length);
  offset_ += length;
  return true;
}

bool PackReader::TakeZeroString(PackValue* value) {
  const size_t end = data_.find('\0', offset_);
  if (end == std::string_view::npos) {
    return Fail(TextStatus::Argument(kDataArgument, "unfinished string for format 'z'"));
  }
  *value = data_.substr(offset_, end - offset_);
  offset_ = end + 1;
  return true;
}

bool PackReader::TakeValue(const PackItem& item, PackValue* value) {
  const std::string_view bytes = data_.substr(offset_, item.size);
  offset_ += item.size;
  switch (item.kind) {
    case PackKind::kSigned:
    case PackKind::kUnsigned: {
      int64_t integer;
      if (!TakeInteger(bytes, item.kind == PackKind::kSigned, &integer)) return false;
      *value = integer;
      return true;
    }
    case PackKind::kFloat: {
      const uint32_t bits = static_cast<uint32_t>(LowWord(bytes, format_.little_endian()));
      *value = static_cast<double>(std::bit_cast<float>(bits));
      return true;
    }
    case PackKind::kDouble:
      *value = std::bit_cast<double>(LowWord(bytes, format_.little_endian()));
      return true;
    case PackKind::kCountedString:
      return TakeCounted(bytes, value);
    case PackKind::kZeroString:
      return TakeZeroString(value);
    default:
      *value = bytes;
      return true;
  }
}

bool PackReader::Next(PackValue* value) {
  PackItem item;
  while (format_.Next(offset_, &item)) {
    const size_t left = data_.size() - offset_;
    if (item.padding > left || item.size > left - item.padding) {
      return Fail(TextStatus::Argument(kDataArgument, "data string too short"));
    }
    offset_ += item.padding;
    if (HasValue(item.kind)) return TakeValue(item, value);
    offset_ += item.size;
  }
  status_ = format_.status();
  return false;
}

TextStatus UnpackStart(int64_t position, size_t length, size_t* offset) {
  const std::optional<size_t> start = StartOffset(position, length);
  if (!start) return TextStatus::Argument(kPositionArgument, "initial position out of string");
  *offset = *start;
  return {};
}

}  // namespace neap::vm
