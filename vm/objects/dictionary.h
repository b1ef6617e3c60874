// SPDX-License-Identifier: MIT
//
// The hash of a table: entries in order of insertion, found in order while they are few, through an
// index of 32-bit entry numbers when there are more. Used by table*.cc only.
//
//    entries   | k v | k v | k v | ...          index   | 2 | 0 | 1 | 3 | 0 | 0 | ...
//                 0     1     2                            entry + 1; 0: never taken
//
//   D1  Keys are normalized: no float with an integral value, no string but atoms, no box around an
//       integer that fits into a word. So equal keys are equal words, or boxes of equal content.
//   D2  An entry is present when neither its key nor its value is nil. A removed entry keeps its
//       place until the next rehash: next() goes on from it.
//   D3  Every key that the index knows has its hash in its header, if it is an object.
//   D4  A key that is an object is removed with its entry (RemoveEntry): the word that takes its
//       place holds its hash, so that next() finds it, and keeps nothing alive. There is one such
//       word per hash: where two removed keys have one hash, the second stays. The next object
//       with this hash that comes takes the place over.
#ifndef NEAP_VM_OBJECTS_DICTIONARY_H_
#define NEAP_VM_OBJECTS_DICTIONARY_H_

#include <cstdint>

#include "boxes.h"
#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "table.h"

namespace neap::vm {

// Entries of a dictionary; entry numbers + 1 have 32 bits.
inline constexpr uint64_t kMaxEntries = uint64_t{1} << 30;

// Of a word that is no object, or of what is in a box. Never 0.
uint32_t HashWord(Word word);

// A key as it is compared: a word, or the content of a box (so that looking for an integer that
// needs a box does not need one).
class DictionaryKey {
 public:
  // The key is normalized (D1).
  static DictionaryKey Of(Value key) {
    if (!key.is_object()) return {key.word(), 0};
    const gc::TypeId type = key.type();
    if (type != kBoxedIntegerType && type != kLightUserdataType) return {key.word(), 0};
    return {ContentOf(key.object()), type};
  }
  static DictionaryKey OfInteger(int64_t i) {
    if (Value::FitsInline(i)) return {Value::InlineInteger(i).word(), 0};
    return {static_cast<Word>(i), kBoxedIntegerType};
  }

  bool Matches(Word key) const {
    if (box_ == 0) return key == word_;
    const Value value = Value::FromWord(key);
    return value.is_object_of(box_) && ContentOf(value.object()) == word_;
  }
  // 0: an object that was never asked for its hash, so that no index knows it (D3).
  uint32_t StoredHash() const {
    if (box_ == 0 && Value::FromWord(word_).is_object()) return gc::ToObject(word_)->stored_hash();
    return HashWord(word_);
  }

 private:
  DictionaryKey(Word word, gc::TypeId box) : word_(word), box_(box) {}
  static Word ContentOf(const Object* box) { return *box->body<Word>(); }

  Word word_;
  gc::TypeId box_;  // 0: none
};

inline constexpr int64_t kNoEntry = -1;
// The entry with this key, present or removed but not forgotten; kNoEntry. (no safepoint)
int64_t FindEntry(const Dictionary* dictionary, DictionaryKey key);
// The same, forgotten keys (D4) included: where next() goes on from. (no safepoint)
int64_t FindPlace(const Dictionary* dictionary, DictionaryKey key);

inline bool IsPresent(const Dictionary::Entry& entry) {
  return gc::LoadSlot(&entry.key) != Value::kNil && gc::LoadSlot(&entry.value) != Value::kNil;
}

// An empty dictionary; the capacity is a power of two. Null: no memory. A safepoint.
Dictionary* NewDictionary(gc::Mutator& m, uint64_t capacity, WeakMode mode);
// A capacity with room for `entries` and a quarter to spare.
uint64_t DictionaryCapacityFor(uint64_t entries);
// Adds an entry for a normalized key that has none; there is room. (no safepoint)
void AppendEntry(gc::Mutator& m, Dictionary* dictionary, Value key, Value value);
// Takes over the place of a forgotten key for a normalized key that has no entry. False: there is
// none of this hash. (no safepoint)
bool ReuseEntry(gc::Mutator& m, Dictionary* dictionary, Value key, Value value);
// The entry's value becomes nil, its key is forgotten if it is an object (D4). (no safepoint)
void RemoveEntry(gc::Mutator& m, Dictionary* dictionary, int64_t entry);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_DICTIONARY_H_
