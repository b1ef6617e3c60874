// SPDX-License-Identifier: MIT
#include "evacuation_worker.h"

#include <algorithm>

#include "neap/runtime/check.h"

namespace neap::gc {

// --- Following slots -----------------------------------------------------------------------------

// Slots are looked up a batch ahead of being followed, so that the misses on the headers of
// from-space overlap. What points outside from-space (most slots of old arrays) is done with after
// one byte of the space table.
template <bool kParallel>
void EvacuationWorker<kParallel>::CopySlots(Word* first, size_t count) {
  if (count <= kFewSlots) {
    for (size_t i = 0; i < count; ++i) {
      const size_t offset = first[i] - BaseWord();
      if (offset >= bytes_) continue;
      const SpaceByte space = SpaceAt(offset);
      if (space & (kSpaceFrom | kSpaceLook)) {
        FollowSlot(first + i, space);
      } else {
        young_ |= space & kSpaceYoung;
      }
    }
    return;
  }
  Word* found[kBatch];
  size_t i = 0;
  while (i < count) {
    size_t n = 0;
    for (; i < count && n < kBatch; ++i) {
      const size_t offset = first[i] - BaseWord();
      if (offset >= bytes_) continue;
      const SpaceByte space = SpaceAt(offset);
      if (!(space & (kSpaceFrom | kSpaceLook))) {
        young_ |= space & kSpaceYoung;
        continue;
      }
      __builtin_prefetch(ToObject(first[i]));
      found[n++] = first + i;
    }
    for (size_t k = 0; k < n; ++k) FollowSlot(found[k], parts_.range.SpaceOf(*found[k]));
  }
}

// `space` is that of the target: in from-space, or to be looked at.
template <bool kParallel>
inline void EvacuationWorker<kParallel>::FollowSlot(Word* slot, SpaceByte space) {
  const Word word = *slot;
  if (space & kSpaceStay) {
    StayInCohort(ToObject(word));
    return;
  }
  const size_t height = stack_.size();
  copied_ = false;
  const Word now = Evacuate(word, space);
  if (now != word) InitSlot(slot, now);
  if (copied_ && depth_ < kEagerDepth && stack_.size() > height) ScanParts(height);
}

// The objects just copied are scanned before the next slot is followed, so that a table's parts lie
// right behind it and not behind all its siblings. Two levels of recursion are enough for that;
// from there on the stack does the same without recursion.
template <bool kParallel>
void EvacuationWorker<kParallel>::ScanParts(size_t height) {
  if constexpr (kParallel) {
    if (shared_ != nullptr && shared_->SomebodyIdle()) return;
  }
  const uint8_t young = young_;
  const bool weak = weak_;
  const Mode mode = mode_;
  mode_ = Mode::kCopy;  // an ephemeron's value is scanned like any other object
  ++depth_;
  while (stack_.size() > height) ScanWord(stack_.Pop());
  --depth_;
  mode_ = mode;
  young_ = young;
  weak_ = weak;
}

template <bool kParallel>
Word EvacuationWorker<kParallel>::Evacuate(Word word, SpaceByte space) {
  Object* object = ToObject(word);
  if (space & kSpaceLook) return EvacuateStationary(object);
  const uint64_t header = object->header();
  if (header & Object::kForwardedBit) {
    const Word to = header & ~Word{Object::kForwardedBit};
    young_ |= parts_.range.SpaceOf(to) & kSpaceYoung;
    return to;
  }
  if (header & (Object::kPinnedBit | Object::kReachedBit)) return StayInPlace(object, header);
  return Copy(object, header);
}

// An eden object whose block becomes old where it is. Its start bit says that it was reached; its
// header is left alone. Survivors are counted by block (Evacuator::FinishBlock).
template <bool kParallel>
inline void EvacuationWorker<kParallel>::StayInCohort(Object* object) {
  if (!parts_.range.TestAndSetStart<kParallel>(object)) return;
  const TypeInfo& type = type_table[object->type()];
  const size_t bytes = ObjectBytesOf(object, type);
  Block& block = parts_.range.BlockOf(object);
  if constexpr (kParallel) {
    __atomic_fetch_add(&block.stayed_bytes, static_cast<uint32_t>(bytes), __ATOMIC_RELAXED);
  } else {
    block.stayed_bytes += static_cast<uint32_t>(bytes);
  }
  if (type.scan == Scan::kNothing) return;
  if (type.off_heap_bytes != nullptr) [[unlikely]]
    counts.off_heap_promoted_bytes += type.off_heap_bytes(object);
  Push(object, kOldTag);
}

template <bool kParallel>
Word EvacuationWorker<kParallel>::EvacuateStationary(Object* object) {
  uint64_t header = object->header();
  for (;;) {
    if (!(header & Object::kStationaryYoungBit)) return ToWord(object);  // old
    if (header & Object::kReachedBit) {
      young_ |= kSpaceYoung;
      return ToWord(object);
    }
    const uint32_t age = std::min<uint32_t>(
        static_cast<uint32_t>(header >> Object::kAgeShift & Object::kMaxAge) + 1, Object::kMaxAge);
    const bool old = age >= tenure_;
    uint64_t next = header & ~(Object::kMaxAge << Object::kAgeShift);
    next |= uint64_t{age} << Object::kAgeShift | Object::kReachedBit;
    if (old) next &= ~Object::kStationaryYoungBit;
    if constexpr (kParallel) {
      if (!std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(object))
               .compare_exchange_weak(header, next, std::memory_order_acq_rel)) {
        continue;
      }
    } else {
      object->set_header(next);
    }
    const TypeInfo& type = type_table[object->type()];
    const size_t bytes = ObjectBytesOf(object, type);
    counts.in_place_bytes += bytes;
    ++counts.in_place_objects;
    CountSurvivor(object, type, bytes, age, old);
    if (!old) young_ |= kSpaceYoung;
    Push(object, old ? kOldTag | kLargeTag : 0);
    return ToWord(object);
  }
}

template <bool kParallel>
inline void EvacuationWorker<kParallel>::CountSurvivor(Object* object, const TypeInfo& type,
                                                       size_t bytes, uint32_t age, bool old) {
  counts.survived_bytes[std::min<uint32_t>(age, 4) - 1] += bytes;
  if (old) counts.became_old_bytes += bytes;
  if (type.off_heap_bytes == nullptr) [[likely]]
    return;
  (old ? counts.off_heap_promoted_bytes : counts.off_heap_young_bytes) +=
      type.off_heap_bytes(object);
}

template <bool kParallel>
char* EvacuationWorker<kParallel>::AllocateSurvivor(size_t bytes) {
  if (static_cast<size_t>(survivor_end_ - survivor_next_) < bytes) {
    const size_t index = parts_.nursery.TakeSurvivorBlock();
    if (index == HeapRange::kNoBlock) return nullptr;
    survivor_next_ = parts_.range.BlockStart(index);
    survivor_end_ = survivor_next_ + kBlockBytes;
  }
  char* to = survivor_next_;
  survivor_next_ += bytes;
  return to;
}

template <bool kParallel>
void EvacuationWorker<kParallel>::Undo(char* to, bool promote) {
  if (promote) {
    parts_.range.ClearStart(to);  // the cell stays unused until the next sweep
  } else {
    survivor_next_ = to;
  }
}

// Copies the object and leaves its new address in its old header. In a parallel trace two workers
// may copy the same object; one wins the header, the other takes its copy back.
template <bool kParallel>
Word EvacuationWorker<kParallel>::Copy(Object* object, uint64_t header) {
  const TypeInfo& type = type_table[static_cast<TypeId>(header >> 16)];
  const size_t bytes = ObjectBytesOf(object, type);
  const auto age = std::min<uint32_t>(
      static_cast<uint32_t>(header >> Object::kAgeShift & Object::kMaxAge) + 1, Object::kMaxAge);
  if (no_room_every_ != 0 && ++no_room_count_ % no_room_every_ == 0) [[unlikely]] {
    return StayForLackOfRoom(object, header);
  }
  bool promote = age >= tenure_;
  char* to = promote ? static_cast<char*>(cells_.Allocate(bytes)) : AllocateSurvivor(bytes);
  if (to == nullptr) [[unlikely]] {
    promote = !promote;  // a young survivor is better than none, and the other way round
    to = promote ? static_cast<char*>(cells_.Allocate(bytes)) : AllocateSurvivor(bytes);
    if (to == nullptr) return StayForLackOfRoom(object, header);
  }
  const uint64_t moved =
      (header & ~(Object::kMaxAge << Object::kAgeShift)) | uint64_t{age} << Object::kAgeShift;
  CopyWords(to + kHeaderBytes, reinterpret_cast<char*>(object) + kHeaderBytes,
            bytes - kHeaderBytes);
  auto* copy = reinterpret_cast<Object*>(to);
  copy->set_header(moved);
  if constexpr (kParallel) {
    uint64_t expected = header;
    if (!std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(object))
             .compare_exchange_strong(expected, ToWord(copy) | Object::kForwardedBit,
                                      std::memory_order_acq_rel)) {
      Undo(to, promote);
      return Evacuate(ToWord(object), parts_.range.SpaceOf(ToWord(object)));
    }
  } else {
    object->set_header(ToWord(copy) | Object::kForwardedBit);
  }
  if (promote) {
    counts.promoted_bytes += bytes;
    ++counts.promoted_objects;
  } else {
    counts.copied_bytes += bytes;
    ++counts.copied_objects;
    young_ |= kSpaceYoung;
  }
  CountSurvivor(copy, type, bytes, age, promote);
  copied_ = true;
  if (type.layout != Layout::kNone) Push(copy, promote ? kOldTag : 0);
  return ToWord(copy);
}

template <bool kParallel>
Word EvacuationWorker<kParallel>::StayInPlace(Object* object, uint64_t header) {
  Block& block = parts_.range.BlockOf(object);
  const bool old = block.promote;
  uint32_t age;
  for (;;) {
    if (!old) young_ |= kSpaceYoung;
    if (header & Object::kReachedBit) return ToWord(object);
    if constexpr (kParallel) {
      if (header & Object::kForwardedBit) {
        return Evacuate(ToWord(object), parts_.range.SpaceOf(ToWord(object)));
      }
    }
    age = std::min<uint32_t>(
        static_cast<uint32_t>(header >> Object::kAgeShift & Object::kMaxAge) + 1, Object::kMaxAge);
    const uint64_t next = (header & ~(Object::kMaxAge << Object::kAgeShift)) |
                          uint64_t{age} << Object::kAgeShift | Object::kReachedBit;
    if constexpr (kParallel) {
      if (!std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(object))
               .compare_exchange_weak(header, next, std::memory_order_acq_rel)) {
        continue;
      }
    } else {
      object->set_header(next);
    }
    break;
  }
  const TypeInfo& type = type_table[static_cast<TypeId>(header >> 16)];
  const size_t bytes = ObjectBytesOf(object, type);
  (void)parts_.range.TestAndSetStart<kParallel>(object);
  if constexpr (kParallel) {
    __atomic_fetch_add(&block.stayed_bytes, static_cast<uint32_t>(bytes), __ATOMIC_RELAXED);
  } else {
    block.stayed_bytes += static_cast<uint32_t>(bytes);
  }
  counts.in_place_bytes += bytes;
  ++counts.in_place_objects;
  CountSurvivor(object, type, bytes, age, old);
  Push(object, old ? kOldTag : 0);
  return ToWord(object);
}

// The object stays, and its block will become old where it is (Finish rescans such blocks: other
// objects of it may have been treated as young).
template <bool kParallel>
Word EvacuationWorker<kParallel>::StayForLackOfRoom(Object* object, uint64_t header) {
  ++counts.no_room_objects;
  __atomic_store_n(&parts_.range.BlockOf(object).no_room, true, __ATOMIC_RELAXED);
  return StayInPlace(object, header);
}

// --- Scanning objects ----------------------------------------------------------------------------

template <bool kParallel>
void EvacuationWorker<kParallel>::ScanWord(Word word) {
  Object* object = ToObject(word & ~(kOldTag | kLargeTag));
  if (word & kOldTag) {
    ScanOld(object, (word & kLargeTag) != 0);
    return;
  }
  weak_ = false;
  ScanSlots(object, type_table[object->type()], *this);
  if (weak_) weak_holders.push_back({object, false});
}

// An object that is old (promoted in this minor, or remembered) is scanned whole; what it refers to
// decides whether it is retained.
template <bool kParallel>
void EvacuationWorker<kParallel>::ScanOld(Object* object, bool may_have_cards) {
  const TypeInfo& type = type_table[object->type()];
  young_ = 0;
  weak_ = false;
  if (type.layout == Layout::kNone) return;  // never needs its barrier: stays kLogged
  bool retain;
  if (may_have_cards && parts_.range.BlockOf(object).kind == BlockKind::kLarge &&
      LargeHeader::Of(object)->cards != nullptr) {
    retain = ScanCards(object, type, /*all=*/true);
    object->set_log_state(LogState::kCarded);
    LargeHeader::Of(object)->logged = retain;
  } else {
    ScanSlots(object, type, *this);
    if (weak_) {  // decided when its weak slots are settled
      weak_holders.push_back({object, true});
      return;
    }
    retain = young_ != 0;
    object->set_log_state(retain ? LogState::kLogged : LogState::kUnlogged);
  }
  if (retain) retained.push_back(object);
}

template <bool kParallel>
void EvacuationWorker<kParallel>::ScanRemembered(Object* object) {
  if (object->log_state() != LogState::kCarded) {
    ScanOld(object, /*may_have_cards=*/true);
    return;
  }
  const bool retain = ScanCards(object, type_table[object->type()], /*all=*/false);
  LargeHeader::Of(object)->logged = retain;
  if (retain) retained.push_back(object);
}

// Scans the logged cards (or all) of a large array. A card stays logged while it has a young
// referent. Returns whether any does.
template <bool kParallel>
bool EvacuationWorker<kParallel>::ScanCards(Object* object, const TypeInfo& type, bool all) {
  LargeHeader* large = LargeHeader::Of(object);
  char* start = reinterpret_cast<char*>(object);
  bool any = false;
  for (size_t card = 0; card < large->card_count; ++card) {
    if (!all && large->cards[card] == 0) continue;
    const size_t from = std::max(card * kCardBytes, size_t{type.first_slot_bytes});
    const size_t to = std::min((card + 1) * kCardBytes, size_t{large->object_bytes});
    young_ = 0;
    if (to > from) CopySlots(reinterpret_cast<Word*>(start + from), (to - from) / sizeof(Word));
    ++counts.remembered_cards;
    large->cards[card] = young_ != 0;
    any |= young_ != 0;
  }
  return any;
}

// --- Weak slots ----------------------------------------------------------------------------------

template <bool kParallel>
bool EvacuationWorker<kParallel>::IsLive(Word word) const {
  const size_t offset = word - BaseWord();
  if (offset >= bytes_) return true;
  const SpaceByte space = SpaceAt(offset);
  if (!(space & (kSpaceFrom | kSpaceLook))) return true;
  if (space & kSpaceStay) return parts_.range.IsStart(ToObject(word));
  const uint64_t header = ToObject(word)->header();
  if (space & kSpaceLook) {
    return !(header & Object::kStationaryYoungBit) || (header & Object::kReachedBit);
  }
  return (header & (Object::kForwardedBit | Object::kReachedBit)) != 0;
}

template <bool kParallel>
void EvacuationWorker<kParallel>::VisitWeak(Word* slot, Word cleared, Weakness weakness) {
  switch (mode_) {
    case Mode::kCopy: {
      weak_ = true;
      // Values (strings, boxed numbers) are held strongly; their type may stand behind a forward.
      const Word word = *slot;
      if (weakness == Weakness::kEvenValues || word - BaseWord() >= bytes_) return;
      const SpaceByte space = parts_.range.SpaceOf(word);
      if (!(space & (kSpaceFrom | kSpaceLook))) return;
      if (type_table[TypeOf(word)].is_value) CopySlots(slot, 1);
      return;
    }
    case Mode::kEphemerons:
      return;
    case Mode::kClearBefore:
      if (weakness != Weakness::kBeforeFinalizers) return;
      [[fallthrough]];
    case Mode::kSettle:
      if (IsLive(*slot)) {
        mode_ == Mode::kSettle ? CopySlots(slot, 1) : (void)0;
      } else {
        InitSlot(slot, cleared);
        ++counts.weak_cleared;
      }
      return;
  }
}

template <bool kParallel>
void EvacuationWorker<kParallel>::VisitEphemeron(Word* key, Word* value, Word cleared) {
  switch (mode_) {
    case Mode::kCopy:
      weak_ = true;
      [[fallthrough]];
    case Mode::kEphemerons: {
      const Word word = *key;
      bool live = IsLive(word);
      if (!live && type_table[ToObject(word)->type()].is_value) {
        CopySlots(key, 1);
        live = true;
      }
      if (!live || IsLive(*value)) {
        if (live) CopySlots(value, 1);
        return;
      }
      CopySlots(value, 1);
      evacuated_ = true;
      return;
    }
    case Mode::kClearBefore:
      return;
    case Mode::kSettle:
      if (IsLive(*key)) {
        CopySlots(key, 1);
        CopySlots(value, 1);
      } else {
        InitSlot(key, cleared);
        InitSlot(value, cleared);
        ++counts.weak_cleared;
      }
      return;
  }
}

template <bool kParallel>
bool EvacuationWorker<kParallel>::RunEphemerons(Object* holder) {
  mode_ = Mode::kEphemerons;
  evacuated_ = false;
  ScanSlots(holder, type_table[holder->type()], *this);
  mode_ = Mode::kCopy;
  return evacuated_;
}

template <bool kParallel>
bool EvacuationWorker<kParallel>::Settle(Object* holder, Mode mode) {
  mode_ = mode;
  young_ = 0;
  ScanSlots(holder, type_table[holder->type()], *this);
  mode_ = Mode::kCopy;
  return young_ != 0;
}

// --- Sharing -------------------------------------------------------------------------------------

template <bool kParallel>
void EvacuationWorker<kParallel>::DrainShared() {
  do {
    while (!stack_.empty()) {
      if (stack_.size() > kShareAbove && shared_->Wanted()) shared_->Give(stack_);
      ScanWord(stack_.Pop());
    }
  } while (shared_->Take(stack_) || shared_->Wait());
}

template class EvacuationWorker<false>;
template class EvacuationWorker<true>;

}  // namespace neap::gc
