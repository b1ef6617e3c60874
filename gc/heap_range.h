// SPDX-License-Identifier: MIT
//
// The heap's address range: one reservation, cut into 4 MiB chunks and 32 KiB blocks, with side
// tables that cover all of it.
//
//   range   | chunk 0: 128 blocks of 32 KiB | chunk 1 | ...                    reserve_bytes
//   space   one byte per block      what an address belongs to (SpaceByte)     range >> 15
//   starts  one bit per 8 bytes     an object of old or large space starts     range >> 6 bytes
//   marks   one bit per 8 bytes     marked in this major cycle (any space)     range >> 6 bytes
//   blocks  64 bytes per block      descriptor                                 range >> 9 bytes
//
// The bitmaps lie in arrays of their own and not at the head of each chunk: marking touches them at
// random, and packed together the marks of a 500 MB heap are 8 MiB (four huge pages), where one
// page per chunk would cost a TLB entry each and put all heads into the same cache sets. It also
// lets a large object cross chunk borders.
//
// Blocks move between the pool of free blocks and the spaces. A free block is warm (its pages are
// here) or cold. Warm ones are handed out first, last freed first, so that eden and survivors go
// round in the same pages: a first touch costs 25 times a populated page on cloud machines.
//
// Invariants:
//   H1  space[i] == 0 exactly for blocks that are free or not committed.
//   H2  A block in the pool has clear start and mark bits.
//   H3  used + warm + cold blocks == 128 x committed block chunks.
//
// Thread safety: TakeBlock, FreeBlock, the chunk functions and the gauges may be called from any
// thread that holds a P and by the collector. The tables' entries belong to the owner of the block.
#ifndef NEAP_GC_HEAP_RANGE_H_
#define NEAP_GC_HEAP_RANGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "neap/gc/object.h"

namespace neap::gc {

inline constexpr size_t kBlockShift = 15;
inline constexpr size_t kBlockBytes = size_t{1} << kBlockShift;
inline constexpr size_t kChunkBytes = size_t{4} << 20;
inline constexpr size_t kBlocksPerChunk = kChunkBytes / kBlockBytes;
inline constexpr size_t kBitmapWordsPerBlock = kBlockBytes / 8 / 64;  // 64 words, 512 bytes
inline constexpr size_t kMaxCellBytes = 8192;  // larger objects are large objects

// What a block holds, as seen by the copying trace. A set of bits.
using SpaceByte = uint8_t;
inline constexpr SpaceByte kSpaceNone = 0;
inline constexpr SpaceByte kSpaceYoung = 1 << 0;  // nursery: eden, survivors
inline constexpr SpaceByte kSpaceFrom = 1 << 1;   // nursery, in the present collection set
inline constexpr SpaceByte kSpaceLook = 1 << 2;   // large or stationary: the header says its age
inline constexpr SpaceByte kSpaceOld = 1 << 3;    // cells and mixed blocks: old
inline constexpr SpaceByte kSpaceStay = 1 << 4;   // with kSpaceFrom: reached objects stay in place

enum class BlockKind : uint8_t {
  kFree,        // in the pool, or its chunk is not committed
  kNursery,     // bump-allocated young objects
  kCells,       // old, one size class
  kStationary,  // one size class, objects of any age that never move
  kMixed,       // old in place: was a nursery block; objects where the start bits say
  kLarge,       // part of a run of large space
};

struct alignas(64) Block {
  BlockKind kind = BlockKind::kFree;
  uint8_t size_class = 0;     // kCells, kStationary
  bool unswept = false;       // marked in the last cycle, start bits not yet cleaned
  bool listed = false;        // stands in a partial list (guarded by OldSpace's mutex)
  bool owned = false;         // some CellAllocator allocates from it
  bool promote = false;       // nursery: what stays makes the block old at the end of the minor
  bool cold = true;           // pages not populated
  bool has_pins = false;      // nursery, during a minor: holds pinned objects
  bool no_room = false;       // nursery, during a minor: an object had to stay for lack of room
  uint32_t free_cells = 0;    // kCells, kStationary, after sweeping
  uint32_t top_bytes = 0;     // nursery: bytes bump-allocated (gaps of retired TLABs included)
  uint32_t stayed_bytes = 0;  // nursery: bytes that stayed in place in this minor
  uint32_t live_objects = 0;  // kMixed: at the last sweep or adoption
  uint32_t live_bytes = 0;    // kMixed: the same, estimated after a sweep
  uint64_t freed_at = 0;      // free: heap clock when it came back
};
static_assert(sizeof(Block) == 64);

class HeapRange {
 public:
  HeapRange() = default;
  ~HeapRange();
  HeapRange(const HeapRange&) = delete;
  HeapRange& operator=(const HeapRange&) = delete;

  // Reserves address space for `bytes` (rounded up to chunks) and its tables. False when refused;
  // it may then be called again with less.
  [[nodiscard]] bool Reserve(size_t bytes, bool huge_pages);

  // --- Address arithmetic (inline; the collector's inner loops) ----------------------------------
  char* base() const { return base_; }
  size_t bytes() const { return bytes_; }
  size_t OffsetOf(Word word) const { return word - reinterpret_cast<Word>(base_); }
  bool Contains(Word word) const { return OffsetOf(word) < bytes_; }
  SpaceByte SpaceOf(Word word) const { return space_[OffsetOf(word) >> kBlockShift]; }
  size_t BlockIndex(const void* address) const {
    return OffsetOf(reinterpret_cast<Word>(address)) >> kBlockShift;
  }
  Block& block(size_t index) { return blocks_[index]; }
  Block& BlockOf(const void* address) { return blocks_[BlockIndex(address)]; }
  char* BlockStart(size_t index) const { return base_ + (index << kBlockShift); }
  void SetSpace(size_t index, SpaceByte space) { space_[index] = space; }
  SpaceByte space(size_t index) const { return space_[index]; }

  // --- Bitmaps: one bit per 8 bytes --------------------------------------------------------------
  uint64_t* StartWords(size_t block) { return starts_ + block * kBitmapWordsPerBlock; }
  uint64_t* MarkWords(size_t block) { return marks_ + block * kBitmapWordsPerBlock; }
  // `offset` into the range. Sets the bit; false when it was set.
  template <bool kAtomic>
  static bool TestAndSet(uint64_t* bitmap, size_t offset) {
    uint64_t& word = bitmap[offset >> 9];
    const uint64_t bit = uint64_t{1} << ((offset >> 3) & 63);
    if (kAtomic) return !(__atomic_fetch_or(&word, bit, __ATOMIC_RELAXED) & bit);
    if (word & bit) return false;
    word |= bit;
    return true;
  }
  static bool TestBit(const uint64_t* bitmap, size_t offset) {
    return (bitmap[offset >> 9] >> ((offset >> 3) & 63)) & 1;
  }
  bool IsStart(const void* p) const { return TestBit(starts_, OffsetOf(ToWordOf(p))); }
  bool IsMarked(const void* p) const { return TestBit(marks_, OffsetOf(ToWordOf(p))); }
  void SetStart(const void* p) { SetBit(starts_, OffsetOf(ToWordOf(p))); }
  // Sets the start bit; false when it was set.
  template <bool kAtomic>
  bool TestAndSetStart(const void* p) {
    return TestAndSet<kAtomic>(starts_, OffsetOf(ToWordOf(p)));
  }
  void ClearStart(const void* p) { ClearBit(starts_, OffsetOf(ToWordOf(p))); }
  void ClearMark(const void* p) { ClearBit(marks_, OffsetOf(ToWordOf(p))); }
  // Sets the mark; false when it was set.
  bool TestAndMark(const void* p) { return TestAndSet<false>(marks_, OffsetOf(ToWordOf(p))); }
  void ClearBits(size_t block_index);  // starts and marks of one block
  uint32_t CountStarts(size_t block_index) const;

  // --- The pool of blocks ------------------------------------------------------------------------
  static constexpr size_t kNoBlock = SIZE_MAX;
  // A free block with warm pages, now of `kind` and `space`; kNoBlock when no memory can be had.
  size_t TakeBlock(BlockKind kind, SpaceByte space);
  // Back to the pool. Its bits must be clear (H2).
  void FreeBlock(size_t index, uint64_t now);
  // Makes sure that `count` warm blocks are in the pool, as far as memory can be had.
  void Warm(size_t count);
  // Gives the pages of free blocks that came back before `freed_before` to the OS, keeping `keep`
  // warm ones. Returns the bytes given back.
  size_t Decay(uint64_t freed_before, size_t keep);

  // `count` chunks in a row for large space; nullptr when they cannot be had.
  char* TakeChunks(size_t count);
  // Gives chunks of large space back, pages decommitted.
  void FreeChunks(char* start, size_t count);

  // Blocks of all committed chunks, for walks: every index below this may have a descriptor in use.
  size_t block_limit() const {
    return chunk_limit_.load(std::memory_order_relaxed) * kBlocksPerChunk;
  }
  size_t used_blocks() const { return used_blocks_.load(std::memory_order_relaxed); }
  size_t warm_blocks() const { return warm_count_.load(std::memory_order_relaxed); }
  size_t committed_block_chunks() const { return block_chunks_; }
  size_t cold_blocks() const { return cold_.size(); }
  // Bytes of blocks whose pages are here (used or warm).
  size_t resident_block_bytes() const { return (used_blocks() + warm_blocks()) * kBlockBytes; }
  // Resident part of the side tables, estimated from the chunks in use.
  size_t metadata_bytes() const;
  uint64_t released_bytes() const { return released_bytes_.load(std::memory_order_relaxed); }

  // Fill freed blocks with the poison pattern (debug switch).
  void set_poison(bool poison) { poison_ = poison; }
  // Stop the pool from growing (tests of exhaustion): at most `blocks` blocks may be in use.
  void SetBlockLimitForTesting(size_t blocks) { test_block_limit_ = blocks; }

 private:
  void Release();
  static Word ToWordOf(const void* p) { return reinterpret_cast<Word>(p); }
  static void SetBit(uint64_t* bitmap, size_t offset) {
    bitmap[offset >> 9] |= uint64_t{1} << ((offset >> 3) & 63);
  }
  static void ClearBit(uint64_t* bitmap, size_t offset) {
    bitmap[offset >> 9] &= ~(uint64_t{1} << ((offset >> 3) & 63));
  }
  char* CommitChunksLocked(size_t count);
  bool AddChunkLocked();
  bool WarmLocked(size_t count);

  char* base_ = nullptr;
  size_t bytes_ = 0;
  SpaceByte* space_ = nullptr;
  uint64_t* starts_ = nullptr;
  uint64_t* marks_ = nullptr;
  Block* blocks_ = nullptr;
  bool huge_pages_ = false;
  bool poison_ = false;
  size_t test_block_limit_ = SIZE_MAX;

  std::mutex mutex_;                   // guards what follows
  std::vector<bool> chunk_committed_;  // a bit each: 16,384 chunks in 64 GiB
  std::vector<bool> chunk_used_;
  std::vector<uint32_t> warm_;  // free blocks, last freed on top
  std::vector<uint32_t> cold_;
  uint64_t now_ = 0;  // heap clock when the last block came back
  size_t block_chunks_ = 0;
  std::atomic<size_t> chunk_limit_{0};  // one past the highest chunk ever used
  std::atomic<size_t> used_blocks_{0};
  std::atomic<size_t> warm_count_{0};
  std::atomic<uint64_t> released_bytes_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_HEAP_RANGE_H_
