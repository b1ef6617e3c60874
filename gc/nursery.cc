// SPDX-License-Identifier: MIT
#include "nursery.h"

#include <algorithm>

#include "neap/runtime/check.h"
#include "neap/runtime/os_memory.h"

namespace neap::gc {
namespace {

// A TLAB is at most this share of its P's part of eden, so that Ps do not starve each other of the
// last block. Smaller shares: more refills; larger: eden ends with unused TLABs.
constexpr size_t kTlabsPerEden = 8;
constexpr size_t kMinTlabBytes = 512;

}  // namespace

void Nursery::SetLimit(size_t bytes, int procs) {
  limit_bytes_.store(bytes, std::memory_order_relaxed);
  const size_t share = bytes / (static_cast<size_t>(procs) * kTlabsPerEden) & ~size_t{7};
  tlab_bytes_ = std::clamp(share, kMinTlabBytes, kBlockBytes);
}

void Nursery::Retire(Local& local) {
  char* start = local.tlab_start.load(std::memory_order_relaxed);
  if (start == nullptr) return;
  local.retired_bytes.Add(static_cast<uint64_t>(local.top - start));
  local.tlab_start.store(nullptr, std::memory_order_relaxed);
  local.StoreTop(nullptr);
  local.limit = local.real_limit = nullptr;
}

Nursery::Cut Nursery::CutTlab(Local& local, size_t bytes) {
  std::lock_guard lock(mutex_);
  const size_t limit = limit_bytes();
  const size_t debit = debit_bytes();
  if (debit != 0 && debit + bytes > limit) return Cut::kFull;
  size_t want = std::max(bytes, std::min(tlab_bytes_, limit > debit ? limit - debit : 0));
  want = std::min(want & ~size_t{7}, kBlockBytes);
  auto left = static_cast<size_t>(cut_end_ - cut_next_);
  if (left < bytes) {
    const size_t index = range_.TakeBlock(BlockKind::kNursery, kSpaceYoung);
    if (index == HeapRange::kNoBlock) return Cut::kNoMemory;
    eden_.push_back(static_cast<uint32_t>(index));
    cut_next_ = range_.BlockStart(index);
    cut_end_ = cut_next_ + kBlockBytes;
    left = kBlockBytes;
  }
  want = std::min(want, left);
  Retire(local);
  local.tlab_start.store(cut_next_, std::memory_order_relaxed);
  local.StoreTop(cut_next_);
  cut_next_ += want;
  local.limit = local.real_limit = cut_next_;
  eden_cut_bytes_.fetch_add(want, std::memory_order_relaxed);
  return Cut::kDone;
}

const std::vector<uint32_t>& Nursery::BeginMinor() {
  NEAP_DCHECK(from_.empty(), "N6: the last minor has dealt with all of its from-space");
  from_.swap(eden_);
  from_eden_blocks_ = from_.size();
  from_.insert(from_.end(), survivors_.begin(), survivors_.end());
  survivors_.clear();
  cut_next_ = cut_end_ = nullptr;
  for (const uint32_t index : from_) {
    range_.SetSpace(index, kSpaceYoung | kSpaceFrom);
    Block& block = range_.block(index);
    block.stayed_bytes = 0;
    block.promote = block.has_pins = block.no_room = false;
  }
  return from_;
}

size_t Nursery::TakeSurvivorBlock() {
  const size_t index = range_.TakeBlock(BlockKind::kNursery, kSpaceYoung);
  if (index == HeapRange::kNoBlock) return index;
  std::lock_guard lock(mutex_);
  survivors_.push_back(static_cast<uint32_t>(index));
  return index;
}

void Nursery::KeepAsSurvivor(size_t index) {
  range_.SetSpace(index, kSpaceYoung);
  survivors_.push_back(static_cast<uint32_t>(index));
}

void Nursery::FreeFromBlock(size_t index, uint64_t now) {
  if (rotate_ == 0) {
    range_.FreeBlock(index, now);
    return;
  }
  range_.SetSpace(index, kSpaceNone);
  OsProtect(range_.BlockStart(index), kBlockBytes);
  quarantine_.push_back(static_cast<uint32_t>(index));
  while (quarantine_.size() > rotate_) {
    OsUnprotect(range_.BlockStart(quarantine_.front()), kBlockBytes);
    range_.FreeBlock(quarantine_.front(), now);
    quarantine_.pop_front();
  }
}

void Nursery::EndMinor() {
  from_.clear();
  eden_cut_bytes_.store(0, std::memory_order_relaxed);
  stationary_bytes_.store(0, std::memory_order_relaxed);
  off_heap_bytes_.store(0, std::memory_order_relaxed);
}

}  // namespace neap::gc
