// SPDX-License-Identifier: MIT
//
// Inline caches: three 64-bit words for each instruction with a constant key, in the function's
// side vector. They hold shape ids and offsets only, never references: the collector does not see
// them, and a stale one just does not match (S2).
//
//    word 0   shape id (32) | slot code (16)          the field is in the table itself ...
//    word 1   shape id (32) | slot code (16) | epoch  ... or the metatable, found in the shape with
//                                                     this id, has its __index in that slot, and
//                                                     word 0 says where the __index table has it
//
//    word 2   shape id (32) | slot code (16)          the __index table has this shape and not the
//                                                     field; that slot of its metatable holds the
//                                                     table that word 0 is about
//
//    methods  word 0 as above, of the __index table of the metatable of strings, or of a userdata;
//             word 1   ~ (shape id of that metatable) (32) | slot code of its __index (16) | epoch
//             word 2   0, or that the method was `get` or `put` of a pool (library/pool_handle.h)
//
//    stores:  word 0   as above
//             word 1   shape id without the field (32) | slot code (16) | index of the shape with
//                      it in FunctionCode::added_shapes (16)
//             word 2   the epoch: since then no metatable has got a __newindex
//
// A slot code is the offset of the slot in words from the table, or, with kInStorage, in the field
// storage. `epoch` is Objects::index_epoch: it changes whenever an __index or __newindex field of
// any table is assigned, and with the metatable of a type, so that what a cache claims of a
// metatable needs no look at its shape.
#ifndef NEAP_VM_INTERPRETER_INLINE_CACHE_H_
#define NEAP_VM_INTERPRETER_INLINE_CACHE_H_

#include <cstdint>

#include "objects/objects.h"
#include "objects/table.h"

namespace neap::vm {

inline constexpr uint32_t kInStorage = 0x8000;

inline uint32_t SlotCode(const Table* table, uint32_t slot) {
  const auto inlined = static_cast<uint32_t>(table->inline_fields());
  return slot < inlined ? sizeof(Table) / sizeof(Word) + slot
                        : kInStorage | (sizeof(FieldStorage) / sizeof(Word) + slot - inlined);
}
// The object that holds the slot.
inline Object* SlotHolder(Table* table, uint32_t code) {
  return (code & kInStorage) == 0 ? static_cast<Object*>(table)
                                  : static_cast<Object*>(table->field_storage());
}
inline Word* SlotAt(Object* holder, uint32_t code) {
  return reinterpret_cast<Word*>(holder) + (code & (kInStorage - 1));
}
inline Word LoadField(Table* table, uint32_t code) {
  return gc::LoadSlot(SlotAt(SlotHolder(table, code), code));
}

constexpr uint64_t CacheWord(uint32_t id, uint32_t code, uint32_t extra = 0) {
  return uint64_t{id} | uint64_t{code} << 32 | uint64_t{extra} << 48;
}
constexpr uint32_t CachedId(uint64_t word) { return static_cast<uint32_t>(word); }
constexpr uint32_t CachedCode(uint64_t word) { return static_cast<uint32_t>(word >> 32) & 0xffff; }
constexpr uint32_t CachedExtra(uint64_t word) { return static_cast<uint32_t>(word >> 48); }

// --- What a cache knows; the rest is in instructions.cc (no safepoint) --------------------------

// The field that words 1 and 2 of a cache lead to, or nil (inline_cache.h).
inline Word LoadInherited(const Objects& objects, const Shape* shape, const uint64_t* cached) {
  if (CachedId(cached[1]) != shape->id() || CachedExtra(cached[1]) != objects.index_epoch()) {
    return Value::kNil;
  }
  auto* holder =
      static_cast<Table*>(gc::ToObject(LoadField(shape->metatable, CachedCode(cached[1]))));
  const Shape* holder_shape = holder->shape.get();
  if (holder_shape->id() == CachedId(cached[2])) {
    holder = static_cast<Table*>(
        gc::ToObject(LoadField(holder_shape->metatable, CachedCode(cached[2]))));
    holder_shape = holder->shape.get();
  }
  return holder_shape->id() == CachedId(cached[0]) ? LoadField(holder, CachedCode(cached[0]))
                                                   : Value::kNil;
}

// The method of strings or of a userdata that the cache knows, or nil.
inline Word LoadMethod(const Objects& objects, Table* metatable, const uint64_t* cached) {
  if (metatable == nullptr || CachedId(cached[1]) != ~metatable->shape.get()->id() ||
      CachedExtra(cached[1]) != objects.index_epoch()) {
    return Value::kNil;
  }
  auto* holder = static_cast<Table*>(gc::ToObject(LoadField(metatable, CachedCode(cached[1]))));
  return holder->shape.get()->id() == CachedId(cached[0]) ? LoadField(holder, CachedCode(cached[0]))
                                                          : Value::kNil;
}

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_INLINE_CACHE_H_
