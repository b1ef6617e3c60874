// SPDX-License-Identifier: MIT
//
// A pool that lives with the collector. The semantics are sync.Pool's (source: Go's sync/pool.go
// and sync/poolqueue.go; memory model: the comment of sync.Pool), carried over to a heap whose
// world stops at safepoints.
//
//   primary                            victim (what the last cleanup demoted)
//   +---------+---------+---------+    +---------+---------+---------+
//   | shard 0 | shard 1 | shard 2 |    | shard 0 | shard 1 | shard 2 |
//   +---------+---------+---------+    +---------+---------+---------+
//    private                            private
//    queue: [8]<->[16]<->...            queue
//
// Get looks, in this order, into
//   1. the own private slot                              (one item, no other thread can see it)
//   2. the own queue, newest first                       (warm in this core's cache)
//   3. the other Ps' queues, oldest first, from P + 1 on (what their owners would use last)
//   4. the victim: own private slot, then all queues, from the own one on
//   5. nowhere: the victim is marked empty, so that later Gets skip it; `make` makes an item.
// Put fills the own private slot if it is free, else pushes onto the own queue. Nothing is ever put
// into a victim: an item is promoted by being taken and put back.
//
// A cleanup runs in the pause that starts a major cycle. It swaps arrays, it does not look at
// items: victims are dropped, the primary becomes the victim. What is dropped before marking is
// freed by the cycle that drops it. The next Get or Put makes a new primary and registers it.
//
// Why no locks: between two safepoints a thread keeps its P and no stop can complete (R3). So the
// holder of P i is alone at the private slot and at the head of the queue of shard i, and the
// arrays it sees cannot be swapped under it by a cleanup.
//
// Invariants:
//   P1  Shard i's private slot and the head of its queue belong to the holder of P i, and to the
//       collector while the world is stopped. Exceptions, by compare-exchange, in the default mode
//       only: private slots in victims, and in the primary those of retired Ps.
//   P2  No operation runs while the world is stopped.
//   P3  A victim receives nothing. So one that was found empty stays empty.
//   P4  An item is in exactly one place: with one user, in one slot, or dropped. (It is the user
//   who
//       can break this, by a second Put; checked mode finds that.)
//   P5  What has no `make` cannot be prewarmed.
//   P6  A young item in a pool stands in a shard on a touched list, as its private item or in its
//       rings at or above their low-water marks. Minor collections look nowhere else.
//   P7  Checked mode: an item is put back once, clean, and not used after its Put.
//   P8  The cleanup hook allocates nothing and is O(pools): every pool with a primary is in the
//       registry's all_, every pool with a victim in old_.
//   P9  A record of operations is whole.
//
// go_exact keeps the cases in which sync.Pool loses sight of items; the default repairs them:
//
//   case                                        go_exact                  default
//   private slot of another P in the victim     unreachable               taken by CAS (kRescue)
//   a Get that finds nothing                    strands those             nothing is left to strand
//   P beyond the victim's size                  looks at no victim        looks at all of it
//   more Ps than shards (growth)                new array, items lost     an extension is linked
//   private slot of a retired P (shrink)        unreachable until demoted taken by CAS
//
// What the default does not repair: the private slot of an idle P in the primary. Its next holder
// may arrive at any instant and uses plain loads and stores. It is reachable again after the next
// cleanup.
//
// Concurrent marking, when it comes: taking an item from a slot deletes a reference, so a Get must
// record it for the snapshot; fast_size_ is 0 then.
#include "neap/pool/word_pool.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "chain.h"
#include "checker.h"
#include "neap/gc/type.h"
#include "registry.h"
#include "shard_array.h"
#include "victims.h"

namespace neap::pool {

using internal::Chain;
using internal::Shard;
using internal::ShardArray;

// --- Pinning -------------------------------------------------------------------------------------

WordPool::Pinned WordPool::Pin(int proc) {
  ShardArray* primary = primary_.load(std::memory_order_acquire);
  if (primary != nullptr && static_cast<uint32_t>(proc) < primary->total_size()) [[likely]] {
    return {primary, &primary->At(static_cast<uint32_t>(proc))};
  }
  return PinSlow(proc);
}

WordPool::Pinned WordPool::PinSlow(int proc) {
  std::lock_guard lock(mutex_);
  const auto size = static_cast<uint32_t>(std::max(heap_.scheduler().procs(), proc + 1));
  ShardArray* primary = primary_.load(std::memory_order_relaxed);
  if (primary == nullptr) {
    PublishLocked(NewArrayLocked(size));
    registry_->AddToAll(this);
  } else if (static_cast<uint32_t>(proc) >= primary->total_size()) {
    GrowLocked(primary, size);
  }
  primary = primary_.load(std::memory_order_relaxed);
  return {primary, &primary->At(static_cast<uint32_t>(proc))};
}

void WordPool::GrowLocked(ShardArray* primary, uint32_t size) {
  if (!options_.go_exact) {
    const uint32_t present = primary->total_size();
    ShardArray* last = primary;
    while (ShardArray* next = last->extension.load(std::memory_order_relaxed)) last = next;
    last->extension.store(ShardArray::Create(size - present, uses_lists_ ? internal::kEmptyUnlisted
                                                                         : internal::kEmptyListed),
                          std::memory_order_release);
    return;
  }
  // Threads that are past their look at primary_ still use the old array until their next
  // safepoint; what they put there is lost too.
  swapped_out_.fetch_add(primary->CountItems(), std::memory_order_relaxed);
  primary->dropped = !drained_;
  primary->next = swapped_;
  swapped_ = primary;
  PublishLocked(NewArrayLocked(size));
}

ShardArray* WordPool::NewArrayLocked(uint32_t size) {
  ShardArray* fresh = nullptr;
  while (spare_ != nullptr) {
    ShardArray* spare = std::exchange(spare_, spare_->next);
    EmptyOutLocked(spare);
    const bool fits = spare->size == size && spare->extension.load() == nullptr;
    if (fresh == nullptr && fits) {
      fresh = spare;
    } else {
      registry_->Bury(spare);
    }
  }
  if (fresh != nullptr) return fresh;
  return ShardArray::Create(size, uses_lists_ ? internal::kEmptyUnlisted : internal::kEmptyListed);
}

// Order: a size is never seen before shards that have it. (The shards may be newer and more.)
void WordPool::PublishLocked(ShardArray* primary) {
  primary_.store(primary, std::memory_order_release);
  if (features_ || closed()) return;
  fast_shards_.store(primary->shards(), std::memory_order_release);
  fast_size_.store(primary->size, std::memory_order_release);
}

// --- Get -----------------------------------------------------------------------------------------

Word WordPool::TakeSlow(gc::Mutator& m, int proc, CallPlace here) {
  NEAP_CHECK(!heap_.scheduler().stopped(), "P2: no Get while the world is stopped", "pool=%s",
             event_name_);
  if (evicted_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    DrainEvicted();
  if (options_.idle_cycles != 0) used_.store(true, std::memory_order_relaxed);
  if (closed()) {
    closed_gets_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const Pinned own = Pin(proc);
  Found found;
  if (!ChaosStrikes(*own.shard, proc, options_.chaos.miss_one_in)) {
    const bool shuffle = options_.chaos.shuffle;
    found = Search(own, proc, shuffle ? ChaosDraw(*own.shard, proc) : static_cast<uint64_t>(proc));
  }
  CountGet(*own.shard, found);
  if (!features_) return found.item;

  std::optional<Violation> violation;
  if (found.item != 0 && checker_ != nullptr) {
    violation = checker_->NoteGet(m, IdentityOf(m, found.item), found.item, here);
  }
  if (found.item != 0 && accounted_) GiveRoomBack(*found.array, SizeOf(found.item));
  if (options_.recorder != nullptr) RecordOp(m, Op::kGet, found.place, proc, found.item);
  if (violation.has_value()) Report(*violation);
  return found.item;
}

WordPool::Found WordPool::Search(Pinned own, int proc, uint64_t start) {
  Found found = SearchPrimary(own, proc, start);
  const uint32_t generations = victims_->count();
  for (uint32_t i = 0; i < generations && found.item == 0; ++i) {
    ShardArray& victim = *victims_->at(i).array;
    if (victim.marked_empty.load(std::memory_order_relaxed)) continue;
    found = SearchVictim(victim, proc, start);
  }
  return found;
}

WordPool::Found WordPool::SearchPrimary(Pinned own, int proc, uint64_t start) {
  // Chaos: the own places come last.
  const bool own_first = !options_.chaos.shuffle;
  auto in = [&](Word item, Place place) { return Found{item, place, own.array}; };
  for (int round = 0; round < 2; ++round) {
    if ((round == 0) == own_first) {
      if (Word item = internal::TakePrivate(*own.shard)) return in(item, Place::kPrivate);
      if (Word item = Chain(own.shard->chain).PopHead()) return in(item, Place::kShared);
      continue;
    }
    if (!options_.steal) continue;
    const uint32_t size = own.array->total_size();
    for (uint32_t i = 0; i < size; ++i) {
      Shard& other = own.array->At(static_cast<uint32_t>((start + 1 + i) % size));
      if (Word item = Chain(other.chain).PopTail()) return in(item, Place::kSteal);
    }
    // The holders of retired Ps are gone (P1), and cannot come back before the next safepoint.
    if (options_.go_exact) continue;
    for (auto i = static_cast<uint32_t>(heap_.scheduler().procs()); i < size; ++i) {
      if (i == static_cast<uint32_t>(proc)) continue;
      if (Word item = internal::TakePrivateShared(own.array->At(i))) {
        return in(item, Place::kRescue);
      }
    }
  }
  return {};
}

WordPool::Found WordPool::SearchVictim(ShardArray& victim, int proc, uint64_t start) {
  const uint32_t size = victim.total_size();
  const auto own = static_cast<uint32_t>(proc);
  auto in = [&](Word item, Place place) { return Found{item, place, &victim}; };
  if (options_.go_exact && own >= size) return {};  // without marking it: others may still look
  if (own < size) {
    Word item = options_.go_exact ? internal::TakePrivate(victim.At(own))
                                  : internal::TakePrivateShared(victim.At(own));
    if (item != 0) return in(item, Place::kVictimPrivate);
    if (!options_.steal) {
      item = Chain(victim.At(own).chain).PopTail();
      return item == 0 ? Found{} : in(item, Place::kVictimShared);
    }
  }
  if (!options_.steal) return {};
  for (uint32_t i = 0; i < size; ++i) {
    Shard& shard = victim.At(static_cast<uint32_t>((start + i) % size));
    if (Word item = Chain(shard.chain).PopTail()) return in(item, Place::kVictimShared);
  }
  for (uint32_t i = 0; i < size && !options_.go_exact; ++i) {
    Shard& shard = victim.At(static_cast<uint32_t>((start + i) % size));
    if (Word item = internal::TakePrivateShared(shard)) return in(item, Place::kRescue);
  }
  MarkEmpty(victim);
  return {};
}

// In go_exact mode what stands in other Ps' private slots is out of reach from now on, even of the
// Ps that own it. It stays a root until it is dropped.
void WordPool::MarkEmpty(ShardArray& victim) {
  if (victim.marked_empty.exchange(true, std::memory_order_relaxed)) return;
  marked_empty_.fetch_add(1, std::memory_order_relaxed);
  stranded_.fetch_add(victim.CountPrivate(), std::memory_order_relaxed);
}

void WordPool::CountGet(Shard& own, const Found& found) {
  switch (found.place) {
    case Place::kPrivate:
      return own.private_hits.Add();
    case Place::kShared:
      return own.shared_hits.Add();
    case Place::kSteal:
      return own.steals.Add();
    case Place::kVictimPrivate:
    case Place::kVictimShared:
      return own.victim_hits.Add();
    case Place::kRescue: {
      rescues_.fetch_add(1, std::memory_order_relaxed);
      const bool primary = found.array == primary_.load(std::memory_order_relaxed);
      return primary ? own.steals.Add() : own.victim_hits.Add();
    }
    case Place::kNone:
    case Place::kDropped:
      return own.misses.Add();
  }
}

// --- Put -----------------------------------------------------------------------------------------

void WordPool::PutSlow(gc::Mutator& m, int proc, Word item, CallPlace here) {
  NEAP_CHECK(!heap_.scheduler().stopped(), "P2: no Put while the world is stopped", "pool=%s",
             event_name_);
  NEAP_DCHECK(!options_.managed || heap_.Contains(gc::ToObject(item)),
              "P4: a managed pool holds objects of its heap", "pool=%s", event_name_);
  if (evicted_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    DrainEvicted();
  if (options_.idle_cycles != 0) used_.store(true, std::memory_order_relaxed);
  const bool named = checker_ != nullptr || options_.recorder != nullptr;
  const uint64_t id = named ? IdentityOf(m, item) : 0;
  std::optional<Violation> violation;
  if (checker_ != nullptr) violation = checker_->FindBadPut(id, here);
  if (violation.has_value()) {
    // Neither parked nor freed: the item is in the pool already, or somebody else's.
    drops_.fetch_add(1, std::memory_order_relaxed);
    return Report(*violation);
  }
  Place place = Place::kDropped;
  if (!closed()) {
    const Pinned own = Pin(proc);
    if (!features_ || Admit(own, proc, item, &violation)) {
      if (checker_ != nullptr) checker_->NotePut(m, id, item, here);
      place = Park(own, proc, item);
    }
  }
  if (options_.recorder != nullptr) RecordOp(m, Op::kPut, place, proc, item);
  if (violation.has_value()) {
    violation = checker_->Describe(violation->kind, id, here);
  }
  if (place == Place::kDropped) {
    drops_.fetch_add(1, std::memory_order_relaxed);
    Release(item);
  }
  if (violation.has_value()) Report(*violation);
}

bool WordPool::Admit(Pinned own, int proc, Word item, std::optional<Violation>* violation) {
  if (options_.reset) options_.reset(item);
  if (checker_ != nullptr && options_.is_clean && !options_.is_clean(item)) {
    violation->emplace().kind = Violation::Kind::kDirtyPut;
    return false;
  }
  if (ChaosStrikes(*own.shard, proc, options_.chaos.drop_one_in)) return false;
  if (options_.max_item_bytes == kUnlimited && !accounted_) return true;
  const uint64_t bytes = SizeOf(item);
  if (bytes > options_.max_item_bytes) {
    oversize_drops_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  return !accounted_ || ReserveRoom(*own.array, bytes);
}

// Adds first and takes back on refusal, so that Puts on several Ps together cannot exceed a bound.
bool WordPool::ReserveRoom(ShardArray& array, uint64_t bytes) {
  const bool has_budget = options_.retention.kind == Retention::Kind::kBytes;
  const uint64_t items = held_items_.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint64_t total = held_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool over_budget = has_budget && total > options_.retention.bytes;
  if (over_budget) pressed_.store(true, std::memory_order_relaxed);
  if (over_budget || items > options_.max_items || total > options_.max_bytes) {
    held_items_.fetch_sub(1, std::memory_order_relaxed);
    held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  array.items.fetch_add(1, std::memory_order_relaxed);
  array.bytes.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void WordPool::GiveRoomBack(ShardArray& array, uint64_t bytes) {
  held_items_.fetch_sub(1, std::memory_order_relaxed);
  held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  array.items.fetch_sub(1, std::memory_order_relaxed);
  array.bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

// While an item stands in aged_item the private slot is taken, and private_item stays at
// kEmptyUnlisted, listed or not, so that the fast path does not fill it.
Place WordPool::Park(Pinned own, int proc, Word item) {
  Shard& shard = *own.shard;
  if (uses_lists_ && !shard.listed) registry_->Touch(own.array, &shard, proc);
  if (!internal::HasPrivate(shard)) {
    shard.private_item.store(item, std::memory_order_relaxed);
    shard.private_puts.Add();
    return Place::kPrivate;
  }
  if (Chain(shard.chain).PushHead(item)) {
    shard.shared_puts.Add();
    return Place::kShared;
  }
  // No memory for a ring: dropping is allowed. The room was measured before the item was poisoned.
  if (checker_ != nullptr) checker_->Forget(item);
  if (accounted_) GiveRoomBack(*own.array, SizeOf(item));
  return Place::kDropped;
}

uint64_t WordPool::SizeOf(Word item) const {
  if (options_.size_of) return options_.size_of(item);
  if (!options_.managed) return options_.value_bytes;
  const gc::Object* object = gc::ToObject(item);
  const gc::TypeDescriptor& type = gc::GetType(object->type());
  const size_t off_heap = type.off_heap_bytes == nullptr ? 0 : type.off_heap_bytes(object);
  return gc::ObjectBytes(object) + off_heap;
}

}  // namespace neap::pool
