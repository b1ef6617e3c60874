// SPDX-License-Identifier: MIT
#include "marker.h"

#include <algorithm>
#include <bit>

#include "neap/runtime/check.h"

namespace neap::gc {

template <typename Visit>
void Marker::ForEachMarked(size_t block, Visit visit) const {
  const uint64_t* marks = range_.MarkWords(block);
  for (size_t w = 0; w < kBitmapWordsPerBlock; ++w) {
    for (uint64_t bits = marks[w]; bits != 0; bits &= bits - 1) {
      const size_t granule = w * 64 + static_cast<size_t>(std::countr_zero(bits));
      visit(reinterpret_cast<Object*>(range_.BlockStart(block) + granule * 8));
    }
  }
}

void Marker::Begin() {
  counts_ = MarkCounts{};
  weak_holders_.clear();
  mode_ = Mode::kMark;
  overflowed_ = false;
  NEAP_DCHECK(stack_.empty(), "K1: a cycle starts with an empty work list");
}

void Marker::VisitSlots(Word* first, size_t count) {
  if (mode_ == Mode::kRescan) RescanSlots(first, count);
  if (mode_ != Mode::kMark) return;
  for (size_t i = 0; i < count; ++i) {
    const Word word = first[i];
    if (range_.Contains(word)) PushEdge(word);
  }
}

void Marker::MarkRoots() {
  counts_.root_bytes = roots_.Visit(*this, RootSet::Which::kAll);
  counts_.root_bytes = std::max<uint64_t>(counts_.root_bytes, stack_.size() * sizeof(Word));
  roots_.VisitPins([&](Object* object) { PushEdge(ToWord(object)); });
  finalizers_.VisitPending(*this);
}

void Marker::MarkReachable() {
  Drain();
  RunEphemerons();
}

void Marker::Drain() {
  DrainOnce();
  while (overflowed_) {
    RescanMarked();
    DrainOnce();
  }
}

// Until stack and ring are empty. What the loop uses is kept in locals: a store to the stack might
// change any member, for all the compiler knows. Each turn an edge enters the ring and the one that
// entered kRing turns ago leaves it; 0 stands for none.
void Marker::DrainOnce() {
  const Word base = reinterpret_cast<Word>(range_.base());
  const size_t range_bytes = range_.bytes();
  uint64_t* const marks = range_.MarkWords(0);
  Word ring[kRing] = {};
  size_t head = 0, in_ring = 0;
  uint64_t objects = 0, marked_bytes = 0;
  Word* const floor = stack_.floor();
  Word* top = stack_.top();
  for (;;) {
    Word next = 0;
    if (top != floor) {
      next = *--top;
      __builtin_prefetch(ToObject(next));
      __builtin_prefetch(&marks[(next - base) >> 9], 1);
      ++in_ring;
    }
    const Word word = ring[head];
    ring[head] = next;
    head = (head + 1) % kRing;
    if (word == 0) {
      if (in_ring == 0) break;
      continue;
    }
    --in_ring;
    if (!HeapRange::TestAndSet<false>(marks, word - base)) continue;
    Object* object = ToObject(word);
    const TypeInfo& type = type_table[object->type()];
    const size_t bytes = ObjectBytesOf(object, type);
    ++objects;
    marked_bytes += bytes;
    size_t count = type.run_slots, room = count;
    switch (type.scan) {
      case Scan::kNothing:
        continue;
      case Scan::kRun:
        break;
      case Scan::kSlots:
        room = count = (bytes - type.first_slot_bytes) / sizeof(Word);
        break;
      case Scan::kBitmap:
        room = 64;
        break;
      case Scan::kSlow:
        room = SIZE_MAX;
        break;
    }
    if (static_cast<size_t>(stack_.ready() - top) < room) [[unlikely]] {
      stack_.set_top(top);
      ScanSlow(object, type);
      top = stack_.top();
      continue;
    }
    if (type.scan == Scan::kBitmap) {
      for (uint64_t bits = type.slot_bitmap; bits != 0; bits &= bits - 1) {
        const Word slot = object->body<Word>()[std::countr_zero(bits)];
        *top = slot;
        top += slot - base < range_bytes;
      }
      continue;
    }
    const auto* slots =
        reinterpret_cast<const Word*>(reinterpret_cast<char*>(object) + type.first_slot_bytes);
    for (size_t i = 0; i < count; ++i) {
      const Word slot = slots[i];
      *top = slot;  // without a branch: half of them would be mispredicted
      top += slot - base < range_bytes;
    }
  }
  stack_.set_top(top);
  counts_.marked_objects += objects;
  counts_.marked_bytes += marked_bytes;
}

void Marker::MarkTarget(Word word) {
  Object* object = ToObject(word);
  if (!range_.TestAndMark(object)) return;
  const TypeInfo& type = type_table[object->type()];
  ++counts_.marked_objects;
  counts_.marked_bytes += ObjectBytesOf(object, type);
  ScanSlow(object, type);
}

void Marker::ScanSlow(Object* object, const TypeInfo& type) {
  if (type.off_heap_bytes != nullptr) counts_.off_heap_bytes += type.off_heap_bytes(object);
  Scan(object, type);
}

void Marker::Scan(Object* object, const TypeInfo& type) {
  weak_ = false;
  ScanSlots(object, type, *this);
  if (weak_ && mode_ <= Mode::kRescan) weak_holders_.push_back(object);
}

// --- Overflow ------------------------------------------------------------------------------------

// Some edges were dropped: every marked object is scanned again, block by block, so that each
// dropped edge is met again. A rescan follows each edge before it looks at the next, so it drops
// edges only of objects that it marks itself: one round per level of such objects, not one per
// stackful.
void Marker::RescanMarked() {
  overflowed_ = false;
  ++counts_.overflows;
  weak_holders_.clear();  // the rescan notes them again
  mode_ = Mode::kRescan;
  const size_t blocks = range_.block_limit();
  for (size_t i = 0; i < blocks; ++i) {
    if (range_.space(i) != kSpaceNone) RescanBlock(i);
  }
  mode_ = Mode::kMark;
}

void Marker::RescanBlock(size_t block) {
  ForEachMarked(block, [this](Object* object) { Scan(object, type_table[object->type()]); });
}

void Marker::RescanSlots(const Word* first, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Word word = first[i];
    if (IsLive(word)) continue;
    mode_ = Mode::kMark;
    MarkTarget(word);
    while (!stack_.empty()) MarkTarget(stack_.Pop());
    mode_ = Mode::kRescan;
  }
}

// --- Weak ----------------------------------------------------------------------------------------

void Marker::VisitWeak(Word* slot, Word cleared, Weakness weakness) {
  switch (mode_) {
    case Mode::kMark:
    case Mode::kRescan:
      weak_ = true;
      if (weakness == Weakness::kEvenValues || !range_.Contains(*slot)) return;
      if (type_table[ToObject(*slot)->type()].is_value) PushEdge(*slot);
      return;
    case Mode::kEphemerons:
      return;
    case Mode::kClearBefore:
      if (weakness != Weakness::kBeforeFinalizers) return;
      [[fallthrough]];
    case Mode::kSettle:
      if (IsLive(*slot)) return;
      InitSlot(slot, cleared);
      ++counts_.weak_cleared;
      return;
  }
}

void Marker::VisitEphemeron(Word* key, Word* value, Word cleared) {
  switch (mode_) {
    case Mode::kMark:
    case Mode::kRescan:
      weak_ = true;
      [[fallthrough]];
    case Mode::kEphemerons: {
      bool live = IsLive(*key);
      if (!live && type_table[ToObject(*key)->type()].is_value) {
        PushEdge(*key);
        live = true;
      }
      if (!live || IsLive(*value)) return;
      PushEdge(*value);
      progress_ = true;
      return;
    }
    case Mode::kClearBefore:
      return;
    case Mode::kSettle:
      if (IsLive(*key)) return;
      InitSlot(key, cleared);
      InitSlot(value, cleared);
      ++counts_.weak_cleared;
      return;
  }
}

void Marker::Run(Mode mode) {
  mode_ = mode;
  for (size_t i = 0; i < weak_holders_.size(); ++i) {
    Scan(weak_holders_[i], type_table[weak_holders_[i]->type()]);
  }
  mode_ = Mode::kMark;
}

void Marker::RunEphemerons() {
  do {
    progress_ = false;
    Run(Mode::kEphemerons);
    Drain();
  } while (progress_);
}

void Marker::SettleWeak() {
  Run(Mode::kClearBefore);
  roots_.weaks().ForEachSegment([&](Word* slots, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (IsLive(slots[i])) continue;
      slots[i] = 0;
      ++counts_.weak_cleared;
    }
  });
  counts_.finalizers_queued = finalizers_.QueueUnreachable(
      Finalizers::Which::kAll, [&](Word word) { return IsLive(word); },
      [&](Word* slot) { PushEdge(*slot); },
      [&](Word* slot) {
        const SpaceByte space = range_.SpaceOf(*slot);
        if (space & kSpaceLook) {
          return (ToObject(*slot)->header() & Object::kStationaryYoungBit) != 0;
        }
        return (space & kSpaceYoung) != 0;
      });
  if (counts_.finalizers_queued > 0) {
    Drain();
    RunEphemerons();
  }
  Run(Mode::kSettle);
  weak_holders_.clear();
  identities_.Purge([&](Word word) { return IsLive(word); });
  SettleWeakTables();
}

// A young object that is still young may move in the next minor only.
void Marker::SettleWeakTables() {
  class Fates final : public WeakTable::Fates {
   public:
    explicit Fates(Marker& marker) : marker_(marker) {}
    Word After(Word word) override { return marker_.IsLive(word) ? word : 0; }
    bool IsYoung(Word word) override {
      const SpaceByte space = marker_.range_.SpaceOf(word);
      if ((space & kSpaceLook) == 0) return (space & kSpaceYoung) != 0;
      return (ToObject(word)->header() & Object::kStationaryYoungBit) != 0;
    }

   private:
    Marker& marker_;
  };
  Fates fates(*this);
  for (WeakTable* table : roots_.weak_tables()) table->SettleAll(fates);
}

// --- Counting ------------------------------------------------------------------------------------

void Marker::CountYoung(const std::vector<uint32_t>& nursery_blocks,
                        const std::vector<Object*>& stationary_young) {
  const auto count = [this](Object* object) {
    const TypeInfo& type = type_table[object->type()];
    counts_.young_bytes += ObjectBytesOf(object, type);
    if (type.off_heap_bytes != nullptr) {
      counts_.young_off_heap_bytes += type.off_heap_bytes(object);
    }
  };
  for (const uint32_t block : nursery_blocks) ForEachMarked(block, count);
  for (Object* object : stationary_young) {
    if (range_.IsMarked(object)) count(object);
  }
}

}  // namespace neap::gc
