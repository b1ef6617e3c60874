// SPDX-License-Identifier: MIT
//
// Old space: cells of size classes in 32 KiB blocks, never moved; and mixed blocks, which were
// nursery blocks and became old in place.
//
//   cell block    | cell | cell | cell | ... | tail |     start bit set: the cell holds an object
//   mixed block   | object | hole | object | hole ... |   start bits say where objects are
//
// There are no free lists inside cells, so nothing can be corrupted through a stale pointer: the
// start bits are the allocation bitmap. After a major cycle every block is "unswept": its start
// bits still include the dead. Sweeping a block is `starts &= marks; marks = 0` on 512 bytes each,
// done when an allocator needs a block of that class, by SweepSome, and to the end before the next
// cycle.
//
// Two flavours of cell blocks: plain ones (objects promoted or allocated old) and stationary ones
// (objects of any age that never move; a dead one's `drop` function is called).
//
// Invariants:
//   O1  In a swept block, start bit set <=> the cell holds an object that is live or was allocated
//       since the last sweep of this block.
//   O2  A CellAllocator allocates only from swept blocks, each owned by one allocator at a time.
//   O3  Mark bits of swept blocks are clear outside a major pause.
//
// Thread safety: a CellAllocator belongs to a P or to a collecting thread; OldSpace locks itself.
#ifndef NEAP_GC_OLD_SPACE_H_
#define NEAP_GC_OLD_SPACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "heap_range.h"
#include "size_classes.h"

namespace neap::gc {

class OldSpace;

enum class CellFlavour : uint8_t { kPlain, kStationary };

// Allocates cells without a lock: one block per size class, walked once from its first cell on.
class CellAllocator {
 public:
  CellAllocator(OldSpace& space, CellFlavour flavour) : space_(space), flavour_(flavour) {}

  // An unused cell for `bytes` (16..kMaxCellBytes), its start bit set; not zeroed. nullptr when no
  // block can be had.
  void* Allocate(size_t bytes);
  // Gives all blocks back (before a major cycle marks, and when a P retires).
  void Release();

 private:
  struct Cursor {
    char* next = nullptr;  // next cell to look at
    char* end = nullptr;   // one past the last cell
    size_t block = HeapRange::kNoBlock;
  };
  void* AllocateFrom(Cursor& cursor, size_t cell_bytes);

  OldSpace& space_;
  const CellFlavour flavour_;
  Cursor cursors_[kSizeClasses];
};

class OldSpace {
 public:
  OldSpace(HeapRange& range, bool poison) : range_(range), poison_(poison) {}

  // --- Stationary cells --------------------------------------------------------------------------
  // Frees one stationary cell whose object died young (calls its drop function).
  void FreeCell(Object* object);

  // --- In place ----------------------------------------------------------------------------------
  // A nursery block, its start bits set for the objects that stayed, becomes old. How many those
  // are.
  uint32_t AdoptMixedBlock(size_t index);

  // --- Sweeping ----------------------------------------------------------------------------------
  // After marking, world stopped: every block becomes unswept. All CellAllocators are released.
  void StartSweep();
  // Sweeps up to `blocks` blocks; false when none is left. `now`: heap clock, for freed blocks.
  bool SweepSome(size_t blocks, uint64_t now);
  void FinishSweep(uint64_t now) {
    while (SweepSome(64, now)) {
    }
  }
  bool sweep_done() const { return unswept_count_.load(std::memory_order_acquire) == 0; }
  size_t unswept_blocks() const { return unswept_count_.load(std::memory_order_relaxed); }

  // The end of the heap, everything swept: calls the drop function of every stationary object.
  void DropAll();

  HeapRange& range() { return range_; }
  // Mixed blocks now held, and the bytes of their objects at the last sweep or adoption.
  size_t mixed_blocks() const { return mixed_blocks_.load(std::memory_order_relaxed); }
  // Estimated after a sweep from the share of objects that are left.
  uint64_t mixed_live_bytes() const { return mixed_live_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class CellAllocator;
  // A swept block of the class with at least one free cell, owned by the caller; kNoBlock.
  size_t AcquireBlock(int size_class, CellFlavour flavour);
  void ReleaseBlock(size_t index);
  // Sweeps one block; true when it is empty now and went back to the pool.
  bool SweepBlockLocked(size_t index, uint64_t now);
  uint32_t SweepBits(size_t index);
  void DropDead(size_t index);
  void PoisonDead(size_t index);
  std::vector<uint32_t>& Unswept(int size_class, CellFlavour flavour) {
    return unswept_[static_cast<size_t>(flavour)][static_cast<size_t>(size_class)];
  }
  std::vector<uint32_t>& Partial(int size_class, CellFlavour flavour) {
    return partial_[static_cast<size_t>(flavour)][static_cast<size_t>(size_class)];
  }

  HeapRange& range_;
  const bool poison_;
  std::mutex mutex_;  // guards what follows and Block::{unswept,listed,owned,free_cells}
  std::vector<uint32_t> partial_[2][kSizeClasses];
  std::vector<uint32_t> unswept_[2][kSizeClasses];
  std::vector<uint32_t> unswept_mixed_;
  uint64_t now_ = 0;  // of the last sweep call
  std::atomic<size_t> unswept_count_{0};
  std::atomic<size_t> mixed_blocks_{0};
  std::atomic<uint64_t> mixed_live_bytes_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_OLD_SPACE_H_
