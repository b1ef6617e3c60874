// SPDX-License-Identifier: MIT
//
// Where native code keeps references: the handle stacks and pins of mutators, the tables of global
// and weak handles, and root providers.
//
// Thread safety: registration locks; Visit... are called while the world is stopped.
#ifndef NEAP_GC_ROOTS_H_
#define NEAP_GC_ROOTS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"

namespace neap::gc {

// Words at stable addresses with a free list.
class HandleTable {
 public:
  Word* Add(Word value);
  void Remove(Word* slot);
  // Visits runs of slots, free ones included (they hold kFreeSlot, which is no reference).
  template <typename Visit>
  void ForEachSegment(Visit visit) {
    for (auto& segment : segments_) visit(segment.get(), kSegmentWords);
  }
  size_t in_use() const { return in_use_; }

  static constexpr Word kFreeSlot = 1;
  static constexpr size_t kSegmentWords = 256;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Word[]>> segments_;
  std::vector<Word*> free_;
  size_t in_use_ = 0;
};

class RootSet {
 public:
  void Add(Mutator* mutator);
  void Remove(Mutator* mutator);
  void Add(RootProvider* provider);
  void Remove(RootProvider* provider);
  void Add(WeakTable* table);
  void Remove(WeakTable* table);
  size_t mutators() const;

  enum class Which : uint8_t { kAll, kYoung };
  // Reports every strong root but the pins. Returns the bytes of handle slots visited.
  size_t Visit(Tracer& tracer, Which which);
  // Calls `visit` for each pinned object (one that is pinned twice: twice).
  void VisitPins(const std::function<void(Object*)>& visit);

  // World stopped.
  const std::vector<WeakTable*>& weak_tables() const { return weak_tables_; }

  HandleTable& globals() { return globals_; }
  HandleTable& weaks() { return weaks_; }

 private:
  mutable std::mutex mutex_;
  std::vector<Mutator*> mutators_;
  std::vector<RootProvider*> providers_;
  std::vector<WeakTable*> weak_tables_;
  HandleTable globals_;
  HandleTable weaks_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_ROOTS_H_
