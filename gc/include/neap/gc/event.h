// SPDX-License-Identifier: MIT
//
// The events that the heap reports, as records of 64-bit words. The collector writes events, never
// text; listeners (gc/trace_text, gc/trace_json) turn them into lines. Fields are listed once,
// here; the order is the order in the record and in the JSON trace. New fields go to the end.
//
// Times are in nanoseconds of CLOCK_MONOTONIC (durations), the record's own time in the heap
// clock's unit. Bytes count headers.
#ifndef NEAP_GC_EVENT_H_
#define NEAP_GC_EVENT_H_

#include <cstdint>

namespace neap::gc {

enum class EventKind : uint16_t {
  kMinor = 1,    // a minor collection ended (also the one inside a major cycle)
  kMajor = 2,    // a major cycle ended (marking done; sweeping is lazy)
  kHook = 3,     // a cleanup hook ran
  kPool = 4,     // a pool was cleaned up in a major cycle (emitted by pool/)
  kPoolOp = 5,   // one Get or Put (only with recording)
  kLimit = 6,    // the memory limit cannot be met, the limiter switched, out of memory
  kNursery = 7,  // the nursery changed its size
  kProcs = 8,    // the number of Ps changed
};

// Why a collection ran.
#define NEAP_GC_CAUSES(X)                                                        \
  X(kNurseryFull, "nursery-full")      /* eden + young large + young off-heap */ \
  X(kPacer, "pacer")                   /* the heap reached the trigger (GOGC) */ \
  X(kLimit, "memory-limit")            /* the heap reached the limit's goal */   \
  X(kForced, "forced")                 /* Collect() or CollectMinor() */         \
  X(kIdle, "idle")                     /* Idle(deadline) */                      \
  X(kPeriodic, "periodic")             /* two idle minutes */                    \
  X(kStress, "stress")                 /* a debug switch */                      \
  X(kAllocationFailed, "alloc-failed") /* no memory for a request */             \
  X(kMajor, "major")                   /* the minor that starts a major cycle */

enum class Cause : uint64_t {
#define NEAP_DECLARE_CAUSE(name, text) name,
  NEAP_GC_CAUSES(NEAP_DECLARE_CAUSE)
#undef NEAP_DECLARE_CAUSE
};
const char* CauseName(Cause cause);

// X(field) in record order.
#define NEAP_MINOR_EVENT_FIELDS(X)                                         \
  X(number)   /* minor collections so far, this one included */            \
  X(cause)    /* Cause */                                                  \
  X(start_ns) /* when the stop was asked for */                            \
  X(time_to_safepoint_ns)                                                  \
  X(pause_ns) /* from the stop request to the restart; 0 inside a major */ \
  X(cpu_ns)   /* CPU time of the collecting threads */                     \
  X(roots_ns) /* phases */                                                 \
  X(remembered_ns)                                                         \
  X(copy_ns)                                                               \
  X(weak_ns)           /* weak slots, ephemerons, finalizers */            \
  X(finish_ns)         /* nursery turnover, stationary young */            \
  X(eden_bytes)        /* bytes of eden consumed since the last minor */   \
  X(eden_limit_bytes)  /* the nursery budget in force */                   \
  X(young_large_bytes) /* stationary young bytes since the last minor */   \
  X(young_off_heap_bytes)                                                  \
  X(copied_bytes)   /* survivors copied within the young generation */     \
  X(promoted_bytes) /* copied into old space */                            \
  X(in_place_bytes) /* became old, or stayed young, without a copy */      \
  X(copied_objects)                                                        \
  X(promoted_objects)                                                      \
  X(in_place_objects)                                                      \
  X(survived_age1_bytes) /* survivors by the age they reached */           \
  X(survived_age2_bytes)                                                   \
  X(survived_age3_bytes)                                                   \
  X(survived_older_bytes)                                                  \
  X(remembered_objects) /* logged and retained objects scanned */          \
  X(remembered_cards)                                                      \
  X(pinned_objects)                                                        \
  X(no_room_objects) /* stayed because no room could be had */             \
  X(workers)                                                               \
  X(page_faults) /* during the pause */                                    \
  X(tenure)      /* the tenuring threshold in force */                     \
  X(finalizers_queued)                                                     \
  X(lost_events)

#define NEAP_MAJOR_EVENT_FIELDS(X)                                                  \
  X(number) /* major cycles so far, this one included */                            \
  X(cause)                                                                          \
  X(start_ns)                                                                       \
  X(time_to_safepoint_ns)                                                           \
  X(pause_ns)                                                                       \
  X(cpu_ns)                                                                         \
  X(sweep_finish_ns) /* phases, in order */                                         \
  X(hooks_ns)                                                                       \
  X(minor_ns)                                                                       \
  X(mark_ns)                                                                        \
  X(weak_ns)                                                                        \
  X(finish_ns)                                                                      \
  X(heap_before_bytes) /* old + young bytes at the start */                         \
  X(marked_bytes)      /* live after marking */                                     \
  X(marked_objects)                                                                 \
  X(off_heap_bytes) /* of live objects */                                           \
  X(root_bytes)     /* scanned roots: handles, providers */                         \
  X(goal_bytes)     /* the goal that this cycle ran under */                        \
  X(trigger_bytes)                                                                  \
  X(next_goal_bytes) /* pacer output */                                             \
  X(next_trigger_bytes)                                                             \
  X(next_clamp)         /* pacer: which rule decided (PacerClamp) */                \
  X(counter_bytes)      /* promoted + direct old + off-heap since the last cycle */ \
  X(gogc)               /* percent; 2^64-1: off */                                  \
  X(memory_limit_bytes) /* 2^64-1: none */                                          \
  X(mapped_bytes)       /* held from the OS, released pages not counted */          \
  X(procs)                                                                          \
  X(forced) /* 1: asked for by the program */                                       \
  X(hooks)  /* number run */                                                        \
  X(weak_cleared)                                                                   \
  X(finalizers_queued)                                                              \
  X(page_faults)                                                                    \
  X(gc_cpu_percent_x100) /* share of CPU in collection since start, x100 */         \
  X(lost_events)

#define NEAP_HOOK_EVENT_FIELDS(X) \
  X(cycle)                        \
  X(name) /* const char* */       \
  X(duration_ns)                  \
  X(slow) /* 1: its CPU time was over the slow-hook-us switch */

#define NEAP_POOL_EVENT_FIELDS(X)                      \
  X(cycle)                                             \
  X(name) /* const char* */                            \
  X(pool) /* number of the pool, process wide */       \
  X(gets) /* since the last cycle */                   \
  X(private_hits)                                      \
  X(shared_hits)                                       \
  X(steals)                                            \
  X(victim_hits)                                       \
  X(misses)                                            \
  X(puts)                                              \
  X(drops)   /* refused puts: bounds, guard, closed */ \
  X(demoted) /* items that moved to the victim */      \
  X(evicted) /* items dropped by this cleanup */       \
  X(bytes_held)

#define NEAP_POOL_OP_EVENT_FIELDS(X)                 \
  X(pool)                                            \
  X(op)     /* PoolOp */                             \
  X(object) /* identity of the object, 0 for none */ \
  X(place)  /* where it was found or went */         \
  X(cycle)  /* major cycles so far */

#define NEAP_LIMIT_EVENT_FIELDS(X)                             \
  X(what) /* 0 limit under live, 1 limiter on, 2 off, 3 OOM */ \
  X(live_bytes)                                                \
  X(limit_bytes)                                               \
  X(request_bytes)

#define NEAP_NURSERY_EVENT_FIELDS(X) \
  X(old_bytes)                       \
  X(new_bytes)                       \
  X(predicted_survivor_bytes)        \
  X(reason)

#define NEAP_PROCS_EVENT_FIELDS(X) \
  X(before)                        \
  X(after)

#define NEAP_DECLARE_FIELD(name) uint64_t name = 0;
#define NEAP_DECLARE_EVENT(Type, FIELDS) \
  struct Type {                          \
    FIELDS(NEAP_DECLARE_FIELD)           \
  };                                     \
  static_assert(sizeof(Type) % 8 == 0)

NEAP_DECLARE_EVENT(MinorEvent, NEAP_MINOR_EVENT_FIELDS);
NEAP_DECLARE_EVENT(MajorEvent, NEAP_MAJOR_EVENT_FIELDS);
NEAP_DECLARE_EVENT(HookEvent, NEAP_HOOK_EVENT_FIELDS);
NEAP_DECLARE_EVENT(PoolEvent, NEAP_POOL_EVENT_FIELDS);
NEAP_DECLARE_EVENT(PoolOpEvent, NEAP_POOL_OP_EVENT_FIELDS);
NEAP_DECLARE_EVENT(LimitEvent, NEAP_LIMIT_EVENT_FIELDS);
NEAP_DECLARE_EVENT(NurseryEvent, NEAP_NURSERY_EVENT_FIELDS);
NEAP_DECLARE_EVENT(ProcsEvent, NEAP_PROCS_EVENT_FIELDS);

}  // namespace neap::gc

#endif  // NEAP_GC_EVENT_H_
