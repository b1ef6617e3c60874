// SPDX-License-Identifier: MIT
//
// The objects of one VM: makes them, knows its atoms and the root of its shapes.
//
// Makers are safepoints and return null when there is no memory. Bytes handed to them must not lie
// in the heap (they may move); use NewStringOf(length) and fill it in for those.
#ifndef NEAP_VM_OBJECTS_OBJECTS_H_
#define NEAP_VM_OBJECTS_OBJECTS_H_

#include <cstdint>
#include <string_view>

#include "atom_table.h"
#include "boxes.h"
#include "lua_string.h"
#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "table.h"

namespace neap::vm {

class Objects {
 public:
  Objects(gc::Mutator& mutator, uint64_t hash_seed);
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  gc::Mutator& mutator() { return m_; }
  AtomTable& atoms() { return atoms_; }
  // Of tables with so many inline fields.
  Shape* root_shape(int inline_fields) const { return roots_[inline_fields]; }
  // A number that changes whenever a field named __index or __newindex of any table is assigned or
  // changes its place: what inline caches know of metatables is good for as long.
  bool IsIndexName(const String* atom) const {
    return atom == index_name_.get() || atom == newindex_name_.get();
  }
  bool HasIndexField(const Table* table) const;
  uint32_t index_epoch() const { return index_epoch_; }
  void IndexChanged() { ++index_epoch_; }
  // The hash of a key; strings by text, boxes by content, objects by the hash in their header.
  uint32_t HashOf(Value key);

  // --- Makers (safepoints; null: no memory) ------------------------------------------------------
  String* NewString(std::string_view text);
  String* NewAtom(std::string_view text);
  // Zero bytes to be filled in before the string is seen by anybody.
  String* NewStringOf(uint64_t length);
  // An empty table with room for inline fields (at most kMaxInlineFields).
  Table* NewTable(int inline_fields = 0);
  // nil: no memory.
  Value NewInteger(int64_t i) {
    if (Value::FitsInline(i)) [[likely]]
      return Value::InlineInteger(i);
    void* memory = m_.TryBump(sizeof(BoxedInteger));
    if (memory == nullptr) [[unlikely]]
      return NewBoxedInteger(i);
    auto* box = static_cast<BoxedInteger*>(memory);
    box->set_header(Object::MakeHeader(kBoxedIntegerType));
    box->value = i;
    return Value::FromObject(box);
  }
  Value NewBoxedInteger(int64_t i);
  Value NewLightUserdata(void* pointer);

 private:
  gc::GlobalHandle KeepAtom(std::string_view text);

  gc::Mutator& m_;
  AtomTable atoms_;
  Shape* roots_[kMaxInlineFields + 1];  // never move; kept by root_handles_
  gc::GlobalHandle root_handles_[kMaxInlineFields + 1];
  gc::GlobalHandle index_name_;
  gc::GlobalHandle newindex_name_;
  uint32_t index_epoch_ = 1;
};

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_OBJECTS_H_
