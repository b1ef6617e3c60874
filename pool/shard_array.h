// SPDX-License-Identifier: MIT
//
// One shard per P: what a pool swaps at a cleanup. The primary takes Puts; a victim only loses
// items.
//
//   ShardArray            extension (default mode, when the number of Ps grew)
//   +--------+-----+--     +--------+----
//   | 0 | 1 | ... size-1   | size | ...
//   +--------+-----+--     +--------+----
//
// An array never moves and its shards never change places. So growth in the default mode links an
// extension instead of copying; the Ps beyond `size` use the slow path until the next cleanup.
#ifndef NEAP_POOL_SHARD_ARRAY_H_
#define NEAP_POOL_SHARD_ARRAY_H_

#include <atomic>
#include <cstdint>

#include "neap/gc/heap.h"
#include "neap/gc/type.h"
#include "neap/pool/shard.h"

namespace neap::pool::internal {

struct alignas(128) ShardArray {
  // `first_empty` is the state of an unused private slot (neap/pool/shard.h).
  static ShardArray* Create(uint32_t size, Word first_empty);
  // Frees the array, its extensions and its rings. Its shards stand on no touched list.
  static void Free(ShardArray* array);

  Shard* shards() { return reinterpret_cast<Shard*>(this + 1); }
  const Shard* shards() const { return reinterpret_cast<const Shard*>(this + 1); }
  // Shards, extensions included.
  uint32_t total_size() const;
  // Shard `index` < total_size().
  Shard& At(uint32_t index);

  template <typename Visit>
  void ForEachShard(Visit visit) {
    for (ShardArray* a = this; a != nullptr; a = a->extension.load(std::memory_order_acquire)) {
      for (uint32_t i = 0; i < a->size; ++i) visit(a->shards()[i]);
    }
  }
  template <typename Visit>
  void ForEachShard(Visit visit) const {
    const_cast<ShardArray*>(this)->ForEachShard([&](const Shard& shard) { visit(shard); });
  }

  // Items at some moment; exact while stopped.
  uint64_t CountItems() const;
  uint64_t CountPrivate() const;
  bool AnyListed() const;

  const uint32_t size;
  std::atomic<ShardArray*> extension{nullptr};
  std::atomic<bool> marked_empty{false};  // victims: nothing more to be found here
  // Its contents are forgotten: no root. Written while stopped, or by the only owner.
  bool dropped = false;
  ShardArray* next = nullptr;  // in a list of evicted, swapped, spare or buried arrays

  // The account, when the pool keeps one. Any thread. Extensions count here.
  std::atomic<uint64_t> items{0};
  std::atomic<uint64_t> bytes{0};

 private:
  explicit ShardArray(uint32_t size_in) : size(size_in) {}
};

// Items of one shard.
uint64_t CountItems(const Shard& shard);
bool HasPrivate(const Shard& shard);

// Takes the private item, wherever it stands, against other threads that do the same; 0 when there
// is none.
Word TakePrivateShared(Shard& shard);
// The same by the holder of the P.
Word TakePrivate(Shard& shard);

// Reports every slot that holds an item. World stopped.
void VisitAllWhileStopped(Shard& shard, gc::Tracer& tracer);
// Reports the slots that hold young items, among those put since the last minor collection and
// those found young by it. Says whether there was any; if not, the private item is now the aged one
// and the shard may leave its list. World stopped.
bool VisitYoungWhileStopped(Shard& shard, const gc::Heap& heap, gc::Tracer& tracer);

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_SHARD_ARRAY_H_
