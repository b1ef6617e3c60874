// SPDX-License-Identifier: MIT
//
// How a minor collection copies.
//
// From-space is every nursery block at the start of the pause: eden and the survivors of the last
// minor. An object of it that is reached
//
//   is copied        to a survivor block, when its age is still under the tenuring threshold
//   is promoted      to a cell of old space, when this is its tenure-th survival
//   stays in place   when it is pinned, when its block is a cohort that is expected to live on (the
//                    block then becomes an old mixed block), or when no room can be had for a copy
//                    (the block becomes old as well: a pause never gives up half-way)
//
// A copied object's old header holds the new address (forwarding). One that stays has its start bit
// set in the bitmap, which a nursery object otherwise has not; in a block where others are copied
// kReachedBit is set as well, so that one look at the header tells. Stationary objects (large ones,
// and those born never to move) are reached in the same way and age in their header.
//
// Copy order: depth first. The work list is a stack, and what a slot brings is scanned before the
// next slot of the same object is followed (ScanParts); so a table's parts come to lie right behind
// it, and a list in order. Breadth-first (Cheney) would scatter the parts.
//
// Old objects: a scan of an old object, promoted or remembered, ends with a verdict. If one of its
// referents is still young it is retained (log state kLogged, scanned again at the next minor);
// otherwise its log state becomes kUnlogged and the barrier will tell. Large arrays do this card by
// card. Referents in blocks whose fate is open (pinned ones) count as young: retaining too much is
// harmless.
//
// Weak slots: while copying they are only noted, with their holder. Then ephemerons run to a
// fixpoint, "before finalizers" slots are cleared, unreachable objects with finalizers are
// resurrected, and all weak slots are settled: cleared, or set to the new address. Only holders
// that were scanned in this minor can refer to young objects, so no list of all weak tables is
// needed.
//
// Parallel copying (request.workers > 1): workers race for the header with compare-and-swap; the
// loser takes its copy back. Roots are the leader's, remembered objects are claimed in runs, and
// work is shared through one list while somebody is idle. Weak processing is the leader's alone.
//
// Invariants (the whole list is in collector.cc):
//   N3  After Finish no reference to a freed from block is left in a root, an old or a young
//       object.
//   N4  Every live object is reached exactly once: forwarded, or its start bit set, never both.
//   N5  kReachedBit and kPinnedBit are clear in all headers outside a minor.
#include "evacuator.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "evacuation_worker.h"
#include "neap/runtime/check.h"
#include "neap/runtime/clock.h"
#include "poison.h"

namespace neap::gc {
namespace {

// Remembered objects that a worker claims at once.
constexpr size_t kClaimEntries = 64;

class RootTracer final : public Tracer {
 public:
  explicit RootTracer(EvacuationWorkerBase& worker) : worker_(worker) {}
  void VisitSlots(Word* first, size_t count) override {
    words += count;
    for (size_t i = 0; i < count; ++i) worker_.VisitRoot(first + i);
  }
  void VisitWeak(Word*, Word, Weakness) override {
    NEAP_CHECK(false, "R7: a root provider reports strong slots only");
  }
  void VisitEphemeron(Word*, Word*, Word) override {
    NEAP_CHECK(false, "R7: a root provider reports strong slots only");
  }
  size_t words = 0;

 private:
  EvacuationWorkerBase& worker_;
};

// Until nothing is left to claim. `latest_ns`: when the last worker that had claimed some was done;
// one that woke too late for any says nothing.
void ScanClaimed(EvacuationWorkerBase& worker, SharedWork& shared,
                 const std::vector<Object*>& entries, std::atomic<uint64_t>& latest_ns) {
  size_t first, end;
  bool has_claimed = false;
  while (shared.Claim(kClaimEntries, entries.size(), &first, &end)) {
    has_claimed = true;
    for (size_t i = first; i < end; ++i) worker.ScanRemembered(entries[i]);
  }
  if (!has_claimed) return;
  const uint64_t now_ns = MonotonicNanos();
  uint64_t before_ns = latest_ns.load(std::memory_order_relaxed);
  while (before_ns < now_ns && !latest_ns.compare_exchange_weak(before_ns, now_ns)) {
  }
}

}  // namespace

void EvacuationCounts::Add(const EvacuationCounts& o) {
  copied_bytes += o.copied_bytes;
  copied_objects += o.copied_objects;
  promoted_bytes += o.promoted_bytes;
  promoted_objects += o.promoted_objects;
  in_place_bytes += o.in_place_bytes;
  in_place_objects += o.in_place_objects;
  became_old_bytes += o.became_old_bytes;
  for (int i = 0; i < 4; ++i) survived_bytes[i] += o.survived_bytes[i];
  no_room_objects += o.no_room_objects;
  off_heap_promoted_bytes += o.off_heap_promoted_bytes;
  off_heap_young_bytes += o.off_heap_young_bytes;
  remembered_cards += o.remembered_cards;
  weak_cleared += o.weak_cleared;
}

Evacuator::Evacuator(const EvacuatorParts& parts) : parts_(parts) {
  serial_.push_back(std::make_unique<EvacuationWorker<false>>(parts_));
}
Evacuator::~Evacuator() = default;

bool Evacuator::Reserve() { return serial_[0]->Reserve(); }

EvacuationWorkerBase& Evacuator::Leader() {
  return request_.workers > 1 ? *parallel_[0] : *serial_[0];
}

void Evacuator::ReleaseCells() {
  for (auto& worker : serial_) worker->ReleaseCells();
  for (auto& worker : parallel_) worker->ReleaseCells();
}

// --- 1. Begin ------------------------------------------------------------------------------------

void Evacuator::Begin(const Request& request) {
  request_ = request;
  counts_ = EvacuationCounts{};
  root_bytes_ = pinned_objects_ = finalizers_queued_ = remembered_objects_ = 0;
  while (static_cast<int>(parallel_.size()) < request.workers && request.workers > 1) {
    parallel_.push_back(std::make_unique<EvacuationWorker<true>>(parts_));
    if (!parallel_.back()->Reserve()) {
      parallel_.pop_back();
      request_.workers = 1;  // no room for its stack: copy serially
      break;
    }
  }
  for (auto& worker : serial_) worker->Begin(request_.tenure);
  for (auto& worker : parallel_) worker->Begin(request_.tenure);
  (void)parts_.nursery.BeginMinor();
  if (request_.cohorts_stay) ChooseCohorts();
  TakePins();
}

// From-space lists eden first (Nursery::BeginMinor), so a block's ordinal is its order of birth.
void Evacuator::ChooseCohorts() {
  uint64_t ordinal = 0;
  for (const uint32_t index : parts_.nursery.from()) {
    if (ordinal >= parts_.nursery.from_eden_blocks()) return;
    if (!request_.is_sensor(request_.sensor_context, ordinal++)) {
      parts_.range.SetSpace(index, kSpaceYoung | kSpaceFrom | kSpaceStay);
      parts_.range.block(index).promote = true;
    }
  }
}

void Evacuator::TakePins() {
  HeapRange& range = parts_.range;
  std::vector<Object*> pinned;
  parts_.roots.VisitPins([&](Object* object) { pinned.push_back(object); });
  pinned_objects_ = pinned.size();
  for (Object* object : pinned) {
    const SpaceByte space = range.SpaceOf(ToWord(object));
    if (!(space & kSpaceFrom) || (space & kSpaceStay)) continue;
    Block& block = range.BlockOf(object);
    if (!block.has_pins) block.promote = true;
    block.has_pins = true;
    if (object->age() + 1 < request_.tenure) block.promote = false;
    object->set_header(object->header() | Object::kPinnedBit);
  }
  for (Object* object : pinned) {  // now every block's fate is known
    Word slot = ToWord(object);
    Leader().VisitRoot(&slot);
    NEAP_DCHECK(slot == ToWord(object), "H4: a pinned object stays where it is");
  }
}

// --- 2. and 3. Copy ------------------------------------------------------------------------------

void Evacuator::CopyRoots() {
  RootTracer tracer(Leader());
  root_bytes_ = parts_.roots.Visit(tracer, RootSet::Which::kYoung);
  parts_.finalizers.VisitPending(tracer);
  root_bytes_ = std::max<uint64_t>(root_bytes_, tracer.words * sizeof(Word));
}

void Evacuator::CopyRemembered() {
  remembered_objects_ = parts_.remembered.entries().size();
  shared_scan_ns_ = 0;
  if (request_.workers > 1) return;  // claimed by the workers
  for (Object* object : parts_.remembered.entries()) serial_[0]->ScanRemembered(object);
}

void Evacuator::CopyReachable() {
  if (request_.workers <= 1) {
    serial_[0]->Drain();
  } else {
    SharedWork shared(request_.workers);
    for (auto& worker : parallel_) worker->set_shared(&shared);
    const std::vector<Object*>& entries = parts_.remembered.entries();
    const uint64_t start_ns = MonotonicNanos();
    std::atomic<uint64_t> scanned_ns = start_ns;
    parts_.threads.Run(request_.workers, [&](int id) {
      EvacuationWorkerBase& worker = *parallel_[static_cast<size_t>(id)];
      ScanClaimed(worker, shared, entries, scanned_ns);
      worker.DrainShared();
    });
    shared_scan_ns_ = scanned_ns - start_ns;
    for (auto& worker : parallel_) worker->set_shared(nullptr);
    // From here on the leader works alone, on what all have noted.
    for (size_t i = 1; i < parallel_.size(); ++i) {
      auto& holders = parallel_[i]->weak_holders;
      Leader().weak_holders.insert(Leader().weak_holders.end(), holders.begin(), holders.end());
      holders.clear();
    }
  }
  CopyEphemerons();
}

// To a fixpoint: a value that was reached may be the key of another.
void Evacuator::CopyEphemerons() {
  EvacuationWorkerBase& leader = Leader();
  bool again = true;
  while (again) {
    again = false;
    for (size_t i = 0; i < leader.weak_holders.size(); ++i) {
      again |= leader.RunEphemerons(leader.weak_holders[i].object);
    }
    leader.Drain();
  }
}

// --- 4. Weak -------------------------------------------------------------------------------------

void Evacuator::SettleWeak() {
  EvacuationWorkerBase& leader = Leader();
  using Mode = EvacuationWorkerBase::Mode;
  for (const auto& holder : leader.weak_holders)
    (void)leader.Settle(holder.object, Mode::kClearBefore);
  parts_.roots.weaks().ForEachSegment([&](Word* slots, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (leader.IsLive(slots[i])) {
        leader.VisitRoot(slots + i);
      } else {
        slots[i] = 0;
        ++leader.counts.weak_cleared;
      }
    }
  });
  const auto is_young = [&](Word word) {
    const SpaceByte space = parts_.range.SpaceOf(word);
    if (space & kSpaceLook) return (ToObject(word)->header() & Object::kStationaryYoungBit) != 0;
    return (space & kSpaceYoung) != 0 && !parts_.range.BlockOf(ToObject(word)).promote;
  };
  size_t kept = 0;
  finalizers_queued_ = parts_.finalizers.QueueUnreachable(
      Finalizers::Which::kYoung, [&](Word word) { return leader.IsLive(word); },
      [&](Word* slot) { leader.VisitRoot(slot); },
      [&](Word* slot) {
        leader.VisitRoot(slot);
        return is_young(*slot);
      },
      &kept);
  if (finalizers_queued_ + kept > 0) {
    leader.Drain();
    CopyEphemerons();
  }
  for (const auto& holder : leader.weak_holders) {
    const bool young = leader.Settle(holder.object, Mode::kSettle);
    if (!holder.old) continue;
    holder.object->set_log_state(young ? LogState::kLogged : LogState::kUnlogged);
    if (young) leader.retained.push_back(holder.object);
  }
  leader.weak_holders.clear();
  parts_.identities.UpdateYoung(
      [&](Word word) -> Word {
        if (!leader.IsLive(word)) return 0;
        leader.VisitRoot(&word);
        return word;
      },
      is_young);
  SettleWeakTables(leader, is_young);
}

void Evacuator::SettleWeakTables(EvacuationWorkerBase& leader,
                                 const std::function<bool(Word)>& is_young) {
  class Fates final : public WeakTable::Fates {
   public:
    Fates(EvacuationWorkerBase& worker, const std::function<bool(Word)>& young)
        : worker_(worker), young_(young) {}
    Word After(Word word) override {
      if (!worker_.IsLive(word)) return 0;
      worker_.VisitRoot(&word);
      return word;
    }
    bool IsYoung(Word word) override { return young_(word); }

   private:
    EvacuationWorkerBase& worker_;
    const std::function<bool(Word)>& young_;
  };
  Fates fates(leader, is_young);
  for (WeakTable* table : parts_.roots.weak_tables()) table->SettleYoung(fates);
}

// --- 5. Finish -----------------------------------------------------------------------------------

void Evacuator::Finish(uint64_t now, std::vector<Object*>& stationary_young) {
  parts_.remembered.EndMinor();
  const auto gather = [&](auto& workers) {
    for (auto& worker : workers) {
      parts_.remembered.RetainAll(worker->retained);
      worker->retained.clear();
      counts_.Add(worker->counts);
    }
  };
  gather(serial_);
  if (request_.workers > 1) gather(parallel_);
  for (const uint32_t index : parts_.nursery.from()) FinishBlock(index, now);
  FinishStationary(now, stationary_young);
  parts_.nursery.EndMinor();
}

void Evacuator::FinishBlock(size_t index, uint64_t now) {
  Block& block = parts_.range.block(index);
  if (block.stayed_bytes == 0) {
    parts_.nursery.FreeFromBlock(index, now);
    return;
  }
  const bool cohort = (parts_.range.space(index) & kSpaceStay) != 0;
  if (!cohort) FinishStayed(index);
  if (block.promote || block.no_room) {
    const uint32_t objects = parts_.old_space.AdoptMixedBlock(index);
    if (!cohort) return;
    counts_.in_place_objects += objects;
    counts_.in_place_bytes += block.stayed_bytes;
    counts_.became_old_bytes += block.stayed_bytes;
    counts_.survived_bytes[0] += block.stayed_bytes;
  } else {
    parts_.range.ClearBits(index);  // start bits are of old and large objects only
    parts_.nursery.KeepAsSurvivor(index);
  }
}

// Clears the collector's bits of the objects that stayed. In a block that becomes old without
// having been meant to, every one of them is retained and counted anew: their scans took them for
// young.
void Evacuator::FinishStayed(size_t index) {
  Block& block = parts_.range.block(index);
  const bool unmeant = block.no_room && !block.promote;
  if (unmeant) counts_.became_old_bytes += block.stayed_bytes;
  const uint64_t* starts = parts_.range.StartWords(index);
  for (size_t i = 0; i < kBitmapWordsPerBlock; ++i) {
    for (uint64_t bits = starts[i]; bits != 0; bits &= bits - 1) {
      const size_t granule = i * 64 + static_cast<size_t>(std::countr_zero(bits));
      auto* object = reinterpret_cast<Object*>(parts_.range.BlockStart(index) + granule * 8);
      object->set_header(object->header() & ~(Object::kReachedBit | Object::kPinnedBit));
      if (!unmeant) continue;
      parts_.remembered.Retain(object);
      const TypeInfo& type = type_table[object->type()];
      if (type.off_heap_bytes == nullptr) continue;
      const size_t bytes = type.off_heap_bytes(object);
      counts_.off_heap_young_bytes -= bytes;
      counts_.off_heap_promoted_bytes += bytes;
    }
  }
}

void Evacuator::FinishStationary(uint64_t now, std::vector<Object*>& stationary_young) {
  size_t kept = 0;
  for (Object* object : stationary_young) {
    const uint64_t header = object->header();
    if (!(header & Object::kReachedBit)) {
      if (parts_.range.BlockOf(object).kind == BlockKind::kLarge) {
        parts_.large_space.Free(object, now);
      } else {
        parts_.old_space.FreeCell(object);
      }
      continue;
    }
    object->set_header(header & ~Object::kReachedBit);
    if (header & Object::kStationaryYoungBit) stationary_young[kept++] = object;
  }
  stationary_young.resize(kept);
}

}  // namespace neap::gc
