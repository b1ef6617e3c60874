// SPDX-License-Identifier: MIT
//
// The whole-heap verifier: an independent reading of every structure of the heap, to be run with
// the world stopped. It shares no traversal, no size class arithmetic and no bitmap walk with the
// code that it checks; it only reads what the parts expose. What it checks stands in verifier.cc,
// one numbered rule after the other.
//
// It is not a collector: it changes nothing in the heap, and it allocates C++ memory freely (about
// 16 bytes for each live object), so it is for debug runs, tests and tools.
#ifndef NEAP_GC_VERIFIER_H_
#define NEAP_GC_VERIFIER_H_

#include <functional>

#include "absl/status/status.h"
#include "neap/gc/object.h"

namespace neap::gc {

class Collector;

// Verifies the heap between collections (also immediately before or after one, mutators stopped).
// Internal names the rule, the invariant of collector.cc behind it, and the addresses. The first
// finding ends the run.
absl::Status VerifyWhileStopped(Collector& collector);

// Calls `visit` once for every object that is reachable from roots through strong slots and live
// ephemerons, objects pending finalization included, by a traversal of its own.
// `visit` may not touch the heap's structure.
void WalkReachableWhileStopped(Collector& collector, const std::function<void(Object*)>& visit);

}  // namespace neap::gc

#endif  // NEAP_GC_VERIFIER_H_
