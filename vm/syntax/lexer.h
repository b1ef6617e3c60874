// SPDX-License-Identifier: MIT
//
// From source text to tokens: all of manual 3.1. The parser looks at one token, sometimes at the
// next one (Peek), and the lexer reads no further than that: of two errors in a chunk the first is
// reported, in the order in which the reference implementation meets them.
//
//   L1  line() is the line at which reading has stopped: behind the current token, or behind the
//       peeked one. Messages carry it. last_line() is where the token before the current one ended.
//   L2  A line ends with LF, CR, CR LF or LF CR. Inside a string each of these is one LF.
//   L3  The text that a message quotes ("near 'x'") is that of the token read last. For a string it
//       is the value so far, quotes included, with the escapes already replaced; a NUL cuts it.
//
// The source must stay where it is while the lexer lives, and is at most kMaxSourceBytes long. A
// first line that starts with '#' is not Lua: whoever reads files drops it. Errors are thrown as
// SyntaxError (syntax_error.h).
#ifndef NEAP_VM_SYNTAX_LEXER_H_
#define NEAP_VM_SYNTAX_LEXER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "characters.h"
#include "symbol_table.h"
#include "token.h"

namespace neap::vm {

// Lines and offsets are kept in 32 bits.
inline constexpr size_t kMaxSourceBytes = std::numeric_limits<int32_t>::max();

class Lexer {
 public:
  // There is no current token before the first Next().
  Lexer(std::string_view source, std::string_view chunk_name, SymbolTable& symbols);

  void Next();
  TokenKind Peek();  // the kind of the token after the current one

  const Token& token() const { return token_; }
  uint32_t line() const { return line_; }
  uint32_t last_line() const { return last_line_; }

  // Throws "chunk:line: message near 'token'" for the current token.
  [[noreturn]] void FailNear(std::string_view message);
  // Throws "chunk:line: message".
  [[noreturn]] void Fail(std::string_view message);

 private:
  // --- Bytes ---
  int Current() const { return next_ < end_ ? static_cast<unsigned char>(*next_) : kNoByte; }
  int Following() const {
    return end_ - next_ > 1 ? static_cast<unsigned char>(next_[1]) : kNoByte;
  }
  void SkipNewline();  // at a newline
  bool Accept(char byte);
  void Save() { buffer_.push_back(*next_++); }  // not at the end

  // --- Tokens ---
  TokenKind Read();        // the next token, its value in value_
  bool SkipSpace();        // blanks and comments; false at the end
  void SkipComment();      // behind "--"
  TokenKind ReadSymbol();  // operators and punctuation
  TokenKind ReadName();
  TokenKind ReadNumber();
  TokenKind ReadDots();
  void ScanNumber();  // moves behind a numeral, good or bad

  // --- Strings (lexer_strings.cc) ---
  size_t ReadLongOpening();  // at '[': counts and saves "[=="; see kNotLong
  void ReadLongBracket(size_t level, std::string_view what);
  TokenKind ReadLongString();
  bool ClosesLongBracket(size_t level);
  TokenKind ReadString();
  void ReadEscape();
  int SimpleEscape() const;
  void SkipBlanksOfString();
  uint8_t ReadHexEscape();
  uint8_t ReadDecimalEscape();
  void ReadUnicodeEscape();
  int ReadHexDigit();
  void Expect(bool holds, std::string_view message);

  // --- Messages ---
  [[noreturn]] void FailAt(std::string_view message, std::string_view near);
  [[noreturn]] void FailWithText(std::string_view message);  // quotes the token being read
  [[noreturn]] void FailAtEnd(std::string_view message);
  std::string QuotedText() const;

  const char* const begin_;
  const char* const end_;
  const char* next_;   // the first byte not read yet
  const char* start_;  // of the token read last
  std::string_view chunk_name_;
  SymbolTable& symbols_;
  uint32_t line_ = 1;
  uint32_t last_line_ = 1;
  Token token_;
  std::optional<Token> peeked_;
  Token value_;                  // the token being read
  std::string buffer_;           // the text of a string (L3)
  bool text_in_buffer_ = false;  // L3: the text is in buffer_, otherwise in [start_, next_)
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_LEXER_H_
