// SPDX-License-Identifier: MIT
#include "token.h"

#include "characters.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

#define NEAP_VM_TEXT(name, text) text,
constexpr std::string_view kQuotedTexts[] = {NEAP_VM_KEYWORDS(NEAP_VM_TEXT)
                                                 NEAP_VM_LONG_TOKENS(NEAP_VM_TEXT)};
constexpr std::string_view kBareTexts[] = {NEAP_VM_TOKEN_CLASSES(NEAP_VM_TEXT)};
#undef NEAP_VM_TEXT

constexpr size_t kFirstQuoted = static_cast<size_t>(TokenKind::kFirstNamed) + 1;
constexpr size_t kFirstBare = kFirstQuoted + std::size(kQuotedTexts);

}  // namespace

std::string TokenName(TokenKind kind) {
  const size_t number = static_cast<size_t>(kind);
  if (number >= kFirstBare) return std::string(kBareTexts[number - kFirstBare]);
  if (number >= kFirstQuoted) return Concat("'", kQuotedTexts[number - kFirstQuoted], "'");
  const int byte = static_cast<int>(number);
  if (!IsPrintable(byte)) return Concat("'<\\", byte, ">'");
  return Concat("'", std::string(1, static_cast<char>(byte)), "'");
}

void InternKeywords(SymbolTable& symbols) {
  size_t number = kFirstQuoted;
#define NEAP_VM_INTERN(name, text) symbols.Intern(text)->keyword = static_cast<uint16_t>(number++);
  NEAP_VM_KEYWORDS(NEAP_VM_INTERN)
#undef NEAP_VM_INTERN
}

}  // namespace neap::vm
