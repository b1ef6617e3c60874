// SPDX-License-Identifier: MIT
//
// Writing tables. A key that has a place gets its value with one barriered store, without a
// safepoint; an absent key that is set to nil is ignored. What is left is the slow path: the
// arguments go into handles, table_resize.cc makes a place, and then the value is stored.
//
//    string    shape has the key              -> field
//              shape may get it               -> child shape, field
//              otherwise                      -> dictionary table, entry
//    integer   within the array part          -> element
//              right behind it, half full     -> array part doubled, element
//    else, and other integers                 -> dictionary table, entry
#include <algorithm>
#include <cstddef>

#include "dictionary.h"
#include "equality.h"
#include "objects.h"
#include "table.h"
#include "table_resize.h"

namespace neap::vm {
namespace {

// Any value over a safepoint: handle slots may hold every word.
class ValueHandle {
 public:
  ValueHandle(gc::HandleScope& scope, Value value)
      : handle_(scope.New(gc::ToObject(value.word()))) {}
  Value get() const { return Value::FromWord(handle_.word()); }
  void set(Value value) { handle_.set(gc::ToObject(value.word())); }

 private:
  gc::Handle<Object> handle_;
};

void StoreField(gc::Mutator& m, Table* table, uint32_t slot, Value value) {
  Object* holder = table;
  if (slot >= static_cast<uint32_t>(table->inline_fields())) holder = table->field_storage();
  m.Store(holder, table->FieldSlot(slot), value.word());
}

// False: the key is not within the array part.
bool StoreElement(gc::Mutator& m, Table* table, int64_t key, Value value) {
  ArrayPart* array = table->array.get();
  if (array == nullptr || static_cast<uint64_t>(key) - 1 >= array->length) return false;
  m.Store(array, array->slots() + (key - 1), value.word());
  return true;
}

// False: the table has no entry for the key.
bool StoreEntry(gc::Mutator& m, Table* table, DictionaryKey key, Value value) {
  Dictionary* dictionary = table->is_dictionary() ? table->dictionary() : nullptr;
  if (dictionary == nullptr) return false;
  const int64_t entry = FindEntry(dictionary, key);
  if (entry == kNoEntry) return false;
  if (value.is_nil()) {
    RemoveEntry(m, dictionary, entry);
  } else {
    m.Store(dictionary, &dictionary->entries()[entry].value, value.word());
  }
  return true;
}

bool BecomeDictionary(Objects& objects, gc::Handle<Table> table, uint64_t more) {
  Shape* shape = ShapeAsDictionary(objects, table->shape);
  if (shape == nullptr) return false;
  gc::HandleScope scope(objects.mutator());
  return AdoptShape(objects, table, scope.New(shape), more);
}

bool HasRoom(const Table* table, uint64_t more) {
  const Dictionary* dictionary = table->dictionary();
  return dictionary != nullptr && dictionary->capacity() - dictionary->used >= more;
}

// The key is normalized, has no entry, and is not within the array part.
bool AddEntry(Objects& objects, Table* table, Value key, Value value) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  gc::Handle<Table> t = scope.New(table);
  const ValueHandle k(scope, key), v(scope, value);
  if (!t->is_dictionary() && !BecomeDictionary(objects, t, 1)) return false;
  if (Dictionary* d = t->dictionary(); d != nullptr && ReuseEntry(m, d, k.get(), v.get())) {
    return true;
  }
  if (!HasRoom(t.get(), 1)) {
    if (!GrowDictionary(objects, t, key, 1)) return false;
    if (key.is_inline_integer() && StoreElement(m, t.get(), key.inline_integer(), v.get())) {
      return true;
    }
  }
  AppendEntry(m, t->dictionary(), k.get(), v.get());
  return true;
}

bool AddField(Objects& objects, Table* table, String* atom, Value value, KeyOrigin origin) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  gc::Handle<Table> t = scope.New(table);
  gc::Handle<String> key = scope.New(atom);
  const ValueHandle v(scope, value);
  bool no_memory;
  Shape* grown = ShapeWithField(objects, table->shape, atom, origin, &no_memory);
  if (no_memory) return false;
  if (grown == nullptr) {
    return AddEntry(objects, t.get(), Value::FromObject(key.get()), v.get());
  }
  gc::Handle<Shape> shape = scope.New(grown);
  if (!GrowFields(objects, t, shape->count)) return false;
  StoreField(m, t.get(), shape->count - 1, v.get());
  m.Store(t.get(), t->shape.slot(), shape.get());
  return true;
}

bool SetField(Objects& objects, Table* table, String* atom, Value value, KeyOrigin origin) {
  gc::Mutator& m = objects.mutator();
  if (objects.IsIndexName(atom)) objects.IndexChanged();
  if (table->is_dictionary()) {
    const Value key = Value::FromObject(atom);
    if (StoreEntry(m, table, DictionaryKey::Of(key), value) || value.is_nil()) return true;
    return AddEntry(objects, table, key, value);
  }
  const int slot = table->shape->Find(atom);
  if (slot != Shape::kNotFound) {
    StoreField(m, table, static_cast<uint32_t>(slot), value);
    return true;
  }
  return value.is_nil() || AddField(objects, table, atom, value, origin);
}

// --- Integer keys --------------------------------------------------------------------------------

// An array part of at least this size doubles only while half of it is in use: a queue, which
// leaves nothing but nil behind its head, moves into the dictionary.
constexpr uint64_t kTrustedCapacity = 64;

bool IsHalfFull(const ArrayPart* array) {
  uint64_t used = 0;
  for (uint64_t i = 0; i < array->length; ++i) used += gc::LoadSlot(array->slots() + i) != 0;
  return used * 2 >= array->length;
}

bool ShouldDouble(const Table* table, int64_t key) {
  const ArrayPart* array = table->array.get();
  if (array == nullptr) return key == 1;
  if (static_cast<uint64_t>(key) != array->length + 1) return false;
  if (array->length >= kMaxArrayCapacity / 2) return false;
  return array->length < kTrustedCapacity || IsHalfFull(array);
}

// The key has no place yet, and the value is not nil.
bool AddInteger(Objects& objects, Table* table, int64_t key, Value value) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  gc::Handle<Table> t = scope.New(table);
  const ValueHandle v(scope, value);
  if (ShouldDouble(table, key)) {
    const auto capacity = std::max<uint64_t>(4, 2 * (static_cast<uint64_t>(key) - 1));
    return GrowArray(objects, t, capacity) && StoreElement(m, t.get(), key, v.get());
  }
  const Value k = objects.NewInteger(key);
  return !k.is_nil() && AddEntry(objects, t.get(), k, v.get());
}

}  // namespace

bool RawSetInteger(Objects& objects, Table* table, int64_t key, Value value) {
  gc::Mutator& m = objects.mutator();
  if (StoreElement(m, table, key, value)) return true;
  if (StoreEntry(m, table, DictionaryKey::OfInteger(key), value)) return true;
  return value.is_nil() || AddInteger(objects, table, key, value);
}

bool RawSet(Objects& objects, Table* table, Value key, Value value, KeyOrigin origin) {
  if (key.is_inline_integer()) return RawSetInteger(objects, table, key.inline_integer(), value);
  if (key.is_object()) {
    const gc::TypeId type = key.type();
    if (IsStringType(type)) {
      return SetField(objects, table, objects.atoms().Intern(AsString(key)), value, origin);
    }
    if (type == kBoxedIntegerType) return RawSetInteger(objects, table, IntegerOf(key), value);
  } else if (key.is_double()) {
    int64_t i;
    if (DoubleFitsInteger(key.as_double(), &i)) return RawSetInteger(objects, table, i, value);
  }
  NEAP_DCHECK(!key.is_nil() && (!key.is_double() || key.as_double() == key.as_double()),
              "L4: nil and NaN are no keys");
  if (StoreEntry(objects.mutator(), table, DictionaryKey::Of(key), value)) return true;
  return value.is_nil() || AddEntry(objects, table, key, value);
}

// --- Room, metatable, clear ----------------------------------------------------------------------

bool ReserveArray(Objects& objects, Table* table, uint64_t capacity) {
  const ArrayPart* array = table->array.get();
  if (capacity <= (array == nullptr ? 0 : array->length)) return true;
  gc::HandleScope scope(objects.mutator());
  return GrowArray(objects, scope.New(table), capacity);
}

bool ReserveFields(Objects& objects, Table* table, uint64_t count) {
  if (count == 0) return true;
  if (count > kMaxEntries) return false;
  gc::HandleScope scope(objects.mutator());
  gc::Handle<Table> t = scope.New(table);
  if (t->is_dictionary()) {
    return HasRoom(table, count) || GrowDictionary(objects, t, Value::Nil(), count);
  }
  const uint64_t fields = t->shape->count + count;
  if (fields > Shape::kMaxFields) return BecomeDictionary(objects, t, count);
  return GrowFields(objects, t, static_cast<uint32_t>(fields));
}

bool SetMetatable(Objects& objects, Table* table, Table* metatable) {
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  gc::Handle<Table> t = scope.New(table);
  Shape* shape = ShapeWithMetatable(objects, table->shape, metatable);
  if (shape == nullptr) return false;
  const Shape* now = t->shape.get();
  if (shape->is_dictionary == now->is_dictionary && shape->weak_mode == now->weak_mode) {
    m.Store(t.get(), t->shape.slot(), shape);
    return true;
  }
  return AdoptShape(objects, t, scope.New(shape), 0);
}

void Clear(Objects& objects, Table* table) {
  gc::Mutator& m = objects.mutator();
  if (ArrayPart* array = table->array.get(); array != nullptr) {
    for (uint64_t i = 0; i < array->length; ++i) m.Store(array, array->slots() + i, Value::kNil);
    array->border = 0;
  }
  if (objects.HasIndexField(table)) objects.IndexChanged();
  if (!table->is_dictionary()) {
    for (uint32_t i = 0; i < table->shape->count; ++i) StoreField(m, table, i, Value::Nil());
  } else if (Dictionary* dictionary = table->dictionary(); dictionary != nullptr) {
    for (uint32_t i = 0; i < dictionary->used; ++i) RemoveEntry(m, dictionary, i);
  }
}

}  // namespace neap::vm
