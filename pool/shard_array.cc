// SPDX-License-Identifier: MIT
#include "shard_array.h"

#include <new>

#include "chain.h"
#include "ring.h"

namespace neap::pool::internal {

ShardArray* ShardArray::Create(uint32_t size, Word first_empty) {
  void* memory = ::operator new (sizeof(ShardArray) + size * sizeof(Shard),
                                 std::align_val_t{alignof(ShardArray)});
  auto* array = new (memory) ShardArray(size);
  for (uint32_t i = 0; i < size; ++i) {
    Shard* shard = new (&array->shards()[i]) Shard;
    shard->private_item.store(first_empty, std::memory_order_relaxed);
  }
  return array;
}

void ShardArray::Free(ShardArray* array) {
  while (array != nullptr) {
    ShardArray* extension = array->extension.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < array->size; ++i) {
      Chain(array->shards()[i].chain).Clear();
      array->shards()[i].~Shard();
    }
    array->~ShardArray();
    ::operator delete (array, std::align_val_t{alignof(ShardArray)});
    array = extension;
  }
}

uint32_t ShardArray::total_size() const {
  uint32_t total = 0;
  for (const ShardArray* a = this; a != nullptr; a = a->extension.load(std::memory_order_acquire)) {
    total += a->size;
  }
  return total;
}

Shard& ShardArray::At(uint32_t index) {
  ShardArray* array = this;
  while (index >= array->size) {
    index -= array->size;
    array = array->extension.load(std::memory_order_acquire);
  }
  return array->shards()[index];
}

uint64_t ShardArray::CountItems() const {
  uint64_t count = 0;
  ForEachShard([&](const Shard& shard) { count += internal::CountItems(shard); });
  return count;
}

uint64_t ShardArray::CountPrivate() const {
  uint64_t count = 0;
  ForEachShard([&](const Shard& shard) { count += HasPrivate(shard) ? 1 : 0; });
  return count;
}

bool ShardArray::AnyListed() const {
  bool any = false;
  ForEachShard([&](const Shard& shard) { any |= shard.listed; });
  return any;
}

bool HasPrivate(const Shard& shard) {
  return IsItem(shard.private_item.load(std::memory_order_relaxed)) ||
         shard.aged_item.load(std::memory_order_relaxed) != 0;
}

uint64_t CountItems(const Shard& shard) {
  return (HasPrivate(shard) ? 1 : 0) + Chain(const_cast<Shard&>(shard).chain).count();
}

Word TakePrivate(Shard& shard) {
  const Word item = shard.private_item.load(std::memory_order_relaxed);
  if (IsItem(item)) {
    shard.private_item.store(kEmptyListed, std::memory_order_relaxed);
    return item;
  }
  const Word aged = shard.aged_item.load(std::memory_order_relaxed);
  if (aged != 0) shard.aged_item.store(0, std::memory_order_relaxed);
  return aged;
}

Word TakePrivateShared(Shard& shard) {
  Word item = shard.private_item.load(std::memory_order_relaxed);
  // Nobody puts into the slots this is used on, so a failed exchange means that it was taken.
  if (IsItem(item) &&
      shard.private_item.compare_exchange_strong(item, kEmptyListed, std::memory_order_acq_rel)) {
    return item;
  }
  if (shard.aged_item.load(std::memory_order_relaxed) == 0) return 0;
  return shard.aged_item.exchange(0, std::memory_order_acq_rel);
}

namespace {

// The collector's view of a slot. World stopped: nobody else looks.
Word* SlotOf(std::atomic<Word>& word) { return reinterpret_cast<Word*>(&word); }

bool IsYoung(const gc::Heap& heap, Word item) { return heap.IsYoung(gc::ToObject(item)); }

// Reports [first young, head) of what was pushed since the mark, and moves the mark there.
bool VisitYoungOfRing(Ring& ring, const gc::Heap& heap, gc::Tracer& tracer) {
  uint32_t position = ring.low_water();
  const uint32_t head = ring.head();
  while (position != head && !IsYoung(heap, *ring.slot(position))) ++position;
  ring.set_low_water(position);
  ring.VisitFrom(position, [&](Word* first, size_t count) { tracer.VisitSlots(first, count); });
  return position != head;
}

}  // namespace

void VisitAllWhileStopped(Shard& shard, gc::Tracer& tracer) {
  if (IsItem(shard.private_item.load(std::memory_order_relaxed))) {
    tracer.VisitSlot(SlotOf(shard.private_item));
  }
  if (shard.aged_item.load(std::memory_order_relaxed) != 0) {
    tracer.VisitSlot(SlotOf(shard.aged_item));
  }
  Chain(shard.chain).ForEachRing([&](Ring& ring) {
    ring.VisitFrom(ring.tail(),
                   [&](Word* first, size_t count) { tracer.VisitSlots(first, count); });
  });
}

// What is young is decided before the visit, so it does not matter whether the tracer updates a
// slot at once or later: a survivor that is promoted by this collection leaves the list at the next
// one.
bool VisitYoungWhileStopped(Shard& shard, const gc::Heap& heap, gc::Tracer& tracer) {
  bool young = false;
  const Word item = shard.private_item.load(std::memory_order_relaxed);
  if (IsItem(item) && IsYoung(heap, item)) {
    tracer.VisitSlot(SlotOf(shard.private_item));
    young = true;
  }
  Chain(shard.chain).ForEachRing([&](Ring& ring) {
    young |= VisitYoungOfRing(ring, heap, tracer);
  });
  if (young) return true;
  if (IsItem(item)) shard.aged_item.store(item, std::memory_order_relaxed);
  shard.private_item.store(kEmptyUnlisted, std::memory_order_relaxed);
  return false;
}

}  // namespace neap::pool::internal
