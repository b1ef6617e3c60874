// SPDX-License-Identifier: MIT
//
// Lua tables.
//
//     0        8       16      24       32
//    +--------+-------+-------+--------+-----------------------+
//    | header | shape | array | fields | inline fields 0..n-1  |   type kTableType + n
//    +--------+-------+-------+--------+-----------------------+
//               |       |       |
//               |       |       +-- FieldStorage: fields n, n+1, ... of the shape
//               |       |           or Dictionary, when the shape is a dictionary shape; or 0
//               |       +-- ArrayPart: values of the keys 1 .. capacity, or 0
//               +-- Shape: keys and slots of the fields, and the metatable
//
//   L1  A key is in one place: an integer within the capacity in the array part; a string in the
//       shape (if it is no dictionary shape); everything else, in the Dictionary. A table that gets
//       a key for the Dictionary while its shape has fields becomes a dictionary first.
//   L2  A field, element or entry whose value is nil is absent; its place stays.
//   L3  Slots are never used again for another key in the same storage (but for one of equal hash:
//       dictionary.h, D4); storages never shrink in place. Structure (shape, storage) changes in
//       table_change.cc only.
//   L4  Float keys with an integral value are stored as integers; NaN and nil are refused by the
//       callers (they know the words of the error).
//   L5  Elements of the array part beyond every assigned one are nil: reading needs no count.
//       `border` is a hint where the last `#` found a border.
//   L6  next() walks the array part, then fields or entries in order of insertion.
//
// Readers have no safepoint. Writers may allocate: raw pointers to objects of the heap are stale
// after them; their own arguments they protect themselves. They return false when there is no
// memory; the table is then as it was.
#ifndef NEAP_VM_OBJECTS_TABLE_H_
#define NEAP_VM_OBJECTS_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "shape.h"
#include "value.h"

namespace neap::vm {

class Objects;

// Base 24 bytes, then `length` words.
struct ArrayPart : Object {
  uint64_t length;  // capacity
  uint32_t border;  // L5
  uint8_t weak_mode;
  uint8_t unused[3];

  Word* slots() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(ArrayPart));
  }
  const Word* slots() const { return const_cast<ArrayPart*>(this)->slots(); }
};
static_assert(sizeof(ArrayPart) == 24);

struct FieldStorage : Object {
  uint64_t length;  // slots

  Word* slots() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(FieldStorage));
  }
};
static_assert(sizeof(FieldStorage) == 16);

// An insertion-ordered hash: entries in a row, and an index from hashes to entries once there are
// more than kLinearEntries.
struct Dictionary : Object {
  uint64_t length;        // words that follow: 1 + 2 * capacity
  uint32_t used;          // entries taken, removed ones included
  uint8_t weak_mode;      // WeakMode
  uint8_t has_integers;   // some key is an integer
  uint8_t has_forgotten;  // some key was replaced by its hash (dictionary.h, D4)
  uint8_t unused;
  Word index;  // ByteArray of uint32_t: entry + 1, by open addressing; or 0

  struct Entry {
    Word key;
    Word value;
  };
  static constexpr uint32_t kLinearEntries = 8;
  uint32_t capacity() const { return static_cast<uint32_t>(length / 2); }
  Entry* entries() {
    return reinterpret_cast<Entry*>(reinterpret_cast<char*>(this) + sizeof(Dictionary));
  }
  const Entry* entries() const { return const_cast<Dictionary*>(this)->entries(); }
};
static_assert(sizeof(Dictionary) == 32);

struct Table : Object {
  gc::Ref<Shape> shape;
  gc::Ref<ArrayPart> array;
  Word fields;

  static constexpr size_t BytesFor(int inline_fields) {
    return sizeof(Object) + 3 * sizeof(Word) + static_cast<size_t>(inline_fields) * sizeof(Word);
  }
  int inline_fields() const { return type() - kTableType; }
  Word* inline_slots() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(Table));
  }
  Table* metatable() const { return shape.get()->metatable; }
  bool is_dictionary() const { return shape.get()->is_dictionary != 0; }
  FieldStorage* field_storage() const { return static_cast<FieldStorage*>(gc::ToObject(fields)); }
  Dictionary* dictionary() const { return static_cast<Dictionary*>(gc::ToObject(fields)); }
  // Where slot `slot` of the shape is; the table is no dictionary.
  Word* FieldSlot(uint32_t slot) {
    const auto inlined = static_cast<uint32_t>(inline_fields());
    return slot < inlined ? inline_slots() + slot : field_storage()->slots() + (slot - inlined);
  }
};
static_assert(sizeof(Table) == 32);

inline Table* AsTable(Value v) { return static_cast<Table*>(v.object()); }

// --- Reading (no safepoint) ----------------------------------------------------------------------

// Any key but nil and NaN, which give nil. Strings need not be atoms.
Value RawGet(Objects& objects, const Table* table, Value key);
Value RawGetAtom(const Table* table, const String* atom);
inline Value RawGetInteger(Objects& objects, const Table* table, int64_t key);
Value RawGetIntegerSlow(Objects& objects, const Table* table, int64_t key);
// A border: n where t[n] ~= nil and t[n + 1] == nil, or 0 when t[1] == nil.
int64_t Border(Objects& objects, Table* table);

inline Value RawGetInteger(Objects& objects, const Table* table, int64_t key) {
  const ArrayPart* array = table->array.get();
  if (array != nullptr && static_cast<uint64_t>(key) - 1 < array->length) {
    return Value::FromWord(gc::LoadSlot(&array->slots()[key - 1]));
  }
  return RawGetIntegerSlow(objects, table, key);
}

// Walks the table. kEnd: no more. kInvalid: `*key` is not in the table. kFound: the next pair.
// Start with nil.
enum class NextResult : uint8_t { kFound, kEnd, kInvalid };
NextResult Next(Objects& objects, const Table* table, Value* key, Value* value);

// --- Writing (safepoints) ------------------------------------------------------------------------

// The key is neither nil nor NaN. Setting nil never allocates and never fails.
bool RawSet(Objects& objects, Table* table, Value key, Value value,
            KeyOrigin origin = KeyOrigin::kComputed);
bool RawSetInteger(Objects& objects, Table* table, int64_t key, Value value);
// Grows the array part to at least `capacity` elements (constructors, table.create, unpack).
bool ReserveArray(Objects& objects, Table* table, uint64_t capacity);
// Prepares for `count` more fields that are no array elements.
bool ReserveFields(Objects& objects, Table* table, uint64_t count);
bool SetMetatable(Objects& objects, Table* table, Table* metatable);
// Removes everything; keeps the room (table.clear). (no safepoint)
void Clear(Objects& objects, Table* table);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_TABLE_H_
