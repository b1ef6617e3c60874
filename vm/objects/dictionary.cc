// SPDX-License-Identifier: MIT
//
// Entries are only ever added, or taken over by a key of the same hash; table_resize.cc copies the
// present ones into a new dictionary when there is no room. So the index needs no mark for removed
// keys, and a probe ends at the first 0.
#include "dictionary.h"

#include <algorithm>
#include <bit>

namespace neap::vm {
namespace {

const uint32_t* IndexOf(const Dictionary* dictionary, uint64_t* mask) {
  auto* index = static_cast<gc::ByteArray*>(gc::ToObject(gc::LoadSlot(&dictionary->index)));
  *mask = index->length / sizeof(uint32_t) - 1;
  return reinterpret_cast<const uint32_t*>(index->data());
}

uint32_t HashOfKey(gc::Mutator& m, Value key) {
  const uint32_t stored = DictionaryKey::Of(key).StoredHash();
  return stored != 0 ? stored : m.Hash(key.object());
}

// What stands for a key that was removed (D4): a word that is neither an object nor a value.
constexpr Word kForgottenTag = Word{1} << 48;
static_assert(kForgottenTag >= Value::kObjectEnd && 2 * kForgottenTag <= Value::kDoubleOffset);
constexpr Word ForgottenKey(uint32_t hash) { return kForgottenTag | hash; }

int64_t FindForgotten(const Dictionary* dictionary, uint32_t hash) {
  if (!dictionary->has_forgotten || hash == 0) return kNoEntry;
  const Word key = ForgottenKey(hash);
  const Dictionary::Entry* entries = dictionary->entries();
  if (dictionary->index == 0) {
    for (uint32_t i = 0; i < dictionary->used; ++i) {
      if (gc::LoadSlot(&entries[i].key) == key) return i;
    }
    return kNoEntry;
  }
  uint64_t mask;
  const uint32_t* places = IndexOf(dictionary, &mask);
  for (uint64_t i = hash & mask; places[i] != 0; i = (i + 1) & mask) {
    if (gc::LoadSlot(&entries[places[i] - 1].key) == key) return places[i] - 1;
  }
  return kNoEntry;
}

void AddToIndex(gc::Mutator& m, Dictionary* dictionary, Value key, uint32_t entry) {
  uint64_t mask;
  auto* places = const_cast<uint32_t*>(IndexOf(dictionary, &mask));
  uint64_t i = HashOfKey(m, key) & mask;
  while (places[i] != 0) i = (i + 1) & mask;
  places[i] = entry + 1;
}

}  // namespace

// The upper half of a product depends on every bit of the factor; the index uses the lower bits of
// the hash.
uint32_t HashWord(Word word) {
  const uint64_t product = (word ^ (word >> 32)) * 0x9e3779b97f4a7c15u;
  const auto hash = static_cast<uint32_t>(product >> 32);
  return hash == 0 ? 1 : hash;
}

int64_t FindEntry(const Dictionary* dictionary, DictionaryKey key) {
  const Dictionary::Entry* entries = dictionary->entries();
  if (dictionary->index == 0) {
    for (uint32_t i = 0; i < dictionary->used; ++i) {
      if (key.Matches(gc::LoadSlot(&entries[i].key))) return i;
    }
    return kNoEntry;
  }
  const uint32_t hash = key.StoredHash();
  if (hash == 0) return kNoEntry;
  uint64_t mask;
  const uint32_t* places = IndexOf(dictionary, &mask);
  for (uint64_t i = hash & mask; places[i] != 0; i = (i + 1) & mask) {
    if (key.Matches(gc::LoadSlot(&entries[places[i] - 1].key))) return places[i] - 1;
  }
  return kNoEntry;
}

int64_t FindPlace(const Dictionary* dictionary, DictionaryKey key) {
  const int64_t entry = FindEntry(dictionary, key);
  return entry != kNoEntry ? entry : FindForgotten(dictionary, key.StoredHash());
}

Dictionary* NewDictionary(gc::Mutator& m, uint64_t capacity, WeakMode mode) {
  if (capacity > kMaxEntries) return nullptr;
  gc::HandleScope scope(m);
  gc::Handle<Object> index = scope.New<Object>(nullptr);
  if (capacity > Dictionary::kLinearEntries) {
    index.set(m.TryAllocate(gc::ByteArray::Type(), 2 * capacity * sizeof(uint32_t)));
    if (index.get() == nullptr) return nullptr;
  }
  const gc::TypeId type = mode == kStrong ? kDictionaryType : kWeakDictionaryType;
  auto* dictionary = static_cast<Dictionary*>(m.TryAllocate(type, 1 + 2 * capacity));
  if (dictionary == nullptr) return nullptr;
  dictionary->weak_mode = mode;
  gc::InitSlot(&dictionary->index, index.word());
  return dictionary;
}

uint64_t DictionaryCapacityFor(uint64_t entries) {
  if (entries <= 4) return 4;
  uint64_t capacity = std::bit_ceil(entries);
  if (entries * 4 > capacity * 3) capacity *= 2;
  return capacity;
}

void AppendEntry(gc::Mutator& m, Dictionary* dictionary, Value key, Value value) {
  const uint32_t number = dictionary->used++;
  Dictionary::Entry& entry = dictionary->entries()[number];
  m.Store(dictionary, &entry.key, key.word());
  m.Store(dictionary, &entry.value, value.word());
  if (IsInteger(key)) dictionary->has_integers = 1;
  if (dictionary->index != 0) AddToIndex(m, dictionary, key, number);
}

// The index leads from the hash to the entry already.
bool ReuseEntry(gc::Mutator& m, Dictionary* dictionary, Value key, Value value) {
  if (!dictionary->has_forgotten || !key.is_object()) return false;
  const int64_t number = FindForgotten(dictionary, DictionaryKey::Of(key).StoredHash());
  if (number == kNoEntry) return false;
  Dictionary::Entry& entry = dictionary->entries()[number];
  m.Store(dictionary, &entry.key, key.word());
  m.Store(dictionary, &entry.value, value.word());
  if (IsInteger(key)) dictionary->has_integers = 1;
  return true;
}

void RemoveEntry(gc::Mutator& m, Dictionary* dictionary, int64_t number) {
  Dictionary::Entry& entry = dictionary->entries()[number];
  m.Store(dictionary, &entry.value, Value::kNil);
  const Value key = Value::FromWord(gc::LoadSlot(&entry.key));
  if (!key.is_object()) return;
  const uint32_t hash = HashOfKey(m, key);
  if (FindForgotten(dictionary, hash) != kNoEntry) return;
  m.Store(dictionary, &entry.key, ForgottenKey(hash));
  dictionary->has_forgotten = 1;
}

}  // namespace neap::vm
