// SPDX-License-Identifier: MIT
//
// All pools of one heap: one cleanup hook, one root provider, the touched lists, and the arrays
// that wait for a stop before they may be freed.
//
//   all_   pools that own a primary since the last cleanup       (Go: allPools)
//   old_   pools that may own victims                            (Go: oldPools)
//
//   cleanup:  1. each pool in old_ drops what its retention refuses
//             2. each pool in all_ demotes its primary
//             3. old_ := pools with victims; all_ := pools that kept their primary
//
// The hook is O(pools in the lists), not O(items): arrays change hands by pointer. It allocates
// nothing: the capacity of both lists is reserved when a pool is added.
//
// Touched lists (invariant P6 of pool/word_pool.cc): one per P, of shards that may hold young
// items. The holder of the P appends, a minor collection visits and compacts.
#ifndef NEAP_POOL_REGISTRY_H_
#define NEAP_POOL_REGISTRY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "neap/gc/heap.h"
#include "neap/pool/word_pool.h"
#include "shard_array.h"

namespace neap::pool {

class Registry final : public gc::RootProvider {
 public:
  // The registry of `heap`; made with its first pool, gone with its last.
  static std::shared_ptr<Registry> For(gc::Heap& heap);
  // The same, or null when the heap has no pools.
  static std::shared_ptr<Registry> Find(gc::Heap& heap);

  explicit Registry(gc::Heap& heap);
  ~Registry() override;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  void Add(WordPool* pool);
  void Remove(WordPool* pool);
  // The pool has a primary now.
  void AddToAll(WordPool* pool);

  // The shard may hold young items from now on. Holder of the P `proc`.
  void Touch(internal::ShardArray* array, internal::Shard* shard, int proc);
  // Frees an array that no pool owns any more: at once, or once no list names its shards.
  void Bury(internal::ShardArray* array);

  void NoteEvicted() { evicted_waiting_.store(true, std::memory_order_relaxed); }
  size_t DrainEvicted();

  void VisitRoots(gc::Tracer& tracer) override;
  void VisitYoungRoots(gc::Tracer& tracer) override;

  // OK, or Internal that names the first broken invariant of lists and positions.
  absl::Status Verify() const;

  // Runs the cleanup by hand, for tests of its cost; the world need not be stopped if no other
  // thread uses the heap.
  void CleanUpForTesting(uint64_t cycle) { CleanUpWhileStopped(cycle); }

 private:
  friend class WordPoolPeer;  // tests

  struct TouchedShard {
    internal::ShardArray* array;
    internal::Shard* shard;
  };
  struct alignas(64) TouchedList {
    std::vector<TouchedShard> shards;
  };
  struct Buried {
    internal::ShardArray* array;
    uint64_t visits;  // young_visits_ when it was buried
  };

  static void RunHook(void* context, uint64_t cycle) {
    static_cast<Registry*>(context)->CleanUpWhileStopped(cycle);
  }
  void CleanUpWhileStopped(uint64_t cycle);
  void FreeBuriedLocked();
  void Unlist(std::vector<WordPool*>& list, size_t WordPool::*index, WordPool* pool);

  gc::Heap& heap_;
  const int hook_;
  std::atomic<bool> evicted_waiting_{false};  // some pool has evicted items
  uint64_t young_visits_ = 0;                 // minor collections that asked; while stopped
  std::unique_ptr<TouchedList[]> touched_;    // by P

  std::mutex drain_mutex_;    // held by DrainEvicted and Remove; before mutex_
  mutable std::mutex mutex_;  // guards what follows, except while stopped
  std::vector<WordPool*> pools_;
  std::vector<WordPool*> all_;
  std::vector<WordPool*> old_;
  std::vector<Buried> buried_;
};

}  // namespace neap::pool

#endif  // NEAP_POOL_REGISTRY_H_
