// SPDX-License-Identifier: MIT
//
// The verifier reads the heap twice.
//
// First block by block, as the parts keep their books:
//
//   block table     space byte fits the kind; no block is in the collection set
//   bitmaps         nursery and free blocks have no bits; bits of a cell block stand at multiples
//                   of the cell size; swept blocks have no marks; marks only where objects start
//   cells           type known, size fits the cell; what is marked dead is not looked at
//   large objects   run, header, index, start bit and cards agree
//   sums            blocks by kind, unswept blocks, bytes of old objects against the counters
//   side tables     finalizer entries and identity numbers lead to objects that exist, each in the
//                   list of its age; off-heap gauges agree with what the owners say
//
// Then object by object, from the roots, with a trace of its own:
//
//   references      lead to the start of a live object, in a live block, not forwarded
//   headers         no bit of a minor is left; young objects are logged
//   remembered set  each edge from old to young has its holder in a buffer or the retained set, and
//                   for a large array its card set; each logged old object is really there
//   weak slots      empty or at an object that still exists, reached or not
//   overlap         no two live objects share a byte
//
// A finding names the invariant of collector.cc that is broken, or the rule above.
#include "verifier.h"

#include <algorithm>

#include "verifier_state.h"

namespace neap::gc {

// --- Sizes and ages, computed from the descriptors alone -----------------------------------------

size_t Verifier::SizeOf(const Object* object) const {
  const TypeDescriptor& type = *TypeOf(object);
  size_t bytes = type.base_bytes;
  if (type.element_shift != TypeDescriptor::kFixedSize) {
    bytes += static_cast<size_t>(object->body<uint64_t>()[0]) << type.element_shift;
  }
  return std::max((bytes + 7) / 8 * 8, kMinObjectBytes);
}

bool Verifier::IsYoung(const Object* object) const {
  const BlockKind kind = range_.BlockOf(object).kind;
  if (kind == BlockKind::kNursery) return true;
  const bool may_be = kind == BlockKind::kStationary || kind == BlockKind::kLarge;
  return may_be && (object->header() & Object::kStationaryYoungBit) != 0;
}

// True when the last mark found it dead and its block is not swept yet.
bool Verifier::IsDeadUnswept(Object* object) {
  const Block& block = range_.BlockOf(object);
  const bool unswept =
      block.kind == BlockKind::kLarge ? LargeHeader::Of(object)->unswept : block.unswept;
  return unswept && !range_.IsMarked(object);
}

// --- The remembered set --------------------------------------------------------------------------

void Verifier::GatherRemembered() {
  if (!collector_.remembered().entries().empty()) Fail("N2", "entries are left outside a minor");
  for (int id = 0; id < collector_.scheduler().created(); ++id) {
    for (Object* object : collector_.local(id).log) CheckRemembered(object);
  }
  for (Object* object : collector_.remembered().retained()) CheckRemembered(object);
}

void Verifier::CheckRemembered(Object* object) {
  const auto fail = [&](const char* what) {
    Fail("N2", absl::StrCat("remembered object ", At(object), " ", what));
  };
  if (!ok()) return;
  if (!range_.Contains(ToWord(object)) || !range_.IsStart(object)) return fail("does not exist");
  if (IsDeadUnswept(object)) return fail("is dead");
  if (IsYoung(object)) return fail("is young");
  if (object->log_state() == LogState::kUnlogged) return fail("is not logged");
  remembered_.insert(object);
}

// --- The graph -----------------------------------------------------------------------------------

bool Verifier::CheckReference(const Word* slot, Word word) {
  Object* target = ToObject(word);
  const auto fail = [&](const char* invariant, const std::string& what) {
    Fail(invariant, absl::StrCat("slot ", At(slot), " of object ", At(holder_), " refers to ",
                                 At(target), ", ", what));
    return false;
  };
  if (!ok()) return false;
  if (word % kObjectAlignment != 0) return fail("N3", "which is not aligned");
  if (range_.BlockIndex(target) >= range_.block_limit()) return fail("N3", "beyond the last chunk");
  const SpaceByte space = range_.SpaceOf(word);
  if (space == kSpaceNone) return fail("N3", "in a block that is free");
  if ((space & (kSpaceFrom | kSpaceStay)) != 0) return fail("N6", "in from-space");
  if ((target->header() & Object::kForwardedBit) != 0) return fail("N1", "which is forwarded");
  if (TypeOf(target) == nullptr) return fail("N3", "which is no object");
  return IsVisited(target) || CheckTarget(target);
}

bool Verifier::CheckTarget(Object* object) {
  const auto fail = [&](const char* invariant, const char* what) {
    Fail(invariant, absl::StrCat("object ", At(object), ", header ", absl::Hex(object->header()),
                                 ", held by ", At(holder_), ": ", what));
    return false;
  };
  const BlockKind kind = range_.BlockOf(object).kind;
  const uint64_t header = object->header();
  if ((header & (Object::kReachedBit | Object::kPinnedBit)) != 0) {
    return fail("N5", "a bit of a minor is left");
  }
  if (range_.IsStart(object) == (kind == BlockKind::kNursery)) return fail("N8", "wrong start bit");
  if (IsDeadUnswept(object)) return fail("N3", "will be swept");
  if (IsYoung(object) && object->log_state() != LogState::kLogged) {
    return fail("N2", "young and not logged");
  }
  const bool stays = kind == BlockKind::kStationary || kind == BlockKind::kLarge;
  if ((header & Object::kStationaryYoungBit) != 0 && !stays) {
    return fail("N8", "stationary in a space that moves");
  }
  if (stays && IsYoung(object) && !stationary_young_.contains(object)) {
    return fail("stationary", "young, and in no list");
  }
  return CheckPlace(object, SizeOf(object)) || fail("N8", "does not fit its place");
}

bool Verifier::CheckPlace(Object* object, size_t bytes) {
  const Block& block = range_.BlockOf(object);
  if (block.kind == BlockKind::kLarge) return LargeHeader::Of(object)->object_bytes == bytes;
  const auto* start = reinterpret_cast<const char*>(object);
  const size_t offset = static_cast<size_t>(start - range_.BlockStart(range_.BlockIndex(object)));
  if (offset + bytes > kBlockBytes) return false;
  if (block.kind == BlockKind::kNursery || block.kind == BlockKind::kMixed) {
    extents_.emplace_back(start, bytes);
    return true;
  }
  const size_t cell_bytes = kCellBytes[block.size_class];
  return offset % cell_bytes == 0 && bytes <= cell_bytes;
}

void Verifier::NoteEdge(const Word* slot, Word word) {
  if (holder_ == nullptr || IsYoung(holder_) || !IsYoung(ToObject(word))) return;
  holder_has_young_ = true;
  if (holder_->log_state() != LogState::kCarded) return;
  const LargeHeader* large = LargeHeader::Of(holder_);
  const auto offset = reinterpret_cast<const char*>(slot) - reinterpret_cast<const char*>(holder_);
  if (large->cards[static_cast<size_t>(offset) / kCardBytes] == 0) {
    Fail("N2", absl::StrCat("old array ", At(holder_), " holds young ", At(ToObject(word)),
                            " in slot ", At(slot), " of a clean card"));
  }
}

void Verifier::CheckLogState(Object* holder) {
  if (IsYoung(holder) || collector_.nursery_off()) return;
  const LogState state = holder->log_state();
  const bool known = remembered_.contains(holder);
  if (state == LogState::kCarded) {
    const bool flagged = LargeHeader::Of(holder)->logged;
    if ((holder_has_young_ && !known) || flagged != known) {
      Fail("N2", absl::StrCat("carded object ", At(holder), " is ", known ? "" : "not ",
                              "remembered, its flag says ", flagged ? "yes" : "no"));
    }
    return;
  }
  if (holder_has_young_ && (state != LogState::kLogged || !known)) {
    return Fail("N2", absl::StrCat("old object ", At(holder), " (", TypeOf(holder)->name,
                                   ") holds a young one and is ", known ? "" : "not ",
                                   "remembered, log state ", static_cast<int>(state)));
  }
  // An object without slots needs no barrier and keeps the state that it was born with.
  if (state == LogState::kLogged && !known && TypeOf(holder)->layout != Layout::kNone) {
    Fail("N2", absl::StrCat("old object ", At(holder), " (", TypeOf(holder)->name,
                            ") is logged and in no buffer: its next store would be lost"));
  }
}

void Verifier::Push(Word word) {
  Object* object = ToObject(word);
  if (IsVisited(object)) return;
  const size_t offset = Offset(object);
  visited_[offset >> 9] |= uint64_t{1} << ((offset >> 3) & 63);
  work_.push_back(object);
  progress_ = true;
}

void Verifier::VisitSlots(Word* first, size_t count) {
  if (pass_ != Pass::kTrace) return;
  for (size_t i = 0; i < count; ++i) {
    const Word word = LoadSlot(first + i);
    if (!range_.Contains(word) || !CheckReference(first + i, word)) continue;
    NoteEdge(first + i, word);
    Push(word);
  }
}

void Verifier::VisitWeak(Word* slot, Word, Weakness weakness) {
  if (pass_ != Pass::kTrace) return;
  const Word word = LoadSlot(slot);
  if (!range_.Contains(word) || !CheckReference(slot, word)) return;
  NoteEdge(slot, word);
  if (weakness != Weakness::kEvenValues && TypeOf(ToObject(word))->is_value) Push(word);
}

void Verifier::VisitEphemeron(Word* key, Word* value, Word) {
  const Word k = LoadSlot(key);
  const Word v = LoadSlot(value);
  const bool key_is_object = range_.Contains(k);
  const bool value_is_object = range_.Contains(v);
  if (pass_ == Pass::kTrace) {
    if (ephemerons_.empty() || ephemerons_.back() != holder_) ephemerons_.push_back(holder_);
    if (key_is_object && CheckReference(key, k)) NoteEdge(key, k);
    if (value_is_object && CheckReference(value, v)) NoteEdge(value, v);
  }
  if (!ok()) return;
  const bool strong = !key_is_object || TypeOf(ToObject(k))->is_value;
  if (strong && key_is_object) Push(k);
  if ((strong || IsVisited(ToObject(k))) && value_is_object) Push(v);
}

void Verifier::TraceSlots(Object* object, const TypeDescriptor& type) {
  char* start = reinterpret_cast<char*>(object);
  switch (type.layout) {
    case Layout::kNone:
      return;
    case Layout::kSlots:
      return VisitSlots(reinterpret_cast<Word*>(start + type.first_slot_bytes),
                        (SizeOf(object) - type.first_slot_bytes) / sizeof(Word));
    case Layout::kBitmap:
      for (int i = 0; i < 64; ++i) {
        if ((type.slot_bitmap >> i & 1) != 0) VisitSlots(object->body<Word>() + i, 1);
      }
      return;
    case Layout::kCustom:
      return type.trace(object, *this);
  }
}

void Verifier::TraceObject(Object* object) {
  if (visit_ != nullptr) (*visit_)(object);
  if (range_.BlockOf(object).kind == BlockKind::kNursery) CountOffHeap(object);
  holder_ = object;
  holder_has_young_ = false;
  TraceSlots(object, *TypeOf(object));
  if (ok()) CheckLogState(object);
  holder_ = nullptr;
}

void Verifier::Drain() {
  while (!work_.empty() && ok()) {
    Object* object = work_.back();
    work_.pop_back();
    TraceObject(object);
  }
}

bool Verifier::RunEphemerons() {
  progress_ = false;
  pass_ = Pass::kEphemerons;
  for (Object* table : ephemerons_) TraceSlots(table, *TypeOf(table));
  pass_ = Pass::kTrace;
  return progress_;
}

void Verifier::TraceFromRoots() {
  (void)collector_.roots().Visit(*this, RootSet::Which::kAll);
  collector_.roots().VisitPins([&](Object* object) {
    Word word = ToWord(object);
    VisitSlots(&word, 1);
  });
  collector_.finalizers().VisitPending(*this);
  do {
    Drain();
  } while (ok() && RunEphemerons());
  // Weak handles hold nothing, but what they lead to must exist.
  collector_.roots().weaks().ForEachSegment([&](Word* slots, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (range_.Contains(slots[i])) (void)CheckReference(slots + i, slots[i]);
    }
  });
}

// An object that was reached through a weak slot and then strongly is noted twice.
void Verifier::CheckOverlaps() {
  std::sort(extents_.begin(), extents_.end());
  extents_.erase(std::unique(extents_.begin(), extents_.end()), extents_.end());
  for (size_t i = 1; i < extents_.size() && ok(); ++i) {
    if (extents_[i - 1].first + extents_[i - 1].second > extents_[i].first) {
      Fail("overlap", absl::StrCat("objects ", At(extents_[i - 1].first), " and ",
                                   At(extents_[i].first), " share bytes"));
    }
  }
}

absl::Status Verifier::Verify() {
  CheckBlocks();
  CheckPool();
  CheckNurseryLists();
  if (ok()) CheckLargeObjects();
  if (ok()) CheckStationaryYoung();
  if (ok()) CheckOldBytes();
  if (ok()) GatherRemembered();
  if (ok()) CheckFinalizers();
  if (ok()) CheckIdentities();
  if (ok()) CheckWeakTables();
  if (ok()) TraceFromRoots();
  if (ok()) CheckOverlaps();
  if (ok()) CheckOffHeap();
  return status_;
}

void Verifier::Walk(const std::function<void(Object*)>& visit) {
  visit_ = &visit;
  CheckStationaryYoung();
  GatherRemembered();
  TraceFromRoots();
}

absl::Status VerifyWhileStopped(Collector& collector) { return Verifier(collector).Verify(); }

void WalkReachableWhileStopped(Collector& collector, const std::function<void(Object*)>& visit) {
  Verifier(collector).Walk(visit);
}

}  // namespace neap::gc
