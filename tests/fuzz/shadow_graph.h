// SPDX-License-Identifier: MIT
//
// The model that the heap fuzzer compares the heap with: a plain C++ graph whose objects are
// numbered and never move, and reachability computed by the simplest traversal there is.
//
// Three sets, each closed under strong slots and under ephemeron pairs whose key is in the set:
//
//   S  reachable from the program's roots            must exist in the heap, with equal contents
//   F  S, and what registered finalizers reach       must not be cleared from "after" weak slots
//   K  F, and what weak slots still lead to          the program may reach it again, so the model
//                                                    keeps it; everything else is forgotten
#ifndef NEAP_TESTS_FUZZ_SHADOW_GRAPH_H_
#define NEAP_TESTS_FUZZ_SHADOW_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "neap/gc/object.h"

namespace neap::fuzz {

// X(name)
#define NEAP_FUZZ_KINDS(X)                                       \
  X(kNode)       /* 2 slots, stamp in the key */                 \
  X(kPair)       /* 2 slots, nothing else */                     \
  X(kArray)      /* stamp, then slots; large ones have cards */  \
  X(kMixed)      /* slots, each beside a raw word */             \
  X(kBytes)      /* contents computed from the stamp */          \
  X(kText)       /* the same, but a value: weak slots hold it */ \
  X(kStationary) /* a node that never moves */                   \
  X(kBuffer)     /* never moves, owns memory outside the heap */ \
  X(kWeakBox)    /* 1 weak slot, cleared before finalizers */    \
  X(kWeakKeyBox) /* 1 weak slot, cleared after finalizers */     \
  X(kEphemerons) /* pairs of key and value */

enum class Kind : uint8_t {
#define NEAP_DECLARE_KIND(name) name,
  NEAP_FUZZ_KINDS(NEAP_DECLARE_KIND)
#undef NEAP_DECLARE_KIND
};

using Id = uint32_t;  // index of a shadow object; 0 is null

struct ShadowObject {
  Kind kind = Kind::kNode;
  bool used = false;
  bool resurrected = false;        // came back at least once through a finalizer or an "after" weak
                                   // slot: a "before" weak slot may be empty all the same
  uint32_t registrations = 0;      // finalizers not run yet
  uint32_t length = 0;             // bytes or elements
  uint64_t stamp = 0;              // unique for ever; its low bits are the Id
  uint64_t identity = 0;           // what Mutator::Identity said
  uint32_t hash = 0;               // what Mutator::Hash said
  uint32_t reached = 0;            // epoch in which it was found in S ...
  uint32_t kept = 0;               // ... in F ...
  uint32_t held = 0;               // ... in K
  uint32_t visited = 0;            // by which Resurrect
  uint64_t raw = 0;                // kMixed: what the raw word 1 holds
  gc::Object* at = nullptr;        // where the comparison of epoch `reached` found it
  gc::Object* fixed_at = nullptr;  // must be there: pinned, stationary, large
  std::vector<Id> slots;
};

class ShadowGraph {
 public:
  static constexpr int kIdBits = 24;

  ShadowGraph() { objects_.resize(1); }
  Id Add(Kind kind, uint32_t length, uint32_t slots);
  ShadowObject& operator[](Id id) { return objects_[id]; }
  // The object with that stamp, 0 when there is none (any more).
  Id Find(uint64_t stamp) const;

  // The objects found in S are marked by the caller (epoch()); these close the larger sets over
  // them.
  uint32_t epoch() const { return epoch_; }
  void StartEpoch() { ++epoch_; }
  bool InS(Id id) const { return objects_[id].reached == epoch_; }
  bool InF(Id id) const { return InS(id) || objects_[id].kept == epoch_; }
  void CloseF();
  // Adds one root of K.
  void Hold(Id id);
  // Closes K and forgets everything outside. Returns how many objects are left.
  size_t Sweep();

  // Marks what `id` reaches as resurrected, for good: who else holds a cleared weak slot to it is
  // not known before that holder comes back itself.
  void Resurrect(Id id);

  // Objects outside S with finalizers that no other such object reaches. (What a pending object
  // reaches is alive: its own finalizer waits for a later cycle. So does one that was registered
  // again while an earlier one is pending.)
  uint64_t FinalizableSources();

  // Visits the objects of F: bytes and counts for exact comparisons.
  template <typename Visit>
  void ForEachInF(Visit visit) {
    for (Id id = 1; id < objects_.size(); ++id) {
      if (objects_[id].used && InF(id)) visit(objects_[id]);
    }
  }
  size_t size() const { return used_; }

  static bool IsWeakKind(Kind kind) { return kind == Kind::kWeakBox || kind == Kind::kWeakKeyBox; }

 private:
  void Visit(Id id);
  void VisitReachable();
  bool KeepF(Id id);
  bool CloseEphemeronsF();

  std::vector<ShadowObject> objects_;
  std::vector<Id> free_;
  std::vector<Id> work_;
  std::vector<Id> tables_;  // ephemeron tables in F
  uint32_t epoch_ = 0;
  uint32_t visit_ = 0;
  uint64_t serial_ = 0;
  size_t used_ = 0;
};

}  // namespace neap::fuzz

#endif  // NEAP_TESTS_FUZZ_SHADOW_GRAPH_H_
