// SPDX-License-Identifier: MIT
//
// The verifier reads the heap twice.
//
// First block by block, as the parts keep their books:
//
//   block table     space byte fits the kind; no block is in the collection set
//   bitmaps         nursery and free blocks have no bits; bits of a cell block stand at multiples of
//                   the cell size; swept blocks have no marks; marks only where objects start
//   cells           type known, size fits the cell; what is marked dead is not looked at
//   large objects   run, header, index, start bit and cards agree
//   sums            blocks by kind, unswept blocks, bytes of old objects against the counters
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
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "collector.h"
#include "neap/gc/type.h"

namespace neap::gc {
namespace {

std::string At(const void* address) { return absl::StrFormat("%p", address); }

class Verifier final : public Tracer {
 public:
  explicit Verifier(Collector& collector)
      : collector_(collector),
        range_(collector.range()),
        visited_(range_.block_limit() * kBitmapWordsPerBlock) {
    types_.push_back(nullptr);
    for (int id = 1; id <= RegisteredTypes(); ++id) {
      types_.push_back(&GetType(static_cast<TypeId>(id)));
    }
  }

  absl::Status Verify();
  void Walk(const std::function<void(Object*)>& visit);

  void VisitSlots(Word* first, size_t count) override;
  void VisitWeak(Word* slot, Word cleared, Weakness weakness) override;
  void VisitEphemeron(Word* key, Word* value, Word cleared) override;

 private:
  // The books.
  void CheckBlocks();
  void CheckBits(size_t index);
  void CheckCells(size_t index);
  void CheckCell(size_t index, Object* object);
  void CheckPool();
  void CheckNurseryLists();
  void CheckLargeObjects();
  void CheckStationaryYoung();
  void CheckOldBytes();
  void GatherRemembered();
  void CheckRemembered(Object* object);

  // The graph.
  void TraceFromRoots();
  void Drain();
  void TraceObject(Object* object);
  void TraceSlots(Object* object, const TypeDescriptor& type);
  bool RunEphemerons();
  bool CheckReference(const Word* slot, Word word);
  bool CheckTarget(Object* object);
  bool CheckPlace(Object* object, size_t bytes);
  void CheckLogState(Object* holder);
  void NoteEdge(const Word* slot, Word word);
  void CheckOverlaps();
  void Push(Word word);

  bool IsVisited(const void* p) const { return HeapRange::TestBit(visited_.data(), Offset(p)); }
  bool IsYoung(const Object* object) const;
  size_t Offset(const void* p) const { return range_.OffsetOf(reinterpret_cast<Word>(p)); }
  size_t SizeOf(const Object* object) const;
  bool IsDeadUnswept(Object* object);
  const TypeDescriptor* TypeOf(const Object* object) const {
    const TypeId id = object->type();
    return id == 0 || id >= types_.size() ? nullptr : types_[id];
  }
  void Fail(const std::string& rule, const std::string& details) {
    if (status_.ok()) status_ = absl::InternalError(absl::StrCat(rule, ": ", details));
  }
  bool ok() const { return status_.ok(); }

  enum class Pass : uint8_t { kTrace, kEphemerons };

  Collector& collector_;
  HeapRange& range_;
  std::vector<const TypeDescriptor*> types_;
  std::vector<uint64_t> visited_;  // one bit per 8 bytes, as the heap's own bitmaps
  std::vector<Object*> work_;
  std::vector<Object*> ephemerons_;
  std::vector<std::pair<const char*, size_t>>
      extents_;  // of objects whose place is free (no cells)
  absl::flat_hash_set<const Object*> remembered_;
  absl::flat_hash_set<const Object*> stationary_young_;
  const std::function<void(Object*)>* visit_ = nullptr;
  Object* holder_ = nullptr;  // whose slots are visited; null for roots
  bool holder_has_young_ = false;
  Pass pass_ = Pass::kTrace;
  bool progress_ = false;
  uint64_t old_bytes_ = 0;  // of objects in old and large space that are not known dead
  absl::Status status_;
};

// --- Sizes and ages, computed from the descriptors alone
// --------------------------------------------

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

// --- The books
// ----------------------------------------------------------------------------------------

void Verifier::CheckBlocks() {
  size_t kinds[6] = {};
  size_t unswept = 0;
  for (size_t i = 0; i < range_.block_limit() && ok(); ++i) {
    const Block& block = range_.block(i);
    ++kinds[static_cast<size_t>(block.kind)];
    unswept += block.unswept ? 1 : 0;
    CheckBits(i);
    if (block.kind == BlockKind::kCells || block.kind == BlockKind::kStationary ||
        block.kind == BlockKind::kMixed) {
      CheckCells(i);
    }
  }
  const auto count = [&](BlockKind kind) { return kinds[static_cast<size_t>(kind)]; };
  const size_t used = count(BlockKind::kNursery) + count(BlockKind::kCells) +
                      count(BlockKind::kStationary) + count(BlockKind::kMixed);
  if (used != range_.used_blocks()) {
    Fail("H3", absl::StrCat(used, " blocks in use, counter says ", range_.used_blocks()));
  }
  if (count(BlockKind::kMixed) != collector_.old_space().mixed_blocks()) {
    Fail("sums", absl::StrCat(count(BlockKind::kMixed), " mixed blocks, counter says ",
                              collector_.old_space().mixed_blocks()));
  }
  if (unswept != collector_.old_space().unswept_blocks()) {
    Fail("sums", absl::StrCat(unswept, " unswept blocks, counter says ",
                              collector_.old_space().unswept_blocks()));
  }
}

void Verifier::CheckBits(size_t index) {
  const Block& block = range_.block(index);
  constexpr SpaceByte kSpaces[] = {kSpaceNone, kSpaceYoung, kSpaceOld,
                                   kSpaceLook, kSpaceOld,   kSpaceLook};
  const SpaceByte space = range_.space(index);
  // A retired nursery block in quarantine (debug switch rotate) has left every space.
  const bool quarantined = block.kind == BlockKind::kNursery && space == kSpaceNone;
  if (space != kSpaces[static_cast<size_t>(block.kind)] && !quarantined) {
    return Fail("H1", absl::StrCat("block ", index, " of kind ", static_cast<int>(block.kind),
                                   " has space byte ", static_cast<int>(space)));
  }
  const bool may_start = block.kind != BlockKind::kFree && block.kind != BlockKind::kNursery;
  const uint64_t* starts = range_.StartWords(index);
  const uint64_t* marks = range_.MarkWords(index);
  for (size_t w = 0; w < kBitmapWordsPerBlock; ++w) {
    if (starts[w] != 0 && !may_start) {
      return Fail(block.kind == BlockKind::kFree ? "H2" : "N8",
                  absl::StrCat("start bits in block ", index, ", word ", w));
    }
    if (marks[w] != 0 && block.kind != BlockKind::kLarge && !block.unswept) {
      return Fail("N9", absl::StrCat("mark bits in block ", index, " of kind ",
                                     static_cast<int>(block.kind), ", word ", w));
    }
    if ((marks[w] & ~starts[w]) != 0) {
      return Fail("N9", absl::StrCat("a mark without an object in block ", index, ", word ", w));
    }
  }
}

void Verifier::CheckCells(size_t index) {
  const uint64_t* starts = range_.StartWords(index);
  const char* previous_end = range_.BlockStart(index);
  const bool mixed = range_.block(index).kind == BlockKind::kMixed;
  for (size_t granule = 0; granule < kBlockBytes / 8 && ok(); ++granule) {
    if ((starts[granule / 64] >> (granule % 64) & 1) == 0) continue;
    auto* object = reinterpret_cast<Object*>(range_.BlockStart(index) + granule * 8);
    if (IsDeadUnswept(object)) continue;
    CheckCell(index, object);
    if (!ok()) return;
    if (mixed && reinterpret_cast<const char*>(object) < previous_end) {
      Fail("O1", absl::StrCat("objects overlap in mixed block ", index, " at ", At(object)));
    }
    previous_end = reinterpret_cast<const char*>(object) + SizeOf(object);
    if (!IsYoung(object)) old_bytes_ += SizeOf(object);
  }
}

void Verifier::CheckCell(size_t index, Object* object) {
  const Block& block = range_.block(index);
  if (TypeOf(object) == nullptr) {
    return Fail(
        "O1", absl::StrCat("no object at ", At(object), ", header ", absl::Hex(object->header())));
  }
  const size_t bytes = SizeOf(object);
  const auto offset =
      static_cast<size_t>(reinterpret_cast<char*>(object) - range_.BlockStart(index));
  if (offset + bytes > kBlockBytes) {
    return Fail("O1", absl::StrCat("object ", At(object), " leaves its block"));
  }
  if (block.kind == BlockKind::kMixed) return;
  const size_t cell_bytes = kCellBytes[block.size_class];
  if (offset % cell_bytes != 0 || bytes > cell_bytes) {
    Fail("O1", absl::StrCat("object ", At(object), " of ", bytes, " bytes does not fit a cell of ",
                            cell_bytes));
  }
}

void Verifier::CheckPool() {
  const size_t known = range_.used_blocks() + range_.warm_blocks() + range_.cold_blocks();
  const size_t committed = range_.committed_block_chunks() * kBlocksPerChunk;
  if (known != committed) {
    Fail("H3", absl::StrCat(known, " blocks used or free, ", committed, " committed"));
  }
}

void Verifier::CheckNurseryLists() {
  const Nursery& nursery = collector_.nursery();
  if (!nursery.from().empty()) Fail("N6", "from-space is not empty outside a minor");
  std::vector<uint32_t> blocks = nursery.eden();
  blocks.insert(blocks.end(), nursery.survivors().begin(), nursery.survivors().end());
  std::sort(blocks.begin(), blocks.end());
  if (std::adjacent_find(blocks.begin(), blocks.end()) != blocks.end()) {
    Fail("N6", "a nursery block stands in two lists");
  }
  for (const uint32_t index : blocks) {
    if (range_.block(index).kind == BlockKind::kNursery && range_.space(index) == kSpaceYoung)
      continue;
    Fail("N6", absl::StrCat("block ", index, " of the nursery is no nursery block"));
  }
  size_t in_table = 0;
  for (size_t i = 0; i < range_.block_limit(); ++i) {
    in_table += range_.block(i).kind == BlockKind::kNursery ? 1 : 0;
  }
  if (in_table != blocks.size() + nursery.quarantined_blocks()) {
    Fail("N6", absl::StrCat(in_table, " nursery blocks, ", blocks.size(), " listed and ",
                            nursery.quarantined_blocks(), " in quarantine"));
  }
}

void Verifier::CheckLargeObjects() {
  const std::vector<LargeHeader*>& objects = collector_.large_space().objects();
  for (size_t i = 0; i < objects.size() && ok(); ++i) {
    LargeHeader* header = objects[i];
    Object* object = header->object();
    if (header->index != i || !range_.IsStart(object)) {
      return Fail("large", absl::StrCat("object ", At(object), " is not where its header says"));
    }
    if (range_.IsMarked(object) && !header->unswept) {
      return Fail("N9", absl::StrCat("large object ", At(object), " is swept and marked"));
    }
    if (IsDeadUnswept(object)) continue;
    if (TypeOf(object) == nullptr || SizeOf(object) != header->object_bytes) {
      return Fail("large",
                  absl::StrCat("object ", At(object), " has not ", header->object_bytes, " bytes"));
    }
    if (sizeof(LargeHeader) + header->object_bytes + header->card_count >
        header->pages * kLargePageBytes) {
      return Fail("large", absl::StrCat("object ", At(object), " does not fit its run"));
    }
    if (!IsYoung(object)) old_bytes_ += header->object_bytes;
  }
}

void Verifier::CheckStationaryYoung() {
  const auto add = [&](const std::vector<Object*>& list) {
    for (Object* object : list) {
      if (!stationary_young_.insert(object).second) {
        Fail("stationary", absl::StrCat("object ", At(object), " is listed twice"));
      }
      if (!range_.IsStart(object) || !IsYoung(object)) {
        Fail("stationary", absl::StrCat("object ", At(object), " is listed and not young"));
      }
    }
  };
  add(collector_.stationary_young());
  for (int id = 0; id < collector_.scheduler().created(); ++id) {
    add(collector_.local(id).stationary_young);
  }
}

void Verifier::CheckOldBytes() {
  uint64_t counted = collector_.OldBytes();
  for (int id = 0; id < collector_.scheduler().created(); ++id) {
    counted += collector_.local(id).unreported_old_bytes;
  }
  if (counted != old_bytes_) {
    Fail("sums", absl::StrCat(old_bytes_, " bytes of old objects, counters say ", counted));
  }
}

// --- The remembered set
// -------------------------------------------------------------------------------

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

// --- The graph
// ----------------------------------------------------------------------------------------

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

void Verifier::VisitWeak(Word* slot, Word, Weakness) {
  if (pass_ != Pass::kTrace) return;
  const Word word = LoadSlot(slot);
  if (!range_.Contains(word) || !CheckReference(slot, word)) return;
  NoteEdge(slot, word);
  if (TypeOf(ToObject(word))->is_value) Push(word);
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
  if (ok()) TraceFromRoots();
  if (ok()) CheckOverlaps();
  return status_;
}

void Verifier::Walk(const std::function<void(Object*)>& visit) {
  visit_ = &visit;
  CheckStationaryYoung();
  GatherRemembered();
  TraceFromRoots();
}

}  // namespace

absl::Status VerifyWhileStopped(Collector& collector) { return Verifier(collector).Verify(); }

void WalkReachableWhileStopped(Collector& collector, const std::function<void(Object*)>& visit) {
  Verifier(collector).Walk(visit);
}

}  // namespace neap::gc
