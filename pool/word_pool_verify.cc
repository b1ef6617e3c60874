// SPDX-License-Identifier: MIT
//
// Looks at a pool from outside: walks every slot and recomputes what the pool believes. Shares no
// code with the operations except the layout.
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "neap/pool/word_pool.h"
#include "registry.h"
#include "ring.h"
#include "shard_array.h"
#include "victims.h"

namespace neap::pool {

namespace {

using internal::Ring;
using internal::Shard;
using internal::ShardArray;

// Collects the items of one pool and the first thing that is wrong with them.
class Inspection {
 public:
  Inspection(const gc::Heap& heap, bool managed, bool uses_lists)
      : heap_(heap), managed_(managed), uses_lists_(uses_lists) {}

  void Inspect(ShardArray& array) {
    array.ForEachShard([&](Shard& shard) { Inspect(shard); });
  }
  void Fail(const std::string& text) {
    if (status_.ok()) status_ = absl::InternalError(text);
  }
  uint64_t items() const { return items_; }
  const absl::Status& status() const { return status_; }

 private:
  void Inspect(Shard& shard) {
    const Word item = shard.private_item.load();
    const Word aged = shard.aged_item.load();
    if (internal::IsItem(item)) {
      Count(item);
      if (aged != 0) Fail("P1: a shard has two private items");
      if (uses_lists_ && !shard.listed) Fail("P6: a private item in a shard that is not listed");
    }
    if (item == internal::kEmptyListed && uses_lists_ && !shard.listed) {
      Fail("P6: a private slot is open to young items in a shard that is not listed");
    }
    if (aged != 0) {
      Count(aged);
      if (IsYoung(aged)) Fail("P6: the aged private item is young");
      if (item != internal::kEmptyUnlisted)
        Fail("P6: the slot is open while an aged item is there");
    }
    for (Ring* ring = shard.chain.last_created; ring != nullptr; ring = ring->created_before) {
      Inspect(*ring, shard);
    }
  }

  void Inspect(Ring& ring, const Shard& shard) {
    const uint32_t tail = ring.tail();
    const uint32_t count = ring.head() - tail;
    if (count > ring.size()) return Fail("Q1: a ring holds more than its size");
    for (uint32_t i = 0; i < ring.size(); ++i) {
      const Word item = *ring.slot(tail + i);
      if (i >= count) {
        if (item != 0) Fail("Q3: a slot outside of the items is not 0");
        continue;
      }
      if (item == 0) {
        Fail("Q1: a slot with an item is 0");
        continue;
      }
      Count(item);
      const bool below = static_cast<int32_t>(tail + i - ring.low_water()) < 0;
      if (IsYoung(item) && (below || !shard.listed)) {
        Fail("P6: a young item where no minor collection looks");
      }
    }
  }

  bool IsYoung(Word item) const { return uses_lists_ && heap_.IsYoung(gc::ToObject(item)); }

  void Count(Word item) {
    ++items_;
    if (managed_ && !heap_.Contains(gc::ToObject(item))) Fail("P4: an item is not of this heap");
    if (!seen_.insert(item).second) {
      Fail(absl::StrCat("P4: item ", item, " stands in the pool twice"));
    }
  }

  const gc::Heap& heap_;
  const bool managed_;
  const bool uses_lists_;
  uint64_t items_ = 0;
  std::set<Word> seen_;
  absl::Status status_;
};

}  // namespace

absl::Status WordPool::Verify() const {
  std::lock_guard lock(mutex_);
  Inspection inspection(heap_, options_.managed, uses_lists_);
  uint64_t account_items = 0;
  uint64_t account_bytes = 0;
  auto inspect = [&](ShardArray* array) {
    inspection.Inspect(*array);
    account_items += array->items.load();
    account_bytes += array->bytes.load();
  };
  ShardArray* primary = primary_.load();
  if (primary != nullptr) inspect(primary);
  for (uint32_t i = 0; i < victims_->count(); ++i) inspect(victims_->at(i).array);
  if (!inspection.status().ok()) return inspection.status();

  const uint32_t fast = fast_size_.load();
  if (fast != 0 && (primary == nullptr || features_ || closed() || fast != primary->size ||
                    fast_shards_.load() != primary->shards())) {
    return absl::InternalError("P1: the fast path sees other shards than the primary's");
  }
  if (accounted_ && account_items != inspection.items()) {
    return absl::InternalError(absl::StrCat("P4: the account says ", account_items, " items, but ",
                                            inspection.items(), " are there"));
  }
  if (accounted_ && swapped_ == nullptr &&
      (held_items_.load() != account_items || held_bytes_.load() != account_bytes)) {
    return absl::InternalError("P4: the account of the pool differs from that of its arrays");
  }
  const Metrics metrics = SnapshotLocked();
  const uint64_t taken =
      metrics.private_hits + metrics.shared_hits + metrics.steals + metrics.victim_hits;
  if (metrics.puts - metrics.drops != taken + metrics.evictions + inspection.items()) {
    return absl::InternalError(absl::StrCat(
        "P4: ", metrics.puts - metrics.drops, " items were parked, but ", taken, " taken, ",
        metrics.evictions, " evicted, ", inspection.items(), " are there"));
  }
  return registry_->Verify();
}

}  // namespace neap::pool
