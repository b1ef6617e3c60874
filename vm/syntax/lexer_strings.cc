// SPDX-License-Identifier: MIT
//
// Strings, long brackets and comments. The value is collected in buffer_, quotes and brackets
// included, because messages quote exactly that (L3 in lexer.h); an escape stands there as written
// until it is known to be good.
#include <algorithm>

#include "lexer.h"
#include "text/concat.h"
#include "text/utf8_text.h"

namespace neap::vm {
namespace {

// What ReadLongOpening gives for "[" or "[==" that no second '[' follows.
constexpr size_t kNotLong = static_cast<size_t>(-1);

}  // namespace

// --- Long brackets -------------------------------------------------------------------------------

size_t Lexer::ReadLongOpening() {
  Save();
  const size_t before = buffer_.size();
  while (Current() == '=') Save();
  if (Current() != '[') return kNotLong;
  const size_t level = buffer_.size() - before;
  Save();
  return level;
}

// At ']'. Saves what may be a closing bracket, up to but without a second ']' that does not close.
bool Lexer::ClosesLongBracket(size_t level) {
  Save();
  const size_t before = buffer_.size();
  while (Current() == '=') Save();
  if (Current() != ']' || buffer_.size() - before != level) return false;
  Save();
  return true;
}

// Behind the opening. `what` is for the message; the text of a comment is not kept.
void Lexer::ReadLongBracket(size_t level, std::string_view what) {
  const uint32_t first_line = line_;
  const bool is_comment = what == "comment";
  if (IsNewline(Current())) SkipNewline();
  while (true) {
    const int byte = Current();
    if (byte == kNoByte) {
      FailAtEnd(Concat("unfinished long ", what, " (starting at line ", first_line, ")"));
    } else if (byte == ']') {
      if (ClosesLongBracket(level)) return;
    } else if (IsNewline(byte)) {
      SkipNewline();
      buffer_.push_back('\n');
    } else {
      const char* stop =
          std::find_if(next_, end_, [](char c) { return c == ']' || c == '\n' || c == '\r'; });
      buffer_.append(next_, stop);
      next_ = stop;
    }
    if (is_comment) buffer_.clear();
  }
}

TokenKind Lexer::ReadLongString() {
  buffer_.clear();
  text_in_buffer_ = true;
  const size_t level = ReadLongOpening();
  if (level == kNotLong) FailWithText("invalid long string delimiter");
  ReadLongBracket(level, "string");
  const size_t bracket_bytes = level + 2;
  value_.symbol = symbols_.Intern(
      std::string_view(buffer_).substr(bracket_bytes, buffer_.size() - 2 * bracket_bytes));
  return TokenKind::kString;
}

void Lexer::SkipComment() {
  if (Current() == '[') {
    buffer_.clear();
    const size_t level = ReadLongOpening();
    if (level != kNotLong) {
      ReadLongBracket(level, "comment");
      return;
    }
  }
  while (Current() != kNoByte && !IsNewline(Current())) ++next_;
}

// --- Strings in quotes ---------------------------------------------------------------------------

TokenKind Lexer::ReadString() {
  const char quote = *next_;
  buffer_.clear();
  text_in_buffer_ = true;
  Save();
  while (Current() != static_cast<unsigned char>(quote)) {
    const int byte = Current();
    if (byte == kNoByte) FailAtEnd("unfinished string");
    if (IsNewline(byte)) FailWithText("unfinished string");
    if (byte == '\\') {
      ReadEscape();
      continue;
    }
    const char* stop = std::find_if(
        next_, end_, [quote](char c) { return c == quote || c == '\\' || c == '\n' || c == '\r'; });
    buffer_.append(next_, stop);
    next_ = stop;
  }
  Save();
  value_.symbol = symbols_.Intern(std::string_view(buffer_).substr(1, buffer_.size() - 2));
  return TokenKind::kString;
}

// The value of an escape of one byte, or kNoByte.
int Lexer::SimpleEscape() const {
  switch (Current()) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '"':
    case '\'':
      return Current();
    default:
      return kNoByte;
  }
}

void Lexer::ReadEscape() {
  const size_t before = buffer_.size();
  Save();  // the backslash
  const int byte = Current();
  if (byte == kNoByte) return;  // ReadString reports it
  if (byte == 'u') {
    ReadUnicodeEscape();
    return;
  }
  int value = SimpleEscape();
  if (byte == 'x') {
    value = ReadHexEscape();
  } else if (byte == 'z') {
    ++next_;
    buffer_.resize(before);
    SkipBlanksOfString();
    return;
  } else if (IsNewline(byte)) {
    SkipNewline();
    value = '\n';
  } else if (value != kNoByte) {
    ++next_;
  } else {
    value = ReadDecimalEscape();
  }
  buffer_.resize(before);
  buffer_.push_back(static_cast<char>(value));
}

void Lexer::SkipBlanksOfString() {
  while (IsBlank(Current())) {
    if (IsNewline(Current())) {
      SkipNewline();
    } else {
      ++next_;
    }
  }
}

// A bad escape is quoted up to and with the byte that makes it bad.
void Lexer::Expect(bool holds, std::string_view message) {
  if (holds) return;
  if (Current() != kNoByte) Save();
  FailWithText(message);
}

// Saves the byte before the digit; the digit stays current.
int Lexer::ReadHexDigit() {
  Save();
  Expect(IsHexDigit(Current()), "hexadecimal digit expected");
  return HexValue(Current());
}

uint8_t Lexer::ReadHexEscape() {
  const int high = ReadHexDigit();
  const int low = ReadHexDigit();
  Save();
  return static_cast<uint8_t>(high * 16 + low);
}

uint8_t Lexer::ReadDecimalEscape() {
  Expect(IsDigit(Current()), "invalid escape sequence");
  int value = 0;
  for (int digits = 0; digits < 3 && IsDigit(Current()); ++digits) {
    value = value * 10 + (Current() - '0');
    Save();
  }
  Expect(value <= 255, "decimal escape too large");
  return static_cast<uint8_t>(value);
}

void Lexer::ReadUnicodeEscape() {
  const size_t before = buffer_.size() - 1;  // of the backslash
  Save();
  Expect(Current() == '{', "missing '{'");
  uint32_t code = static_cast<uint32_t>(ReadHexDigit());
  for (Save(); IsHexDigit(Current()); Save()) {
    Expect(code <= kMaxUtf8 / 16, "UTF-8 value too large");
    code = code * 16 + static_cast<uint32_t>(HexValue(Current()));
  }
  Expect(Current() == '}', "missing '}'");
  ++next_;
  buffer_.resize(before);
  AppendUtf8(code, &buffer_);
}

}  // namespace neap::vm
