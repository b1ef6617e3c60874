// SPDX-License-Identifier: MIT
//
// Shapes (hidden classes): which fields a table has, in which slots, and its metatable.
//
// Tables that got the same fields in the same order and the same metatable, and that have as
// many inline fields, share one shape. The shapes form trees: a table starts at the root shape for
// its number of inline fields; each new field, and each change of the
// metatable, is a transition to a child. A parent knows its children weakly, a child its parent
// strongly: a shape lives as long as a table, a template of a constructor, or a descendant uses it.
//
//   S1  A shape never changes after its creation, but for `transitions`; and it never moves.
//   S2  The id of a shape (the hash word of its header) is never given to another shape of the
//       process: an inline cache that holds an id can be compared at any later time. When 2^32 ids
//       have been used, new shapes are refused, and tables become dictionaries.
//   S3  Keys are atoms. The key of slot i is keys->slots()[i]; children share the array of their
//       parent while they are the first to extend it.
//   S4  A dictionary shape has no keys; its tables hold all fields in a Dictionary. It never gets
//       keys again (its other transitions are to other metatables).
//   S5  weak_mode is what __mode of the metatable said when the transition to it was made; a shape
//       with a weak mode is a dictionary shape.
#ifndef NEAP_VM_OBJECTS_SHAPE_H_
#define NEAP_VM_OBJECTS_SHAPE_H_

#include <cstdint>

#include "lua_string.h"
#include "neap/gc/mutator.h"
#include "neap/gc/type.h"

namespace neap::vm {

class Objects;
struct Table;
struct Transitions;

enum WeakMode : uint8_t { kStrong = 0, kWeakKeys = 1, kWeakValues = 2, kWeakBoth = 3 };

struct Shape : Object {
  Shape* parent;             // null: the root
  gc::SlotArray* keys;       // null: none yet
  Table* metatable;          // null: none
  Transitions* transitions;  // null: none
  gc::ByteArray* index;      // more than kLinearFields keys: open addressing, hash -> slot + 1
  Word transition_key;       // how the parent finds it: an atom (new field), a table (metatable),
                             // kToDictionary or kNoMetatable
  uint32_t count;            // fields
  uint8_t is_dictionary;
  uint8_t weak_mode;      // WeakMode
  uint8_t inline_fields;  // of the tables with this shape (dictionaries: any number)
  uint8_t unused;

  static constexpr uint32_t kLinearFields = 8;
  static constexpr uint32_t kMaxFields = 128;
  static constexpr int kNotFound = -1;
  static constexpr Word kToDictionary = Value::kTrue;
  static constexpr Word kNoMetatable = Value::kFalse;

  uint32_t id() const { return stored_hash(); }
  // The slot of the field, or kNotFound. (no safepoint)
  int Find(const String* atom) const {
    if (count > kLinearFields) return FindIndexed(atom);
    for (uint32_t i = 0; i < count; ++i) {
      if (keys->slots()[i] == gc::ToWord(atom)) return static_cast<int>(i);
    }
    return kNotFound;
  }
  String* key(uint32_t slot) const {
    return static_cast<String*>(gc::ToObject(gc::LoadSlot(&keys->slots()[slot])));
  }

 private:
  int FindIndexed(const String* atom) const;
};
static_assert(sizeof(Shape) == 64);

// How a new field came: constant keys in the source are worth a shape for long, computed ones soon
// mean that the table is a map.
enum class KeyOrigin : uint8_t { kConstant, kComputed };

// Without fields or metatable; one for each VM. Null: no memory. A safepoint.
Shape* NewRootShape(gc::Mutator& m, int inline_fields);
// The child of `shape` with one field more. Null: the table should become a dictionary (too many
// fields, too many children), or there is no memory (`*no_memory` says so). A safepoint.
Shape* ShapeWithField(Objects& objects, Shape* shape, String* atom, KeyOrigin origin,
                      bool* no_memory);
// The shape with the same fields and another metatable (null: none); a dictionary shape when the
// metatable has a weak __mode. Null: no memory. A safepoint.
Shape* ShapeWithMetatable(Objects& objects, Shape* shape, Table* metatable);
// The dictionary shape with the metatable of `shape`. Null: no memory. A safepoint.
Shape* ShapeAsDictionary(Objects& objects, Shape* shape);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_SHAPE_H_
