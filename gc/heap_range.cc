// SPDX-License-Identifier: MIT
#include "heap_range.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "neap/runtime/check.h"
#include "neap/runtime/os_memory.h"
#include "poison.h"

namespace neap::gc {
namespace {

// Cold blocks are brought in this many at a time: 256 KiB, about 35 us. Fewer: a system call per
// block; more: a small heap holds pages that it never uses.
constexpr size_t kWarmBatchBlocks = 8;
// From this much on new chunks come on huge pages, whole. Below it a heap would pay 4 MiB for a few
// objects; above it page walks of the marker cost more than the memory saved.
constexpr size_t kHugeFromBytes = size_t{32} << 20;

void* ReserveTable(size_t bytes) {
  void* table = OsReserve(bytes, kOsPageBytes);
  if (table != nullptr && !OsCommit(table, bytes)) {
    OsRelease(table, bytes);
    return nullptr;
  }
  return table;
}

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

HeapRange::~HeapRange() { Release(); }

void HeapRange::Release() {
  const auto release = [](auto*& p, size_t bytes) {
    if (p != nullptr) OsRelease(p, RoundUp(bytes, kOsPageBytes));
    p = nullptr;
  };
  // AddressSanitizer's poison outlives the mapping, and would fall upon whoever maps this next.
  if (base_ != nullptr) UnpoisonMemory(base_, block_limit() * kBlockBytes);
  release(base_, bytes_);
  release(space_, bytes_ >> kBlockShift);
  release(starts_, bytes_ >> 6);
  release(marks_, bytes_ >> 6);
  release(blocks_, (bytes_ >> kBlockShift) * sizeof(Block));
}

bool HeapRange::Reserve(size_t bytes, bool huge_pages) {
  Release();
  bytes_ = RoundUp(bytes, kChunkBytes);
  huge_pages_ = huge_pages;
  base_ = static_cast<char*>(OsReserve(bytes_, kChunkBytes));
  const size_t blocks = bytes_ >> kBlockShift;
  space_ = static_cast<SpaceByte*>(ReserveTable(RoundUp(blocks, kOsPageBytes)));
  starts_ = static_cast<uint64_t*>(ReserveTable(bytes_ >> 6));
  marks_ = static_cast<uint64_t*>(ReserveTable(bytes_ >> 6));
  blocks_ = static_cast<Block*>(ReserveTable(RoundUp(blocks * sizeof(Block), kOsPageBytes)));
  chunk_committed_.assign(bytes_ / kChunkBytes, false);
  chunk_used_.assign(bytes_ / kChunkBytes, false);
  return base_ != nullptr && space_ != nullptr && starts_ != nullptr && marks_ != nullptr &&
         blocks_ != nullptr;
}

uint32_t HeapRange::CountStarts(size_t block_index) const {
  const uint64_t* words = starts_ + block_index * kBitmapWordsPerBlock;
  uint32_t count = 0;
  for (size_t i = 0; i < kBitmapWordsPerBlock; ++i) {
    count += static_cast<uint32_t>(std::popcount(words[i]));
  }
  return count;
}

void HeapRange::ClearBits(size_t block_index) {
  std::memset(StartWords(block_index), 0, kBitmapWordsPerBlock * 8);
  std::memset(MarkWords(block_index), 0, kBitmapWordsPerBlock * 8);
}

char* HeapRange::CommitChunksLocked(size_t count) {
  size_t run = 0;
  for (size_t i = 0; i < chunk_used_.size(); ++i) {
    run = chunk_used_[i] ? 0 : run + 1;
    if (run < count) continue;
    const size_t first = i + 1 - count;
    char* start = base_ + first * kChunkBytes;
    for (size_t c = first; c <= i; ++c) {
      if (chunk_committed_[c]) continue;
      if (!OsCommit(base_ + c * kChunkBytes, kChunkBytes)) return nullptr;
      chunk_committed_[c] = true;
    }
    for (size_t c = first; c <= i; ++c) chunk_used_[c] = true;
    // The tables of the new chunks are needed at once; a page of a bitmap covers 256 KiB of heap.
    OsPopulate(reinterpret_cast<char*>(marks_) + (first * kChunkBytes >> 6),
               count * (kChunkBytes >> 6));
    OsPopulate(reinterpret_cast<char*>(starts_) + (first * kChunkBytes >> 6),
               count * (kChunkBytes >> 6));
    if (chunk_limit_.load(std::memory_order_relaxed) <= i) chunk_limit_.store(i + 1);
    return start;
  }
  return nullptr;
}

bool HeapRange::AddChunkLocked() {
  char* start = CommitChunksLocked(1);
  if (start == nullptr) return false;
  ++block_chunks_;
  const size_t first = BlockIndex(start);
  const bool huge =
      huge_pages_ && (used_blocks_.load() + warm_.size()) * kBlockBytes >= kHugeFromBytes;
  if (huge) {
    OsAdviseHuge(start, kChunkBytes);
    OsPopulate(start, kChunkBytes);
  }
  std::vector<uint32_t>& list = huge ? warm_ : cold_;
  // Warm blocks go to the bottom: the ones freed last stay on top. Lowest address first.
  std::vector<uint32_t> fresh(kBlocksPerChunk);
  for (size_t i = 0; i < kBlocksPerChunk; ++i) {
    fresh[i] = static_cast<uint32_t>(first + kBlocksPerChunk - 1 - i);
    blocks_[fresh[i]] = Block{};
    blocks_[fresh[i]].cold = !huge;
    blocks_[fresh[i]].freed_at = now_;
  }
  list.insert(list.begin(), fresh.begin(), fresh.end());
  warm_count_.store(warm_.size(), std::memory_order_relaxed);
  return true;
}

bool HeapRange::WarmLocked(size_t count) {
  while (warm_.size() < count) {
    if (cold_.empty() && !AddChunkLocked()) return false;
    // Neighbours are populated together, one system call for a run of cold blocks.
    size_t batch =
        std::min({cold_.size(), kWarmBatchBlocks, std::max(count - warm_.size(), size_t{1})});
    batch = std::max(batch, std::min(cold_.size(), kWarmBatchBlocks));
    size_t i = 0;
    while (i < batch) {
      const uint32_t first = cold_.back();
      size_t run = 0;
      while (i < batch && cold_.back() == first + run) {
        const uint32_t index = cold_.back();
        cold_.pop_back();
        blocks_[index].cold = false;
        blocks_[index].freed_at = now_;  // it is not idle yet
        warm_.insert(warm_.begin(), index);
        ++run;
        ++i;
      }
      OsPopulate(BlockStart(first), run * kBlockBytes);
    }
    warm_count_.store(warm_.size(), std::memory_order_relaxed);
  }
  return true;
}

size_t HeapRange::TakeBlock(BlockKind kind, SpaceByte space) {
  std::lock_guard lock(mutex_);
  if (used_blocks_.load(std::memory_order_relaxed) >= test_block_limit_) return kNoBlock;
  if (warm_.empty() && !WarmLocked(1)) return kNoBlock;
  const size_t index = warm_.back();
  warm_.pop_back();
  warm_count_.store(warm_.size(), std::memory_order_relaxed);
  used_blocks_.fetch_add(1, std::memory_order_relaxed);
  Block& block = blocks_[index];
  block = Block{};
  block.cold = false;
  block.kind = kind;
  space_[index] = space;
  UnpoisonMemory(BlockStart(index), kBlockBytes);
  return index;
}

void HeapRange::FreeBlock(size_t index, uint64_t now) {
  std::lock_guard lock(mutex_);
  NEAP_DCHECK(blocks_[index].kind != BlockKind::kFree, "H3: a block is freed once", "block=%zu",
              index);
  blocks_[index] = Block{};
  blocks_[index].cold = false;
  blocks_[index].freed_at = now_ = now;
  space_[index] = kSpaceNone;
  PoisonMemory(BlockStart(index), kBlockBytes, poison_);
  warm_.push_back(static_cast<uint32_t>(index));
  warm_count_.store(warm_.size(), std::memory_order_relaxed);
  used_blocks_.fetch_sub(1, std::memory_order_relaxed);
}

void HeapRange::Warm(size_t count) {
  std::lock_guard lock(mutex_);
  if (warm_.size() < count) (void)WarmLocked(count);
}

size_t HeapRange::Decay(uint64_t freed_before, size_t keep) {
  std::lock_guard lock(mutex_);
  size_t released = 0;
  // The bottom of the stack holds the blocks that have been idle longest.
  size_t i = 0;
  while (i < warm_.size() && warm_.size() - i > keep &&
         blocks_[warm_[i]].freed_at <= freed_before) {
    OsDecommit(BlockStart(warm_[i]), kBlockBytes);
    blocks_[warm_[i]].cold = true;
    cold_.push_back(warm_[i]);
    released += kBlockBytes;
    ++i;
  }
  warm_.erase(warm_.begin(), warm_.begin() + static_cast<ptrdiff_t>(i));
  warm_count_.store(warm_.size(), std::memory_order_relaxed);
  released_bytes_.fetch_add(released, std::memory_order_relaxed);
  return released;
}

char* HeapRange::TakeChunks(size_t count) {
  std::lock_guard lock(mutex_);
  char* start = CommitChunksLocked(count);
  if (start == nullptr) return nullptr;
  const size_t first = BlockIndex(start);
  for (size_t i = first; i < first + count * kBlocksPerChunk; ++i) {
    blocks_[i] = Block{};
    blocks_[i].kind = BlockKind::kLarge;
    space_[i] = kSpaceLook;
  }
  return start;
}

void HeapRange::FreeChunks(char* start, size_t count) {
  std::lock_guard lock(mutex_);
  OsDecommit(start, count * kChunkBytes);
  released_bytes_.fetch_add(count * kChunkBytes, std::memory_order_relaxed);
  const size_t first = BlockIndex(start);
  for (size_t i = first; i < first + count * kBlocksPerChunk; ++i) {
    blocks_[i] = Block{};
    space_[i] = kSpaceNone;
  }
  const size_t chunk = OffsetOf(ToWordOf(start)) / kChunkBytes;
  for (size_t c = chunk; c < chunk + count; ++c) chunk_used_[c] = false;
}

size_t HeapRange::metadata_bytes() const {
  const size_t chunks = chunk_limit_.load(std::memory_order_relaxed);
  return chunks * (2 * (kChunkBytes >> 6) + kBlocksPerChunk * (sizeof(Block) + 1));
}

}  // namespace neap::gc
