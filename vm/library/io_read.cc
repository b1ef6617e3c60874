// SPDX-License-Identifier: MIT
//
// io_read.h. A file of a script belongs to one thread at a time: lines are read without locking it
// for every byte.
//
// A numeral is read byte by byte through a small automaton that accepts what can begin one, and
// puts back the one byte that cannot go on:
//
//   [space] [+-] ( 0x hexdigits [. hexdigits] [p [+-] digits] | digits [. digits] [e [+-] digits] )
#include "library/io_read.h"

#include <cctype>
#include <string_view>

namespace neap::vm {
namespace {

constexpr size_t kBlockBytes = 4096;
constexpr size_t kMaxNumeralBytes = 200;  // longer ones are refused, as in the reference

bool ReadLine(FILE* file, bool keeps_end, std::string* line) {
  flockfile(file);
  int c = 0;
  while ((c = getc_unlocked(file)) != EOF && c != '\n') *line += static_cast<char>(c);
  funlockfile(file);
  if (keeps_end && c == '\n') *line += '\n';
  return c == '\n' || !line->empty();
}

bool ReadBytes(FILE* file, uint64_t count, std::string* bytes) {
  char block[kBlockBytes];
  while (count > 0) {
    const size_t wanted = count < kBlockBytes ? static_cast<size_t>(count) : kBlockBytes;
    const size_t n = std::fread(block, 1, wanted, file);
    bytes->append(block, n);
    if (n < wanted) break;
    count -= n;
  }
  return !bytes->empty();
}

bool HasMore(FILE* file) {
  const int c = std::getc(file);
  std::ungetc(c, file);
  return c != EOF;
}

class NumeralReader {
 public:
  NumeralReader(FILE* file, std::string* text) : file_(file), text_(*text) {}

  void Read() {
    do {
      c_ = std::getc(file_);
    } while (c_ != EOF && std::isspace(c_) != 0);
    Accept("+-");
    bool is_hex = false;
    int digits = 0;
    if (Accept("0")) {
      is_hex = Accept("xX");
      digits = is_hex ? 0 : 1;
    }
    digits += AcceptDigits(is_hex);
    if (Accept(".")) digits += AcceptDigits(is_hex);
    if (digits > 0 && Accept(is_hex ? "pP" : "eE")) {
      Accept("+-");
      AcceptDigits(false);
    }
    std::ungetc(c_, file_);
    if (is_too_long_) text_.clear();
  }

 private:
  bool Take() {
    if (text_.size() >= kMaxNumeralBytes) {
      is_too_long_ = true;
      return false;
    }
    text_ += static_cast<char>(c_);
    c_ = std::getc(file_);
    return true;
  }
  bool Accept(std::string_view bytes) {
    return c_ != EOF && bytes.find(static_cast<char>(c_)) != std::string_view::npos && Take();
  }
  int AcceptDigits(bool is_hex) {
    int count = 0;
    while (c_ != EOF && (is_hex ? std::isxdigit(c_) : std::isdigit(c_)) != 0 && Take()) ++count;
    return count;
  }

  FILE* file_;
  std::string& text_;
  int c_ = EOF;
  bool is_too_long_ = false;
};

}  // namespace

bool ReadItem(FILE* file, const ReadFormat& format, std::string* item) {
  switch (format.kind) {
    case ReadFormat::Kind::kLine:
      return ReadLine(file, /*keeps_end=*/false, item);
    case ReadFormat::Kind::kLineWithEnd:
      return ReadLine(file, /*keeps_end=*/true, item);
    case ReadFormat::Kind::kNumber:
      NumeralReader(file, item).Read();
      return true;
    case ReadFormat::Kind::kAll:
      (void)ReadBytes(file, UINT64_MAX, item);
      return true;
    case ReadFormat::Kind::kBytes:
      return format.count == 0 ? HasMore(file) : ReadBytes(file, format.count, item);
  }
  return false;
}

}  // namespace neap::vm
