// SPDX-License-Identifier: MIT
//
// New storages for a table: what table_change.cc asks for when a key has no place yet. All of these
// are safepoints; false: no memory, and the table holds what it held.
#ifndef NEAP_VM_OBJECTS_TABLE_RESIZE_H_
#define NEAP_VM_OBJECTS_TABLE_RESIZE_H_

#include <cstdint>

#include "neap/gc/handle.h"
#include "table.h"

namespace neap::vm {

// Elements of an array part: the border hint has 32 bits.
inline constexpr uint64_t kMaxArrayCapacity = uint64_t{1} << 31;

// Gives the array part `capacity` elements, more than it has; moves integer keys into it.
bool GrowArray(Objects& objects, gc::Handle<Table> table, uint64_t capacity);
// Gives the table, which is no dictionary, places for the first `count` slots of a shape.
bool GrowFields(Objects& objects, gc::Handle<Table> table, uint32_t count);
// Gives the table another shape, and the storages that this shape wants: a dictionary instead of
// fields, weak parts instead of strong ones. A new dictionary has room for `more` entries.
bool AdoptShape(Objects& objects, gc::Handle<Table> table, gc::Handle<Shape> shape, uint64_t more);
// Makes room in a dictionary table for `more` entries, one of them with the integer `key` if it is
// one. Afterwards the key may have its place in the array part.
bool GrowDictionary(Objects& objects, gc::Handle<Table> table, Value key, uint64_t more);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_TABLE_RESIZE_H_
