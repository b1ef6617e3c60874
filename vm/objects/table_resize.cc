// SPDX-License-Identifier: MIT
//
// Storages are never changed in size: a table gets a new one, and everything present is copied.
// Each function allocates all it needs first, holding what it has in handles, and then copies and
// publishes without a safepoint. So a collection never sees half a table, and a failed allocation
// leaves the table as it was.
//
// How large is the array part? As in the reference implementation: the largest power of two n of
// which more than half of the keys 1 .. n are in use. It is asked when the dictionary is full, and
// it may move keys both ways. Between two such questions the part only doubles, when the key behind
// its end is assigned and at least half of it is in use.
#include "table_resize.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dictionary.h"
#include "objects.h"

namespace neap::vm {
namespace {

Dictionary* DictionaryOf(const Table* table) {
  return table->is_dictionary() ? table->dictionary() : nullptr;
}

uint64_t ArrayCapacity(const Table* table) {
  const ArrayPart* array = table->array.get();
  return array == nullptr ? 0 : array->length;
}

ArrayPart* NewArray(gc::Mutator& m, uint64_t capacity, uint8_t weak_mode) {
  const bool weak = (weak_mode & kWeakValues) != 0;
  auto* array =
      static_cast<ArrayPart*>(m.TryAllocate(weak ? kWeakArrayPartType : kArrayPartType, capacity));
  if (array != nullptr) array->weak_mode = weak ? kWeakValues : kStrong;
  return array;
}

// The first elements of the table's array part, as many as both have. (no safepoint)
void CopyElements(gc::Mutator& m, const Table* table, ArrayPart* to) {
  const ArrayPart* from = table->array.get();
  if (from == nullptr) return;
  const uint64_t count = std::min(from->length, to->length);
  m.LogRange(to, to->slots(), count);
  for (uint64_t i = 0; i < count; ++i) {
    gc::InitSlot(to->slots() + i, gc::LoadSlot(&from->slots()[i]));
  }
  to->border = std::min<uint32_t>(from->border, static_cast<uint32_t>(to->length));
}

// Is the key an integer in 1 .. limit?
bool IsElement(Value key, uint64_t limit) {
  return key.is_inline_integer() && static_cast<uint64_t>(key.inline_integer()) - 1 < limit;
}

template <typename Visit>
void ForEachPresent(Dictionary* dictionary, Visit visit) {
  if (dictionary == nullptr) return;
  for (uint32_t i = 0; i < dictionary->used; ++i) {
    Dictionary::Entry& entry = dictionary->entries()[i];
    if (IsPresent(entry)) visit(Value::FromWord(gc::LoadSlot(&entry.key)), &entry.value);
  }
}

// What the table holds beside its array part, in order.
template <typename Visit>
void ForEachPair(Table* table, Visit visit) {
  if (table->is_dictionary()) return ForEachPresent(table->dictionary(), visit);
  const Shape* shape = table->shape.get();
  for (uint32_t slot = 0; slot < shape->count; ++slot) {
    Word* value = table->FieldSlot(slot);
    if (gc::LoadSlot(value) != Value::kNil) visit(Value::FromObject(shape->key(slot)), value);
  }
}

uint64_t CountPairs(Table* table) {
  uint64_t count = 0;
  ForEachPair(table, [&](Value, Word*) { ++count; });
  return count;
}

// Copies the pairs whose key is not within the array part of `limit` elements. (no safepoint)
void CopyPairs(gc::Mutator& m, Table* table, Dictionary* to, uint64_t limit) {
  ForEachPair(table, [&](Value key, Word* value) {
    if (!IsElement(key, limit)) AppendEntry(m, to, key, Value::FromWord(gc::LoadSlot(value)));
  });
}

// --- The best size of the array part -------------------------------------------------------------

// Integer keys by size: bin b counts those in (2^(b-1), 2^b].
struct Census {
  static constexpr int kBins = 32;
  uint64_t bins[kBins] = {};
  uint64_t total = 0;

  void Add(uint64_t key) {
    ++bins[std::bit_width(key - 1)];
    ++total;
  }
  uint64_t BestCapacity() const {
    uint64_t best = 0, below = 0, size = 1;
    for (int b = 0; b < kBins && total > size / 2; ++b, size *= 2) {
      below += bins[b];
      if (below > size / 2) best = size;
    }
    return best;
  }
};
static_assert(kMaxArrayCapacity == uint64_t{1} << (Census::kBins - 1));

// Array parts up to this size are never made smaller: it would save less than a page.
constexpr uint64_t kKeepCapacity = 64;

// The capacity that the array part should have when `key` comes.
uint64_t WantedCapacity(Table* table, Value key) {
  const uint64_t capacity = ArrayCapacity(table);
  Dictionary* dictionary = table->dictionary();
  const bool has_integers = dictionary != nullptr && dictionary->has_integers;
  if (!has_integers && !IsElement(key, kMaxArrayCapacity)) return capacity;
  Census census;
  for (uint64_t i = 0; i < capacity; ++i) {
    if (gc::LoadSlot(&table->array->slots()[i]) != Value::kNil) census.Add(i + 1);
  }
  const uint64_t elements = census.total;
  ForEachPresent(dictionary, [&](Value k, Word*) {
    if (IsElement(k, kMaxArrayCapacity)) census.Add(static_cast<uint64_t>(k.inline_integer()));
  });
  if (IsElement(key, kMaxArrayCapacity)) {
    census.Add(static_cast<uint64_t>(key.inline_integer()));
  }
  const uint64_t best = census.BestCapacity();
  if (best > capacity) return std::max<uint64_t>(best, 4);
  return capacity > kKeepCapacity && elements < capacity / 8 ? best : capacity;
}

// Pairs that the dictionary will hold beside an array part of `limit` elements.
uint64_t CountPairsBeside(Table* table, uint64_t limit) {
  uint64_t count = 0;
  ForEachPair(table, [&](Value key, Word*) { count += !IsElement(key, limit); });
  for (uint64_t i = limit; i < ArrayCapacity(table); ++i) {
    count += gc::LoadSlot(&table->array->slots()[i]) != Value::kNil;
  }
  return count;
}

// Fills new parts; either may be null: none is wanted, or, if it is the array part, the table keeps
// its own. (no safepoint)
void MoveKeys(gc::Mutator& m, Table* table, ArrayPart* array, Dictionary* dictionary) {
  const uint64_t limit = array == nullptr ? 0 : array->length;
  ForEachPair(table, [&](Value key, Word* value) {
    const Value v = Value::FromWord(gc::LoadSlot(value));
    if (IsElement(key, limit)) {
      m.Store(array, array->slots() + (key.inline_integer() - 1), v.word());
    } else {
      AppendEntry(m, dictionary, key, v);
    }
  });
}

}  // namespace

bool GrowArray(Objects& objects, gc::Handle<Table> table, uint64_t capacity) {
  if (capacity > kMaxArrayCapacity) return false;
  gc::Mutator& m = objects.mutator();
  const uint64_t old_capacity = ArrayCapacity(table.get());
  ArrayPart* array = NewArray(m, capacity, table->shape->weak_mode);
  if (array == nullptr) return false;
  CopyElements(m, table.get(), array);
  Dictionary* dictionary = DictionaryOf(table.get());
  if (dictionary != nullptr && dictionary->has_integers) {
    ForEachPresent(dictionary, [&](Value key, Word* value) {
      if (!IsElement(key, capacity) || IsElement(key, old_capacity)) return;
      m.Store(array, array->slots() + (key.inline_integer() - 1), gc::LoadSlot(value));
      m.Store(dictionary, value, Value::kNil);
    });
  }
  m.Store(table.get(), table->array.slot(), array);
  return true;
}

bool GrowFields(Objects& objects, gc::Handle<Table> table, uint32_t count) {
  const auto inlined = static_cast<uint32_t>(table->inline_fields());
  if (count <= inlined) return true;
  const uint64_t wanted = count - inlined;
  const FieldStorage* old = table->field_storage();
  if (old != nullptr && old->length >= wanted) return true;
  gc::Mutator& m = objects.mutator();
  auto* fresh = static_cast<FieldStorage*>(
      m.TryAllocate(kFieldStorageType, std::max<uint64_t>(4, std::bit_ceil(wanted))));
  if (fresh == nullptr) return false;
  FieldStorage* from = table->field_storage();
  for (uint64_t i = 0; from != nullptr && i < from->length; ++i) {
    gc::InitSlot(fresh->slots() + i, gc::LoadSlot(from->slots() + i));
  }
  m.Store(table.get(), &table->fields, fresh);
  return true;
}

bool AdoptShape(Objects& objects, gc::Handle<Table> table, gc::Handle<Shape> shape, uint64_t more) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  const auto mode = static_cast<WeakMode>(shape->weak_mode);
  const uint8_t changed = table->shape->weak_mode ^ shape->weak_mode;
  const bool from_fields = shape->is_dictionary && !table->is_dictionary();
  if (from_fields && objects.HasIndexField(table.get())) objects.IndexChanged();
  const bool new_dictionary = from_fields || (changed != 0 && table->dictionary() != nullptr);
  gc::Handle<ArrayPart> array = scope.New<ArrayPart>(nullptr);
  if ((changed & kWeakValues) != 0 && table->array.get() != nullptr) {
    array.set(NewArray(m, ArrayCapacity(table.get()), mode));
    if (array.get() == nullptr) return false;
  }
  Dictionary* dictionary = nullptr;
  if (const uint64_t pairs = CountPairs(table.get()) + more; new_dictionary && pairs > 0) {
    dictionary = NewDictionary(m, DictionaryCapacityFor(pairs), mode);
    if (dictionary == nullptr) return false;
  }
  if (new_dictionary) {
    if (dictionary != nullptr) CopyPairs(m, table.get(), dictionary, 0);
    m.Store(table.get(), &table->fields, dictionary);
  }
  for (int i = 0; from_fields && i < table->inline_fields(); ++i) {
    m.Store(table.get(), table->inline_slots() + i, Value::kNil);
  }
  if (array.get() != nullptr) {
    CopyElements(m, table.get(), array.get());
    m.Store(table.get(), table->array.slot(), array.get());
  }
  m.Store(table.get(), table->shape.slot(), shape.get());
  return true;
}

bool GrowDictionary(Objects& objects, gc::Handle<Table> table, Value key, uint64_t more) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  const auto mode = static_cast<WeakMode>(table->shape->weak_mode);
  const uint64_t old_capacity = ArrayCapacity(table.get());
  const uint64_t capacity = WantedCapacity(table.get(), key);
  gc::Handle<ArrayPart> array = scope.New<ArrayPart>(nullptr);
  if (capacity != old_capacity && capacity > 0) {
    array.set(NewArray(m, capacity, mode));
    if (array.get() == nullptr) return false;
  }
  const uint64_t added = more - (IsElement(key, capacity) ? 1 : 0);
  const uint64_t pairs = CountPairsBeside(table.get(), capacity) + added;
  Dictionary* dictionary = nullptr;
  if (pairs > 0) {
    dictionary = NewDictionary(m, DictionaryCapacityFor(pairs), mode);
    if (dictionary == nullptr) return false;
  }
  if (array.get() != nullptr) CopyElements(m, table.get(), array.get());
  MoveKeys(m, table.get(), array.get(), dictionary);
  for (uint64_t i = capacity; i < old_capacity; ++i) {
    const Value v = Value::FromWord(gc::LoadSlot(&table->array->slots()[i]));
    const Value k = Value::InlineInteger(static_cast<int64_t>(i + 1));
    if (!v.is_nil()) AppendEntry(m, dictionary, k, v);
  }
  if (capacity != old_capacity) m.Store(table.get(), table->array.slot(), array.get());
  m.Store(table.get(), &table->fields, dictionary);
  return true;
}

}  // namespace neap::vm
