// SPDX-License-Identifier: MIT
//
// Reading tables: get, border, next. Nothing here changes a table (but for the border hint) or
// reaches a safepoint.
//
// next() numbers the places of a table: 0 .. capacity-1 are the elements of the array part, then
// come the slots of the shape or the entries of the dictionary. A key says its place, whether or
// not its value is nil by now; the walk goes on with the first present place behind it.
#include "table.h"

#include <algorithm>

#include "dictionary.h"
#include "equality.h"
#include "objects.h"

namespace neap::vm {
namespace {

Value LoadValue(const Word* slot) { return Value::FromWord(gc::LoadSlot(slot)); }

Value EntryValue(const Dictionary* dictionary, DictionaryKey key) {
  if (dictionary == nullptr) return Value::Nil();
  const int64_t entry = FindEntry(dictionary, key);
  return entry == kNoEntry ? Value::Nil() : LoadValue(&dictionary->entries()[entry].value);
}

Dictionary* DictionaryOf(const Table* table) {
  return table->is_dictionary() ? table->dictionary() : nullptr;
}

uint64_t ArrayCapacity(const Table* table) {
  const ArrayPart* array = table->array.get();
  return array == nullptr ? 0 : array->length;
}

Value FieldValue(const Table* table, uint32_t slot) {
  return LoadValue(const_cast<Table*>(table)->FieldSlot(slot));
}

}  // namespace

// --- Get -----------------------------------------------------------------------------------------

Value RawGetAtom(const Table* table, const String* atom) {
  const Shape* shape = table->shape.get();
  if (shape->is_dictionary) {
    return EntryValue(table->dictionary(), DictionaryKey::Of(Value::FromObject(atom)));
  }
  const int slot = shape->Find(atom);
  return slot == Shape::kNotFound ? Value::Nil() : FieldValue(table, static_cast<uint32_t>(slot));
}

Value RawGetIntegerSlow(Objects&, const Table* table, int64_t key) {
  const Dictionary* dictionary = DictionaryOf(table);
  if (dictionary == nullptr || !dictionary->has_integers) return Value::Nil();
  return EntryValue(dictionary, DictionaryKey::OfInteger(key));
}

Value RawGet(Objects& objects, const Table* table, Value key) {
  if (key.is_inline_integer()) return RawGetInteger(objects, table, key.inline_integer());
  if (key.is_object()) {
    const gc::TypeId type = key.type();
    if (IsStringType(type)) return RawGetAtom(table, objects.atoms().Intern(AsString(key)));
    if (type == kBoxedIntegerType) return RawGetInteger(objects, table, IntegerOf(key));
  } else if (key.is_double()) {
    int64_t i;
    if (DoubleFitsInteger(key.as_double(), &i)) return RawGetInteger(objects, table, i);
  } else if (key.is_nil()) {
    return Value::Nil();
  }
  return EntryValue(DictionaryOf(table), DictionaryKey::Of(key));
}

// --- Border --------------------------------------------------------------------------------------

namespace {

// low is 0 or present, high is absent: a border in [low, high).
uint64_t BorderBetween(const ArrayPart* array, uint64_t low, uint64_t high) {
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (gc::LoadSlot(&array->slots()[middle - 1]) == Value::kNil ? high : low) = middle;
  }
  return low;
}

// The last element of the part is nil. The border moves by a few elements between two questions, so
// the neighbourhood of the hint is tried before halves.
uint64_t BorderInArray(ArrayPart* array) {
  constexpr uint64_t kNeighbours = 4;
  const auto absent = [&](uint64_t key) {
    return gc::LoadSlot(&array->slots()[key - 1]) == Value::kNil;
  };
  uint64_t low = std::min<uint64_t>(array->border, array->length - 1), high = array->length;
  if (low > 0 && absent(low)) {
    high = low;
    for (uint64_t i = 0; i < kNeighbours && high > 1 && absent(high - 1); ++i) --high;
    low = high > 1 && !absent(high - 1) ? high - 1 : 0;
  } else {
    for (uint64_t i = 0; i < kNeighbours && !absent(low + 1); ++i) ++low;
  }
  const uint64_t border = BorderBetween(array, low, high);
  array->border = static_cast<uint32_t>(border);
  return border;
}

// `present` is 0 or a present key of the dictionary or the last of the array part, and present + 1
// is present. Doubles until a key is absent, then halves.
int64_t BorderBeyond(Objects& objects, const Table* table, int64_t present) {
  const auto absent = [&](int64_t key) { return RawGetInteger(objects, table, key).is_nil(); };
  int64_t low = present + 1, high = low;
  do {
    low = high;
    if (high > INT64_MAX / 2) {
      if (!absent(INT64_MAX)) return INT64_MAX;
      high = INT64_MAX;
      break;
    }
    high *= 2;
  } while (!absent(high));
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (absent(middle) ? high : low) = middle;
  }
  return low;
}

}  // namespace

int64_t Border(Objects& objects, Table* table) {
  ArrayPart* array = table->array.get();
  const uint64_t capacity = ArrayCapacity(table);
  if (capacity > 0 && gc::LoadSlot(&array->slots()[capacity - 1]) == Value::kNil) {
    return static_cast<int64_t>(BorderInArray(array));
  }
  const auto last = static_cast<int64_t>(capacity);
  if (RawGetIntegerSlow(objects, table, last + 1).is_nil()) return last;
  return BorderBeyond(objects, table, last);
}

// --- Next ----------------------------------------------------------------------------------------

namespace {

constexpr uint64_t kNoPlace = UINT64_MAX;

uint64_t PlaceOfInteger(const Table* table, int64_t key) {
  const uint64_t capacity = ArrayCapacity(table);
  if (static_cast<uint64_t>(key) - 1 < capacity) return static_cast<uint64_t>(key) - 1;
  const Dictionary* dictionary = DictionaryOf(table);
  if (dictionary == nullptr) return kNoPlace;
  const int64_t entry = FindPlace(dictionary, DictionaryKey::OfInteger(key));
  return entry == kNoEntry ? kNoPlace : capacity + static_cast<uint64_t>(entry);
}

// kNoPlace: the key was never in the table.
uint64_t PlaceOf(Objects& objects, const Table* table, Value key) {
  if (IsInteger(key)) return PlaceOfInteger(table, IntegerOf(key));
  int64_t i;
  if (key.is_double() && DoubleFitsInteger(key.as_double(), &i)) return PlaceOfInteger(table, i);
  if (IsString(key)) {
    const String* atom = objects.atoms().Intern(AsString(key));
    if (!table->is_dictionary()) {
      const int slot = table->shape->Find(atom);
      return slot == Shape::kNotFound ? kNoPlace
                                      : ArrayCapacity(table) + static_cast<uint64_t>(slot);
    }
    key = Value::FromObject(atom);
  }
  const Dictionary* dictionary = DictionaryOf(table);
  if (dictionary == nullptr) return kNoPlace;
  const int64_t entry = FindPlace(dictionary, DictionaryKey::Of(key));
  return entry == kNoEntry ? kNoPlace : ArrayCapacity(table) + static_cast<uint64_t>(entry);
}

NextResult NextField(const Table* table, uint64_t from, Value* key, Value* value) {
  const Shape* shape = table->shape.get();
  for (uint64_t slot = from; slot < shape->count; ++slot) {
    *value = FieldValue(table, static_cast<uint32_t>(slot));
    if (value->is_nil()) continue;
    *key = Value::FromObject(shape->key(static_cast<uint32_t>(slot)));
    return NextResult::kFound;
  }
  return NextResult::kEnd;
}

NextResult NextEntry(const Table* table, uint64_t from, Value* key, Value* value) {
  const Dictionary* dictionary = table->dictionary();
  if (dictionary == nullptr) return NextResult::kEnd;
  for (uint64_t i = from; i < dictionary->used; ++i) {
    const Dictionary::Entry& entry = dictionary->entries()[i];
    if (!IsPresent(entry)) continue;
    *key = LoadValue(&entry.key);
    *value = LoadValue(&entry.value);
    return NextResult::kFound;
  }
  return NextResult::kEnd;
}

}  // namespace

NextResult Next(Objects& objects, const Table* table, Value* key, Value* value) {
  uint64_t place = 0;
  if (!key->is_nil()) {
    place = PlaceOf(objects, table, *key);
    if (place == kNoPlace) return NextResult::kInvalid;
    ++place;
  }
  const uint64_t capacity = ArrayCapacity(table);
  for (; place < capacity; ++place) {
    const Value element = LoadValue(&table->array->slots()[place]);
    if (element.is_nil()) continue;
    *key = Value::InlineInteger(static_cast<int64_t>(place + 1));
    *value = element;
    return NextResult::kFound;
  }
  return table->is_dictionary() ? NextEntry(table, place - capacity, key, value)
                                : NextField(table, place - capacity, key, value);
}

}  // namespace neap::vm
