// SPDX-License-Identifier: MIT
//
// Who allocates what, and what becomes of it: objects are noted when they are born, followed while
// they move, and counted out when a collection finds them dead. Nothing is kept alive by that.
//
//   gc::AllocationProfiler profiler(
//       m, {.sample_bytes = 64 << 10},
//       [&](gc::Mutator&, gc::TypeId, size_t) { return CurrentSite(); });
//   ... run ...
//   for (const gc::AllocationRecord& record : profiler.Read()) Print(record);
//
// Every allocation is noted (sample_bytes = 0), or those that random sample points fall into, one
// in `sample_bytes` bytes on average; each then counts for as many as it stands for, so that the
// figures are unbiased estimates. Points come from the seed: with one P, runs repeat.
//
// Without a profiler the allocation path is as it was. With one each noted object costs the slow
// path, the site function, and 40 bytes of C++ memory until it is dead.
//
// It is not for leak hunting by itself (heap_walk.h tells who holds what), and what it says of
// deaths has the grain of collections: an object counts as live until a collection missed it.
//
// Thread safety: objects are noted on all threads of the heap. Making, reading and destroying it
// belong to threads with a mutator. One profiler per heap at a time (checked).
#ifndef NEAP_GC_ALLOCATION_PROFILER_H_
#define NEAP_GC_ALLOCATION_PROFILER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "neap/gc/mutator.h"
#include "neap/gc/object.h"

namespace neap::gc {

// Objects and their bytes; estimates, whole numbers when every allocation was noted.
struct AllocationCount {
  double objects = 0;
  double bytes = 0;
  void Add(double more_objects, double more_bytes) {
    objects += more_objects;
    bytes += more_bytes;
  }
  void Add(const AllocationCount& other) { Add(other.objects, other.bytes); }
};

enum class Fate : uint8_t {
  kYoung,      // in the nursery, or stationary young
  kOld,        // promoted, or born old (age 0)
  kDiedYoung,  // a minor did not find it
  kDiedOld,    // a major did not find it
};
inline constexpr int kFates = 4;

// What was allocated at one site with one type.
struct AllocationRecord {
  static constexpr int kAges = static_cast<int>(Object::kMaxAge) + 1;
  // Bucket 0: at most 1 KiB allocated between birth and death as noticed; i: at most 2^i KiB.
  static constexpr int kLifetimes = 24;

  uint32_t site = 0;
  TypeId type = 0;
  uint64_t samples = 0;       // objects noted
  AllocationCount allocated;  // what they stand for
  // By fate and age: the minor collections survived while young (the last: so many or more).
  std::array<std::array<AllocationCount, kAges>, kFates> fates = {};
  std::array<double, kLifetimes> lifetimes = {};  // objects that died, by bytes lived

  void Add(const AllocationRecord& other);  // same or another site

  AllocationCount live() const;
  // Objects whose first minor has come, and those that survived it.
  AllocationCount met_a_minor() const;
  AllocationCount survived_a_minor() const;
  // Objects that died young or became old by surviving, and the latter.
  AllocationCount left_youth() const;
  AllocationCount promoted() const;
};

struct AllocationProfilerOptions {
  uint64_t sample_bytes = 0;  // mean distance of sample points; 0: every allocation
  uint64_t seed = 1;
};

// The site of the allocation that happens now, a number of the caller's choice. On the allocating
// thread, in the middle of the allocation: may neither allocate from the heap nor reach a
// safepoint.
using SiteFunction = std::function<uint32_t(Mutator& m, TypeId type, size_t bytes)>;

class AllocationLedger;

class AllocationProfiler {
 public:
  // Notes objects from now on. No function: every site is 0.
  AllocationProfiler(Mutator& m, const AllocationProfilerOptions& options, SiteFunction site = {});
  // Stops. `m` of the constructor, or its successor on the same thread, must live.
  ~AllocationProfiler();
  AllocationProfiler(const AllocationProfiler&) = delete;
  AllocationProfiler& operator=(const AllocationProfiler&) = delete;

  // A record for each pair of site and type, in the order of first sight. Fates are those that
  // collections so far have found. (no safepoint)
  std::vector<AllocationRecord> Read() const;
  // Objects noted that are not known to be dead. (no safepoint)
  size_t followed() const;
  const AllocationProfilerOptions& options() const { return options_; }

 private:
  Mutator& mutator_;
  const AllocationProfilerOptions options_;
  std::unique_ptr<AllocationLedger> ledger_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_ALLOCATION_PROFILER_H_
