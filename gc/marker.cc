// SPDX-License-Identifier: MIT
#include "marker.h"

#include <algorithm>
#include <bit>

#include "neap/runtime/check.h"

namespace neap::gc {

void Marker::Begin() {
  counts_ = MarkCounts{};
  weak_holders_.clear();
  mode_ = Mode::kMark;
  overflowed_ = false;
  NEAP_DCHECK(stack_.empty() && ring_count_ == 0, "K1: a cycle starts with empty work lists");
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
  for (;;) {
    while (ring_count_ < kRing && !stack_.empty()) {
      const Word word = stack_.Pop();
      __builtin_prefetch(ToObject(word));
      __builtin_prefetch(range_.MarkAddress(word), 1);
      ring_[(ring_head_ + ring_count_++) % kRing] = word;
    }
    if (ring_count_ == 0) {
      if (!overflowed_) return;
      RescanMarked();
      continue;
    }
    const Word word = ring_[ring_head_];
    ring_head_ = (ring_head_ + 1) % kRing;
    --ring_count_;
    MarkTarget(word);
  }
}

void Marker::MarkTarget(Word word) {
  Object* object = ToObject(word);
  if (!range_.TestAndMark(object)) return;
  const TypeInfo& type = type_table[object->type()];
  const size_t bytes = ObjectBytesOf(object, type);
  ++counts_.marked_objects;
  counts_.marked_bytes += bytes;
  const SpaceByte space = range_.SpaceOf(word);
  const bool young = (space & kSpaceYoung) ||
                     ((space & kSpaceLook) && (object->header() & Object::kStationaryYoungBit));
  if (young) counts_.young_bytes += bytes;
  if (type.off_heap_bytes != nullptr) {
    const size_t off_heap = type.off_heap_bytes(object);
    counts_.off_heap_bytes += off_heap;
    if (young) counts_.young_off_heap_bytes += off_heap;
  }
  ScanSlots(object, type);
}

void Marker::ScanSlots(Object* object, const TypeInfo& type) {
  char* start = reinterpret_cast<char*>(object);
  switch (type.layout) {
    case Layout::kNone:
      return;
    case Layout::kSlots: {
      const size_t bytes = ObjectBytesOf(object, type);
      VisitSlots(reinterpret_cast<Word*>(start + type.first_slot_bytes),
                 (bytes - type.first_slot_bytes) / sizeof(Word));
      return;
    }
    case Layout::kBitmap:
      for (uint64_t bits = type.slot_bitmap; bits != 0; bits &= bits - 1) {
        VisitSlots(reinterpret_cast<Word*>(start + kHeaderBytes) + std::countr_zero(bits), 1);
      }
      return;
    case Layout::kCustom:
      weak_ = false;
      type.trace(object, *this);
      if (weak_ && mode_ <= Mode::kRescan) weak_holders_.push_back(object);
      return;
  }
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
  const uint64_t* marks = range_.MarkWords(block);
  for (size_t w = 0; w < kBitmapWordsPerBlock; ++w) {
    for (uint64_t bits = marks[w]; bits != 0; bits &= bits - 1) {
      const size_t granule = w * 64 + static_cast<size_t>(std::countr_zero(bits));
      auto* object = reinterpret_cast<Object*>(range_.BlockStart(block) + granule * 8);
      ScanSlots(object, type_table[object->type()]);
    }
  }
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
      if (range_.Contains(*slot) && type_table[ToObject(*slot)->type()].is_value) PushEdge(*slot);
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
    ScanSlots(weak_holders_[i], type_table[weak_holders_[i]->type()]);
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
}

}  // namespace neap::gc
