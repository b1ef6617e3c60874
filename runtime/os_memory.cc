// SPDX-License-Identifier: MIT
//
// Linux. A range goes through these states; only `committed` may be touched:
//
//             OsReserve              OsCommit               OsProtect
//   nothing  ----------->  reserved  -------->  committed  ----------->  protected
//      ^                      |                  |  ^  ^                     |
//      +------ OsRelease -----+------------------+  |  +----- OsUnprotect ---+
//                                                   |
//                                 OsPopulate, OsAdviseHuge, OsDecommit
//
// A reservation takes address space only: MAP_NORESERVE keeps it out of the overcommit accounting,
// so that 64 GiB can be reserved on a machine that has far less.
#include "neap/runtime/os_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "neap/runtime/check.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14; older headers do not name it
#endif

namespace neap {
namespace {

// Commits that may still succeed; UINT64_MAX: no injection.
std::atomic<uint64_t> commits_left{UINT64_MAX};

bool IsMultiple(size_t value, size_t unit) { return value % unit == 0; }

void CheckRange(const void* start, size_t bytes, size_t unit) {
  NEAP_CHECK(IsMultiple(reinterpret_cast<uintptr_t>(start), unit) && IsMultiple(bytes, unit),
             "ranges of OS memory consist of whole pages", "start=%p bytes=%zu page=%zu", start,
             bytes, unit);
}

// True when failure injection lets this commit succeed; counts it.
bool TakeInjectedCommit() {
  uint64_t left = commits_left.load(std::memory_order_relaxed);
  while (left != UINT64_MAX && left != 0) {
    if (commits_left.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
  }
  return left != 0;
}

// Writes to every page without changing a byte, whoever else uses them: a compare-exchange of a
// byte with itself is a write to the memory system, and unlike fetch_or(0) no compiler turns it
// into a load. When it fails, another thread has just written there, which is as good.
void TouchEveryPage(void* start, size_t bytes) {
  auto* page = static_cast<unsigned char*>(start);
  for (size_t offset = 0; offset < bytes; offset += kOsPageBytes) {
    std::atomic_ref<unsigned char> byte(page[offset]);
    unsigned char value = byte.load(std::memory_order_relaxed);
    byte.compare_exchange_strong(value, value, std::memory_order_relaxed);
  }
}

// Changing the protection in the middle of a mapping splits it, and the kernel limits the number of
// mappings of a process. OsCommit reports that; the stress modes cannot go on.
void Protect(void* start, size_t bytes, int protection) {
  CheckRange(start, bytes, kOsPageBytes);
  if (bytes == 0) return;
  NEAP_CHECK(mprotect(start, bytes, protection) == 0,
             "the system lets a range be protected (sysctl vm.max_map_count limits how many)",
             "start=%p bytes=%zu errno=%d", start, bytes, errno);
}

}  // namespace

void* OsReserve(size_t bytes, size_t alignment) {
  CheckRange(nullptr, bytes, kOsPageBytes);
  NEAP_CHECK(alignment != 0 && (alignment & (alignment - 1)) == 0, "an alignment is a power of two",
             "alignment=%zu", alignment);
  if (alignment < kOsPageBytes) alignment = kOsPageBytes;
  // mmap aligns to pages only: reserve `slack` more and give back what lies before and after.
  const size_t slack = alignment - kOsPageBytes;
  if (bytes == 0 || bytes > SIZE_MAX - slack) return nullptr;
  void* mapping = mmap(nullptr, bytes + slack, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  if (mapping == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapping);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) & (alignment - 1);
  const size_t after = slack - before;
  if (before != 0) munmap(begin, before);
  if (after != 0) munmap(begin + before + bytes, after);
  return begin + before;
}

bool OsCommit(void* start, size_t bytes) {
  CheckRange(start, bytes, kOsPageBytes);
  if (!TakeInjectedCommit()) return false;
  return bytes == 0 || mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void OsPopulate(void* start, size_t bytes) {
  CheckRange(start, bytes, kOsPageBytes);
  if (bytes == 0) return;
  int result;
  do {
    result = madvise(start, bytes, MADV_POPULATE_WRITE);
  } while (result != 0 && errno == EINTR);
  if (result != 0) TouchEveryPage(start, bytes);
}

void OsAdviseHuge(void* start, size_t bytes) {
  CheckRange(start, bytes, kHugePageBytes);
  // A kernel without huge pages refuses; the pages stay small and everything works.
  madvise(start, bytes, MADV_HUGEPAGE);
}

void OsDecommit(void* start, size_t bytes) {
  CheckRange(start, bytes, kOsPageBytes);
  if (bytes == 0) return;
  // Callers rely on zeros afterwards, so a refusal (locked pages) must not pass unseen.
  NEAP_CHECK(madvise(start, bytes, MADV_DONTNEED) == 0, "committed pages can be given back",
             "start=%p bytes=%zu errno=%d", start, bytes, errno);
}

void OsProtect(void* start, size_t bytes) { Protect(start, bytes, PROT_NONE); }

void OsUnprotect(void* start, size_t bytes) { Protect(start, bytes, PROT_READ | PROT_WRITE); }

void OsRelease(void* start, size_t bytes) {
  CheckRange(start, bytes, kOsPageBytes);
  if (bytes == 0) return;
  NEAP_CHECK(munmap(start, bytes) == 0, "only reserved ranges are released",
             "start=%p bytes=%zu errno=%d", start, bytes, errno);
}

void* OsZeroes(size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

uint64_t OsMinorFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

uint64_t OsResidentBytes() {
  // Numbers in pages: the address space, the resident set, what of it files back.
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  char* rest = text;
  std::strtoull(rest, &rest, 10);
  const uint64_t resident = std::strtoull(rest, &rest, 10);
  const uint64_t of_files = std::strtoull(rest, nullptr, 10);
  return resident < of_files ? 0 : (resident - of_files) * kOsPageBytes;
}

void SetOsFailureForTesting(uint64_t calls) {
  commits_left.store(calls, std::memory_order_relaxed);
}

}  // namespace neap
