// SPDX-License-Identifier: MIT
//
// Old objects that may hold references to young ones. Filled by the write barrier (per-P logs) and
// by minor collections (objects that still refer to young objects when it ends: "retained").
//
// Life of an old object's log state:
//
//   kUnlogged --store--> kLogged, in a log --minor--> young referent left: kLogged, retained
//                                                     none left:           kUnlogged
//
// Only used while the world is stopped, but for the logs, which belong to their P.
#ifndef NEAP_GC_REMEMBERED_SET_H_
#define NEAP_GC_REMEMBERED_SET_H_

#include <cstddef>
#include <vector>

#include "neap/gc/object.h"

namespace neap::gc {

class RememberedSet {
 public:
  // The logs' contents and the retained objects of the last minor become the entries to scan, each
  // object once (kReachedBit marks those already taken).
  void TakeLog(std::vector<Object*>& log);
  void TakeRetained();
  const std::vector<Object*>& entries() const { return entries_; }
  // The object still refers to a young one after its scan; it is logged.
  void Retain(Object* object) { retained_.push_back(object); }
  void RetainAll(const std::vector<Object*>& objects) {
    retained_.insert(retained_.end(), objects.begin(), objects.end());
  }
  const std::vector<Object*>& retained() const { return retained_; }
  // Ends a minor: forgets the entries.
  void EndMinor();
  // After marking: forgets retained objects that died. `is_live(object)`.
  template <typename IsLive>
  void Purge(IsLive is_live) {
    std::erase_if(retained_, [&](Object* object) { return !is_live(object); });
  }

 private:
  void Take(Object* object);

  std::vector<Object*> entries_;
  std::vector<Object*> retained_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_REMEMBERED_SET_H_
