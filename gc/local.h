// SPDX-License-Identifier: MIT
//
// The heap's per-P state. It starts with the TLAB, so that a mutator's pointer to the one is a
// pointer to the other.
//
//   TLAB:  start            top            limit
//          | objects ...    | free ...     |        cut from an eden block
//
// With a stress switch on, `limit` is kept equal to `top`, so that every allocation takes the slow
// path; watched allocation lowers it to the next sample point. `real_limit` keeps the true end.
#ifndef NEAP_GC_LOCAL_H_
#define NEAP_GC_LOCAL_H_

#include <cstdint>
#include <vector>

#include "counter.h"
#include "neap/gc/mutator.h"
#include "old_space.h"

namespace neap::gc {

class Local : public Tlab {
 public:
  static constexpr size_t kFirstStationary = 512;  // what the start of a Lua state takes

  explicit Local(OldSpace& old_space)
      : cells(old_space, CellFlavour::kPlain), stationary(old_space, CellFlavour::kStationary) {
    stationary_young.reserve(kFirstStationary);
  }

  // Bytes bump-allocated in the present TLAB. Readable by any thread.
  uint64_t tlab_bytes() const {
    return static_cast<uint64_t>(LoadTop() - tlab_start.load(std::memory_order_relaxed));
  }

  // Bytes ever allocated on this P. Readable by any thread.
  uint64_t allocated_bytes() const { return retired_bytes.Get() + tlab_bytes() + old_bytes.Get(); }

  // Owner P; the collector while stopped.
  std::atomic<char*> tlab_start{nullptr};
  char* real_limit = nullptr;
  CellAllocator cells;
  CellAllocator stationary;
  std::vector<Object*> log;               // modification buffer of the write barrier
  std::vector<Object*> stationary_young;  // born since the last minor
  uint64_t unreported_old_bytes = 0;  // allocated directly old, not yet in the collector's counter
  uint64_t hash_state = 0;
  uint64_t next_sample = UINT64_MAX;  // of allocated_bytes: allocation_watcher.h
  uint64_t sample_state = 0;
  uint64_t safepoints = 0;    // for stress-safepoint
  uint64_t barrier_logs = 0;  // for drop-barrier

  // Owner writes, anybody reads.
  Counter retired_bytes;  // young bytes of TLABs already retired
  Counter old_bytes;      // allocated directly old or stationary
  Counter old_objects;    // (young objects are counted in Tlab::objects)
  Counter logged_objects;
};

}  // namespace neap::gc

#endif  // NEAP_GC_LOCAL_H_
