// SPDX-License-Identifier: MIT
//
// What a heap is made with. Every field has a working default; the NEAP_* environment variables and
// the command line set the same fields (SetOptionsFromEnvironment, SetOption).
#ifndef NEAP_GC_OPTIONS_H_
#define NEAP_GC_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/debug.h"

namespace neap::gc {

struct Options {
  static constexpr uint64_t kNoLimit = UINT64_MAX;
  static constexpr uint64_t kGogcOff = UINT64_MAX;

  enum class Nursery : uint8_t {
    kAdaptive,  // starts at nursery_bytes per P, follows predicted survivor work
    kFixed,     // nursery_bytes per P, always
    kOff,       // no young generation: a plain mark-sweep heap, as Go's
  };
  Nursery nursery = Nursery::kAdaptive;
  size_t nursery_bytes = 256 << 10;         // per P; 4 KiB .. 1 GiB
  size_t nursery_max_bytes = 4 << 20;       // per P, adaptive only
  uint32_t tenure = 2;                      // promoted on this survival, 1..15
  bool in_place = true;                     // cohorts expected to live on become old without a copy
  uint32_t workers = 1;                     // threads that copy in a minor, 1..64
  uint64_t gogc = 100;                      // percent, NEAP_GOGC; kGogcOff: only the limit paces
  uint64_t memory_limit_bytes = kNoLimit;   // soft, NEAP_MEMLIMIT
  uint64_t hard_limit_bytes = kNoLimit;     // allocation fails beyond it; counts off-heap bytes
  uint64_t min_heap_bytes = 4 << 20;        // the goal is never less than live + this * gogc/100
  size_t reserve_bytes = size_t{64} << 30;  // address space
  bool huge_pages = true;                   // ask for huge pages once old space exceeds 32 MiB
  uint64_t decay_ms = 10'000;               // free blocks go back to the OS after this long
  uint64_t periodic_major_s = 120;          // 0: never force a major for age
  int procs = 0;                            // NEAP_MAXPROCS; 0: the cores
  bool blocking_events = false;             // --record: a full event ring is drained, not dropped
  Clock::Kind clock = Clock::Kind::kReal;
  DebugSwitches debug = {};

  // The mode matrix's presets (LAB.md). "go": nursery off. "source": fixed nursery of 16 MiB,
  // tenure 2, no in-place promotion, one P. "tiny": 4 KiB nursery, for tests.
  static absl::StatusOr<Options> Preset(std::string_view name);
};

// Sets one option from text: gogc=off|N, memlimit=none|SIZE, nursery=off|adaptive|SIZE, tenure=N,
// procs=N, workers=N, in-place=on|off, preset=NAME. SIZE takes B, KiB, MiB, GiB (a bare number is
// bytes). InvalidArgument names the option, the value and what is allowed.
absl::Status SetOption(Options& options, std::string_view name, std::string_view value);

// True for a name that SetOption knows.
bool IsOption(std::string_view name);

// Reads NEAP_GOGC, NEAP_MEMLIMIT, NEAP_NURSERY, NEAP_TENURE, NEAP_MAXPROCS, NEAP_WORKERS,
// NEAP_DEBUG over `options`.
absl::Status SetOptionsFromEnvironment(Options& options);

// Parses "64KiB", "44MiB", "4096". InvalidArgument names the text.
absl::StatusOr<uint64_t> ParseBytes(std::string_view text);

// Says whether the fields fit together (ranges above; a memory limit not under kMinLimitBytes).
absl::Status ValidateOptions(const Options& options);

// The runtime's own fixed overhead: a memory limit below this cannot be met by any collection.
inline constexpr uint64_t kMinLimitBytes = 1 << 20;

}  // namespace neap::gc

#endif  // NEAP_GC_OPTIONS_H_
