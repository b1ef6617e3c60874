// SPDX-License-Identifier: MIT
//
// The collector: owns the parts of the heap and wires them into cycles. The essay, the phases and
// the invariants stand at the top of collector.cc; slow paths of allocation in allocation.cc.
#ifndef NEAP_GC_COLLECTOR_H_
#define NEAP_GC_COLLECTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "allocation_watcher.h"
#include "counter.h"
#include "cpu_limiter.h"
#include "evacuator.h"
#include "finalizers.h"
#include "heap_range.h"
#include "identity_table.h"
#include "large_space.h"
#include "local.h"
#include "marker.h"
#include "neap/gc/heap.h"
#include "neap/gc/pause_histogram.h"
#include "nursery.h"
#include "nursery_sizer.h"
#include "old_space.h"
#include "pacer.h"
#include "remembered_set.h"
#include "roots.h"
#include "worker_threads.h"

namespace neap::gc {

// LimitEvent::what, in the order of LimitWhatName.
enum class LimitWhat : uint64_t {
  kUnderLive,    // the memory limit is under the live size; told once
  kLimiterOn,    // collections are held back from here on
  kLimiterOff,   // and no longer
  kOutOfMemory,  // a request could not be met
};

class Collector {
 public:
  static absl::StatusOr<std::unique_ptr<Collector>> Create(const Options& options);
  ~Collector();

  // --- The parts (for heap.cc, mutator.cc, the verifier and tests) -------------------------------
  const Options& options() const { return options_; }
  Options CurrentOptions() const;
  Scheduler& scheduler() { return scheduler_; }
  Clock& clock() { return clock_; }
  HeapRange& range() { return range_; }
  OldSpace& old_space() { return old_space_; }
  LargeSpace& large_space() { return large_space_; }
  Nursery& nursery() { return nursery_; }
  RememberedSet& remembered() { return remembered_; }
  RootSet& roots() { return roots_; }
  Finalizers& finalizers() { return finalizers_; }
  IdentityTable& identities() { return identities_; }
  Marker& marker() { return marker_; }
  PauseHistogram& pauses() { return pauses_; }
  const std::vector<Object*>& stationary_young() const { return stationary_young_; }
  Local& local(int proc) { return *locals_[static_cast<size_t>(proc)]; }
  bool nursery_off() const { return options_.nursery == Options::Nursery::kOff; }

  // --- Allocation (allocation.cc) ----------------------------------------------------------------
  enum class Where : uint8_t {
    kNursery,     // eden; old space with nursery=off
    kStationary,  // never moves
  };
  // Memory for an object, or null when the request cannot be met. Large and stationary objects come
  // with their header written and zeroed, others with neither. May collect.
  void* AllocateSlow(Mutator& m, TypeId type, size_t bytes, Where where);
  void OffHeapChanged(Mutator& m, Object* owner, int64_t delta);
  bool IsYoung(const Object* object) const;
  // The watcher is told of objects that are born from now on (allocation_watch.cc): of each, or
  // with `mean_bytes` != 0 of those with a sample point. Null: nobody. Stops the world.
  void WatchAllocations(Mutator& m, AllocationWatcher* watcher, uint64_t mean_bytes, uint64_t seed);

  // --- Collecting --------------------------------------------------------------------------------
  // A full, forced major cycle; sweeping is finished on return.
  void Collect(Mutator& m, Cause cause);
  void CollectMinor(Mutator& m, Cause cause);
  // What the mutator needs, as seen now: a minor, or a major when one is due. Returns after one
  // collection, possibly another thread's.
  void CollectAsDue(Mutator& m, Cause cause);
  bool HasRoom(Mutator& m);
  bool Fits(uint64_t bytes) const { return !OverHardLimit(bytes); }
  bool Idle(Mutator& m, uint64_t deadline_ns);
  void StressSafepoint(Mutator& m);
  // Stops the world and runs `work`.
  void WhileStopped(Mutator& m, const std::function<void()>& work);

  // --- Knobs, hooks, listeners -------------------------------------------------------------------
  uint64_t SetGogc(uint64_t percent);
  uint64_t SetMemoryLimit(uint64_t bytes);
  uint64_t SetHardLimit(uint64_t bytes) { return hard_limit_bytes_.exchange(bytes); }
  uint32_t SetTenure(uint32_t tenure) { return tenure_.exchange(tenure); }
  void SetNurseryBytes(Mutator& m, size_t bytes_per_proc);
  void SetProcs(Mutator& m, int procs);
  int AddHook(const char* name, CleanupHook hook, void* context);
  void RemoveHook(int id);
  void SetOutOfMemory(OutOfMemoryFunction function, void* context);
  int AddListener(EventListener listener);
  void RemoveListener(int id);
  bool HasListeners() const { return listener_count_.load(std::memory_order_relaxed) != 0; }
  void DrainEvents();
  void Emit(Processor& p, EventKind kind, const uint64_t* words, size_t count);
  void EmitWhileStopped(EventKind kind, const uint64_t* words, size_t count);
  void EmitLimit(Mutator& m, LimitWhat what, uint64_t request_bytes);

  // --- Figures -----------------------------------------------------------------------------------
  uint64_t majors() const { return majors_.load(std::memory_order_relaxed); }
  uint64_t minors() const { return minors_.load(std::memory_order_relaxed); }
  Stats Snapshot() const;
  uint64_t LiveEstimateBytes() const;
  // Bytes ever allocated by the program; the virtual clock's source.
  uint64_t AllocatedBytes() const;
  uint64_t YoungAllocatedBytes() const;
  bool stopped_by_collector() const { return in_pause_; }
  bool in_hook() const { return in_hook_; }
  // Old and large space, garbage included: marked old bytes + everything that became old since.
  uint64_t OldBytes() const {
    return old_marked_bytes_.load(std::memory_order_relaxed) +
           old_since_mark_bytes_.load(std::memory_order_relaxed);
  }
  uint64_t OffHeapBytes() const {
    return static_cast<uint64_t>(
        std::max<int64_t>(0, old_off_heap_bytes_.load() + young_off_heap_bytes_.load()));
  }
  // The two gauges behind OffHeapBytes (N14).
  int64_t young_off_heap_bytes() const {
    return young_off_heap_bytes_.load(std::memory_order_relaxed);
  }
  int64_t old_off_heap_bytes() const { return old_off_heap_bytes_.load(std::memory_order_relaxed); }
  uint64_t YoungBytes() const;
  uint64_t MappedBytes() const;

 private:
  explicit Collector(const Options& options);
  bool Reserve();
  bool ReserveSpace();
  static void NewProcessor(Processor& p, void* context);

  // A stop of the world on behalf of a collection.
  struct Pause {
    StopInfo stop;
    uint64_t cpu_start_ns = 0;
    uint64_t faults_start = 0;
  };
  bool BeginPause(Mutator& m, Pause* pause);
  void EndPause(Mutator& m, const Pause& pause);
  void AfterPause(Mutator& m);

  // World stopped.
  void MinorWhileStopped(Mutator& m, Cause cause, MinorEvent* event);
  void MajorWhileStopped(Mutator& m, Cause cause, MajorEvent* event);
  void GatherLocals();
  void ReleaseAllCells();
  void RunHooks(uint64_t cycle, MajorEvent* event);
  void MarkWhileStopped(MajorEvent* event);
  void FreeUnmarkedYoung();
  void ClearNurseryMarks();
  void AdaptNursery(const MinorEvent& event, uint64_t eden_consumed);
  void Repace(MajorEvent* event);
  void MeasureMapped();
  void PaceNow();
  void CountMinor(const MinorEvent& event);
  void CountMajor(const MajorEvent& event);
  void VerifyIfAsked(const char* when);
  void RunMinor(Mutator& m, const Pause& pause, Cause cause);
  void RunMajor(Mutator& m, const Pause& pause, Cause cause);
  void ReportEvacuation(MinorEvent* event) const;
  template <typename Event>
  void MeasurePause(const Pause& pause, Event* event);
  template <typename Event>
  uint64_t CountPause(const Event& event);
  void FinishMinorPause(Mutator& m, const Pause& pause, MinorEvent* event);
  void FinishMajorPause(Mutator& m, const Pause& pause, MajorEvent* event);
  uint64_t MutatorNsSinceLastPause(const StopInfo& stop) const;
  uint64_t LostEvents() const;

  // Policy.
  bool MajorDue() const;
  bool PeriodicDue() const;
  void BoundNursery();
  size_t NurseryTotalBytes(size_t per_proc) const;
  void SetNurseryTotal(size_t bytes, uint64_t reason, uint64_t predicted);

  // Allocation (allocation.cc).
  void* TryOnce(Mutator& m, TypeId type, size_t bytes, Where where);
  void* TryNursery(Mutator& m, size_t bytes);
  void* TryOld(Mutator& m, size_t bytes);
  void* TryStationary(Mutator& m, TypeId type, size_t bytes);
  void* Bump(Local& local, size_t bytes);
  void CountOld(Local& local, size_t bytes);
  enum class Escalation : uint8_t { kStart, kCollected, kAsked };
  bool Escalate(Mutator& m, size_t bytes, Escalation* step);
  bool AskForMemory(size_t bytes);
  bool OverHardLimit(size_t bytes) const;
  void StressAllocation(Mutator& m);
  bool InjectFailure();
  void StartSampling(Local& local, int id);
  void LowerLimit(Local& local);
  void WatchAllocation(Mutator& m, void* memory, TypeId type, size_t bytes);

  Options options_;  // nursery mode may change at run time (SetNurseryBytes)
  Clock clock_;
  Scheduler scheduler_;
  HeapRange range_;
  OldSpace old_space_;
  LargeSpace large_space_;
  Nursery nursery_;
  RememberedSet remembered_;
  RootSet roots_;
  Finalizers finalizers_;
  IdentityTable identities_;
  WorkerThreads threads_;
  Evacuator evacuator_;
  Marker marker_;
  PauseHistogram pauses_;
  std::unique_ptr<Local> locals_[kMaxProcs];

  // Policy state; only while stopped unless atomic.
  NurserySizer sizer_;
  size_t fixed_nursery_bytes_;  // per P, while options_.nursery is kFixed
  CohortPredictor cohorts_;
  CpuLimiter limiter_;
  PacerInputs pacer_inputs_;
  PacerDecision pace_;  // guarded by pace_mutex_
  mutable std::mutex pace_mutex_;
  std::atomic<uint64_t> runway_bytes_{0};   // of pace_, for the cheap test
  std::atomic<uint64_t> counter_bytes_{0};  // became old or was allocated old since the last major
  std::atomic<uint64_t> gogc_;
  std::atomic<uint64_t> memory_limit_bytes_;
  std::atomic<uint64_t> hard_limit_bytes_;
  std::atomic<uint32_t> tenure_;
  std::atomic<bool> limit_bound_{false};
  std::atomic<bool> give_up_{false};  // the limiter found the limit hopeless
  bool warned_limit_ = false;
  std::atomic<bool> warn_pending_{false};
  bool limiter_was_engaged_ = false;            // as the last event said; written while stopped
  bool slow_mode_ = false;                      // a stress switch needs every allocation
  std::atomic<uint64_t> allocation_number_{0};  // in slow mode
  AllocationWatcher* watcher_ = nullptr;        // written while stopped
  uint64_t sample_mean_bytes_ = 0;
  uint64_t sample_seed_ = 0;
  std::atomic<uint64_t> collection_number_{0};  // minors + majors, for stress-major
  std::atomic<uint64_t> last_major_ns_{0};
  uint64_t last_pause_end_ns_ = 0;
  uint64_t off_heap_before_bytes_ = 0;  // at the start of the present major
  uint64_t start_ns_ = 0;
  uint64_t start_cpu_ns_ = 0;

  // Sizes.
  std::atomic<uint64_t> old_marked_bytes_{0};
  std::atomic<uint64_t> old_since_mark_bytes_{0};
  std::atomic<int64_t> old_off_heap_bytes_{0};
  std::atomic<int64_t> young_off_heap_bytes_{0};
  std::atomic<uint64_t> survivor_bytes_{0};      // young after the last minor
  std::atomic<uint64_t> total_marked_bytes_{0};  // live at the last major, young included
  std::atomic<uint64_t> allocated_at_mark_{0};
  uint64_t retired_at_minor_ = 0;          // YoungAllocatedBytes at the last minor
  std::vector<Object*> stationary_young_;  // between minors: survivors; gathered in the pause

  std::atomic<uint64_t> minors_{0};
  std::atomic<uint64_t> majors_{0};
  mutable std::mutex figures_mutex_;
  Stats figures_;  // guarded by figures_mutex_

  Mutator* stopper_ = nullptr;  // while stopped
  bool in_pause_ = false;
  bool in_hook_ = false;

  struct Hook {
    int id;
    const char* name;
    CleanupHook function;
    void* context;
  };
  std::mutex hooks_mutex_;  // guards what follows
  std::vector<Hook> hooks_;
  int last_id_ = 0;
  OutOfMemoryFunction out_of_memory_ = nullptr;
  void* out_of_memory_context_ = nullptr;
  struct SlowHook {
    const char* name;
    uint64_t ns;
  };
  std::vector<SlowHook> slow_hooks_;  // written while stopped, reported after

  std::recursive_mutex listeners_mutex_;  // guards listeners_ and draining
  std::vector<std::pair<int, EventListener>> listeners_;
  std::atomic<int> listener_count_{0};
  mutable std::atomic<uint64_t> last_clock_{0};  // keeps the virtual clock monotone
};

}  // namespace neap::gc

#endif  // NEAP_GC_COLLECTOR_H_
