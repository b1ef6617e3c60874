// SPDX-License-Identifier: MIT
#include "neap/runtime/os_memory.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "doctest/doctest.h"
#include "support/check_failure.h"

namespace neap::testing {
namespace {

constexpr size_t kRangeBytes = 64 * kOsPageBytes;

// A reserved range, released at the end.
class Range {
 public:
  explicit Range(size_t bytes = kRangeBytes, size_t alignment = kOsPageBytes)
      : bytes_(bytes), start_(static_cast<unsigned char*>(OsReserve(bytes, alignment))) {
    REQUIRE(start_ != nullptr);
  }
  ~Range() { OsRelease(start_, bytes_); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  unsigned char* start() const { return start_; }
  size_t bytes() const { return bytes_; }
  bool Holds(unsigned char value) const {
    return std::all_of(start_, start_ + bytes_, [&](unsigned char byte) { return byte == value; });
  }

 private:
  const size_t bytes_;
  unsigned char* const start_;
};

// Whether the kernel can read the byte at `address` for us.
bool IsReadable(const void* address) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const bool readable = syscall(SYS_write, ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

bool IsResident(void* start, size_t bytes) {
  unsigned char pages[kRangeBytes / kOsPageBytes] = {};
  if (mincore(start, bytes, pages) != 0) return false;
  return std::all_of(pages, pages + bytes / kOsPageBytes,
                     [](unsigned char page) { return (page & 1) != 0; });
}

// Page faults of a write to each page. The kernel writes: sanitizers, which would bring in pages of
// their own beside ours, do not see it.
uint64_t FaultsOfWriting(unsigned char* start, size_t bytes) {
  const uint64_t before = OsMinorFaults();
  for (size_t offset = 0; offset < bytes; offset += kOsPageBytes) {
    if (syscall(SYS_getrandom, start + offset, 1, 0) != 1) return UINT64_MAX;
  }
  return OsMinorFaults() - before;
}

// From here on madvise(MADV_POPULATE_WRITE) fails in this process, as it does before Linux 5.14.
bool ForbidPopulate() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, /*MADV_POPULATE_WRITE=*/23, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_SUITE("runtime/os_memory") {
  TEST_CASE("zeroes are zero, writable, and cost nothing until they are touched") {
    constexpr size_t kBytes = size_t{64} << 20;
    const uint64_t faults = OsMinorFaults();
    auto* const bytes = static_cast<unsigned char*>(OsZeroes(kBytes));
    REQUIRE(bytes != nullptr);
    CHECK(OsMinorFaults() - faults < 100);
    CHECK(bytes[0] == 0);
    CHECK(bytes[kBytes - 1] == 0);
    bytes[kBytes - 1] = 7;
    CHECK(bytes[kBytes - 1] == 7);
    OsRelease(bytes, kBytes);
    CHECK_FALSE(IsReadable(bytes));
  }

  TEST_CASE("a reservation starts at a multiple of the alignment") {
    for (size_t alignment = 1; alignment <= size_t{64} << 20; alignment *= 4) {
      CAPTURE(alignment);
      const Range range(kRangeBytes, alignment);
      CHECK(reinterpret_cast<uintptr_t>(range.start()) % alignment == 0);
      CHECK(reinterpret_cast<uintptr_t>(range.start()) % kOsPageBytes == 0);
      CHECK_FALSE(IsReadable(range.start()));
      REQUIRE(OsCommit(range.start(), range.bytes()));
      range.start()[range.bytes() - 1] = 1;
    }
  }

  TEST_CASE("the trimmed ends of an aligned reservation are given back") {
    const auto address_space = [] {
      FILE* const file = std::fopen("/proc/self/statm", "r");
      unsigned long pages = 0;
      const int found = std::fscanf(file, "%lu", &pages);
      std::fclose(file);
      REQUIRE(found == 1);
      return pages * kOsPageBytes;
    };
    const size_t before = address_space();
    const Range range(kRangeBytes, size_t{1} << 30);
    CHECK(address_space() - before < size_t{64} << 20);
  }

  TEST_CASE("what the system refuses is nullptr, not a crash") {
    CHECK(OsReserve(size_t{1} << 62, kOsPageBytes) == nullptr);
    CHECK(OsReserve(SIZE_MAX - kOsPageBytes + 1, kHugePageBytes) == nullptr);
    CHECK(OsReserve(0, kOsPageBytes) == nullptr);
  }

  TEST_CASE("committed memory reads as zeros and can be written") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    CHECK(range.Holds(0));
    std::memset(range.start(), 7, range.bytes());
    CHECK(range.Holds(7));
  }

  TEST_CASE("a part of a range can be committed") {
    const Range range;
    REQUIRE(OsCommit(range.start() + kOsPageBytes, kOsPageBytes));
    CHECK_FALSE(IsReadable(range.start()));
    CHECK(IsReadable(range.start() + kOsPageBytes));
    CHECK_FALSE(IsReadable(range.start() + 2 * kOsPageBytes));
  }

  TEST_CASE("failure injection lets the given number of commits pass and fails all later ones") {
    const Range range;
    SetOsFailureForTesting(2);
    CHECK(OsCommit(range.start(), kOsPageBytes));
    CHECK(OsCommit(range.start() + kOsPageBytes, kOsPageBytes));
    CHECK_FALSE(OsCommit(range.start() + 2 * kOsPageBytes, kOsPageBytes));
    CHECK_FALSE(OsCommit(range.start(), kOsPageBytes));
    SetOsFailureForTesting(0);
    CHECK_FALSE(OsCommit(range.start(), kOsPageBytes));
    SetOsFailureForTesting(UINT64_MAX);
    CHECK(OsCommit(range.start(), range.bytes()));
  }

  TEST_CASE("populating brings fresh pages in, so that touching them faults no more") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    OsPopulate(range.start(), range.bytes());
    CHECK(IsResident(range.start(), range.bytes()));
    const uint64_t faults = FaultsOfWriting(range.start(), range.bytes());
    CHECK(faults < kRangeBytes / kOsPageBytes / 2);
    OsDecommit(range.start(), range.bytes());
    CHECK(faults < FaultsOfWriting(range.start(), range.bytes()));
  }

  TEST_CASE("populating changes no byte") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    std::memset(range.start(), 0xa5, range.bytes());
    OsPopulate(range.start(), range.bytes());
    CHECK(range.Holds(0xa5));
  }

  TEST_CASE("on a kernel that cannot populate, pages come in all the same, unchanged") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    const size_t half = range.bytes() / 2;
    std::memset(range.start(), 0xa5, half);
    const pid_t child = fork();
    if (child == 0) {
      if (!ForbidPopulate()) _exit(1);
      if (madvise(range.start(), half, /*MADV_POPULATE_WRITE=*/23) == 0) _exit(2);
      OsPopulate(range.start(), range.bytes());
      if (FaultsOfWriting(range.start() + half, half) >= half / kOsPageBytes / 2) _exit(3);
      for (size_t i = 0; i < half; ++i) {
        if (range.start()[i] != 0xa5) _exit(4);
      }
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);  // the exit status stands in bits 8-15
  }

  TEST_CASE("pages given back stay committed and read as zeros") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    std::memset(range.start(), 1, range.bytes());
    OsDecommit(range.start(), range.bytes());
    CHECK(range.Holds(0));
    range.start()[0] = 1;
  }

  TEST_CASE("giving pages back lowers the resident set, and the peak remembers it") {
    constexpr size_t kBytes = size_t{64} << 20;
    const Range range(kBytes, kHugePageBytes);
    REQUIRE(OsCommit(range.start(), kBytes));
    OsPopulate(range.start(), kBytes);
    const uint64_t full = OsResidentBytes();
    CHECK(full >= kBytes);
    OsDecommit(range.start(), kBytes);
    CHECK(OsResidentBytes() + kBytes / 2 < full);
  }

  TEST_CASE("a protected range is out of reach and keeps its content") {
    const Range range;
    REQUIRE(OsCommit(range.start(), range.bytes()));
    std::memset(range.start(), 3, range.bytes());
    OsProtect(range.start(), range.bytes());
    CHECK_FALSE(IsReadable(range.start()));
    CHECK_FALSE(IsReadable(range.start() + range.bytes() - 1));
    OsUnprotect(range.start(), range.bytes());
    CHECK(range.Holds(3));
  }

  TEST_CASE("advice on huge pages leaves the content alone") {
    const Range range(2 * kHugePageBytes, kHugePageBytes);
    REQUIRE(OsCommit(range.start(), range.bytes()));
    range.start()[kHugePageBytes] = 9;
    OsAdviseHuge(range.start(), range.bytes());
    CHECK(range.start()[kHugePageBytes] == 9);
  }

  TEST_CASE("ranges that are not whole pages are misuse") {
    const Range range;
    CHECK_THROWS_AS((void)OsCommit(range.start() + 8, kOsPageBytes), CheckFailure);
    CHECK_THROWS_AS((void)OsCommit(range.start(), 100), CheckFailure);
    CHECK_THROWS_AS(OsDecommit(range.start(), 1), CheckFailure);
    CHECK_THROWS_AS(OsAdviseHuge(range.start(), kOsPageBytes), CheckFailure);
    CHECK_THROWS_AS(OsReserve(kOsPageBytes, 3 * kOsPageBytes), CheckFailure);
    CHECK_THROWS_AS(OsReserve(kOsPageBytes, 0), CheckFailure);
  }

  TEST_CASE("an empty range is no work") {
    const Range range;
    CHECK(OsCommit(range.start(), 0));
    OsPopulate(range.start(), 0);
    OsDecommit(range.start(), 0);
    OsProtect(range.start(), 0);
    CHECK_FALSE(IsReadable(range.start()));
  }
}

}  // namespace
}  // namespace neap::testing
