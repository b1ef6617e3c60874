// SPDX-License-Identifier: MIT
//
// The allocations of a Lua program by call stack and type, and what became of them.
//
//   AllocationWatch watch(state, {.sample_bytes = 64 << 10});
//   ... run scripts ...
//   const AllocationProfile profile = watch.Read();
//   std::fputs(AllocationTable(profile).c_str(), stderr);
//   WriteFile("run.pb", PprofBytes(profile));               // pprof_writer.h
//
// Survival and lifetimes are what the collections of the run found. Read() then collects once more,
// so that what is live is what the program can still reach.
//
// Embedders use vm::AllocationWatch with the State of their Vm; the program's flag is
// `neap run --alloc-profile`.
#ifndef NEAP_VM_PROFILE_ALLOCATION_PROFILE_H_
#define NEAP_VM_PROFILE_ALLOCATION_PROFILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "neap/gc/allocation_profiler.h"
#include "profile/call_sites.h"

namespace neap::vm {

class State;

// Counts up when a reader of the old JSON would misread the new one.
inline constexpr int kAllocationProfileVersion = 1;

// One call stack and type.
struct AllocationSample {
  std::vector<CallFrame> stack;  // innermost first; empty: the host
  std::string type;              // "table", "string", ...
  gc::AllocationRecord record;   // as the run's collections left it
  gc::AllocationRecord at_end;   // after the last one
};

struct AllocationProfile {
  std::string program;        // the script, for readers; may be empty
  uint64_t sample_bytes = 0;  // mean distance; 0: every allocation was noted
  uint64_t minors = 0;        // collections while it was taken
  uint64_t majors = 0;
  int64_t start_unix_ns = 0;
  int64_t duration_ns = 0;
  std::vector<SiteFunction> functions;
  std::vector<AllocationSample> samples;
};

class AllocationWatch {
 public:
  AllocationWatch(State& state, const gc::AllocationProfilerOptions& options);

  // What was seen so far; the watch goes on. Collects (a safepoint).
  AllocationProfile Read();

 private:
  State& state_;
  CallSites sites_;
  gc::AllocationProfiler profiler_;
  const uint64_t minors_before_;
  const uint64_t majors_before_;
  const int64_t start_unix_ns_;
  const uint64_t start_ns_;
};

// --- Reports -------------------------------------------------------------------------------------

// A row of a report: samples of one type, or of one place (innermost Lua function and line) and
// type.
struct AllocationRow {
  std::string function;  // empty: rows by type
  std::string file;
  uint32_t line = 0;
  std::string type;
  gc::AllocationRecord record;
  gc::AllocationCount live;  // at the end
};
// Most bytes first.
std::vector<AllocationRow> RowsBySite(const AllocationProfile& profile);
std::vector<AllocationRow> RowsByType(const AllocationProfile& profile);

// The bucket of AllocationRecord::lifetimes that `share` (0.5: the median) of the objects that died
// do not exceed; negative: none died.
int LifeBucket(const gc::AllocationRecord& record, double share);

// Two tables for people: by type, and the `most` first ones by site.
std::string AllocationTable(const AllocationProfile& profile, size_t most = 40);
// One JSON object: {"profile":"allocations","version":1,...,"types":[...],"sites":[...]}. The page
// of its fields is the function's comment.
std::string AllocationJson(const AllocationProfile& profile);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_ALLOCATION_PROFILE_H_
