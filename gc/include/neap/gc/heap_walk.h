// SPDX-License-Identifier: MIT
//
// The graph of the heap: every reachable object once, every reference between them. What heap
// snapshots are made of (who holds what).
//
//   class Counter final : public gc::HeapVisitor {
//    public:
//     void VisitObject(gc::Object*, size_t bytes) override { total += bytes; }
//     void VisitEdge(const gc::HeapEdge&) override {}
//     size_t total = 0;
//   } counter;
//   gc::WalkHeap(m, counter);
//
// The walk is a traversal of its own, over what the type descriptors say, with the world stopped.
// It changes nothing and takes C++ memory: a bit for 8 bytes of heap, and a word for each object.
#ifndef NEAP_GC_HEAP_WALK_H_
#define NEAP_GC_HEAP_WALK_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/mutator.h"
#include "neap/gc/object.h"

namespace neap::gc {

enum class EdgeKind : uint8_t {
  kStrong,
  kWeak,       // does not keep its target alive; only to objects that others keep
  kEphemeron,  // from a key to the value that is reachable while key and table are
};

struct HeapEdge {
  Object* from;      // null: a root
  const Word* slot;  // where the reference is; outside of `from` for what it owns off the heap
  Object* to;
  EdgeKind kind;
};

class HeapVisitor {
 public:
  // Once for each object, before its strong edges. `bytes`: its own size and what it owns off the
  // heap. World stopped: may read the heap, not allocate from it.
  virtual void VisitObject(Object* object, size_t bytes) = 0;
  // Edges from roots come first, weak ones and those of ephemerons last.
  virtual void VisitEdge(const HeapEdge& edge) = 0;

 protected:
  ~HeapVisitor() = default;
};

// A safepoint. Nothing is collected: collect before, if garbage in weak tables shall be gone.
void WalkHeap(Mutator& m, HeapVisitor& visitor);

}  // namespace neap::gc

#endif  // NEAP_GC_HEAP_WALK_H_
