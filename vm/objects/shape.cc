// SPDX-License-Identifier: MIT
//
// Making shapes. What a new shape needs is allocated first, the shape itself last; then everything
// is filled in without a safepoint. A failed allocation so leaves nothing behind.
//
//    root --name--> {name} --age--> {name, age} --[metatable M]--> {name, age}/M --pet--> ...
//      \--[to dictionary]--> dictionary --[metatable M]--> dictionary/M
//
//   S6  A metatable transition starts at a shape that was not itself made by one: changing the
//       metatable of a table to and fro does not lengthen the chain of parents.
//   S7  All dictionary shapes are the child of the root for dictionaries, or its children: one for
//       each metatable and weak mode.
//   S8  Arrays of keys and indexes are shared along a chain: the array of keys, by shapes whose
//       keys are its first `count` elements; an index, by some of those. An index may know keys
//       beyond the `count` of a shape that uses it.
#include "shape.h"

#include <algorithm>
#include <atomic>

#include "dictionary.h"
#include "objects.h"
#include "table.h"
#include "transitions.h"

namespace neap::vm {
namespace {

// Children of a shape by fields. A constant key is written in a source, so there are few: the limit
// stops generated programs only. Many tables whose first key is computed are maps.
constexpr uint32_t kMaxConstantChildren = 1024;
constexpr uint32_t kMaxComputedChildren = 16;
constexpr uint32_t kMaxComputedFields = 16;
// Children by metatables that the parent remembers. Shapes beyond are not found again: right, but
// tables that share the metatable do not share them. More make each collection after a new child
// read a longer list.
constexpr uint32_t kMaxMetatableChildren = 16384;

// 64 bits, so that it cannot wrap around (S2).
std::atomic<uint64_t> next_shape_id = 1;

bool InstallId(Shape* shape) {
  const uint64_t id = next_shape_id.fetch_add(1, std::memory_order_relaxed);
  if (id > UINT32_MAX) return false;
  shape->InstallHash(static_cast<uint32_t>(id));
  return true;
}

template <typename T>
Word* SlotOf(T** field) {
  return reinterpret_cast<Word*>(field);
}

// A shape that has met no safepoint yet, with fields, keys and metatable of `parent`.
Shape* NewChild(Objects& objects, gc::Handle<Shape> parent, bool* no_memory) {
  Object* memory = objects.mutator().TryAllocateStationary(kShapeType);
  if (memory == nullptr) {
    *no_memory = true;
    return nullptr;
  }
  auto* child = static_cast<Shape*>(memory);
  if (!InstallId(child)) return nullptr;
  const Shape* from = parent.get();
  gc::InitSlot(SlotOf(&child->parent), gc::ToWord(from));
  gc::InitSlot(SlotOf(&child->keys), gc::ToWord(from->keys));
  gc::InitSlot(SlotOf(&child->metatable), gc::ToWord(from->metatable));
  gc::InitSlot(SlotOf(&child->index), gc::ToWord(from->index));
  child->count = from->count;
  child->is_dictionary = from->is_dictionary;
  child->weak_mode = from->weak_mode;
  child->inline_fields = from->inline_fields;
  return child;
}

// --- Keys and their index ------------------------------------------------------------------------

// One byte a place: the slot + 1, at most kMaxFields.
static_assert(Shape::kMaxFields < 256);

bool SharesKeys(const Shape* parent, const String* atom) {
  const gc::SlotArray* keys = parent->keys;
  if (keys == nullptr || parent->count >= keys->length) return false;
  const Word there = const_cast<gc::SlotArray*>(keys)->slots()[parent->count];
  return there == 0 || there == gc::ToWord(atom);
}

uint64_t IndexBytes(uint32_t count) { return 2 * uint64_t{std::bit_ceil(count)}; }

void IndexKey(gc::ByteArray* index, const String* atom, uint32_t slot) {
  const uint64_t mask = index->length - 1;
  uint64_t i = atom->stored_hash() & mask;
  while (index->data()[i] != 0 && index->data()[i] != slot + 1) i = (i + 1) & mask;
  index->data()[i] = static_cast<uint8_t>(slot + 1);
}

// What a child with one field more needs beside itself. Null parts are shared with the parent.
struct KeyParts {
  gc::Handle<gc::SlotArray> keys;
  gc::Handle<gc::ByteArray> index;
};

bool NewKeyParts(Objects& objects, gc::HandleScope& scope, gc::Handle<Shape> parent,
                 gc::Handle<String> atom, KeyParts* parts) {
  gc::Mutator& m = objects.mutator();
  const uint32_t count = parent->count + 1;
  const bool share = SharesKeys(parent.get(), atom.get());
  parts->keys = scope.New<gc::SlotArray>(nullptr);
  parts->index = scope.New<gc::ByteArray>(nullptr);
  if (!share) {
    const uint64_t length = std::max<uint64_t>(4, std::bit_ceil(count));
    parts->keys.set(static_cast<gc::SlotArray*>(m.TryAllocate(gc::SlotArray::Type(), length)));
    if (parts->keys.get() == nullptr) return false;
  }
  if (count <= Shape::kLinearFields) return true;
  const gc::ByteArray* index = parent->index;
  if (share && index != nullptr && index->length >= IndexBytes(count)) return true;
  parts->index.set(
      static_cast<gc::ByteArray*>(m.TryAllocate(gc::ByteArray::Type(), IndexBytes(count))));
  return parts->index.get() != nullptr;
}

// `child` is fresh; the parts are not.
void FillKeys(gc::Mutator& m, Shape* child, String* atom, const KeyParts& parts) {
  const uint32_t slot = child->count++;
  if (parts.keys.get() != nullptr) {
    gc::SlotArray* keys = parts.keys.get();
    for (uint32_t i = 0; i < slot; ++i) m.Store(keys, i, gc::ToWord(child->key(i)));
    gc::InitSlot(SlotOf(&child->keys), gc::ToWord(keys));
  }
  m.Store(child->keys, slot, gc::ToWord(atom));
  if (parts.index.get() != nullptr) {
    gc::InitSlot(SlotOf(&child->index), gc::ToWord(parts.index.get()));
    for (uint32_t i = 0; i < slot; ++i) IndexKey(child->index, child->key(i), i);
  }
  if (child->index != nullptr) IndexKey(child->index, atom, slot);
}

bool MayGetField(const Shape* shape, KeyOrigin origin) {
  if (origin == KeyOrigin::kConstant) {
    return shape->count < Shape::kMaxFields && !HasChildren(shape, kMaxConstantChildren);
  }
  return shape->count < kMaxComputedFields && !HasChildren(shape, kMaxComputedChildren);
}

// --- Metatables and dictionaries -----------------------------------------------------------------

WeakMode WeakModeOf(Objects& objects, const Table* metatable) {
  if (metatable == nullptr) return kStrong;
  const String* name = objects.atoms().Find("__mode");
  if (name == nullptr) return kStrong;
  const Value mode = RawGetAtom(metatable, name);
  if (!IsString(mode)) return kStrong;
  const std::string_view text = AsString(mode)->view();
  const bool keys = text.find('k') != text.npos, values = text.find('v') != text.npos;
  return static_cast<WeakMode>((keys ? kWeakKeys : kStrong) | (values ? kWeakValues : kStrong));
}

bool IsMetatableTransition(const Shape* shape) {
  const Value key = Value::FromWord(shape->transition_key);
  return key.word() == Shape::kNoMetatable || IsTable(key);
}

// The dictionary shape without a metatable. Null: no memory.
Shape* PlainDictionaryShape(Objects& objects) {
  Shape* root = objects.root_shape(0);
  if (Shape* known = FindChild(objects, root, Shape::kToDictionary, kStrong)) return known;
  gc::HandleScope scope(objects.mutator());
  gc::Handle<Shape> parent = scope.New(root);
  if (!ReserveChild(objects, parent)) return nullptr;
  bool no_memory = false;
  // The transitions of the root survive the next safepoint, but a collection in it never takes room
  // away, so the room is still there.
  Shape* child = NewChild(objects, parent, &no_memory);
  if (child == nullptr) return nullptr;
  child->transition_key = Shape::kToDictionary;
  child->is_dictionary = 1;
  AddChild(objects, parent.get(), child);
  return child;
}

Shape* MetatableChild(Objects& objects, Shape* base, Table* metatable, WeakMode mode) {
  if (base->metatable == metatable && base->weak_mode == mode) return base;
  const Word key = metatable == nullptr ? Shape::kNoMetatable : gc::ToWord(metatable);
  if (Shape* known = FindChild(objects, base, key, mode)) return known;
  gc::HandleScope scope(objects.mutator());
  gc::Handle<Shape> parent = scope.New(base);
  gc::Handle<Table> kept = scope.New(metatable);
  const bool remembered = !HasChildren(base, kMaxMetatableChildren);
  if (remembered && !ReserveChild(objects, parent)) return nullptr;
  bool no_memory = false;
  Shape* child = NewChild(objects, parent, &no_memory);
  if (child == nullptr) return nullptr;
  gc::InitSlot(SlotOf(&child->metatable), kept.word());
  gc::InitSlot(&child->transition_key, kept.get() == nullptr ? Shape::kNoMetatable : kept.word());
  child->weak_mode = mode;
  if (remembered) AddChild(objects, parent.get(), child);
  return child;
}

}  // namespace

int Shape::FindIndexed(const String* atom) const {
  const uint64_t mask = index->length - 1;
  for (uint64_t i = atom->stored_hash() & mask; index->data()[i] != 0; i = (i + 1) & mask) {
    const uint32_t slot = index->data()[i] - 1u;
    if (keys->slots()[slot] == gc::ToWord(atom)) {
      return slot < count ? static_cast<int>(slot) : kNotFound;
    }
  }
  return kNotFound;
}

Shape* NewRootShape(gc::Mutator& m, int inline_fields) {
  auto* root = static_cast<Shape*>(m.TryAllocateStationary(kShapeType));
  if (root == nullptr || !InstallId(root)) return nullptr;
  root->inline_fields = static_cast<uint8_t>(inline_fields);
  return root;
}

Shape* ShapeWithField(Objects& objects, Shape* shape, String* atom, KeyOrigin origin,
                      bool* no_memory) {
  *no_memory = false;
  if (shape->is_dictionary) return nullptr;
  if (Shape* known = FindChild(objects, shape, gc::ToWord(atom), kStrong)) return known;
  if (!MayGetField(shape, origin)) return nullptr;
  gc::Mutator& m = objects.mutator();
  gc::HandleScope scope(m);
  gc::Handle<Shape> parent = scope.New(shape);
  gc::Handle<String> key = scope.New(atom);
  KeyParts parts;
  *no_memory = true;
  if (!NewKeyParts(objects, scope, parent, key, &parts)) return nullptr;
  if (!ReserveChild(objects, parent)) return nullptr;
  *no_memory = false;
  Shape* child = NewChild(objects, parent, no_memory);
  if (child == nullptr) return nullptr;
  gc::InitSlot(&child->transition_key, key.word());
  FillKeys(m, child, key.get(), parts);
  AddChild(objects, parent.get(), child);
  return child;
}

Shape* ShapeWithMetatable(Objects& objects, Shape* shape, Table* metatable) {
  const WeakMode mode = WeakModeOf(objects, metatable);
  if (shape->metatable == metatable && shape->weak_mode == mode) return shape;
  if (mode == kStrong && !shape->is_dictionary) {
    while (IsMetatableTransition(shape)) shape = shape->parent;
    return MetatableChild(objects, shape, metatable, mode);
  }
  gc::HandleScope scope(objects.mutator());
  gc::Handle<Table> kept = scope.New(metatable);
  Shape* base = PlainDictionaryShape(objects);
  return base == nullptr ? nullptr : MetatableChild(objects, base, kept.get(), mode);
}

Shape* ShapeAsDictionary(Objects& objects, Shape* shape) {
  if (shape->is_dictionary) return shape;
  gc::HandleScope scope(objects.mutator());
  gc::Handle<Table> metatable = scope.New(shape->metatable);
  Shape* base = PlainDictionaryShape(objects);
  return base == nullptr ? nullptr : MetatableChild(objects, base, metatable.get(), kStrong);
}

}  // namespace neap::vm
