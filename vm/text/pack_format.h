// SPDX-License-Identifier: MIT
//
// The binary formats of string.pack, unpack and packsize (manual 6.4.2): a cursor over the options
// of a format, and a writer and a reader that go along with it. The caller owns the loop, because
// each value comes from or goes to a place of its own:
//
//   PackWriter writer(format, &out);
//   while (writer.Next()) {
//     switch (writer.item().kind) {
//       case PackKind::kSigned:   ok = writer.PutInteger(value); break;
//       ...                       // items without a value need no call
//     }
//   }
//   writer.status();              // of the format; the Puts return their own
//
//   PackReader reader(format, data, offset);
//   while (reader.Next(&value)) ...   // value: int64_t, double or a view of the data
//   reader.status(), reader.position()
//
// A zero byte ends a format. Nothing is converted between numbers and strings here.
// Thread safety: none; one object per call.
#ifndef NEAP_VM_TEXT_PACK_FORMAT_H_
#define NEAP_VM_TEXT_PACK_FORMAT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "text/text_status.h"

namespace neap::vm {

enum class PackKind : uint8_t {
  kSigned,         // b h i j l: an integer
  kUnsigned,       // B H I J L T: an integer
  kFloat,          // f: a number
  kDouble,         // d n: a number
  kFixedString,    // c: a string of `size` bytes
  kCountedString,  // s: a string behind its length, which has `size` bytes
  kZeroString,     // z: a string and a zero
  kPadding,        // x: one byte, no value
  kAlign,          // X: only the alignment, no value
  kNothing,        // blanks, byte order, maximal alignment: no value
};

constexpr bool HasValue(PackKind kind) { return kind < PackKind::kPadding; }

struct PackItem {
  PackKind kind = PackKind::kNothing;
  size_t size = 0;     // bytes, without those of a counted or zero-terminated string
  size_t padding = 0;  // bytes before it, for its alignment
};

class PackFormat {
 public:
  static constexpr size_t kMaxIntegerBytes = 16;  // the words of an error say so, too
  static constexpr bool kNativeLittleEndian = std::endian::native == std::endian::little;

  explicit PackFormat(std::string_view format) : rest_(format.substr(0, format.find('\0'))) {}

  // The next item, given the number of bytes before it. False at the end and after an error.
  bool Next(size_t total, PackItem* item);
  bool little_endian() const { return little_endian_; }
  const TextStatus& status() const { return status_; }

 private:
  bool Fail(TextStatus status);
  bool TakeOption(PackItem* item);
  bool TakeAlignOf(size_t* align);
  std::optional<size_t> TakeNumber();
  bool TakeSize(size_t otherwise, size_t* size);

  std::string_view rest_;
  bool little_endian_ = kNativeLittleEndian;
  size_t max_align_ = 1;
  TextStatus status_;
};

// string.packsize.
TextStatus PackSize(std::string_view format, size_t* size);

class PackWriter {
 public:
  // Appends to `out`; what stands there already does not count for the alignment.
  PackWriter(std::string_view format, std::string* out)
      : format_(format), out_(*out), start_(out->size()) {}

  // Goes to the next item and writes its padding. False at the end and after an error.
  bool Next();
  const PackItem& item() const { return item_; }
  const TextStatus& status() const { return format_.status(); }

  // For the kinds that say so in their comment. Argument errors are about the value at hand.
  TextStatus PutInteger(int64_t value);
  void PutNumber(double value);
  TextStatus PutString(std::string_view value);

 private:
  void AppendInteger(uint64_t value, bool negative, size_t size);

  PackFormat format_;
  std::string& out_;
  size_t start_;
  PackItem item_;
};

using PackValue = std::variant<int64_t, double, std::string_view>;

class PackReader {
 public:
  // Reads from `offset` (at most data.size(); see UnpackStart) on.
  PackReader(std::string_view format, std::string_view data, size_t offset)
      : format_(format), data_(data), offset_(offset) {}

  // The next value. False at the end and after an error.
  bool Next(PackValue* value);
  const TextStatus& status() const { return status_; }
  // 1-based, of the first byte not read.
  int64_t position() const { return static_cast<int64_t>(offset_) + 1; }

 private:
  bool Fail(TextStatus status);
  bool TakeValue(const PackItem& item, PackValue* value);
  bool TakeInteger(std::string_view bytes, bool is_signed, int64_t* value);
  bool TakeCounted(std::string_view count_bytes, PackValue* value);
  bool TakeZeroString(PackValue* value);

  PackFormat format_;
  std::string_view data_;
  size_t offset_;
  TextStatus status_;
};

// The offset that unpack's third argument means, or the error.
TextStatus UnpackStart(int64_t position, size_t length, size_t* offset);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_PACK_FORMAT_H_
