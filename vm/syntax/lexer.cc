// SPDX-License-Identifier: MIT
//
// Everything but strings and long brackets, which are in lexer_strings.cc.
#include "lexer.h"

#include <variant>

#include "chunk_id.h"
#include "syntax_error.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {

Lexer::Lexer(std::string_view source, std::string_view chunk_name, SymbolTable& symbols)
    : begin_(source.data()),
      end_(source.data() + source.size()),
      next_(begin_),
      start_(begin_),
      chunk_name_(chunk_name),
      symbols_(symbols) {}

void Lexer::Next() {
  last_line_ = line_;
  if (peeked_) {
    token_ = *peeked_;
    peeked_.reset();
    return;
  }
  value_.kind = Read();
  value_.offset = static_cast<uint32_t>(start_ - begin_);
  token_ = value_;
}

TokenKind Lexer::Peek() {
  if (!peeked_) {
    value_.kind = Read();
    value_.offset = static_cast<uint32_t>(start_ - begin_);
    peeked_ = value_;
  }
  return peeked_->kind;
}

// --- Bytes ---------------------------------------------------------------------------------------

void Lexer::SkipNewline() {
  const char first = *next_++;
  if (IsNewline(Current()) && *next_ != first) ++next_;
  ++line_;
}

bool Lexer::Accept(char byte) {
  if (Current() != static_cast<unsigned char>(byte)) return false;
  ++next_;
  return true;
}

// --- Tokens --------------------------------------------------------------------------------------

TokenKind Lexer::Read() {
  text_in_buffer_ = false;
  if (!SkipSpace()) return TokenKind::kEof;
  start_ = next_;
  const int byte = Current();
  if (IsLetter(byte)) return ReadName();
  if (IsDigit(byte)) return ReadNumber();
  if (byte == '"' || byte == '\'') return ReadString();
  if (byte == '.') return ReadDots();
  if (byte == '[' && (Following() == '[' || Following() == '=')) return ReadLongString();
  return ReadSymbol();
}

bool Lexer::SkipSpace() {
  for (int byte = Current(); byte != kNoByte; byte = Current()) {
    if (IsNewline(byte)) {
      SkipNewline();
    } else if (IsBlank(byte)) {
      ++next_;
    } else if (byte == '-' && Following() == '-') {
      next_ += 2;
      SkipComment();
    } else {
      return true;
    }
  }
  start_ = next_;
  return false;
}

TokenKind Lexer::ReadSymbol() {
  const char first = *next_++;
  switch (first) {
    case '/':
      if (Accept('/')) return TokenKind::kIntegerDivide;
      break;
    case '=':
      if (Accept('=')) return TokenKind::kEqual;
      break;
    case '~':
      if (Accept('=')) return TokenKind::kNotEqual;
      break;
    case ':':
      if (Accept(':')) return TokenKind::kDoubleColon;
      break;
    case '<':
      if (Accept('=')) return TokenKind::kLessEqual;
      if (Accept('<')) return TokenKind::kShiftLeft;
      break;
    case '>':
      if (Accept('=')) return TokenKind::kGreaterEqual;
      if (Accept('>')) return TokenKind::kShiftRight;
      break;
    default:
      break;
  }
  return ByteToken(first);
}

TokenKind Lexer::ReadName() {
  while (IsNameByte(Current())) ++next_;
  const Symbol* symbol = symbols_.Intern({start_, static_cast<size_t>(next_ - start_)});
  value_.symbol = symbol;
  return symbol->keyword != 0 ? static_cast<TokenKind>(symbol->keyword) : TokenKind::kName;
}

TokenKind Lexer::ReadDots() {
  if (IsDigit(Following())) {
    ++next_;
    return ReadNumber();
  }
  ++next_;
  if (!Accept('.')) return ByteToken('.');
  return Accept('.') ? TokenKind::kDots : TokenKind::kConcat;
}

// A numeral takes in all that could belong to one, and one letter more, so that "3x" and "1..2" are
// malformed numbers and not two tokens.
void Lexer::ScanNumber() {
  const bool is_hex = Current() == '0' && (Following() == 'x' || Following() == 'X');
  if (is_hex) next_ += 2;
  const char exponent = is_hex ? 'p' : 'e';
  for (int byte = Current(); byte != kNoByte; byte = Current()) {
    if ((byte | 0x20) == exponent) {
      ++next_;
      if (Current() == '+' || Current() == '-') ++next_;
    } else if (IsHexDigit(byte) || byte == '.') {
      ++next_;
    } else {
      break;
    }
  }
  if (IsLetter(Current())) ++next_;
}

TokenKind Lexer::ReadNumber() {
  ScanNumber();
  const std::optional<Number> number = ParseNumber({start_, static_cast<size_t>(next_ - start_)});
  if (!number) FailWithText("malformed number");
  if (const int64_t* integer = std::get_if<int64_t>(&*number)) {
    value_.integer = *integer;
    return TokenKind::kInteger;
  }
  value_.real = std::get<double>(*number);
  return TokenKind::kFloat;
}

// --- Messages ------------------------------------------------------------------------------------

std::string Lexer::QuotedText() const {
  const std::string_view text = text_in_buffer_
                                    ? std::string_view(buffer_)
                                    : std::string_view(start_, static_cast<size_t>(next_ - start_));
  return Concat("'", text.substr(0, text.find('\0')), "'");
}

void Lexer::FailAt(std::string_view message, std::string_view near) {
  const std::string_view separator = near.empty() ? "" : " near ";
  throw SyntaxError{SyntaxError::Kind::kGrammar,
                    Concat(ChunkId(chunk_name_), ":", line_, ": ", message, separator, near)};
}

void Lexer::Fail(std::string_view message) { FailAt(message, {}); }
void Lexer::FailWithText(std::string_view message) { FailAt(message, QuotedText()); }
void Lexer::FailAtEnd(std::string_view message) { FailAt(message, TokenName(TokenKind::kEof)); }

void Lexer::FailNear(std::string_view message) {
  switch (token_.kind) {
    case TokenKind::kName:
    case TokenKind::kString:
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      FailWithText(message);
    default:
      // The reference implementation has no name for a NUL byte.
      if (token_.kind == ByteToken(0)) Fail(message);
      FailAt(message, TokenName(token_.kind));
  }
}

}  // namespace neap::vm
