// SPDX-License-Identifier: MIT
//
// One thread's part of a copying trace. The essay is in evacuator.cc; this header holds the inner
// loops, once with plain stores (kParallel = false) and once with compare-and-swap on headers.
#ifndef NEAP_GC_EVACUATION_WORKER_H_
#define NEAP_GC_EVACUATION_WORKER_H_

#include <cstring>
#include <vector>

#include "evacuator.h"
#include "shared_work.h"
#include "type_table.h"
#include "work_stack.h"

namespace neap::gc {

// Copies a small object, 8 bytes at a time in pairs: most have a few words, and a call of memcpy
// costs more than the copy.
inline void CopyWords(char* to, const char* from, size_t bytes) {
  if (bytes > 256) {
    std::memcpy(to, from, bytes);
    return;
  }
  size_t i = 0;
  for (; i + 16 <= bytes; i += 16) std::memcpy(to + i, from + i, 16);
  if (i < bytes) std::memcpy(to + i, from + i, 8);
}

class EvacuationWorkerBase : public Tracer {
 public:
  // What the trace does with the slots that a trace function reports.
  enum class Mode : uint8_t {
    kCopy,         // evacuate strong targets; note holders of weak slots
    kEphemerons,   // evacuate values whose keys are reached
    kClearBefore,  // clear or update weak slots of kind kBeforeFinalizers
    kSettle,       // clear or update every weak slot; note whether young referents are left
  };

  EvacuationWorkerBase(const EvacuatorParts& parts)
      : parts_(parts), cells_(parts.old_space, CellFlavour::kPlain) {}
  virtual ~EvacuationWorkerBase() = default;

  void Begin(uint32_t tenure) {
    no_room_every_ = parts_.debug.no_room;
    base_ = parts_.range.base();
    bytes_ = parts_.range.bytes();
    tenure_ = tenure;
    counts = EvacuationCounts{};
    survivor_next_ = survivor_end_ = nullptr;
  }
  void set_shared(SharedWork* shared) { shared_ = shared; }
  virtual void VisitRoot(Word* slot) = 0;
  virtual void ScanRemembered(Object* object) = 0;
  virtual void Drain() = 0;
  virtual void DrainShared() = 0;
  // True when a value was evacuated.
  virtual bool RunEphemerons(Object* holder) = 0;
  // True while the (old) holder has young referents.
  virtual bool Settle(Object* holder, Mode mode) = 0;
  virtual bool IsLive(Word word) const = 0;

  bool Reserve() { return stack_.Reserve(parts_.range.bytes() / 32); }
  void ReleaseCells() { cells_.Release(); }

  struct WeakHolder {
    Object* object;
    bool old;
  };
  EvacuationCounts counts;
  std::vector<Object*> retained;
  std::vector<WeakHolder> weak_holders;

 protected:
  const EvacuatorParts parts_;
  char* base_ = nullptr;  // of the range: the inner loop's copy
  size_t bytes_ = 0;
  uint32_t tenure_ = 2;
  SharedWork* shared_ = nullptr;
  WorkStack stack_;
  CellAllocator cells_;
  char* survivor_next_ = nullptr;
  char* survivor_end_ = nullptr;
  uint64_t no_room_every_ = 0;  // debug switch
  uint64_t no_room_count_ = 0;
};

template <bool kParallel>
class EvacuationWorker final : public EvacuationWorkerBase {
 public:
  explicit EvacuationWorker(const EvacuatorParts& parts) : EvacuationWorkerBase(parts) {}

  void VisitSlots(Word* first, size_t count) override {
    if (mode_ == Mode::kCopy) {
      CopySlots(first, count);
    } else if (mode_ == Mode::kSettle) {
      for (size_t i = 0; i < count; ++i) NoteYoung(first[i]);
    }
  }
  void VisitWeak(Word* slot, Word cleared, Weakness weakness) override;
  void VisitEphemeron(Word* key, Word* value, Word cleared) override;

  void VisitRoot(Word* slot) override { CopySlots(slot, 1); }
  void ScanRemembered(Object* object) override;
  void Drain() override {
    while (!stack_.empty()) ScanWord(stack_.Pop());
  }
  void DrainShared() override;
  bool RunEphemerons(Object* holder) override;
  bool Settle(Object* holder, Mode mode) override;
  bool IsLive(Word word) const override;

 private:
  // Tags of work words.
  static constexpr Word kOldTag = 1;         // the object is old now, its scan may retain it
  static constexpr Word kLargeTag = 2;       // with kOldTag: it may have cards
  static constexpr size_t kShareAbove = 64;  // words kept for oneself while others are idle
  static constexpr size_t kBatch = 16;       // slots looked up before the first is followed
  static constexpr size_t kFewSlots = 4;     // up to so many are followed at once
  static constexpr int kEagerDepth = 2;      // scans nested for the sake of copy order

  SpaceByte SpaceAt(size_t offset) const { return parts_.range.SpaceOf(offset + BaseWord()); }
  Word BaseWord() const { return reinterpret_cast<Word>(base_); }

  void CopySlots(Word* first, size_t count);
  void ScanParts(size_t height);
  void NoteYoung(Word word) {
    const size_t offset = word - BaseWord();
    if (offset >= bytes_) return;
    const SpaceByte space = SpaceAt(offset);
    if (space & kSpaceLook) {
      if (ToObject(word)->header() & Object::kStationaryYoungBit) young_ |= kSpaceYoung;
    }
    young_ |= space & kSpaceYoung;
  }
  Word Evacuate(Word word, SpaceByte space);
  Word EvacuateStationary(Object* object);
  void FollowSlot(Word* slot, SpaceByte space);
  void StayInCohort(Object* object);
  Word Copy(Object* object, uint64_t header);
  Word StayInPlace(Object* object, uint64_t header);
  Word StayForLackOfRoom(Object* object, uint64_t header);
  char* AllocateSurvivor(size_t bytes);
  void Undo(char* to, bool promote);
  void CountSurvivor(Object* object, const TypeInfo& type, size_t bytes, uint32_t age, bool old);
  void Push(Object* object, Word tags) {
    const bool pushed = stack_.Push(ToWord(object) | tags);
    NEAP_CHECK(pushed, "N7: the work stack of a minor has room for every young object");
  }
  void ScanWord(Word word);
  void ScanOld(Object* object, bool may_have_cards);
  bool ScanCards(Object* object, const TypeInfo& type, bool all);

  Mode mode_ = Mode::kCopy;
  int depth_ = 0;
  uint8_t young_ = 0;       // kSpaceYoung: the object being scanned has a young referent
  bool copied_ = false;     // the slot followed last brought a copy
  bool weak_ = false;       // the object being scanned reported a weak slot or an ephemeron
  bool evacuated_ = false;  // kEphemerons: something was evacuated
};

}  // namespace neap::gc

#endif  // NEAP_GC_EVACUATION_WORKER_H_
