// SPDX-License-Identifier: MIT
//
// string.pack. Integers are written byte by byte, so that no alignment and no byte order of this
// machine matters; floats are their bits as an integer.
#include <bit>

#include "text/pack_format.h"

namespace neap::vm {
namespace {

// Fills alignment, padding and the rest of a fixed string.
constexpr char kPadByte = '\0';

TextStatus ValueError(const char* message) {
  return TextStatus::Argument(TextStatus::kValueAtHand, message);
}

bool Fits(int64_t value, const PackItem& item) {
  if (item.size >= sizeof value) return true;
  const unsigned bits = static_cast<unsigned>(item.size) * 8;
  if (item.kind == PackKind::kUnsigned) return (static_cast<uint64_t>(value) >> bits) == 0;
  const int64_t limit = int64_t{1} << (bits - 1);
  return -limit <= value && value < limit;
}

}  // namespace

bool PackWriter::Next() {
  if (!format_.Next(out_.size() - start_, &item_)) return false;
  out_.append(item_.padding, kPadByte);
  if (item_.kind == PackKind::kPadding) out_.push_back(kPadByte);
  return true;
}

// Bytes beyond the eighth repeat the sign.
void PackWriter::AppendInteger(uint64_t value, bool negative, size_t size) {
  char bytes[PackFormat::kMaxIntegerBytes];
  for (size_t i = 0; i < size; ++i) {
    uint64_t byte = negative ? 0xff : 0;
    if (i < sizeof value) byte = (value >> (8 * i)) & 0xff;
    bytes[format_.little_endian() ? i : size - 1 - i] = static_cast<char>(byte);
  }
  out_.append(bytes, size);
}

TextStatus PackWriter::PutInteger(int64_t value) {
  const bool is_signed = item_.kind == PackKind::kSigned;
  if (!Fits(value, item_)) return ValueError(is_signed ? "integer overflow" : "unsigned overflow");
  AppendInteger(static_cast<uint64_t>(value), is_signed && value < 0, item_.size);
  return {};
}

void PackWriter::PutNumber(double value) {
  if (item_.kind == PackKind::kFloat) {
    AppendInteger(std::bit_cast<uint32_t>(static_cast<float>(value)), false, item_.size);
  } else {
    AppendInteger(std::bit_cast<uint64_t>(value), false, item_.size);
  }
}

TextStatus PackWriter::PutString(std::string_view value) {
  switch (item_.kind) {
    case PackKind::kFixedString:
      if (value.size() > item_.size) return ValueError("string longer than given size");
      out_.append(value).append(item_.size - value.size(), kPadByte);
      return {};
    case PackKind::kCountedString:
      if (item_.size < sizeof(size_t) && (value.size() >> (8 * item_.size)) != 0) {
        return ValueError("string length does not fit in given size");
      }
      AppendInteger(value.size(), false, item_.size);
      out_.append(value);
      return {};
    default:
      if (value.find('\0') != std::string_view::npos) return ValueError("string contains zeros");
      out_.append(value).push_back('\0');
      return {};
  }
}

}  // namespace neap::vm
