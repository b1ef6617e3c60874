// SPDX-License-Identifier: MIT
//
// The pool without its type: parks words (managed references, or pointers to C++ values) per P.
// Embedders use Pool<T> (neap/pool/pool.h); a VM that stores its own kinds of words may use this.
//
// The whole fast path of Get and Put is in this file. It is taken when `fast_size_` says that this
// P's shard may be used as it is: not before the first use after a major cycle, and never with an
// optional feature on. So features cost nothing while they are off: the bounds check of the shard
// array, which sync.Pool makes too, is the test for all of them.
#ifndef NEAP_POOL_WORD_POOL_H_
#define NEAP_POOL_WORD_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/pool/checked.h"
#include "neap/pool/metrics.h"
#include "neap/pool/recorder.h"
#include "neap/pool/retention.h"
#include "neap/pool/shard.h"
#include "neap/runtime/check.h"

namespace neap::pool {

using gc::Word;

inline constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// See Options<T> in neap/pool/pool.h, which says what each field means.
struct WordOptions {
  std::string name = "pool";
  bool managed = true;     // the words are references into the managed heap
  size_t value_bytes = 0;  // values: sizeof(T), what checked mode may poison
  bool go_exact = false;
  bool steal = true;
  Retention retention;
  std::function<void(Word)> reset;
  std::function<size_t(Word)> size_of;
  bool account_bytes = false;
  uint64_t max_item_bytes = kUnlimited;
  uint64_t max_items = kUnlimited;
  uint64_t max_bytes = kUnlimited;
  std::function<void(Word)> on_evict;
  void (*destroy)(Word) = nullptr;  // values: frees one
  bool checked = false;
  std::function<bool(Word)> is_clean;
  // Checked mode: a number that changes when the item is changed and not when it is moved, compared
  // in place of poisoned bytes. As the other functions it may not use the heap.
  std::function<uint64_t(Word)> fingerprint;
  // Checked mode: a Put of what the pool has not handed out is a violation (kForeignPut).
  bool own_items_only = false;
  ViolationFunction on_violation;
  Chaos chaos;
  Recorder* recorder = nullptr;
  // A pool that nobody used for so many major cycles is emptied, whatever its Retention; 0: never.
  uint32_t idle_cycles = 0;
};

// OK, or InvalidArgument that names the option, its value and what is allowed.
absl::Status ValidateOptions(const WordOptions& options);

class Registry;

namespace internal {
class Checker;
struct ShardArray;
class Victims;
}  // namespace internal

class WordPool {
 public:
  // Checks that the options are valid. The thread must hold a P of `heap` (or the heap must not be
  // in use by any other thread yet).
  WordPool(gc::Heap& heap, WordOptions options);
  // Drops every item. The thread must hold a P, and nobody may use the pool any more.
  ~WordPool();
  WordPool(const WordPool&) = delete;
  WordPool& operator=(const WordPool&) = delete;

  // An item, or 0. (no safepoint)
  Word Take(gc::Mutator& m, CallPlace here) { return TakeOn(m, m.proc(), here); }
  // Parks `item`, which must not be 0; a refused item is dropped (values: freed). (no safepoint)
  void Put(gc::Mutator& m, Word item, CallPlace here) { PutOn(m, m.proc(), item, here); }

  // The same as if the thread held the P `proc`: for deterministic schedules in one thread, while
  // no other thread uses the pool. `proc` must be less than the number of Ps ever created.
  Word TakeOn(gc::Mutator& m, int proc, CallPlace here) {
    const Word item = TakeFast(proc);
    return item != 0 ? item : TakeSlow(m, proc, here);
  }
  void PutOn(gc::Mutator& m, int proc, Word item, CallPlace here) {
    if (!PutFast(proc, item)) [[unlikely]]
      PutSlow(m, proc, item, here);
  }

  // The two halves of TakeOn and PutOn. 0, or false: go on with the slow half.
  [[gnu::always_inline]] Word TakeFast(int proc) {
    NEAP_DCHECK(!heap_.scheduler().stopped(), "P2: no Get while the world is stopped");
    if (static_cast<uint32_t>(proc) >= fast_size_.load(std::memory_order_acquire)) [[unlikely]]
      return 0;
    internal::Shard& shard = fast_shards_.load(std::memory_order_relaxed)[proc];
    const Word item = shard.private_item.load(std::memory_order_relaxed);
    if (!internal::IsItem(item)) [[unlikely]]
      return 0;
    shard.private_item.store(internal::kEmptyListed, std::memory_order_relaxed);
    shard.private_hits.Add();
    return item;
  }
  [[gnu::always_inline]] bool PutFast(int proc, Word item) {
    NEAP_DCHECK(!heap_.scheduler().stopped(), "P2: no Put while the world is stopped");
    if (static_cast<uint32_t>(proc) >= fast_size_.load(std::memory_order_acquire)) [[unlikely]]
      return false;
    internal::Shard& shard = fast_shards_.load(std::memory_order_relaxed)[proc];
    const Word state = shard.private_item.load(std::memory_order_relaxed);
    if (state != internal::kEmptyListed) [[unlikely]]
      return false;
    shard.private_item.store(item, std::memory_order_relaxed);
    shard.private_puts.Add();
    return true;
  }
  Word TakeSlow(gc::Mutator& m, int proc, CallPlace here);
  void PutSlow(gc::Mutator& m, int proc, Word item, CallPlace here);

  // Checked mode learns of an item that New has just made. (no safepoint)
  void NoteMade(gc::Mutator& m, Word item, CallPlace here);
  bool checked() const { return checker_ != nullptr; }
  // Checked mode: what a Put of the item would find wrong before it looks into it. (no safepoint)
  std::optional<Violation> FindBadPut(gc::Mutator& m, Word item, CallPlace here) const;
  // Checked mode: what was taken and is not back, oldest Get first. (no safepoint)
  std::vector<Unreturned> FindUnreturned(gc::Mutator& m) const;

  // Refuses all Puts and finds nothing from now on, and evicts what this thread can reach; what
  // other Ps hold in private goes at the next major cycle. FailedPrecondition when closed already.
  // (no safepoint)
  absl::Status Close(gc::Mutator& m);
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  // Any thread that holds a P. (no safepoint)
  Metrics Snapshot() const;
  // Verifies the pool's structure: Internal names the first broken invariant. No other thread may
  // use the pool meanwhile.
  absl::Status Verify() const;

  const WordOptions& options() const { return options_; }
  gc::Heap& heap() { return heap_; }
  // Number of this pool, process wide, as in events.
  uint64_t number() const { return number_; }

 private:
  friend class Registry;
  friend class WordPoolPeer;  // tests

  // Where a Get found its item.
  struct Found {
    Word item = 0;
    Place place = Place::kNone;
    internal::ShardArray* array = nullptr;  // it was in
  };

  // The primary and the shard of P `proc` in it; makes and registers a primary when there is none.
  struct Pinned {
    internal::ShardArray* array;
    internal::Shard* shard;
  };
  Pinned Pin(int proc);
  Pinned PinSlow(int proc);
  void GrowLocked(internal::ShardArray* primary, uint32_t size);
  internal::ShardArray* NewArrayLocked(uint32_t size);
  void PublishLocked(internal::ShardArray* primary);

  // `start`: where the walk through the other Ps starts; the P's own number unless chaos plays.
  Found Search(Pinned own, int proc, uint64_t start);
  Found SearchPrimary(Pinned own, int proc, uint64_t start);
  Found SearchVictim(internal::ShardArray& victim, int proc, uint64_t start);
  void MarkEmpty(internal::ShardArray& victim);
  void CountGet(internal::Shard& own, const Found& found);

  // What enabled features say to a Put; false: the item is refused.
  bool Admit(Pinned own, int proc, Word item, std::optional<Violation>* violation);
  bool ReserveRoom(internal::ShardArray& array, uint64_t bytes);
  void GiveRoomBack(internal::ShardArray& array, uint64_t bytes);
  Place Park(Pinned own, int proc, Word item);

  uint64_t SizeOf(Word item) const;
  uint64_t ChaosDraw(internal::Shard& own, int proc);
  bool ChaosStrikes(internal::Shard& own, int proc, uint32_t one_in);
  uint64_t IdentityOf(gc::Mutator& m, Word item) const;
  void RecordOp(gc::Mutator& m, Op op, Place place, int proc, Word item);
  void Report(const Violation& violation) const;

  // Evicted arrays: their items are released on a mutator. (no safepoint)
  size_t DrainEvicted();
  void Release(Word item);
  size_t ReleaseItems(internal::ShardArray* array);
  void EmptyOutLocked(internal::ShardArray* array);

  // By the registry, with the world stopped.
  // 1. AgeVictims, if it may have victims; 2. DemotePrimary, if it has a primary.
  void AgeVictimsWhileStopped(uint64_t cycle, uint64_t now);
  // Nothing of the pool stays: it is closed, or nobody uses it.
  bool EmptiesWhileStopped(uint64_t cycle);
  void DemotePrimaryWhileStopped(uint64_t cycle, uint64_t now);
  void EmitWhileStopped(uint64_t cycle);
  void DropArrayWhileStopped(internal::ShardArray* array);
  void VisitAllWhileStopped(gc::Tracer& tracer);
  bool HasVictimsWhileStopped() const;

  Metrics SnapshotLocked() const;
  void AddCounts(const internal::ShardArray& array, Metrics& metrics) const;

  // Positions in the registry's lists; kNotListed: not there. Registry's mutex, or while stopped.
  static constexpr size_t kNotListed = SIZE_MAX;

  // Lines 0 and 1: all that a cleanup touches of a pool whose Retention is simple (P8: with many
  // pools its cost is cache misses). Line 0 is read by every operation, and written only by
  // PinSlow, Close and cleanups.
  alignas(64) std::atomic<uint32_t> fast_size_{0};  // 0: take the slow path
  std::atomic<bool> closed_{false};
  std::atomic<internal::Shard*> fast_shards_{nullptr};
  std::atomic<internal::ShardArray*> primary_{nullptr};
  gc::Heap& heap_;
  size_t all_index_ = kNotListed;
  size_t old_index_ = kNotListed;
  uint64_t cleanups_ = 0;             // while stopped
  uint64_t last_used_cycle_ = 0;      // while stopped; idle_cycles only
  std::atomic<bool> pressed_{false};  // a Put was refused for want of budget since the last cycle

  // Written under mutex_ by mutators, freely by cleanups while stopped.
  std::unique_ptr<internal::Victims> victims_;
  std::atomic<internal::ShardArray*> evicted_{nullptr};  // to be drained; roots until then
  internal::ShardArray* swapped_ = nullptr;  // go_exact: dropped primaries that may be in use until
                                             // the next major cycle
  internal::ShardArray* spare_ = nullptr;    // contents dropped, not yet emptied
  const Retention retention_;
  const bool features_;    // some optional feature is on: no fast path
  const bool accounted_;   // bytes are counted
  const bool drained_;     // evicted items need a call each (values, callback, checked)
  const bool uses_lists_;  // touched lists: managed items and a nursery

  // Set once.
  const WordOptions options_;
  const uint64_t number_;
  const char* const event_name_;  // never freed: events outlive pools
  std::shared_ptr<Registry> registry_;
  std::unique_ptr<internal::Checker> checker_;
  size_t pools_index_ = kNotListed;

  mutable std::mutex mutex_;
  Metrics past_;      // of arrays that were recycled; under mutex_
  Metrics reported_;  // at the last PoolEvent; while stopped

  // Rare counters and the account; any thread.
  alignas(64) std::atomic<uint64_t> held_items_{0};  // accounted_ only
  std::atomic<uint64_t> held_bytes_{0};              // accounted_ only
  std::atomic<bool> used_{true};                     // since the last cleanup; idle_cycles only
  std::atomic<uint64_t> drops_{0};
  std::atomic<uint64_t> oversize_drops_{0};
  std::atomic<uint64_t> evictions_{0};
  std::atomic<uint64_t> closed_gets_{0};
  std::atomic<uint64_t> rescues_{0};
  std::atomic<uint64_t> marked_empty_{0};
  std::atomic<uint64_t> stranded_{0};
  std::atomic<uint64_t> swapped_out_{0};
};

// Releases the evicted items of every pool of the heap that have not been released yet: callbacks
// run, values are freed. Pools do it themselves on their next slow Get or Put; a program that may
// never touch a pool again calls this from its polls. Returns the number of items. (no safepoint)
size_t DrainEvicted(gc::Mutator& m);

}  // namespace neap::pool

#endif  // NEAP_POOL_WORD_POOL_H_
