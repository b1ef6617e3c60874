// SPDX-License-Identifier: MIT
//
// The verifier's state, shared by its three parts: verifier_books.cc reads block by block what the
// parts keep in their books, verifier_tables.cc what is noted about objects beside the graph,
// verifier.cc object by object what the roots reach.
#ifndef NEAP_GC_VERIFIER_STATE_H_
#define NEAP_GC_VERIFIER_STATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "collector.h"
#include "neap/gc/type.h"

namespace neap::gc {

inline std::string At(const void* address) { return absl::StrFormat("%p", address); }

// Two readings of the heap; see verifier.cc. One object, one run: Verify() or Walk(), once.
class Verifier final : public Tracer {
 public:
  explicit Verifier(Collector& collector)
      : collector_(collector),
        range_(collector.range()),
        visited_(range_.block_limit() * kBitmapWordsPerBlock) {}

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

  // Side tables.
  const char* WhyNoObject(Word word);
  void CheckFinalizers();
  void CheckIdentities();
  void CheckWeakTables();
  void CountOffHeap(const Object* object);
  void CheckOffHeap();

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
  const TypeDescriptor* TypeOf(const Object* object) const { return FindType(object->type()); }
  void Fail(const std::string& rule, const std::string& details) {
    if (status_.ok()) status_ = absl::InternalError(absl::StrCat(rule, ": ", details));
  }
  bool ok() const { return status_.ok(); }

  enum class Pass : uint8_t { kTrace, kEphemerons };

  Collector& collector_;
  HeapRange& range_;
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
  // Off-heap bytes of the owners that were seen: all that never move, and what is reached in the
  // nursery.
  int64_t young_off_heap_bytes_ = 0;
  int64_t old_off_heap_bytes_ = 0;
  absl::Status status_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_VERIFIER_STATE_H_
