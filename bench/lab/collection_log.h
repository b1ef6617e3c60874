// SPDX-License-Identifier: MIT
//
// Collects the heap's minor and major events, in order, for as long as it lives. The frame of each
// event is what the workload said last (set_frame), so that a pause can be put beside the frame
// that it fell into. Events come when the heap drains its rings, which is outside pauses: a
// workload that wants them complete calls Drain at the end of each frame, outside the timed part.
//
//   CollectionLog log(heap);
//   for (int f = 0; f < n; ++f) { log.set_frame(f); Frame(); log.Drain(); }
//   for (const auto& minor : log.minors()) ...
//
// Thread safety: the thread of the mutator only; the workloads here have one.
#ifndef NEAP_BENCH_LAB_COLLECTION_LOG_H_
#define NEAP_BENCH_LAB_COLLECTION_LOG_H_

#include <cstdint>
#include <vector>

#include "frame_times.h"
#include "neap/gc/event.h"
#include "neap/gc/heap.h"
#include "neap/gc/stats.h"

namespace neap::lab {

// A minor collection as the lab keeps it: what experiments ask for, not the whole event.
struct MinorRecord {
  int64_t frame = 0;   // negative: in the warm-up
  uint64_t cause = 0;  // gc::Cause
  uint64_t pause_ns = 0, cpu_ns = 0;
  uint64_t eden_bytes = 0, eden_limit_bytes = 0, young_large_bytes = 0;
  uint64_t copied_bytes = 0, promoted_bytes = 0;
  uint64_t live_objects = 0;  // what the workload itself counted alive at that moment
};
struct MajorRecord {
  int64_t frame = 0;
  uint64_t pause_ns = 0, cpu_ns = 0, mark_ns = 0, marked_bytes = 0;
};

class CollectionLog {
 public:
  explicit CollectionLog(gc::Heap& heap);
  ~CollectionLog();
  CollectionLog(const CollectionLog&) = delete;
  CollectionLog& operator=(const CollectionLog&) = delete;

  void set_frame(int64_t frame) { frame_ = frame; }
  void Drain() { heap_.DrainEvents(); }
  const std::vector<MinorRecord>& minors() const { return minors_; }
  const std::vector<MajorRecord>& majors() const { return majors_; }
  // Records that a full ring dropped; an experiment that counts events requires 0.
  uint64_t lost() const { return lost_; }

 private:
  void Record(const Event& event);

  gc::Heap& heap_;
  int listener_ = 0;
  int64_t frame_ = 0;
  uint64_t lost_ = 0;
  std::vector<MinorRecord> minors_;
  std::vector<MajorRecord> majors_;
};

// What happened between two snapshots, for the structs of runs: they name these fields alike.
template <typename Run>
void TakeDifference(const gc::Stats& before, const gc::Stats& after, Run* run) {
  run->alloc_objects = after.alloc_objects - before.alloc_objects;
  run->alloc_bytes = after.alloc_bytes - before.alloc_bytes;
  run->minors = after.minors - before.minors;
  run->majors = after.majors - before.majors;
  run->gc_cpu_ns = after.gc_cpu_ns - before.gc_cpu_ns;
  run->copied_bytes = after.copied_bytes - before.copied_bytes;
  run->promoted_bytes = after.promoted_bytes - before.promoted_bytes;
  run->in_place_bytes = after.in_place_bytes - before.in_place_bytes;
}

// Adds every collection to the frame that it fell into: counts, CPU time, pauses. Frames outside
// `frames` (the warm-up) are passed over. Returns the longest pause by CPU time, in ns.
uint64_t AttributeCollections(const std::vector<MinorRecord>& minors,
                              const std::vector<MajorRecord>& majors,
                              std::vector<FrameSample>* frames);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_COLLECTION_LOG_H_
