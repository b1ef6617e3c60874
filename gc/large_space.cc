// SPDX-License-Identifier: MIT
#include "large_space.h"

#include <algorithm>
#include <cstring>

#include "neap/gc/type.h"
#include "neap/runtime/check.h"
#include "neap/runtime/os_memory.h"
#include "poison.h"

namespace neap::gc {
namespace {

// Runs of at least this size ask for huge pages: below, the tail of the last one is waste.
constexpr size_t kHugeRunBytes = 4 * kHugePageBytes;

bool TestBit(const std::vector<uint64_t>& bits, size_t i) { return (bits[i / 64] >> (i % 64)) & 1; }
void SetBit(std::vector<uint64_t>& bits, size_t i) { bits[i / 64] |= uint64_t{1} << (i % 64); }
void ClearBit(std::vector<uint64_t>& bits, size_t i) { bits[i / 64] &= ~(uint64_t{1} << (i % 64)); }

}  // namespace

void LargeSpace::AddRunLocked(size_t first_page, FreeRun run) {
  runs_by_page_.emplace(first_page, run);
  runs_by_size_.emplace(run.pages, first_page);
}

void LargeSpace::RemoveRunLocked(RunMap::iterator it) {
  runs_by_size_.erase({it->second.pages, it->first});
  runs_by_page_.erase(it);
}

char* LargeSpace::TakeRunLocked(size_t pages) {
  auto fit = runs_by_size_.lower_bound({pages, 0});
  if (fit == runs_by_size_.end()) {
    const size_t chunks = (pages * kLargePageBytes + kChunkBytes - 1) / kChunkBytes;
    char* start = range_.TakeChunks(chunks);
    if (start == nullptr) return nullptr;
    const size_t first = PageOf(start), count = chunks * (kChunkBytes / kLargePageBytes);
    if (cold_pages_.size() < (first + count + 63) / 64)
      cold_pages_.resize((first + count + 63) / 64);
    for (size_t i = first; i < first + count; ++i) SetBit(cold_pages_, i);
    // Not joined with a neighbouring free run: a chunk that becomes wholly free can go back alone.
    AddRunLocked(first, {count, 0});
    fit = runs_by_size_.lower_bound({pages, 0});
  }
  const auto it = runs_by_page_.find(fit->second);
  const size_t first = it->first;
  const FreeRun run = it->second;
  RemoveRunLocked(it);
  if (run.pages > pages) AddRunLocked(first + pages, {run.pages - pages, run.freed_at});
  return PageStart(first);
}

// Brings the run's absent pages in and zeroes the others as far as the object and its cards reach.
void LargeSpace::Prepare(char* start, size_t pages, size_t used_bytes) {
  const size_t first = PageOf(start);
  UnpoisonMemory(start, pages * kLargePageBytes);
  if (pages * kLargePageBytes >= kHugeRunBytes) {
    char* aligned = reinterpret_cast<char*>(
        (reinterpret_cast<uintptr_t>(start) + kHugePageBytes - 1) & ~(kHugePageBytes - 1));
    const size_t bytes = static_cast<size_t>(start + pages * kLargePageBytes - aligned);
    OsAdviseHuge(aligned, bytes & ~(kHugePageBytes - 1));
  }
  size_t i = 0;
  while (i < pages) {
    const bool cold = TestBit(cold_pages_, first + i);
    size_t end = i;
    while (end < pages && TestBit(cold_pages_, first + end) == cold) ++end;
    char* part = start + i * kLargePageBytes;
    if (cold) {
      OsPopulate(part, (end - i) * kLargePageBytes);
      for (size_t p = i; p < end; ++p) ClearBit(cold_pages_, first + p);
      resident_pages_.fetch_add(end - i, std::memory_order_relaxed);
    } else {
      if (used_bytes > i * kLargePageBytes) {
        std::memset(part, 0,
                    std::min(used_bytes - i * kLargePageBytes, (end - i) * kLargePageBytes));
      }
      free_pages_.fetch_sub(end - i, std::memory_order_relaxed);
    }
    i = end;
  }
}

void* LargeSpace::Allocate(size_t bytes, bool with_cards) {
  const size_t cards = with_cards ? (bytes + kCardBytes - 1) / kCardBytes : 0;
  const size_t used = sizeof(LargeHeader) + bytes + cards;
  const size_t pages = (used + kLargePageBytes - 1) / kLargePageBytes;
  if (bytes > range_.bytes()) return nullptr;
  std::lock_guard lock(mutex_);
  char* start = TakeRunLocked(pages);
  if (start == nullptr) return nullptr;
  Prepare(start, pages, used);
  auto* header = reinterpret_cast<LargeHeader*>(start);
  header->object_bytes = bytes;
  header->pages = pages;
  header->index = objects_.size();
  header->card_count = cards;
  header->cards =
      cards == 0 ? nullptr : reinterpret_cast<uint8_t*>(start + sizeof(LargeHeader) + bytes);
  objects_.push_back(header);
  range_.SetStart(header->object());
  return header->object();
}

void LargeSpace::FreeRunLocked(size_t first_page, size_t pages, uint64_t now) {
  FreeRun run{pages, now};
  // Join with neighbours, but never across a chunk border, so that whole chunks can go back.
  constexpr size_t kPagesPerChunk = kChunkBytes / kLargePageBytes;
  auto next = runs_by_page_.lower_bound(first_page);
  if (next != runs_by_page_.end() && next->first == first_page + pages &&
      next->first % kPagesPerChunk != 0) {
    run.pages += next->second.pages;
    RemoveRunLocked(next);
  }
  auto before = runs_by_page_.lower_bound(first_page);
  if (before != runs_by_page_.begin() && first_page % kPagesPerChunk != 0) {
    --before;
    if (before->first + before->second.pages == first_page) {
      first_page = before->first;
      run.pages += before->second.pages;
      RemoveRunLocked(before);
    }
  }
  AddRunLocked(first_page, run);
}

void LargeSpace::FreeLocked(LargeHeader* header, uint64_t now) {
  Object* object = header->object();
  const TypeDescriptor& type = GetType(object->type());
  if (type.drop != nullptr) type.drop(object);
  range_.ClearStart(object);
  range_.ClearMark(object);
  const size_t index = header->index, pages = header->pages;
  objects_[index] = objects_.back();
  objects_[index]->index = index;
  objects_.pop_back();
  if (sweep_next_.load(std::memory_order_relaxed) > objects_.size()) {
    sweep_next_.store(objects_.size(), std::memory_order_release);
  }
  PoisonMemory(header, pages * kLargePageBytes, poison_);
  free_pages_.fetch_add(pages, std::memory_order_relaxed);
  FreeRunLocked(PageOf(header), pages, now);
}

void LargeSpace::Free(Object* object, uint64_t now) {
  std::lock_guard lock(mutex_);
  FreeLocked(LargeHeader::Of(object), now);
}

void LargeSpace::StartSweep() {
  std::lock_guard lock(mutex_);
  for (LargeHeader* header : objects_) header->unswept = true;
  sweep_next_.store(objects_.size(), std::memory_order_release);
}

bool LargeSpace::SweepSome(size_t count, uint64_t now) {
  if (sweep_done()) return false;
  std::lock_guard lock(mutex_);
  size_t next = sweep_next_.load(std::memory_order_relaxed);
  while (next > 0 && count-- > 0) {
    LargeHeader* header = objects_[--next];
    // Objects from `next` on are swept or newer; freeing one moves such a one into its place.
    sweep_next_.store(next, std::memory_order_release);
    if (!header->unswept) continue;
    header->unswept = false;
    if (range_.IsMarked(header->object())) {
      range_.ClearMark(header->object());
    } else {
      FreeLocked(header, now);
    }
  }
  return next > 0;
}

void LargeSpace::DropAll() {
  std::lock_guard lock(mutex_);
  for (LargeHeader* header : objects_) {
    const TypeDescriptor& type = GetType(header->object()->type());
    if (type.drop != nullptr) type.drop(header->object());
  }
}

size_t LargeSpace::Decay(uint64_t freed_before) {
  std::lock_guard lock(mutex_);
  size_t released = 0;
  constexpr size_t kPagesPerChunk = kChunkBytes / kLargePageBytes;
  for (auto it = runs_by_page_.begin(); it != runs_by_page_.end();) {
    const auto here = it++;
    if (here->second.freed_at > freed_before) continue;
    const size_t first = here->first, pages = here->second.pages;
    size_t warm = 0;
    for (size_t p = first; p < first + pages; ++p) warm += TestBit(cold_pages_, p) ? 0 : 1;
    for (size_t p = first; p < first + pages; ++p) SetBit(cold_pages_, p);
    released += warm * kLargePageBytes;
    resident_pages_.fetch_sub(warm, std::memory_order_relaxed);
    free_pages_.fetch_sub(warm, std::memory_order_relaxed);
    if (first % kPagesPerChunk == 0 && pages % kPagesPerChunk == 0) {
      RemoveRunLocked(here);
      range_.FreeChunks(PageStart(first), pages / kPagesPerChunk);
    } else if (warm > 0) {
      OsDecommit(PageStart(first), pages * kLargePageBytes);
    }
  }
  released_bytes_.fetch_add(released, std::memory_order_relaxed);
  return released;
}

}  // namespace neap::gc
