// SPDX-License-Identifier: MIT
//
// The options. Sizes and alignments are those of the C types on this machine; an item is aligned to
// its size, if that is not more than the maximum set with '!' (1 until then, so nothing is).
#include "text/pack_format.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "text/char_class.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr int kFormatArgument = 1;
// What '!' without a number means: the strictest alignment of a C type that the options know.
constexpr size_t kNativeAlign = alignof(double) > alignof(void*) ? alignof(double) : alignof(void*);
// A number in a format stops growing when another digit might not fit in an int.
constexpr size_t kMaxNumber = size_t{std::numeric_limits<int>::max()};
// packsize promises a size that an int can hold.
constexpr size_t kMaxPackSize = kMaxNumber;

constexpr char kInvalidNext[] = "invalid next option for option 'X'";
constexpr char kNotPowerOfTwo[] = "format asks for alignment not power of 2";

}  // namespace

bool PackFormat::Fail(TextStatus status) {
  status_ = std::move(status);
  rest_ = {};
  return false;
}

std::optional<size_t> PackFormat::TakeNumber() {
  if (rest_.empty() || !IsDigit(rest_.front())) return std::nullopt;
  size_t number = 0;
  do {
    number = number * 10 + static_cast<size_t>(rest_.front() - '0');
    rest_.remove_prefix(1);
  } while (!rest_.empty() && IsDigit(rest_.front()) && number <= (kMaxNumber - 9) / 10);
  return number;
}

// The size of an integer option.
bool PackFormat::TakeSize(size_t otherwise, size_t* size) {
  *size = TakeNumber().value_or(otherwise);
  if (*size >= 1 && *size <= kMaxIntegerBytes) return true;
  return Fail(TextStatus::Error(Concat("integral size (", *size, ") out of limits [1,16]")));
}

// Sets kind and size. `rest_` is not empty.
bool PackFormat::TakeOption(PackItem* item) {
  const char option = rest_.front();
  rest_.remove_prefix(1);
  const auto set = [item](PackKind kind, size_t size) {
    item->kind = kind;
    item->size = size;
    return true;
  };
  switch (option) {
    case 'b':
      return set(PackKind::kSigned, sizeof(char));
    case 'B':
      return set(PackKind::kUnsigned, sizeof(char));
    case 'h':
      return set(PackKind::kSigned, sizeof(short));
    case 'H':
      return set(PackKind::kUnsigned, sizeof(short));
    case 'l':
      return set(PackKind::kSigned, sizeof(long));
    case 'L':
      return set(PackKind::kUnsigned, sizeof(long));
    case 'j':
      return set(PackKind::kSigned, sizeof(int64_t));
    case 'J':
      return set(PackKind::kUnsigned, sizeof(int64_t));
    case 'T':
      return set(PackKind::kUnsigned, sizeof(size_t));
    case 'f':
      return set(PackKind::kFloat, sizeof(float));
    case 'd':
    case 'n':
      return set(PackKind::kDouble, sizeof(double));
    case 'i':
      item->kind = PackKind::kSigned;
      return TakeSize(sizeof(int), &item->size);
    case 'I':
      item->kind = PackKind::kUnsigned;
      return TakeSize(sizeof(int), &item->size);
    case 's':
      item->kind = PackKind::kCountedString;
      return TakeSize(sizeof(size_t), &item->size);
    case 'c': {
      const std::optional<size_t> size = TakeNumber();
      if (size) return set(PackKind::kFixedString, *size);
      return Fail(TextStatus::Error("missing size for format option 'c'"));
    }
    case 'z':
      return set(PackKind::kZeroString, 0);
    case 'x':
      return set(PackKind::kPadding, 1);
    case 'X':
      return set(PackKind::kAlign, 0);
    case '<':
    case '>':
    case '=':
      little_endian_ = option == '=' ? kNativeLittleEndian : option == '<';
      return set(PackKind::kNothing, 0);
    case '!':
      item->kind = PackKind::kNothing;
      return TakeSize(kNativeAlign, &max_align_);
    case ' ':
      return set(PackKind::kNothing, 0);
    default:
      return Fail(
          TextStatus::Error(Concat("invalid format option '", std::string_view(&option, 1), "'")));
  }
}

// X takes its alignment from the option behind it, which is used up by that.
bool PackFormat::TakeAlignOf(size_t* align) {
  PackItem next;
  if (!rest_.empty() && !TakeOption(&next)) return false;
  if (next.kind == PackKind::kFixedString || next.size == 0) {
    return Fail(TextStatus::Argument(kFormatArgument, kInvalidNext));
  }
  *align = next.size;
  return true;
}

bool PackFormat::Next(size_t total, PackItem* item) {
  if (rest_.empty()) return false;
  *item = PackItem{};
  if (!TakeOption(item)) return false;
  size_t align = item->size;
  if (item->kind == PackKind::kAlign && !TakeAlignOf(&align)) return false;
  if (align <= 1 || item->kind == PackKind::kFixedString) return true;
  align = std::min(align, max_align_);
  if (!std::has_single_bit(align)) {
    return Fail(TextStatus::Argument(kFormatArgument, kNotPowerOfTwo));
  }
  item->padding = (0 - total) & (align - 1);
  return true;
}

TextStatus PackSize(std::string_view format, size_t* size) {
  PackFormat cursor(format);
  PackItem item;
  size_t total = 0;
  while (cursor.Next(total, &item)) {
    if (item.kind == PackKind::kCountedString || item.kind == PackKind::kZeroString) {
      return TextStatus::Argument(kFormatArgument, "variable-length format");
    }
    const size_t bytes = item.padding + item.size;
    if (bytes > kMaxPackSize || total > kMaxPackSize - bytes) {
      return TextStatus::Argument(kFormatArgument, "format result too large");
    }
    total += bytes;
  }
  *size = total;
  return cursor.status();
}

}  // namespace neap::vm
