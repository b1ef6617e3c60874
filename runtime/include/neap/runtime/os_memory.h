// SPDX-License-Identifier: MIT
//
// Address space and pages from the operating system. Sizes and addresses are multiples of
// kOsPageBytes unless stated. No function here is called on a pause's path except Populate of
// memory that the pause is known to need, and that is done before the pause.
//
// Failure injection: SetOsFailureForTesting makes the Nth call of Commit and the following fail.
#ifndef NEAP_RUNTIME_OS_MEMORY_H_
#define NEAP_RUNTIME_OS_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace neap {

inline constexpr size_t kOsPageBytes = 4096;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Reserves `bytes` of inaccessible address space at a multiple of `alignment` (a power of two).
// Returns nullptr when the system refuses.
void* OsReserve(size_t bytes, size_t alignment);
// Makes a reserved range readable and writable; pages come zeroed at first touch. False when the
// system refuses (or by failure injection).
[[nodiscard]] bool OsCommit(void* start, size_t bytes);
// Brings the pages in now (0.5 us a page instead of 13 us at first touch on the reference machine).
// A hint: falls back to touching.
void OsPopulate(void* start, size_t bytes);
// Asks for huge pages in the range (start and bytes multiples of kHugePageBytes). A hint.
void OsAdviseHuge(void* start, size_t bytes);
// Gives the pages back; the range stays committed and reads as zeros.
void OsDecommit(void* start, size_t bytes);
// Makes the range inaccessible (retired nurseries in stress mode), and undoes it.
void OsProtect(void* start, size_t bytes);
void OsUnprotect(void* start, size_t bytes);
// Gives address space and pages back.
void OsRelease(void* start, size_t bytes);

// `bytes` of zeroes of their own, readable and writable; pages that are never touched cost nothing.
// Null when the system refuses. OsRelease gives them back.
void* OsZeroes(size_t bytes);

// Minor page faults of this process so far (getrusage).
uint64_t OsMinorFaults();
// Resident memory that no file backs, so no program text, in bytes; 0 when it cannot be read.
uint64_t OsResidentBytes();

// The next `calls` Commits succeed, all later ones fail; UINT64_MAX switches injection off.
void SetOsFailureForTesting(uint64_t calls);

}  // namespace neap

#endif  // NEAP_RUNTIME_OS_MEMORY_H_
