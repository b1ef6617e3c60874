// SPDX-License-Identifier: MIT
//
// The nursery: eden blocks from which TLABs are cut, and survivor blocks that a minor collection
// fills. Both are ordinary 32 KiB blocks of the range; a block belongs to one of
//
//   eden        objects born since the last minor, bump-allocated by mutators
//   survivors   objects that survived at least one minor and are still young
//   from        during a minor: all of the above, being emptied
//   quarantine  retired blocks kept inaccessible for a while (debug switch `rotate`)
//
// The limit is in bytes, not blocks: a 4 KiB nursery uses an eighth of a block. A minor is due when
// eden + stationary young + young off-heap bytes would exceed it (DebitFull).
//
// Thread safety: CutTlab and the debits may be called by any holder of a P; the rest only while
// stopped (TakeSurvivorBlock by any collecting thread).
#ifndef NEAP_GC_NURSERY_H_
#define NEAP_GC_NURSERY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "heap_range.h"
#include "local.h"

namespace neap::gc {

class Nursery {
 public:
  Nursery(HeapRange& range, uint64_t rotate) : range_(range), rotate_(rotate) {}

  // --- Budget ------------------------------------------------------------------------------------
  size_t limit_bytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
  // `procs`: how many Ps share it (bounds the size of a TLAB).
  void SetLimit(size_t bytes, int procs);
  // Stationary young objects and young off-heap bytes use the budget up as well.
  void DebitStationary(size_t bytes) {
    stationary_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void DebitOffHeap(size_t bytes) { off_heap_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  size_t debit_bytes() const {
    return eden_cut_bytes_.load(std::memory_order_relaxed) + stationary_bytes() + off_heap_bytes();
  }
  size_t stationary_bytes() const { return stationary_bytes_.load(std::memory_order_relaxed); }
  size_t off_heap_bytes() const { return off_heap_bytes_.load(std::memory_order_relaxed); }
  // True when `bytes` more would exceed the limit (never for the first bytes after a minor).
  bool DebitFull(size_t bytes) const {
    const size_t debit = debit_bytes();
    return debit != 0 && debit + bytes > limit_bytes();
  }

  // --- TLABs -------------------------------------------------------------------------------------
  enum class Cut : uint8_t {
    kDone,      // the P has a new TLAB of at least `bytes`
    kFull,      // the budget is used up: a minor collection is due
    kNoMemory,  // no block can be had
  };
  // Retires the P's TLAB and cuts a new one for a request of `bytes` (<= kMaxCellBytes).
  Cut CutTlab(Local& local, size_t bytes);
  // The P keeps no TLAB (its bytes are counted as retired).
  void Retire(Local& local);

  // --- Minor collection, world stopped, all TLABs retired ----------------------------------------
  // Every nursery block becomes from-space (kSpaceFrom set).
  const std::vector<uint32_t>& BeginMinor();
  const std::vector<uint32_t>& from() const { return from_; }
  // How many of from() were eden blocks; they come first, in order of birth.
  size_t from_eden_blocks() const { return from_eden_blocks_; }
  const std::vector<uint32_t>& eden() const { return eden_; }
  const std::vector<uint32_t>& survivors() const { return survivors_; }
  // A block for survivors, or kNoBlock. Collecting threads.
  size_t TakeSurvivorBlock();
  // A from block whose objects stayed: it goes on as a survivor block.
  void KeepAsSurvivor(size_t index);
  // A from block that holds nothing alive. Back to the pool, or into quarantine.
  void FreeFromBlock(size_t index, uint64_t now);
  // All from blocks have been dealt with; the budget starts anew.
  void EndMinor();

  // Bytes of survivor blocks (whole blocks).
  size_t survivor_block_bytes() const { return survivors_.size() * kBlockBytes; }
  size_t quarantined_blocks() const { return quarantine_.size(); }

 private:
  HeapRange& range_;
  const uint64_t rotate_;
  std::atomic<size_t> limit_bytes_{256 << 10};
  size_t tlab_bytes_ = kBlockBytes;
  std::atomic<size_t> eden_cut_bytes_{0};  // handed out as TLABs since the last minor
  std::atomic<size_t> stationary_bytes_{0};
  std::atomic<size_t> off_heap_bytes_{0};

  std::mutex mutex_;  // guards what follows while mutators run
  std::vector<uint32_t> eden_;
  char* cut_next_ = nullptr;  // rest of the eden block that TLABs are cut from
  char* cut_end_ = nullptr;
  std::vector<uint32_t> survivors_;
  std::vector<uint32_t> from_;
  size_t from_eden_blocks_ = 0;
  std::deque<uint32_t> quarantine_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_NURSERY_H_
