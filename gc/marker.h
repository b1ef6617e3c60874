// SPDX-License-Identifier: MIT
//
// Marking: from all roots, every reachable object (young ones too) gets its mark bit; then weak
// slots, ephemerons and finalizers are settled.
//
// The work list holds edges, not objects: whether the target is marked already is looked up when
// the edge leaves a short queue behind the stack, 32 edges later than its header and its mark word
// were prefetched. On a machine where a dependent random read costs 300 ns this is what makes
// marking fast: misses overlap (Garner, Blackburn, Frampton: effective prefetch for mark-sweep
// collection).
//
//   slots -> stack (LIFO) -> ring of 32, prefetching -> test and mark -> scan -> slots
//
// A stack that cannot grow drops the edge and says so; when the stack runs empty, marked objects
// are scanned again until nothing is dropped.
//
// Order of calls, world stopped, after the minor of the cycle:
//   1. Begin()   2. MarkRoots()   3. MarkReachable()   4. SettleWeak()   5. CountYoung()   6.
//   counts
#ifndef NEAP_GC_MARKER_H_
#define NEAP_GC_MARKER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finalizers.h"
#include "heap_range.h"
#include "identity_table.h"
#include "neap/gc/type.h"
#include "remembered_set.h"
#include "roots.h"
#include "type_table.h"
#include "work_stack.h"

namespace neap::gc {

struct MarkCounts {
  uint64_t marked_bytes = 0;
  uint64_t marked_objects = 0;
  uint64_t young_bytes = 0;           // of marked_bytes, by CountYoung
  uint64_t off_heap_bytes = 0;        // owned by live objects
  uint64_t young_off_heap_bytes = 0;  // of off_heap_bytes, by CountYoung
  uint64_t root_bytes = 0;
  uint64_t weak_cleared = 0;
  uint64_t finalizers_queued = 0;
  uint64_t overflows = 0;  // times the stack was full
};

class Marker final : public Tracer {
 public:
  Marker(HeapRange& range, RootSet& roots, Finalizers& finalizers, IdentityTable& identities)
      : range_(range), roots_(roots), finalizers_(finalizers), identities_(identities) {}

  [[nodiscard]] bool Reserve() { return stack_.Reserve(range_.bytes() / 32); }
  void Begin();
  void MarkRoots();
  void MarkReachable();
  void SettleWeak();
  // Which of the marked bytes are young: those in nursery blocks, and stationary young objects.
  void CountYoung(const std::vector<uint32_t>& nursery_blocks,
                  const std::vector<Object*>& stationary_young);
  const MarkCounts& counts() const { return counts_; }
  WorkStack& stack() { return stack_; }

  void VisitSlots(Word* first, size_t count) override;
  void VisitWeak(Word* slot, Word cleared, Weakness weakness) override;
  void VisitEphemeron(Word* key, Word* value, Word cleared) override;

 private:
  // What the slots that a scan reports are used for. kRescan: unmarked targets are marked at once,
  // with all they reach, before the next slot.
  enum class Mode : uint8_t { kMark, kRescan, kEphemerons, kClearBefore, kSettle };
  static constexpr size_t kRing = 32;  // edges in flight; more than the memory system overlaps

  void PushEdge(Word word) {
    if (!stack_.Push(word)) overflowed_ = true;
  }
  void Drain();
  void DrainOnce();
  void MarkTarget(Word word);
  void ScanSlow(Object* object, const TypeInfo& type);
  void Scan(Object* object, const TypeInfo& type);
  template <typename Visit>
  void ForEachMarked(size_t block, Visit visit) const;
  bool IsLive(Word word) const { return !range_.Contains(word) || range_.IsMarked(ToObject(word)); }
  void RunEphemerons();
  void SettleWeakTables();
  void RescanMarked();
  void RescanBlock(size_t block);
  void RescanSlots(const Word* first, size_t count);
  void Run(Mode mode);

  HeapRange& range_;
  RootSet& roots_;
  Finalizers& finalizers_;
  IdentityTable& identities_;
  WorkStack stack_;
  Mode mode_ = Mode::kMark;
  bool weak_ = false;
  bool progress_ = false;
  bool overflowed_ = false;
  std::vector<Object*> weak_holders_;
  MarkCounts counts_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_MARKER_H_
