// SPDX-License-Identifier: MIT
//
// Large-object space: objects over kMaxCellBytes, each in a run of 4 KiB pages of its own. They
// never move; a young one ages in place.
//
//   run:  | LargeHeader 64 | object (header, body) ... | cards | rest of the last page |
//                                                       one byte per 512 bytes of the object,
//                                                       only for types with slots
//
// Free runs are kept with their pages for reuse (best fit, lowest address) and given back to the OS
// after the decay. Pages that are not here are populated in one call before the object is handed
// out, and only pages that were here need zeroing.
//
// Thread safety: locks itself.
#ifndef NEAP_GC_LARGE_SPACE_H_
#define NEAP_GC_LARGE_SPACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "heap_range.h"
#include "neap/gc/object.h"

namespace neap::gc {

inline constexpr size_t kLargePageBytes = 4096;
inline constexpr size_t kCardBytes = 512;

struct LargeHeader {
  uint64_t object_bytes;  // of the object, header included
  uint64_t pages;         // of the whole run
  uint64_t index;         // in LargeSpace::objects_
  bool unswept;           // marked in the last cycle, not yet looked at
  bool logged;            // carded: stands in a modification buffer or the retained set
  uint8_t pad[6];
  uint64_t card_count;
  uint64_t reserved;
  uint8_t* cards;  // null without slots; 16 bytes before the object (CardsOf)
  uint64_t reserved2;

  Object* object() { return reinterpret_cast<Object*>(this + 1); }
  static LargeHeader* Of(Object* object) { return reinterpret_cast<LargeHeader*>(object) - 1; }
};
static_assert(sizeof(LargeHeader) == 64);
static_assert(offsetof(LargeHeader, cards) == sizeof(LargeHeader) - 16);

class LargeSpace {
 public:
  LargeSpace(HeapRange& range, bool poison) : range_(range), poison_(poison) {}

  // Zeroed memory for an object of `bytes`, its start bit set; nullptr when it cannot be had.
  void* Allocate(size_t bytes, bool with_cards);
  // Frees an object that died young (calls its drop function).
  void Free(Object* object, uint64_t now);

  // After marking, world stopped.
  void StartSweep();
  // Looks at up to `count` objects; false when none is left.
  bool SweepSome(size_t count, uint64_t now);
  void FinishSweep(uint64_t now) {
    while (SweepSome(256, now)) {
    }
  }
  bool sweep_done() const { return sweep_next_.load(std::memory_order_acquire) == 0; }

  // The end of the heap: calls the drop function of every object.
  void DropAll();

  // Gives pages of runs that became free before `freed_before` to the OS. Returns bytes.
  size_t Decay(uint64_t freed_before);

  // Pages held from the OS: in use and free but kept.
  size_t resident_bytes() const {
    return resident_pages_.load(std::memory_order_relaxed) * kLargePageBytes;
  }
  size_t free_bytes() const {
    return free_pages_.load(std::memory_order_relaxed) * kLargePageBytes;
  }
  uint64_t released_bytes() const { return released_bytes_.load(std::memory_order_relaxed); }

  // World stopped: all objects, dead unswept ones too.
  const std::vector<LargeHeader*>& objects() const { return objects_; }

 private:
  struct FreeRun {
    size_t pages;
    uint64_t freed_at;
  };
  using RunMap = std::map<size_t, FreeRun>;  // first page -> run
  char* TakeRunLocked(size_t pages);
  void FreeRunLocked(size_t first_page, size_t pages, uint64_t now);
  void AddRunLocked(size_t first_page, FreeRun run);
  void RemoveRunLocked(RunMap::iterator it);
  void FreeLocked(LargeHeader* header, uint64_t now);
  void Prepare(char* start, size_t pages, size_t used_bytes);
  size_t PageOf(const void* p) const {
    return range_.OffsetOf(reinterpret_cast<Word>(p)) / kLargePageBytes;
  }
  char* PageStart(size_t page) const { return range_.base() + page * kLargePageBytes; }

  HeapRange& range_;
  const bool poison_;
  std::mutex mutex_;  // guards what follows
  std::vector<LargeHeader*> objects_;
  RunMap runs_by_page_;
  std::set<std::pair<size_t, size_t>> runs_by_size_;  // (pages, first page)
  std::vector<uint64_t> cold_pages_;                  // one bit per page of the range, grown on use
  std::atomic<size_t> sweep_next_{0};                 // objects_[0, sweep_next_) are to be swept
  std::atomic<size_t> resident_pages_{0};
  std::atomic<size_t> free_pages_{0};  // free and resident
  std::atomic<uint64_t> released_bytes_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_LARGE_SPACE_H_
