// SPDX-License-Identifier: MIT
//
// The interned strings of one VM (lua_string.h says which those are): a weak set, by text. An atom that
// nothing but this table refers to goes with the next collection that finds it so.
//
// Open addressing with linear probing, a power of two of slots, at most 3/4 full; a slot is placed
// by the hash in its string's header, so that a collection that moves strings updates slots in
// place. Thread safety: belongs to one VM.
#ifndef NEAP_VM_OBJECTS_ATOM_TABLE_H_
#define NEAP_VM_OBJECTS_ATOM_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "neap/gc/heap.h"
#include "lua_string.h"

namespace neap::vm {

class AtomTable final : public gc::WeakTable {
 public:
  // `seed` changes every hash (against hash flooding).
  AtomTable(gc::Heap& heap, uint64_t seed);
  ~AtomTable() override;
  AtomTable(const AtomTable&) = delete;
  AtomTable& operator=(const AtomTable&) = delete;

  // The atom with the text of `string`: itself, an older one, or itself made one. (no safepoint)
  String* Intern(String* string) {
    if (string->is_atom()) [[likely]]
      return string;
    return InternSlow(string);
  }
  // The atom with this text, or null when no string with it is one. (no safepoint)
  String* Find(std::string_view text) const;
  // The hash of the text, never 0; kept in the header. (no safepoint)
  uint32_t Hash(String* string);
  size_t size() const { return live_; }

  void SettleYoung(Fates& fates) override;
  void SettleAll(Fates& fates) override;
  void ForEach(const std::function<void(Word, bool)>& visit) override;

 private:
  static constexpr Word kEmpty = 0;
  static constexpr Word kRemoved = 1;

  uint32_t HashText(std::string_view text) const;
  String* InternSlow(String* string);
  void Grow();

  gc::Heap& heap_;
  const uint64_t seed_;
  std::vector<Word> slots_;
  std::vector<uint32_t> young_;  // slots whose string may move, or is new
  size_t used_ = 0;              // slots that are not kEmpty
  size_t live_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_ATOM_TABLE_H_
