// SPDX-License-Identifier: MIT
#include "support/toy_objects.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "neap/runtime/check.h"

namespace neap::toy {
namespace {

using gc::Layout;
using gc::Object;
using gc::RegisterType;
using gc::Tracer;
using gc::TypeId;
using gc::Word;

std::atomic<int64_t> buffers{0};
std::atomic<int64_t> buffer_bytes{0};

void TraceMixed(Object* object, Tracer& tracer) {
  Mixed* mixed = static_cast<Mixed*>(object);
  for (uint64_t i = 0; i < mixed->length; ++i) tracer.VisitSlot(mixed->slot(i));
}

// Free entries are skipped: a traced object decides for itself what is a slot now.
void TracePart(Object* object, Tracer& tracer) {
  Part* part = static_cast<Part*>(object);
  for (uint64_t i = 0; i < part->length; ++i) {
    if (gc::LoadSlot(part->key(i)) != 0) tracer.VisitSlots(part->key(i), 2);
  }
}

void TraceWeakKeyBox(Object* object, Tracer& tracer) {
  tracer.VisitWeak(&static_cast<WeakKeyBox*>(object)->target, 0,
                   Tracer::Weakness::kAfterFinalizers);
}

size_t BufferOffHeapBytes(const Object* object) {
  return static_cast<const Buffer*>(object)->bytes;
}

void DropBuffer(Object* object) {
  Buffer* buffer = static_cast<Buffer*>(object);
  if (buffer->data == nullptr) return;
  std::free(buffer->data);
  buffers.fetch_sub(1, std::memory_order_relaxed);
  buffer_bytes.fetch_sub(static_cast<int64_t>(buffer->bytes), std::memory_order_relaxed);
  buffer->data = nullptr;
}

}  // namespace

TypeId Node::Type() {
  static const TypeId type = RegisterType({.name = "toy-node",
                                           .layout = Layout::kBitmap,
                                           .base_bytes = sizeof(Node),
                                           .slot_bitmap = 0b011});
  return type;
}

TypeId Pair::Type() {
  static const TypeId type =
      RegisterType({.name = "toy-pair", .layout = Layout::kSlots, .base_bytes = sizeof(Pair)});
  return type;
}

TypeId Mixed::Type() {
  static const TypeId type = RegisterType({.name = "toy-mixed",
                                           .layout = Layout::kCustom,
                                           .base_bytes = sizeof(Mixed),
                                           .element_shift = 4,
                                           .trace = TraceMixed});
  return type;
}

TypeId Part::Type() {
  static const TypeId type = RegisterType({.name = "toy-part",
                                           .layout = Layout::kCustom,
                                           .base_bytes = sizeof(Part),
                                           .element_shift = 4,
                                           .trace = TracePart});
  return type;
}

TypeId Dictionary::Type() {
  static const TypeId type = RegisterType({.name = "toy-dictionary",
                                           .layout = Layout::kBitmap,
                                           .base_bytes = sizeof(Dictionary),
                                           .slot_bitmap = 0b01});
  return type;
}

gc::Handle<Dictionary> Dictionary::Make(gc::Mutator& m, gc::HandleScope& scope, uint64_t capacity) {
  NEAP_CHECK(capacity >= 2 && (capacity & (capacity - 1)) == 0,
             "a dictionary's capacity is a power of two");
  gc::Handle<Dictionary> table = scope.New(m.New<Dictionary>(Type()));
  Part* part = static_cast<Part*>(m.Allocate(Part::Type(), capacity));
  m.Store(table.get(), table->part.slot(), part);
  return table;
}

uint64_t Dictionary::Find(gc::Mutator& m, Object* key) const {
  Part* table = part.get();
  const uint64_t mask = table->length - 1;
  uint64_t i = m.Hash(key) & mask;
  while (true) {
    const Word found = gc::LoadSlot(table->key(i));
    if (found == 0 || found == gc::ToWord(key)) return i;
    i = (i + 1) & mask;
  }
}

void Dictionary::Put(gc::Mutator& m, Object* key, Word value) {
  const uint64_t i = Find(m, key);
  Part* table = part.get();
  if (gc::LoadSlot(table->key(i)) == 0) {
    NEAP_CHECK(count + 1 < table->length, "a dictionary keeps one entry free");
    ++count;
  }
  m.Store(table, table->key(i), key);
  m.Store(table, table->value(i), value);
}

Word Dictionary::Get(gc::Mutator& m, Object* key) const {
  const uint64_t i = Find(m, key);
  return gc::LoadSlot(part->key(i)) == 0 ? 0 : gc::LoadSlot(part->value(i));
}

TypeId Buffer::Type() {
  static const TypeId type = RegisterType({.name = "toy-buffer",
                                           .layout = Layout::kNone,
                                           .base_bytes = sizeof(Buffer),
                                           .off_heap_bytes = BufferOffHeapBytes,
                                           .drop = DropBuffer});
  return type;
}

Buffer* Buffer::TryMake(gc::Mutator& m, uint64_t bytes) {
  Buffer* buffer = static_cast<Buffer*>(m.TryAllocateStationary(Type()));
  if (buffer == nullptr) return nullptr;
  buffer->data = static_cast<uint8_t*>(std::malloc(bytes > 0 ? bytes : 1));
  buffer->bytes = bytes;
  buffers.fetch_add(1, std::memory_order_relaxed);
  buffer_bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  m.OffHeapChanged(buffer, static_cast<int64_t>(bytes));
  return buffer;
}

void Buffer::Resize(gc::Mutator& m, uint64_t new_bytes) {
  const int64_t delta = static_cast<int64_t>(new_bytes) - static_cast<int64_t>(bytes);
  data = static_cast<uint8_t*>(std::realloc(data, new_bytes > 0 ? new_bytes : 1));
  bytes = new_bytes;
  buffer_bytes.fetch_add(delta, std::memory_order_relaxed);
  m.OffHeapChanged(this, delta);
}

int64_t Buffer::live_count() { return buffers.load(std::memory_order_relaxed); }
int64_t Buffer::live_bytes() { return buffer_bytes.load(std::memory_order_relaxed); }

TypeId WeakKeyBox::Type() {
  static const TypeId type = RegisterType({.name = "toy-weak-key-box",
                                           .layout = Layout::kCustom,
                                           .base_bytes = sizeof(WeakKeyBox),
                                           .trace = TraceWeakKeyBox,
                                           .has_weak_slots = true});
  return type;
}

TypeId Text::Type() {
  static const TypeId type = RegisterType({.name = "toy-text",
                                           .layout = Layout::kNone,
                                           .base_bytes = sizeof(Text),
                                           .element_shift = 0,
                                           .is_value = true});
  return type;
}

Text* Text::Make(gc::Mutator& m, std::string_view bytes) {
  Text* text = static_cast<Text*>(m.Allocate(Type(), bytes.size()));
  std::memcpy(text->data(), bytes.data(), bytes.size());
  return text;
}

}  // namespace neap::toy
