// SPDX-License-Identifier: MIT
#include "registry.h"

#include <algorithm>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "neap/runtime/check.h"
#include "neap/runtime/scheduler.h"

namespace neap::pool {

using internal::Shard;
using internal::ShardArray;

namespace {

// Which heap has which registry. Never destroyed: pools may be static.
struct Directory {
  std::mutex mutex;
  std::map<gc::Heap*, std::weak_ptr<Registry>> registries;
};
Directory& GetDirectory() {
  static Directory* directory = new Directory;
  return *directory;
}

template <typename T>
void ReserveAmortized(std::vector<T>& list, size_t size) {
  if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
}

}  // namespace

std::shared_ptr<Registry> Registry::For(gc::Heap& heap) {
  Directory& directory = GetDirectory();
  std::lock_guard lock(directory.mutex);
  std::weak_ptr<Registry>& entry = directory.registries[&heap];
  std::shared_ptr<Registry> registry = entry.lock();
  if (registry == nullptr) {
    registry = std::make_shared<Registry>(heap);
    entry = registry;
  }
  return registry;
}

std::shared_ptr<Registry> Registry::Find(gc::Heap& heap) {
  Directory& directory = GetDirectory();
  std::lock_guard lock(directory.mutex);
  auto found = directory.registries.find(&heap);
  return found == directory.registries.end() ? nullptr : found->second.lock();
}

Registry::Registry(gc::Heap& heap)
    : heap_(heap),
      hook_(heap.AddCleanupHook("pools", &Registry::RunHook, this)),
      touched_(std::make_unique<TouchedList[]>(kMaxProcs)) {
  heap_.AddRootProvider(this);
}

Registry::~Registry() {
  heap_.RemoveRootProvider(this);
  heap_.RemoveCleanupHook(hook_);
  for (const Buried& buried : buried_) ShardArray::Free(buried.array);
  Directory& directory = GetDirectory();
  std::lock_guard lock(directory.mutex);
  // Not the entry of a successor that was made meanwhile.
  auto found = directory.registries.find(&heap_);
  if (found != directory.registries.end() && found->second.expired()) {
    directory.registries.erase(found);
  }
}

void Registry::Add(WordPool* pool) {
  NEAP_CHECK(!heap_.scheduler().stopped(), "P2: no pool is made while the world is stopped");
  std::lock_guard lock(mutex_);
  ReserveAmortized(pools_, pools_.size() + 1);
  ReserveAmortized(all_, pools_.size() + 1);
  ReserveAmortized(old_, pools_.size() + 1);
  pool->pools_index_ = pools_.size();
  pools_.push_back(pool);
}

void Registry::Unlist(std::vector<WordPool*>& list, size_t WordPool::*index, WordPool* pool) {
  const size_t position = pool->*index;
  if (position == WordPool::kNotListed) return;
  list[position] = list.back();
  list[position]->*index = position;
  list.pop_back();
  pool->*index = WordPool::kNotListed;
}

void Registry::Remove(WordPool* pool) {
  NEAP_CHECK(!heap_.scheduler().stopped(), "P2: no pool is destroyed while the world is stopped");
  std::lock_guard draining(drain_mutex_);
  std::lock_guard lock(mutex_);
  Unlist(pools_, &WordPool::pools_index_, pool);
  Unlist(all_, &WordPool::all_index_, pool);
  Unlist(old_, &WordPool::old_index_, pool);
}

void Registry::AddToAll(WordPool* pool) {
  std::lock_guard lock(mutex_);
  if (pool->all_index_ != WordPool::kNotListed) return;
  pool->all_index_ = all_.size();
  all_.push_back(pool);
}

void Registry::Touch(ShardArray* array, Shard* shard, int proc) {
  shard->listed = true;
  touched_[static_cast<size_t>(proc)].shards.push_back({array, shard});
}

void Registry::Bury(ShardArray* array) {
  std::lock_guard lock(mutex_);
  FreeBuriedLocked();
  if (array->AnyListed()) {
    array->dropped = true;
    buried_.push_back({array, young_visits_});
  } else {
    ShardArray::Free(array);
  }
}

void Registry::FreeBuriedLocked() {
  std::erase_if(buried_, [&](const Buried& buried) {
    if (buried.visits == young_visits_) return false;
    ShardArray::Free(buried.array);
    return true;
  });
}

size_t Registry::DrainEvicted() {
  if (!evicted_waiting_.exchange(false, std::memory_order_relaxed)) return 0;
  // Keeps the pools alive meanwhile. A callback may not use pools, so none waits for this lock.
  std::lock_guard draining(drain_mutex_);
  std::vector<WordPool*> waiting;
  {
    std::lock_guard lock(mutex_);
    for (WordPool* pool : pools_) {
      if (pool->evicted_.load(std::memory_order_relaxed) != nullptr) waiting.push_back(pool);
    }
  }
  size_t items = 0;
  for (WordPool* pool : waiting) items += pool->DrainEvicted();
  return items;
}

namespace {

// The cost of a cleanup with many pools is cache misses, and it knows what comes next.
constexpr size_t kPrefetchAhead = 8;

void PrefetchPool(const std::vector<WordPool*>& list, size_t index) {
  if (index >= list.size()) return;
  const auto* pool = reinterpret_cast<const char*>(list[index]);
  __builtin_prefetch(pool, 1);
  __builtin_prefetch(pool + 64, 1);
}

}  // namespace

// One pass over each list, which keeps those that stay and their positions.
void Registry::CleanUpWhileStopped(uint64_t cycle) {
  const bool listening = heap_.HasListeners();
  const uint64_t now = heap_.clock().Now();
  size_t kept = 0;
  for (size_t i = 0; i < old_.size(); ++i) {
    PrefetchPool(old_, i + kPrefetchAhead);
    WordPool* pool = old_[i];
    pool->AgeVictimsWhileStopped(cycle, now);
    if (listening && pool->all_index_ == WordPool::kNotListed) pool->EmitWhileStopped(cycle);
    const bool stays = pool->HasVictimsWhileStopped();
    pool->old_index_ = stays ? kept : WordPool::kNotListed;
    if (stays) old_[kept++] = pool;
  }
  old_.resize(kept);
  kept = 0;
  for (size_t i = 0; i < all_.size(); ++i) {
    PrefetchPool(all_, i + kPrefetchAhead);
    WordPool* pool = all_[i];
    pool->DemotePrimaryWhileStopped(cycle, now);
    if (listening) pool->EmitWhileStopped(cycle);
    if (pool->old_index_ == WordPool::kNotListed && pool->HasVictimsWhileStopped()) {
      pool->old_index_ = old_.size();
      old_.push_back(pool);  // within the capacity reserved by Add
    }
    const bool stays = pool->primary_.load(std::memory_order_relaxed) != nullptr;
    pool->all_index_ = stays ? kept : WordPool::kNotListed;
    if (stays) all_[kept++] = pool;
  }
  all_.resize(kept);
}

void Registry::VisitRoots(gc::Tracer& tracer) {
  for (WordPool* pool : pools_) pool->VisitAllWhileStopped(tracer);
}

void Registry::VisitYoungRoots(gc::Tracer& tracer) {
  ++young_visits_;
  const int created = heap_.scheduler().created();
  for (int proc = 0; proc < created; ++proc) {
    std::erase_if(touched_[static_cast<size_t>(proc)].shards, [&](const TouchedShard& entry) {
      if (!entry.array->dropped && internal::VisitYoungWhileStopped(*entry.shard, heap_, tracer)) {
        return false;
      }
      entry.shard->listed = false;
      return true;
    });
  }
}

absl::Status Registry::Verify() const {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i]->pools_index_ != i) return absl::InternalError("P8: a pool's position is stale");
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    if (all_[i]->all_index_ != i || all_[i]->primary_.load() == nullptr) {
      return absl::InternalError(absl::StrCat("P8: pool ", all_[i]->number_,
                                              " is listed as owner of a primary but has none"));
    }
  }
  for (size_t i = 0; i < old_.size(); ++i) {
    if (old_[i]->old_index_ != i) return absl::InternalError("P8: a pool's position is stale");
  }
  for (WordPool* pool : pools_) {
    if (pool->primary_.load() != nullptr && pool->all_index_ == WordPool::kNotListed) {
      return absl::InternalError(absl::StrCat("P8: pool ", pool->number_, " would not be cleaned"));
    }
    if (pool->HasVictimsWhileStopped() && pool->old_index_ == WordPool::kNotListed) {
      return absl::InternalError(absl::StrCat("P8: pool ", pool->number_, " would not be aged"));
    }
  }
  return absl::OkStatus();
}

size_t DrainEvicted(gc::Mutator& m) {
  std::shared_ptr<Registry> registry = Registry::Find(m.heap());
  return registry == nullptr ? 0 : registry->DrainEvicted();
}

}  // namespace neap::pool
