// SPDX-License-Identifier: MIT
//
// Names and string literals of one chunk, each text once: equal symbols are the same pointer, so
// the resolver compares names, and the code generator finds equal constants, without looking at the
// bytes. Texts may hold any byte; they are followed by a NUL for the convenience of C.
//
// The table is open addressing over pointers, at most half full. Symbols live in the arena.
#ifndef NEAP_VM_SYNTAX_SYMBOL_TABLE_H_
#define NEAP_VM_SYNTAX_SYMBOL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "syntax_arena.h"

namespace neap::vm {

struct Symbol {
  const char* data;
  uint32_t size;         // bytes
  uint16_t keyword = 0;  // the TokenKind of a reserved word, 0 for any other text
  size_t hash = 0;

  std::string_view view() const { return {data, size}; }
};

class SymbolTable {
 public:
  explicit SymbolTable(SyntaxArena& arena) : arena_(arena), slots_(kFirstSlots) {}

  Symbol* Intern(std::string_view text);

 private:
  static constexpr size_t kFirstSlots = 128;  // a power of two; small chunks never grow it

  Symbol** Find(std::string_view text, size_t hash);
  void Grow();

  SyntaxArena& arena_;
  std::vector<Symbol*> slots_;
  size_t count_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_SYMBOL_TABLE_H_
