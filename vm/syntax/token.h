// SPDX-License-Identifier: MIT
//
// Tokens. A token of one byte is that byte as a number, known to the language or not: '@' is a
// token too, one that no rule of the grammar wants. All others are numbered from 256.
#ifndef NEAP_VM_SYNTAX_TOKEN_H_
#define NEAP_VM_SYNTAX_TOKEN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "symbol_table.h"

namespace neap::vm {

// Reserved words: enumerator, spelling.
#define NEAP_VM_KEYWORDS(X) \
  X(kAnd, "and")            \
  X(kBreak, "break")        \
  X(kDo, "do")              \
  X(kElse, "else")          \
  X(kElseif, "elseif")      \
  X(kEnd, "end")            \
  X(kFalse, "false")        \
  X(kFor, "for")            \
  X(kFunction, "function")  \
  X(kGoto, "goto")          \
  X(kIf, "if")              \
  X(kIn, "in")              \
  X(kLocal, "local")        \
  X(kNil, "nil")            \
  X(kNot, "not")            \
  X(kOr, "or")              \
  X(kRepeat, "repeat")      \
  X(kReturn, "return")      \
  X(kThen, "then")          \
  X(kTrue, "true")          \
  X(kUntil, "until")        \
  X(kWhile, "while")

// Tokens of several bytes.
#define NEAP_VM_LONG_TOKENS(X) \
  X(kIntegerDivide, "//")      \
  X(kConcat, "..")             \
  X(kDots, "...")              \
  X(kEqual, "==")              \
  X(kGreaterEqual, ">=")       \
  X(kLessEqual, "<=")          \
  X(kNotEqual, "~=")           \
  X(kShiftLeft, "<<")          \
  X(kShiftRight, ">>")         \
  X(kDoubleColon, "::")

// Tokens whose text varies, and the end. Messages show these names bare, all others in quotes.
#define NEAP_VM_TOKEN_CLASSES(X) \
  X(kEof, "<eof>")               \
  X(kFloat, "<number>")          \
  X(kInteger, "<integer>")       \
  X(kName, "<name>")             \
  X(kString, "<string>")

// Bytes that are tokens of the language; any other byte has its value, without a name.
#define NEAP_VM_BYTE_TOKENS(X) \
  X(kPlus, '+')                \
  X(kMinus, '-')               \
  X(kStar, '*')                \
  X(kSlash, '/')               \
  X(kPercent, '%')             \
  X(kCaret, '^')               \
  X(kHash, '#')                \
  X(kAmpersand, '&')           \
  X(kTilde, '~')               \
  X(kBar, '|')                 \
  X(kLess, '<')                \
  X(kGreater, '>')             \
  X(kAssign, '=')              \
  X(kLeftParen, '(')           \
  X(kRightParen, ')')          \
  X(kLeftBrace, '{')           \
  X(kRightBrace, '}')          \
  X(kLeftBracket, '[')         \
  X(kRightBracket, ']')        \
  X(kSemicolon, ';')           \
  X(kColon, ':')               \
  X(kComma, ',')               \
  X(kDot, '.')

enum class TokenKind : uint16_t {
#define NEAP_VM_DEFINE(name, byte) name = byte,
  NEAP_VM_BYTE_TOKENS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
      kFirstNamed = 256,
#define NEAP_VM_DEFINE(name, text) name,
  NEAP_VM_KEYWORDS(NEAP_VM_DEFINE) NEAP_VM_LONG_TOKENS(NEAP_VM_DEFINE)
      NEAP_VM_TOKEN_CLASSES(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};

// The token of a single byte: ByteToken('(').
constexpr TokenKind ByteToken(int byte) { return static_cast<TokenKind>(byte & 0xff); }

struct Token {
  TokenKind kind = TokenKind::kEof;
  uint32_t offset = 0;  // of its first byte in the source
  union {
    int64_t integer = 0;   // kInteger
    double real;           // kFloat
    const Symbol* symbol;  // kName, kString
  };
};

// The kind as messages name it: 'end', '(', '<\1>', <name>.
std::string TokenName(TokenKind kind);

// Makes the reserved words known to a new table: their symbols carry their kind.
void InternKeywords(SymbolTable& symbols);

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_TOKEN_H_
