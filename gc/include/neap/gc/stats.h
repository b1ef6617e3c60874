// SPDX-License-Identifier: MIT
//
// A snapshot of every figure the heap keeps. Names follow Go's runtime/metrics and MemStats where
// the meaning is the same; StatNames() lists them as "/gc/..." paths with unit and sentence.
#ifndef NEAP_GC_STATS_H_
#define NEAP_GC_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace neap::gc {

// X(field, "/path:unit", "sentence"). Counters never fall; gauges say so.
#define NEAP_GC_STATS(X)                                                                           \
  X(alloc_bytes, "/gc/heap/allocs:bytes", "bytes allocated by the program, headers included")      \
  X(alloc_objects, "/gc/heap/allocs:objects", "objects allocated by the program")                  \
  X(young_alloc_bytes, "/gc/nursery/allocs:bytes", "of these, bytes bump-allocated in eden")       \
  X(old_alloc_bytes, "/gc/old/allocs:bytes", "bytes allocated directly in old or large space")     \
  X(minors, "/gc/cycles/minor:gc-cycles", "minor collections")                                     \
  X(majors, "/gc/cycles/total:gc-cycles", "major cycles")                                          \
  X(forced_majors, "/gc/cycles/forced:gc-cycles", "major cycles asked for by the program")         \
  X(copied_bytes, "/gc/nursery/copied:bytes", "survivors copied within the young generation")      \
  X(promoted_bytes, "/gc/nursery/promoted:bytes", "bytes copied from the nursery into old space")  \
  X(in_place_bytes, "/gc/nursery/in-place:bytes", "bytes that became old without a copy")          \
  X(copied_objects, "/gc/nursery/copied:objects", "objects copied within the young generation")    \
  X(promoted_objects, "/gc/nursery/promoted:objects", "objects copied into old space")             \
  X(marked_bytes, "/gc/heap/live:bytes", "gauge: bytes marked live by the last major cycle")       \
  X(heap_bytes, "/memory/classes/heap/objects:bytes", "gauge: bytes of objects, garbage included") \
  X(old_bytes, "/gc/old/objects:bytes", "gauge: bytes in old and large space, garbage included")   \
  X(young_bytes, "/gc/nursery/objects:bytes", "gauge: bytes in eden, survivor and young large")    \
  X(off_heap_bytes, "/gc/off-heap:bytes", "gauge: registered bytes outside the heap")              \
  X(goal_bytes, "/gc/heap/goal:bytes", "gauge: the heap size the next major cycle aims at")        \
  X(trigger_bytes, "/gc/heap/trigger:bytes", "gauge: the heap size at which it starts")            \
  X(nursery_bytes, "/gc/nursery/size:bytes", "gauge: the nursery budget of all Ps together")       \
  X(mapped_bytes, "/memory/classes/total:bytes", "gauge: held from the OS, metadata included")     \
  X(free_block_bytes, "/memory/classes/heap/free:bytes", "gauge: empty blocks kept for reuse")     \
  X(released_bytes, "/memory/classes/heap/released:bytes", "bytes given back to the OS")           \
  X(metadata_bytes, "/memory/classes/metadata:bytes", "gauge: bitmaps and tables, resident part")  \
  X(pause_ns, "/gc/pauses/total:ns", "time the world was stopped for collections")                 \
  X(minor_pause_ns, "/gc/pauses/minor:ns", "of this, minor collections")                           \
  X(max_pause_ns, "/gc/pauses/max:ns", "the longest pause")                                        \
  X(gc_cpu_ns, "/cpu/classes/gc/total:ns", "CPU time of collecting threads")                       \
  X(hook_ns, "/gc/hooks/total:ns", "time in cleanup hooks")                                        \
  X(remembered_objects, "/gc/barrier/scanned:objects", "remembered objects scanned by minors")     \
  X(logged_objects, "/gc/barrier/logged:objects", "write barrier slow paths that logged")          \
  X(weak_cleared, "/gc/weak/cleared:slots", "weak slots cleared")                                  \
  X(finalizers_queued, "/gc/finalizers/queued:objects", "objects queued for finalization")         \
  X(page_faults, "/gc/pauses/faults:pages", "minor page faults inside pauses")                     \
  X(lost_events, "/gc/trace/lost:events", "event records dropped because a ring was full")         \
  X(limiter_ns, "/gc/limiter/active:ns", "CPU time for which the limiter held collections back")   \
  X(out_of_memory, "/gc/heap/out-of-memory:events", "requests that could not be met")

struct Stats {
#define NEAP_DECLARE_STAT(field, path, sentence) uint64_t field = 0;
  NEAP_GC_STATS(NEAP_DECLARE_STAT)
#undef NEAP_DECLARE_STAT
};

struct StatName {
  const char* field;
  const char* path;
  const char* sentence;
  uint64_t Stats::*value;
};
const std::vector<StatName>& StatNames();

}  // namespace neap::gc

#endif  // NEAP_GC_STATS_H_
