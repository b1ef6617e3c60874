// SPDX-License-Identifier: MIT
//
// The copying trace of a minor collection: from roots and remembered objects, every reached object
// of from-space is copied to a survivor block, copied into old space, or stays in place; then weak
// slots, ephemerons and finalizers of young objects are settled. evacuator.cc opens with the essay.
//
// Order of calls, world stopped:
//   1. Begin(request)   pins into headers, cohort blocks chosen
//   2. CopyRoots()      roots, pending finalizers
//   3. CopyRemembered() what remembered objects refer to; with several workers this is theirs, in 4
//   4. CopyReachable()  everything reached from there, ephemerons to a fixpoint
//   5. SettleWeak()     weak slots, finalizers, resurrection
//   6. Finish(now)      from-space freed or adopted, stationary objects freed or aged
#ifndef NEAP_GC_EVACUATOR_H_
#define NEAP_GC_EVACUATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "finalizers.h"
#include "heap_range.h"
#include "identity_table.h"
#include "large_space.h"
#include "neap/gc/object.h"
#include "neap/runtime/debug.h"
#include "nursery.h"
#include "old_space.h"
#include "remembered_set.h"
#include "roots.h"
#include "worker_threads.h"

namespace neap::gc {

// What a minor moved; per worker, added up at the end.
struct EvacuationCounts {
  uint64_t copied_bytes = 0, copied_objects = 0;      // within the young generation
  uint64_t promoted_bytes = 0, promoted_objects = 0;  // copied into old space
  uint64_t in_place_bytes = 0, in_place_objects = 0;  // stayed (old now, or still young)
  uint64_t became_old_bytes = 0;    // promoted + in place in blocks (or objects) that became old
  uint64_t survived_bytes[4] = {};  // by the age reached: 1, 2, 3, older
  uint64_t no_room_objects = 0;
  uint64_t off_heap_promoted_bytes = 0;  // owned by objects that became old
  uint64_t off_heap_young_bytes = 0;     // owned by survivors that are still young
  uint64_t remembered_cards = 0;
  uint64_t weak_cleared = 0;
  void Add(const EvacuationCounts& other);
};

class EvacuatorParts {
 public:
  HeapRange& range;
  OldSpace& old_space;
  LargeSpace& large_space;
  Nursery& nursery;
  RememberedSet& remembered;
  RootSet& roots;
  Finalizers& finalizers;
  IdentityTable& identities;
  WorkerThreads& threads;
  const DebugSwitches& debug;
};

class EvacuationWorkerBase;

class Evacuator {
 public:
  explicit Evacuator(const EvacuatorParts& parts);
  ~Evacuator();

  struct Request {
    uint32_t tenure = 2;        // promoted on this survival
    int workers = 1;            // 1: the serial path, without atomics
    bool cohorts_stay = false;  // eden blocks become old in place (but the sensor blocks)
    bool (*is_sensor)(void* context, uint64_t block) = nullptr;
    void* sensor_context = nullptr;
  };
  void Begin(const Request& request);
  void CopyRoots();
  void CopyRemembered();
  void CopyReachable();
  void SettleWeak();
  // `stationary_young`: all stationary young objects; afterwards those that are still young.
  void Finish(uint64_t now, std::vector<Object*>& stationary_young);

  const EvacuationCounts& counts() const { return counts_; }
  uint64_t root_bytes() const { return root_bytes_; }
  uint64_t pinned_objects() const { return pinned_objects_; }
  uint64_t finalizers_queued() const { return finalizers_queued_; }
  uint64_t remembered_objects() const { return remembered_objects_; }
  // Of CopyReachable, until the last worker had no more remembered objects to claim; 0: one worker.
  uint64_t shared_scan_ns() const { return shared_scan_ns_; }

  // Before a major cycle: the workers' cell allocators give their blocks back.
  void ReleaseCells();
  bool Reserve();  // address space of the work stacks; false when refused

 private:
  void ChooseCohorts();
  void CopyEphemerons();
  void SettleWeakTables(EvacuationWorkerBase& leader, const std::function<bool(Word)>& is_young);
  void TakePins();
  void FinishBlock(size_t index, uint64_t now);
  void FinishStayed(size_t index);
  void FinishStationary(uint64_t now, std::vector<Object*>& stationary_young);
  EvacuationWorkerBase& Leader();

  const EvacuatorParts parts_;
  Request request_;
  std::vector<std::unique_ptr<EvacuationWorkerBase>> serial_;    // exactly one
  std::vector<std::unique_ptr<EvacuationWorkerBase>> parallel_;  // made on first use
  EvacuationCounts counts_;
  uint64_t root_bytes_ = 0;
  uint64_t pinned_objects_ = 0;
  uint64_t finalizers_queued_ = 0;
  uint64_t remembered_objects_ = 0;
  uint64_t shared_scan_ns_ = 0;
};

}  // namespace neap::gc

#endif  // NEAP_GC_EVACUATOR_H_
