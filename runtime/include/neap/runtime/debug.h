// SPDX-License-Identifier: MIT
//
// Every run-time debug switch of neap, one sentence each. They are set by the environment variable
// NEAP_DEBUG or by an options struct; none needs a rebuild, and all cost nothing when off.
//
//   NEAP_DEBUG=gctrace=1,stress-alloc=1,verify=1 neap lab G1
#ifndef NEAP_RUNTIME_DEBUG_H_
#define NEAP_RUNTIME_DEBUG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace neap {

// X(field, "name", default, "sentence"); all values are uint64_t.
#define NEAP_DEBUG_SWITCHES(X)                                                                     \
  X(gctrace, "gctrace", 0,                                                                         \
    "1: print a line per major and minor collection and per pool on stderr")                       \
  X(stress_alloc, "stress-alloc", 0, "N: a minor collection at every Nth allocation")              \
  X(stress_safepoint, "stress-safepoint", 0, "N: a minor collection at every Nth safepoint poll")  \
  X(stress_major, "stress-major", 0, "N: every Nth collection is a major one")                     \
  X(fail_alloc, "fail-alloc", 0, "N: the Nth allocation fails as if memory were exhausted")        \
  X(fail_alloc_forever, "fail-alloc-forever", 0, "1: with fail-alloc, all later ones fail too")    \
  X(no_room, "no-room", 0, "N: every Nth evacuation finds no room and stays in place")             \
  X(poison, "poison", 0, "1: fill freed cells and retired eden with a trap pattern")               \
  X(rotate, "rotate", 0, "N: keep N retired nursery blocks inaccessible before they are reused")   \
  X(verify, "verify", 0, "1: verify the whole heap before and after every collection")             \
  X(drop_barrier, "drop-barrier", 0, "N: forget every Nth log of the write barrier (tests only)")  \
  X(parallel_from, "parallel-from", 1 << 20,                                                       \
    "N: with more workers than one, copy in parallel when N bytes are expected to survive")        \
  X(slow_hook_us, "slow-hook-us", 100, "N: report a cleanup hook that takes more CPU time, in us") \
  X(seed, "seed", 1, "N: the seed of random decisions (hashes, chaos)")

struct DebugSwitches {
#define NEAP_DECLARE_SWITCH(field, name, value, sentence) uint64_t field = value;
  NEAP_DEBUG_SWITCHES(NEAP_DECLARE_SWITCH)
#undef NEAP_DECLARE_SWITCH
};

// Parses "name=value,name=value" onto `base`. An unknown name or a value that is not an unsigned
// decimal number is an InvalidArgument status that names both.
absl::StatusOr<DebugSwitches> ParseDebugSwitches(std::string_view text, DebugSwitches base = {});

// What NEAP_DEBUG says; InvalidArgument as above.
absl::StatusOr<DebugSwitches> DebugSwitchesFromEnvironment();

// One line per switch with its sentence, for `neap --help-debug`.
std::string DescribeDebugSwitches();

}  // namespace neap

#endif  // NEAP_RUNTIME_DEBUG_H_
