// SPDX-License-Identifier: MIT
#include "old_space.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "neap/gc/type.h"
#include "neap/runtime/check.h"
#include "poison.h"

namespace neap::gc {

void* CellAllocator::AllocateFrom(Cursor& cursor, size_t cell_bytes) {
  HeapRange& range = space_.range_;
  while (cursor.next != cursor.end) {
    char* cell = cursor.next;
    cursor.next += cell_bytes;
    if (!range.TestAndSetStart<false>(cell)) continue;
    UnpoisonMemory(cell, cell_bytes);
    return cell;
  }
  return nullptr;
}

void* CellAllocator::Allocate(size_t bytes) {
  const int size_class = SizeClassFor(bytes);
  const size_t cell_bytes = kCellBytes[static_cast<size_t>(size_class)];
  Cursor& cursor = cursors_[size_class];
  for (;;) {
    if (void* cell = AllocateFrom(cursor, cell_bytes)) [[likely]]
      return cell;
    if (cursor.block != HeapRange::kNoBlock) space_.ReleaseBlock(cursor.block);
    cursor = Cursor{};
    const size_t index = space_.AcquireBlock(size_class, flavour_);
    if (index == HeapRange::kNoBlock) return nullptr;
    char* start = space_.range_.BlockStart(index);
    cursor = {start, start + kBlockBytes / cell_bytes * cell_bytes, index};
  }
}

void CellAllocator::Release() {
  for (Cursor& cursor : cursors_) {
    if (cursor.block != HeapRange::kNoBlock) space_.ReleaseBlock(cursor.block);
    cursor = Cursor{};
  }
}

size_t OldSpace::AcquireBlock(int size_class, CellFlavour flavour) {
  std::lock_guard lock(mutex_);
  std::vector<uint32_t>& partial = Partial(size_class, flavour);
  if (partial.empty()) {
    // Sweep blocks of this class until one has room; empty ones go back to the pool on the way.
    std::vector<uint32_t>& unswept = Unswept(size_class, flavour);
    while (partial.empty() && !unswept.empty()) {
      const uint32_t index = unswept.back();
      unswept.pop_back();
      unswept_count_.fetch_sub(1, std::memory_order_release);
      (void)SweepBlockLocked(index, now_);
    }
  }
  if (!partial.empty()) {
    const size_t index = partial.back();
    partial.pop_back();
    range_.block(index).listed = false;
    range_.block(index).owned = true;
    return index;
  }
  const bool plain = flavour == CellFlavour::kPlain;
  const size_t index = range_.TakeBlock(plain ? BlockKind::kCells : BlockKind::kStationary,
                                        plain ? kSpaceOld : kSpaceLook);
  if (index == HeapRange::kNoBlock) return index;
  Block& block = range_.block(index);
  block.size_class = static_cast<uint8_t>(size_class);
  block.owned = true;
  return index;
}

void OldSpace::ReleaseBlock(size_t index) {
  std::lock_guard lock(mutex_);
  Block& block = range_.block(index);
  block.owned = false;
  // Cells freed one by one (FreeCell) while the block was owned make it partial again.
  if (block.free_cells > 0 && !block.listed && !block.unswept) {
    block.listed = true;
    const auto flavour =
        block.kind == BlockKind::kCells ? CellFlavour::kPlain : CellFlavour::kStationary;
    Partial(block.size_class, flavour).push_back(static_cast<uint32_t>(index));
  }
  block.free_cells = 0;
}

void OldSpace::FreeCell(Object* object) {
  std::lock_guard lock(mutex_);
  const size_t index = range_.BlockIndex(object);
  Block& block = range_.block(index);
  NEAP_CHECK(block.kind == BlockKind::kStationary && range_.IsStart(object),
             "O1: only a stationary object is freed on its own", "object=%p", (void*)object);
  const TypeDescriptor& type = GetType(object->type());
  if (type.drop != nullptr) type.drop(object);
  range_.ClearStart(object);
  range_.ClearMark(object);
  PoisonMemory(object, kCellBytes[block.size_class], poison_);
  if (block.unswept) return;  // the sweep will see it
  ++block.free_cells;
  if (block.owned || block.listed) return;
  block.listed = true;
  Partial(block.size_class, CellFlavour::kStationary).push_back(static_cast<uint32_t>(index));
}

uint32_t OldSpace::AdoptMixedBlock(size_t index) {
  Block& block = range_.block(index);
  block.kind = BlockKind::kMixed;
  block.promote = block.has_pins = block.no_room = false;
  block.live_bytes = block.stayed_bytes;
  block.live_objects = range_.CountStarts(index);
  range_.SetSpace(index, kSpaceOld);
  mixed_blocks_.fetch_add(1, std::memory_order_relaxed);
  mixed_live_bytes_.fetch_add(block.live_bytes, std::memory_order_relaxed);
  return block.live_objects;
}

void OldSpace::StartSweep() {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (auto& flavour : partial_) {
    for (auto& list : flavour) list.clear();
  }
  const size_t limit = range_.block_limit();
  for (size_t i = 0; i < limit; ++i) {
    Block& block = range_.block(i);
    const bool cells = block.kind == BlockKind::kCells || block.kind == BlockKind::kStationary;
    if (!cells && block.kind != BlockKind::kMixed) continue;
    NEAP_DCHECK(!block.owned, "O2: allocators are released before a sweep starts", "block=%zu", i);
    block.unswept = true;
    block.listed = false;
    ++count;
    const auto index = static_cast<uint32_t>(i);
    if (block.kind == BlockKind::kMixed) {
      unswept_mixed_.push_back(index);
    } else {
      Unswept(block.size_class,
              block.kind == BlockKind::kCells ? CellFlavour::kPlain : CellFlavour::kStationary)
          .push_back(index);
    }
  }
  unswept_count_.store(count, std::memory_order_release);
}

bool OldSpace::SweepSome(size_t blocks, uint64_t now) {
  if (sweep_done()) return false;
  std::lock_guard lock(mutex_);
  now_ = now;
  const auto sweep_list = [&](std::vector<uint32_t>& list) {
    while (blocks > 0 && !list.empty()) {
      const uint32_t index = list.back();
      list.pop_back();
      unswept_count_.fetch_sub(1, std::memory_order_release);
      (void)SweepBlockLocked(index, now);
      --blocks;
    }
  };
  sweep_list(unswept_mixed_);
  for (auto& flavour : unswept_) {
    for (auto& list : flavour) sweep_list(list);
  }
  return !sweep_done();
}

uint32_t OldSpace::SweepBits(size_t index) {
  uint64_t* starts = range_.StartWords(index);
  uint64_t* marks = range_.MarkWords(index);
  uint32_t live = 0;
  for (size_t i = 0; i < kBitmapWordsPerBlock; ++i) {
    starts[i] &= marks[i];
    marks[i] = 0;
    live += static_cast<uint32_t>(std::popcount(starts[i]));
  }
  return live;
}

// Calls the drop function of every dead object of a stationary block.
void OldSpace::DropDead(size_t index) {
  const uint64_t* starts = range_.StartWords(index);
  const uint64_t* marks = range_.MarkWords(index);
  for (size_t i = 0; i < kBitmapWordsPerBlock; ++i) {
    for (uint64_t dead = starts[i] & ~marks[i]; dead != 0; dead &= dead - 1) {
      const size_t granule = i * 64 + static_cast<size_t>(std::countr_zero(dead));
      auto* object = reinterpret_cast<Object*>(range_.BlockStart(index) + granule * 8);
      const TypeDescriptor& type = GetType(object->type());
      if (type.drop != nullptr) type.drop(object);
    }
  }
}

void OldSpace::DropAll() {
  const size_t limit = range_.block_limit();
  for (size_t i = 0; i < limit; ++i) {
    if (range_.block(i).kind == BlockKind::kStationary) DropDead(i);  // no marks: all are dead
  }
}

void OldSpace::PoisonDead(size_t index) {
  const uint64_t* starts = range_.StartWords(index);
  const uint64_t* marks = range_.MarkWords(index);
  for (size_t i = 0; i < kBitmapWordsPerBlock; ++i) {
    for (uint64_t dead = starts[i] & ~marks[i]; dead != 0; dead &= dead - 1) {
      const size_t granule = i * 64 + static_cast<size_t>(std::countr_zero(dead));
      char* cell = range_.BlockStart(index) + granule * 8;
      PoisonMemory(cell, ObjectBytes(reinterpret_cast<Object*>(cell)), poison_);
    }
  }
}

bool OldSpace::SweepBlockLocked(size_t index, uint64_t now) {
  Block& block = range_.block(index);
  block.unswept = false;
  if (block.kind == BlockKind::kStationary) DropDead(index);
  if (poison_ || kAddressSanitizer) PoisonDead(index);
  const uint32_t live = SweepBits(index);
  if (block.kind == BlockKind::kMixed) {
    const auto bytes =
        static_cast<uint32_t>(uint64_t{block.live_bytes} * live / block.live_objects);
    mixed_live_bytes_.fetch_sub(block.live_bytes - bytes, std::memory_order_relaxed);
    block.live_bytes = bytes;
    block.live_objects = std::max(live, 1u);
  }
  if (live == 0) {
    if (block.kind == BlockKind::kMixed) mixed_blocks_.fetch_sub(1, std::memory_order_relaxed);
    range_.FreeBlock(index, now);
    return true;
  }
  if (block.kind == BlockKind::kMixed) return false;
  const auto cells = static_cast<uint32_t>(kBlockBytes / kCellBytes[block.size_class]);
  block.free_cells = 0;
  if (live < cells) {
    block.listed = true;
    const auto flavour =
        block.kind == BlockKind::kCells ? CellFlavour::kPlain : CellFlavour::kStationary;
    Partial(block.size_class, flavour).push_back(static_cast<uint32_t>(index));
  }
  return false;
}

}  // namespace neap::gc
