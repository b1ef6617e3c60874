// SPDX-License-Identifier: MIT
//
// START HERE. The managed heap: a generational copying nursery in front of a mark-sweep old space.
//
//   gc::Heap heap({.procs = 1});
//   gc::Mutator m(heap);                       // this thread now holds a P
//   gc::HandleScope scope(m);
//   gc::Handle<Node> root = scope.New(m.New<Node>(kNode));
//   m.Store(root.get(), root->left.slot(), m.New<Node>(kNode));   // see mutator.h for the rules
//   heap.Collect(m);                           // every raw pointer is stale now, `root` is not
//
// It is not for objects with C++ destructors (see pool::Pool for those) and not a replacement for
// malloc: raw pointers are valid only between two safepoints.
//
// Thread safety: methods that take a Mutator& belong to the thread of that mutator and are
// safepoints unless marked (no safepoint). The others may be called from any thread.
//
// Order of calls: construct; attach mutators; use; destroy every Mutator, GlobalHandle, WeakHandle
// and pool; destroy the heap. A thread must destroy its Mutator before it exits. After fork() only
// the parent may go on using a heap.
#ifndef NEAP_GC_HEAP_H_
#define NEAP_GC_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "neap/gc/event.h"
#include "neap/gc/object.h"
#include "neap/gc/options.h"
#include "neap/gc/stats.h"
#include "neap/gc/type.h"
#include "neap/runtime/scheduler.h"

namespace neap::gc {

class Collector;
class Mutator;
class PauseHistogram;

// A source of roots outside the handle tables (a pool's rings, a VM's stacks). The slots it reports
// may be changed by the collector (objects move).
class RootProvider {
 public:
  virtual ~RootProvider() = default;
  // Reports every root. World stopped; may not allocate from the heap.
  virtual void VisitRoots(Tracer& tracer) = 0;
  // Reports at least every root that may hold a young object. A minor collection asks for this; the
  // default reports all.
  virtual void VisitYoungRoots(Tracer& tracer) { VisitRoots(tracer); }
};

// A table outside the heap that names objects without keeping them alive (interned strings). It is
// settled at the end of every collection's weak processing, world stopped, after finalizers made
// their objects live again; it may not allocate from the heap.
class WeakTable {
 public:
  virtual ~WeakTable() = default;
  // What became of an object that the table named before the collection.
  class Fates {
   public:
    // Its address now; 0 when it is dead and must be forgotten.
    virtual Word After(Word word) = 0;
    // Whether the object at this address (of now) may still move: the next minor asks for it.
    virtual bool IsYoung(Word word) = 0;

   protected:
    ~Fates() = default;
  };
  // After a minor: only entries that were young, or came since the last collection, have changed.
  virtual void SettleYoung(Fates& fates) = 0;
  // After marking. Nothing moved, but any entry may be dead.
  virtual void SettleAll(Fates& fates) = 0;
  // Every entry, and whether SettleYoung would look at it (for the verifier, rule N15).
  virtual void ForEach(const std::function<void(Word word, bool listed_young)>& visit) = 0;
};

// A cleanup hook: runs with the world stopped at the start of every major cycle, before any root is
// captured. It may not allocate from the heap, take a safepoint or block (checked), and should take
// O(1) time per cache. `cycle` is the number of the major cycle that starts (first: 1).
using CleanupHook = void (*)(void* context, uint64_t cycle);

// Asked when memory is short: `request_bytes` could not be had, or the limiter gave up. Runs on the
// mutator, outside a pause. It may free things; true means "try once more".
using OutOfMemoryFunction = bool (*)(void* context, uint64_t request_bytes, uint64_t live_bytes);

// Receives events when rings are drained: on a mutator's thread, outside pauses, one at a time.
using EventListener = std::function<void(const Event&)>;

class Heap {
 public:
  // Fails with InvalidArgument (options) or ResourceExhausted (no address space).
  static absl::StatusOr<std::unique_ptr<Heap>> Create(const Options& options);
  // The same for options known to be valid; checks success.
  explicit Heap(const Options& options = {});
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // --- Collecting --------------------------------------------------------------------------------
  // A full, forced major cycle; Go's runtime.GC(). Everything unreachable at the call is freed
  // (objects with finalizers are queued instead). Sweeping is finished before it returns.
  void Collect(Mutator& m);
  // One minor collection; does nothing with nursery=off.
  void CollectMinor(Mutator& m);
  // For frame loops: does useful work until about `deadline_ns` (MonotonicNanos): a minor
  // collection when the nursery is more than half full and the predicted pause fits, then sweeping.
  // Returns at once when there is nothing to do, and true when nothing of this is left: false means
  // that time was too short for the minor or for the rest of the sweep. Never a major cycle.
  bool Idle(Mutator& m, uint64_t deadline_ns);

  // Whether all there is, off-heap bytes included, is within the hard limit, after a collection if
  // need be: for owners of off-heap bytes, whose growth asks nobody.
  bool HasRoom(Mutator& m);
  // Whether so many more bytes are within it as things are. (no safepoint)
  bool Fits(uint64_t bytes) const;

  // --- Knobs; effective at once ------------------------------------------------------------------
  // Percent; Options::kGogcOff for off. Returns the old value. (no safepoint)
  uint64_t SetGogc(uint64_t percent);
  // Bytes; Options::kNoLimit for none. Returns the old value. (no safepoint)
  uint64_t SetMemoryLimit(uint64_t bytes);
  uint64_t SetHardLimit(uint64_t bytes);
  uint32_t SetTenure(uint32_t tenure);
  // Fixes the nursery at `bytes` per P from the next minor on; 0 goes back to adaptive.
  absl::Status SetNurseryBytes(Mutator& m, size_t bytes);
  // Changes the number of Ps. InvalidArgument when out of range. The caller's own P must survive
  // or it moves to another.
  absl::Status SetProcs(Mutator& m, int procs);

  // --- Hooks, roots, listeners -------------------------------------------------------------------
  // Hooks run in order of registration. The returned id removes it. Not while the world is stopped.
  int AddCleanupHook(const char* name, CleanupHook hook, void* context);
  void RemoveCleanupHook(int id);
  void AddRootProvider(RootProvider* provider);
  void RemoveRootProvider(RootProvider* provider);
  void AddWeakTable(WeakTable* table);
  void RemoveWeakTable(WeakTable* table);
  void SetOutOfMemoryFunction(OutOfMemoryFunction function, void* context);
  int AddEventListener(EventListener listener);
  void RemoveEventListener(int id);
  // Reads all rings now and calls the listeners. Not while the world is stopped.
  void DrainEvents();
  // Emits one event into the ring of the mutator's P. (no safepoint)
  template <typename Record>
  void Emit(Mutator& m, EventKind kind, const Record& record) {
    EmitWords(m, kind, reinterpret_cast<const uint64_t*>(&record), sizeof(Record) / 8);
  }
  // The same from a cleanup hook, while the world is stopped (goes to the stopper's ring).
  template <typename Record>
  void EmitWhileStopped(EventKind kind, const Record& record) {
    EmitWordsWhileStopped(kind, reinterpret_cast<const uint64_t*>(&record), sizeof(Record) / 8);
  }
  // True when some listener wants events; emitters with costly records ask first.
  bool HasListeners() const;

  // --- Figures -----------------------------------------------------------------------------------
  Stats Snapshot() const;
  // Major cycles and minor collections started so far. (no safepoint)
  uint64_t majors() const;
  uint64_t minors() const;
  // Live bytes as a language's `count` wants them: marked live + allocated since. (no safepoint)
  uint64_t LiveEstimateBytes() const;
  PauseHistogram& pauses();
  Clock& clock();
  Scheduler& scheduler();
  const Options& options() const;
  // The same as the knobs stand now.
  Options CurrentOptions() const;

  // --- For tests and tools -----------------------------------------------------------------------
  bool IsYoung(const Object* object) const;
  bool IsLarge(const Object* object) const;
  bool Contains(const void* address) const;
  // Verifies the whole heap with the world stopped; Internal names the first broken invariant.
  absl::Status Verify(Mutator& m);
  // Calls `visit` for each reachable object once (independent traversal; the world is stopped).
  void WalkReachable(Mutator& m, const std::function<void(Object*)>& visit);
  Collector& collector() { return *collector_; }

 private:
  friend class Mutator;
  explicit Heap(std::unique_ptr<Collector> collector);
  void EmitWords(Mutator& m, EventKind kind, const uint64_t* words, size_t count);
  void EmitWordsWhileStopped(EventKind kind, const uint64_t* words, size_t count);

  std::unique_ptr<Collector> collector_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_HEAP_H_
