// SPDX-License-Identifier: MIT
#include "symbol_table.h"

#include <functional>

namespace neap::vm {

// The slot of this text: where it is, or the free slot where it belongs.
Symbol** SymbolTable::Find(std::string_view text, size_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i] != nullptr && (slots_[i]->hash != hash || slots_[i]->view() != text)) {
    i = (i + 1) & mask;
  }
  return &slots_[i];
}

void SymbolTable::Grow() {
  std::vector<Symbol*> old(slots_.size() * 2);
  old.swap(slots_);
  for (Symbol* symbol : old) {
    if (symbol != nullptr) *Find(symbol->view(), symbol->hash) = symbol;
  }
}

Symbol* SymbolTable::Intern(std::string_view text) {
  const size_t hash = std::hash<std::string_view>()(text);
  Symbol** slot = Find(text, hash);
  if (*slot != nullptr) return *slot;
  if (++count_ > slots_.size() / 2) {
    Grow();
    slot = Find(text, hash);
  }
  const std::span<char> bytes = arena_.CopyText(text);
  const uint32_t size = static_cast<uint32_t>(text.size());
  return *slot = arena_.New<Symbol>(Symbol{.data = bytes.data(), .size = size, .hash = hash});
}

}  // namespace neap::vm
