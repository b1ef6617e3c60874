// SPDX-License-Identifier: MIT
//
// The life of a pool's arrays: what cleanups do with them while the world is stopped, and what
// mutators do with the rest afterwards.
//
//             PinSlow                DecidePrimary               KeepsVictim says no
//   (spare) -----------> primary --------------------> victim -----------------------+
//      ^                    |  go_exact growth                                       |
//      |                    +-----------------> swapped ----- next cleanup --------->+
//      |                                                                             |
//      |   items need no call (managed, no callback): the contents are forgotten     |
//      +<----------------------------------------------------------------------------+
//      |   values, callback, checked: the array waits whole, still a root            |
//      +<------- DrainEvicted, on a mutator <----- evicted <-------------------------+
//
// Nothing here is O(items) while the world is stopped, except visiting roots.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "chain.h"
#include "checker.h"
#include "neap/pool/word_pool.h"
#include "registry.h"
#include "retention_rule.h"
#include "shard_array.h"
#include "victims.h"

namespace neap::pool {

using internal::Chain;
using internal::Ring;
using internal::Shard;
using internal::ShardArray;
using internal::Victims;

// --- While the world is stopped ------------------------------------------------------------------

bool WordPool::EmptiesWhileStopped(uint64_t cycle) {
  if (options_.idle_cycles == 0) return closed();
  if (used_.exchange(false, std::memory_order_relaxed)) last_used_cycle_ = cycle;
  return closed() || cycle - last_used_cycle_ >= options_.idle_cycles;
}

void WordPool::AgeVictimsWhileStopped(uint64_t cycle, uint64_t now) {
  const internal::CleanupFacts cleanup = {.cycle = cycle,
                                          .now = now,
                                          .empties = EmptiesWhileStopped(cycle),
                                          .pressed = pressed_.load()};
  bool oldest_with_items = true;
  for (uint32_t i = victims_->count(); i-- > 0;) {
    const Victims::Generation generation = victims_->at(i);
    const uint64_t items = accounted_ ? generation.array->items.load() : 0;
    const internal::GenerationFacts facts = {.demoted_cycle = generation.demoted_cycle,
                                             .demoted_at = generation.demoted_at,
                                             .items = items};
    const bool keep = KeepsVictim(retention_, cleanup, facts, oldest_with_items);
    if (items != 0) oldest_with_items = false;
    if (keep) continue;
    victims_->RemoveWhileStopped(i);
    DropArrayWhileStopped(generation.array);
  }
}

void WordPool::DemotePrimaryWhileStopped(uint64_t cycle, uint64_t now) {
  while (swapped_ != nullptr) DropArrayWhileStopped(std::exchange(swapped_, swapped_->next));
  const internal::CleanupFacts cleanup = {.cycle = cycle,
                                          .now = now,
                                          .empties = EmptiesWhileStopped(cycle),
                                          .pressed = pressed_.load()};
  ShardArray* primary = primary_.load(std::memory_order_relaxed);
  const internal::PrimaryFacts facts = {.bytes = accounted_ ? primary->bytes.load() : 0,
                                        .last_demoted_at = victims_->last_demoted_at(),
                                        .ever_demoted = victims_->ever_demoted(),
                                        .generations_kept = victims_->count()};
  pressed_.store(false, std::memory_order_relaxed);
  const internal::Fate fate = DecidePrimary(retention_, cleanup, facts);
  if (fate == internal::Fate::kKeep) return;
  fast_size_.store(0, std::memory_order_relaxed);
  fast_shards_.store(nullptr, std::memory_order_relaxed);
  primary_.store(nullptr, std::memory_order_relaxed);
  ++cleanups_;
  if (fate == internal::Fate::kDrop) return DropArrayWhileStopped(primary);
  victims_->AddWhileStopped({.array = primary, .demoted_cycle = cycle, .demoted_at = now});
}

void WordPool::DropArrayWhileStopped(ShardArray* array) {
  if (accounted_) {
    held_items_.fetch_sub(array->items.exchange(0), std::memory_order_relaxed);
    held_bytes_.fetch_sub(array->bytes.exchange(0), std::memory_order_relaxed);
  }
  if (drained_) {
    array->next = evicted_.load(std::memory_order_relaxed);
    evicted_.store(array, std::memory_order_relaxed);
    registry_->NoteEvicted();
  } else {
    array->dropped = true;
    array->next = spare_;
    spare_ = array;
  }
}

bool WordPool::HasVictimsWhileStopped() const { return victims_->count() != 0; }

void WordPool::VisitAllWhileStopped(gc::Tracer& tracer) {
  if (!options_.managed) return;
  auto visit = [&](ShardArray* array) {
    array->ForEachShard([&](Shard& shard) { internal::VisitAllWhileStopped(shard, tracer); });
  };
  if (ShardArray* primary = primary_.load(std::memory_order_relaxed)) visit(primary);
  for (uint32_t i = 0; i < victims_->count(); ++i) visit(victims_->at(i).array);
  if (!drained_) return;
  for (ShardArray* a = evicted_.load(std::memory_order_relaxed); a != nullptr; a = a->next) {
    visit(a);
  }
  for (ShardArray* a = swapped_; a != nullptr; a = a->next) visit(a);
}

void WordPool::EmitWhileStopped(uint64_t cycle) {
  const Metrics now = SnapshotLocked();
  gc::PoolEvent event;
  event.cycle = cycle;
  event.name = reinterpret_cast<uint64_t>(event_name_);
  event.pool = number_;
  event.gets = now.gets - reported_.gets;
  event.private_hits = now.private_hits - reported_.private_hits;
  event.shared_hits = now.shared_hits - reported_.shared_hits;
  event.steals = now.steals - reported_.steals;
  event.victim_hits = now.victim_hits - reported_.victim_hits;
  event.misses = now.misses - reported_.misses;
  event.puts = now.puts - reported_.puts;
  event.drops = now.drops - reported_.drops;
  event.evicted = now.evictions - reported_.evictions;
  event.bytes_held = now.bytes_held;
  if (victims_->count() != 0 && victims_->at(0).demoted_cycle == cycle) {
    event.demoted = victims_->at(0).array->CountItems();
  }
  heap_.EmitWhileStopped(gc::EventKind::kPool, event);
  reported_ = now;
}

// --- On a mutator --------------------------------------------------------------------------------

size_t WordPool::DrainEvicted() {
  ShardArray* array = evicted_.exchange(nullptr, std::memory_order_acq_rel);
  size_t items = 0;
  while (array != nullptr) {
    ShardArray* next = array->next;
    items += ReleaseItems(array);
    std::lock_guard lock(mutex_);
    array->next = spare_;
    spare_ = array;
    array = next;
  }
  return items;
}

// Nobody else can reach the array. Callbacks run under no lock of the pool.
size_t WordPool::ReleaseItems(ShardArray* array) {
  size_t items = 0;
  auto release = [&](Word item) {
    if (item == 0) return false;
    Release(item);
    ++items;
    return true;
  };
  array->ForEachShard([&](Shard& shard) {
    release(internal::TakePrivate(shard));
    while (release(Chain(shard.chain).PopTail())) {
    }
  });
  evictions_.fetch_add(items, std::memory_order_relaxed);
  return items;
}

// The last thing the pool does with an item that nobody took.
void WordPool::Release(Word item) {
  if (checker_ != nullptr) checker_->Forget(item);
  // An exception here would leave the rest of an array without its call.
  auto call = [&]() noexcept {
    if (options_.on_evict) options_.on_evict(item);
  };
  call();
  if (options_.destroy != nullptr) options_.destroy(item);
}

// Makes a dropped array as new; its counts go to past_.
void WordPool::EmptyOutLocked(ShardArray* array) {
  past_.evictions += array->CountItems();
  AddCounts(*array, past_);
  array->ForEachShard([&](Shard& shard) {
    // A shard that still stands on a touched list stays there, as one that may be put into.
    const bool listed = shard.listed || !uses_lists_;
    shard.private_item.store(listed ? internal::kEmptyListed : internal::kEmptyUnlisted,
                             std::memory_order_relaxed);
    shard.aged_item.store(0, std::memory_order_relaxed);
    Chain(shard.chain).Clear();
    for (internal::Counter* counter :
         {&shard.private_hits, &shard.private_puts, &shard.shared_puts, &shard.shared_hits,
          &shard.steals, &shard.victim_hits, &shard.misses}) {
      counter->Reset();
    }
  });
  array->marked_empty.store(false, std::memory_order_relaxed);
  array->dropped = false;
  array->next = nullptr;
}

absl::Status WordPool::Close(gc::Mutator& m) {
  NEAP_CHECK(!heap_.scheduler().stopped(), "P2: no Close while the world is stopped");
  {
    std::lock_guard lock(mutex_);
    if (closed()) {
      return absl::FailedPreconditionError(
          absl::StrCat("pool \"", options_.name, "\" is closed already"));
    }
    fast_size_.store(0, std::memory_order_relaxed);
    closed_.store(true, std::memory_order_relaxed);
  }
  DrainEvicted();
  const Pinned own = Pin(m.proc());
  const auto start = static_cast<uint64_t>(m.proc());
  while (true) {
    const Found found = Search(own, m.proc(), start);
    if (found.item == 0) break;
    if (checker_ != nullptr) checker_->Forget(found.item);  // SizeOf must not read poison
    if (accounted_) GiveRoomBack(*found.array, SizeOf(found.item));
    Release(found.item);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
  return absl::OkStatus();
}

WordPool::~WordPool() {
  registry_->Remove(this);
  std::vector<ShardArray*> arrays;
  auto add_list = [&](ShardArray* list) {
    for (; list != nullptr; list = list->next) arrays.push_back(list);
  };
  if (ShardArray* primary = primary_.load(std::memory_order_relaxed)) arrays.push_back(primary);
  for (uint32_t i = 0; i < victims_->count(); ++i) arrays.push_back(victims_->at(i).array);
  add_list(evicted_.load(std::memory_order_relaxed));
  add_list(swapped_);
  if (drained_) {
    for (ShardArray* array : arrays) ReleaseItems(array);
  }
  add_list(spare_);
  for (ShardArray* array : arrays) registry_->Bury(array);
}

// --- Figures -------------------------------------------------------------------------------------

void WordPool::AddCounts(const ShardArray& array, Metrics& metrics) const {
  array.ForEachShard([&](const Shard& shard) {
    metrics.private_hits += shard.private_hits.get();
    metrics.shared_hits += shard.shared_hits.get();
    metrics.steals += shard.steals.get();
    metrics.victim_hits += shard.victim_hits.get();
    metrics.misses += shard.misses.get();
    metrics.puts += shard.private_puts.get() + shard.shared_puts.get();
  });
}

Metrics WordPool::Snapshot() const {
  std::lock_guard lock(mutex_);
  return SnapshotLocked();
}

Metrics WordPool::SnapshotLocked() const {
  Metrics metrics = past_;
  auto add_held = [&](const ShardArray* array) {
    AddCounts(*array, metrics);
    metrics.items_held += array->CountItems();
  };
  auto add_dropped = [&](const ShardArray* list) {
    for (; list != nullptr; list = list->next) {
      AddCounts(*list, metrics);
      metrics.evictions += list->CountItems();
    }
  };
  if (const ShardArray* primary = primary_.load(std::memory_order_acquire)) add_held(primary);
  for (uint32_t i = 0; i < victims_->count(); ++i) add_held(victims_->at(i).array);
  add_dropped(evicted_.load(std::memory_order_relaxed));
  add_dropped(swapped_);
  add_dropped(spare_);
  metrics.misses += closed_gets_.load(std::memory_order_relaxed);
  metrics.drops = drops_.load(std::memory_order_relaxed);
  metrics.oversize_drops = oversize_drops_.load(std::memory_order_relaxed);
  metrics.evictions += evictions_.load(std::memory_order_relaxed);
  metrics.rescues = rescues_.load(std::memory_order_relaxed);
  metrics.victim_marked_empty = marked_empty_.load(std::memory_order_relaxed);
  metrics.stranded_private = stranded_.load(std::memory_order_relaxed);
  metrics.swapped_out = swapped_out_.load(std::memory_order_relaxed);
  metrics.cleanups = cleanups_;
  metrics.puts += metrics.drops;
  metrics.bytes_held = held_bytes_.load(std::memory_order_relaxed);
  metrics.gets = metrics.private_hits + metrics.shared_hits + metrics.steals + metrics.victim_hits +
                 metrics.misses;
  return metrics;
}

}  // namespace neap::pool
