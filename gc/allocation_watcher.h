// SPDX-License-Identifier: MIT
//
// Who is told of objects that are born. Nobody, as a rule: then nothing is tested on the inlined
// path, and one pointer on the slow one.
//
// Bytes of a P are numbered from its start. A watched P has a next sample point, a byte to come;
// the TLAB's limit is lowered to it, so that exactly the allocation which contains it, or ends the
// TLAB, takes the slow path. Points are drawn with exponential distances (a Poisson process), anew
// after each object that was sampled: an object of s bytes is met with probability 1 - exp(-s /
// mean), whatever its neighbours are. A mean of 0 puts the point at byte 0: each allocation is met.
#ifndef NEAP_GC_ALLOCATION_WATCHER_H_
#define NEAP_GC_ALLOCATION_WATCHER_H_

#include <cstddef>

#include "neap/gc/mutator.h"
#include "neap/gc/object.h"

namespace neap::gc {

class AllocationWatcher {
 public:
  virtual ~AllocationWatcher() = default;
  // `memory`: where the object will be; only the header of one that never moves is written. On the
  // allocating thread, which holds its P. May not allocate from the heap or reach a safepoint.
  virtual void Born(Mutator& m, Object* memory, TypeId type, size_t bytes) = 0;
};

}  // namespace neap::gc

#endif  // NEAP_GC_ALLOCATION_WATCHER_H_
