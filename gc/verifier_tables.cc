// SPDX-License-Identifier: MIT
//
// The verifier's reading of the side tables: finalizer entries (N12), identity numbers (N13), the
// gauges of off-heap bytes (N14) and weak tables (N15), as verifier.cc says.
#include "verifier_state.h"

namespace neap::gc {

// --- Objects that a table names ------------------------------------------------------------------

// Why no object exists at `word`; null when one does. Reachability is not asked: a table may name
// an object that the next collection will find dead.
const char* Verifier::WhyNoObject(Word word) {
  const Object* target = ToObject(word);
  if (!range_.Contains(word)) return "is outside of the heap";
  if (word % kObjectAlignment != 0) return "is not aligned";
  const size_t index = range_.BlockIndex(target);
  if (index >= range_.block_limit()) return "lies beyond the last chunk";
  const SpaceByte space = range_.space(index);
  if (space == kSpaceNone) return "lies in a free block";
  if ((space & (kSpaceFrom | kSpaceStay)) != 0) return "lies in from-space";
  if (range_.block(index).kind != BlockKind::kNursery && !range_.IsStart(target)) {
    return "has no start bit";
  }
  if (IsDeadUnswept(ToObject(word))) return "is dead and will be swept";
  if ((target->header() & Object::kForwardedBit) != 0) return "is forwarded";
  return TypeOf(target) == nullptr ? "is no object" : nullptr;
}

void Verifier::CheckFinalizers() {
  const Finalizers& finalizers = collector_.finalizers();
  const auto check = [&](const char* what, Word word) {
    const char* reason = WhyNoObject(word);
    if (reason == nullptr) return true;
    Fail("N12", absl::StrCat("object ", At(ToObject(word)), " of a ", what, " finalizer ", reason));
    return false;
  };
  for (const auto* list : {&finalizers.young_entries(), &finalizers.old_entries()}) {
    for (const Finalizers::Entry& entry : *list) {
      if (!check("registered", entry.object)) return;
      const Object* object = ToObject(entry.object);
      if (list == &finalizers.old_entries() && IsYoung(object)) {
        return Fail("N12", absl::StrCat("object ", At(object),
                                        " is young, its finalizer is listed with the old ones"));
      }
      if (entry.state->closed) {
        return Fail("N12", absl::StrCat("the finalizer of object ", At(object),
                                        " belongs to a queue that is closed"));
      }
    }
  }
  for (const std::shared_ptr<FinalizerState>& queue : finalizers.queues()) {
    for (const Word word : queue->pending) {
      if (!check("pending", word)) return;
    }
    const size_t counted = queue->pending_count.load(std::memory_order_relaxed);
    if (queue->pending.size() != counted) {
      return Fail("N12",
                  absl::StrCat(queue->pending.size(), " objects pending, counter says ", counted));
    }
  }
}

void Verifier::CheckIdentities() {
  const IdentityTable& table = collector_.identities();
  absl::flat_hash_set<Word> young;
  for (const Word word : table.young()) {
    const auto fail = [&](const char* what) {
      Fail("N13", absl::StrCat("object ", At(ToObject(word)), " ", what));
    };
    if (!young.insert(word).second) return fail("is listed twice as young");
    if (!table.numbers().contains(word)) return fail("is listed as young and has no number");
  }
  for (const auto& [word, number] : table.numbers()) {
    const char* reason = WhyNoObject(word);
    if (reason == nullptr && IsYoung(ToObject(word)) && !young.contains(word)) {
      reason = "is young and not listed as such";
    }
    if (reason == nullptr) continue;
    return Fail("N13",
                absl::StrCat("object ", At(ToObject(word)), " with number ", number, " ", reason));
  }
}

void Verifier::CheckWeakTables() {
  for (WeakTable* table : collector_.roots().weak_tables()) {
    table->ForEach([&](Word word, bool listed_young) {
      const char* reason = WhyNoObject(word);
      if (reason == nullptr && !listed_young && IsYoung(ToObject(word))) {
        reason = "is young and not listed as such";
      }
      if (reason == nullptr || !ok()) return;
      Fail("N15", absl::StrCat("object ", At(ToObject(word)), " of a weak table ", reason));
    });
  }
}

// --- Off-heap bytes ------------------------------------------------------------------------------

void Verifier::CountOffHeap(const Object* object) {
  const TypeDescriptor& type = *TypeOf(object);
  if (type.off_heap_bytes == nullptr) return;
  (IsYoung(object) ? young_off_heap_bytes_ : old_off_heap_bytes_) +=
      static_cast<int64_t>(type.off_heap_bytes(object));
}

// An owner that moves may lie dead in the nursery, where nobody finds it, or have become old for
// lack of room. Both leave more in the young gauge and less in the old one than is seen here.
void Verifier::CheckOffHeap() {
  const int64_t young = collector_.young_off_heap_bytes();
  const int64_t old = collector_.old_off_heap_bytes();
  const bool owners_move = OwnersMayMove();
  const bool young_fits =
      owners_move ? young >= young_off_heap_bytes_ : young == young_off_heap_bytes_;
  const bool old_fits = owners_move ? old <= old_off_heap_bytes_ : old == old_off_heap_bytes_;
  if (!young_fits) {
    return Fail("N14", absl::StrCat("young objects own ", young_off_heap_bytes_,
                                    " bytes off the heap, the gauge says ", young));
  }
  if (!old_fits) {
    Fail("N14", absl::StrCat("old objects own ", old_off_heap_bytes_,
                             " bytes off the heap, the gauge says ", old));
  }
}

}  // namespace neap::gc
