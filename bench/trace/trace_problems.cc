// SPDX-License-Identifier: MIT
//
// The rules. Each has its thresholds in front of it. A rule that blames a share of something also
// wants that something to matter: a pool that nobody uses has no bad hit rate.
#include "trace_problems.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/figure_text.h"

namespace neap::trace {
namespace {

using vm::BytesText;
using vm::CountText;
using vm::ShareText;
using vm::TimeText;

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Look {
  const Run& run;
  const Summary& sum;
  std::vector<Problem>& found;

  void Add(const char* rule, std::string what, std::string remedy) const {
    found.push_back({rule, std::move(what), std::move(remedy)});
  }
  // An option of the first heap, as the schema line has it.
  std::string Option(const std::string& name) const {
    if (run.heaps.empty()) return "?";
    const std::string value = run.heaps.front().Fact(absl::StrCat("options.", name));
    return value.empty() ? "?" : value;
  }
  // The nursery's size in the last minor collection.
  std::string NurseryNow() const {
    return run.minors.empty() ? "?"
                              : BytesText(static_cast<double>(run.minors.back().eden_limit_bytes));
  }
};

// A pool named as in the trace; pools of one name are told apart by number.
std::string PoolName(const PoolSummary& pool) {
  return absl::StrCat("pool ", pool.name, " (#", pool.pool, ")");
}

// --- Nursery -------------------------------------------------------------------------------------

constexpr uint64_t kFewestMinors = 10;

// A generational heap pays off when few survive. At a fifth, a minor collection costs more than
// the allocation it makes room for.
constexpr double kMuchPromoted = 0.2;
void NurserySurvival(const Look& look) {
  const Summary& s = look.sum;
  const double share = Share(s.promoted_bytes, s.born_bytes());
  if (look.run.minors.size() < kFewestMinors || share < kMuchPromoted) return;
  const double lived_ns =
      static_cast<double>(s.minor_interval_ns * std::max<uint64_t>(s.tenure, 1));
  look.Add("nursery-survival",
           absl::StrCat("The nursery (", look.NurseryNow(), ") fills with objects that live ",
                        s.tenure, " minor collections or more, here about ", TimeText(lived_ns),
                        ": ", ShareText(share), " of what is born in it is copied into old space (",
                        BytesText(static_cast<double>(s.promoted_bytes)), ")."),
           "Raise --nursery until they die before they are promoted, keep them in columns or in a "
           "pool, or accept them as long-lived.");
}

// Bytes that came into old space and are gone at the next major cycle, over all cycles.
constexpr double kMuchDead = 0.5, kRelevantPromotion = 0.05;
void EarlyPromotion(const Look& look) {
  const Summary& s = look.sum;
  uint64_t came = 0, died = 0;
  const Major* last = nullptr;
  for (const Major& major : look.run.majors) {
    if (last != nullptr && last->heap == major.heap) {
      const uint64_t before = last->marked_bytes + last->off_heap_bytes + major.counter_bytes;
      const uint64_t live = major.marked_bytes + major.off_heap_bytes;
      came += major.counter_bytes;
      died += std::min(before > live ? before - live : 0, major.counter_bytes);
    }
    last = &major;
  }
  const bool mostly_promoted = s.promoted_bytes * 2 > came;
  const bool relevant = Share(s.promoted_bytes, s.born_bytes()) >= kRelevantPromotion;
  if (s.major_pauses.count < 4 || !mostly_promoted || !relevant || Share(died, came) < kMuchDead) {
    return;
  }
  look.Add("early-promotion",
           absl::StrCat("Objects are promoted shortly before they die: of ",
                        BytesText(static_cast<double>(came)), " that came into old space ",
                        ShareText(Share(died, came)), " was dead at the next major cycle."),
           absl::StrCat("Raise --nursery, or --tenure (now ", s.tenure,
                        "), so that they die young; each of them costs a copy and a share of a "
                        "major cycle."));
}

constexpr double kMostlyOld = 0.5;
constexpr uint64_t kManyRemembered = 5'000;  // per minor; about 0.2 ms
void OldWrites(const Look& look) {
  uint64_t pause_ns = 0, old_ns = 0, minors = 0, objects = 0;
  for (const Minor& minor : look.run.minors) {
    if (minor.pause_ns == 0 || minor.remembered_objects < kManyRemembered) continue;
    ++minors;
    objects += minor.remembered_objects;
    pause_ns += minor.pause_ns;
    old_ns += minor.roots_ns + minor.remembered_ns;
  }
  const bool often = minors >= kFewestMinors && minors * 4 >= look.run.minors.size();
  if (!often || Share(old_ns, pause_ns) < kMostlyOld) return;
  look.Add(
      "old-writes",
      absl::StrCat("Old objects are written to often: ", CountText(minors),
                   " minor collections looked at ", CountText(objects / minors),
                   " of them each, and roots and remembered objects took ",
                   ShareText(Share(old_ns, pause_ns)), " of their pauses."),
      "Write to fewer old objects: numbers in columns or buffers instead of fields of records, "
      "no fresh table or boxed value into an object that lives long.");
}

void NoRoom(const Look& look) {
  if (look.sum.no_room_objects == 0) return;
  look.Add("no-room",
           absl::StrCat(CountText(look.sum.no_room_objects),
                        " survivors stayed where they were because no room to copy them could be "
                        "had; their blocks cannot be reused."),
           "Give the heap room: raise --memlimit or the hard limit, or lower --nursery.");
}

// --- Pools ---------------------------------------------------------------------------------------

constexpr uint64_t kFewestGets = 20;

// A pool keeps what it holds for one to two major cycles (primary, then victim).
constexpr double kLongGapCycles = 1.5;
constexpr double kManyMisses = 0.2;
void PoolEvicted(const Look& look, const PoolSummary& pool) {
  const bool misses = Share(pool.misses, pool.gets) >= kManyMisses;
  const bool evicts = Share(pool.evicted, pool.puts) >= kManyMisses;
  if (!misses || !evicts || pool.gap_cycles < kLongGapCycles) return;
  look.Add("pool-evicted",
           absl::StrCat(PoolName(pool), " is evicted between uses: its gap is ",
                        absl::StrFormat("%.1f", pool.gap_cycles),
                        " GC periods, and it keeps an object for one to two; ",
                        CountText(pool.misses), " of ", CountText(pool.gets),
                        " Gets made a new one, ", CountText(pool.evicted), " were evicted."),
           "Give it a retention that lasts longer than the gap, raise --gogc so that cycles are "
           "rarer, or use a free list of your own.");
}

void PoolNotReturned(const Look& look, const PoolSummary& pool) {
  const double share = Share(pool.puts, pool.gets);
  if (share >= 0.5 || Share(pool.misses, pool.gets) < kManyMisses) return;
  look.Add(
      "pool-not-returned",
      absl::StrCat(PoolName(pool), " gets back only ", ShareText(share), " of what it gives out; ",
                   CountText(pool.misses), " of ", CountText(pool.gets), " Gets made a new one."),
      "Put objects back on every path, the failing ones included; or do without the pool.");
}

constexpr double kManyDrops = 0.1;
void PoolFull(const Look& look, const PoolSummary& pool) {
  const double share = Share(pool.drops, pool.puts + pool.drops);
  if (share < kManyDrops) return;
  look.Add("pool-full",
           absl::StrCat(PoolName(pool), " refuses ", ShareText(share), " of what is put into it (",
                        CountText(pool.drops), ")."),
           "Raise its bounds, or look at why its objects are refused (too large, not clean, "
           "closed).");
}

void PoolStolen(const Look& look, const PoolSummary& pool) {
  const double share = Share(pool.steals, pool.gets);
  if (share < kManyMisses) return;
  look.Add("pool-stolen",
           absl::StrCat(PoolName(pool), " finds ", ShareText(share),
                        " of its objects on another processor: one thread puts, another gets."),
           "Get and put on the same thread where that is possible; a stolen object is cold in the "
           "cache and costs atomic operations.");
}

// A program may have hundreds of pools with the same trouble: those with the most Gets are named.
constexpr size_t kMostNamed = 3;
void Pools(const Look& look) {
  for (auto* rule : {PoolEvicted, PoolNotReturned, PoolFull, PoolStolen}) {
    const size_t before = look.found.size();
    size_t more = 0;
    for (const PoolSummary& pool : look.sum.pools) {
      if (pool.gets >= kFewestGets) rule(look, pool);
      if (look.found.size() <= before + kMostNamed) continue;
      look.found.pop_back();
      ++more;
    }
    if (more != 0) absl::StrAppend(&look.found.back().what, " The same holds for ", more, " more.");
  }
}

// --- Major cycles --------------------------------------------------------------------------------

constexpr uint64_t kFewestMajors = 3;

uint64_t MajorsWith(const Look& look, std::string_view cause, std::string_view clamp) {
  return static_cast<uint64_t>(
      std::count_if(look.run.majors.begin(), look.run.majors.end(), [&](const Major& major) {
        return look.run.Text(major.cause) == cause ||
               (!clamp.empty() && look.run.Text(major.next_clamp) == clamp);
      }));
}

constexpr double kOftenLimited = 0.25;
void MemoryLimit(const Look& look) {
  if (look.run.source != Source::kNeap) return;
  const uint64_t limited = MajorsWith(look, "memory-limit", "limit");
  const uint64_t majors = look.run.majors.size();
  if (limited < kFewestMajors || Share(limited, majors) < kOftenLimited) return;
  const Major& last = look.run.majors.back();
  look.Add(
      "memory-limit",
      absl::StrCat("The memory limit decides ", CountText(limited), " of ", CountText(majors),
                   " major cycles: at the end ",
                   BytesText(static_cast<double>(last.marked_bytes + last.off_heap_bytes)),
                   " live and ", BytesText(static_cast<double>(last.mapped_bytes)),
                   " taken from the system, under a limit of ",
                   BytesText(static_cast<double>(last.memory_limit_bytes)), "."),
      "Raise --memlimit, or make less live: the closer the live size is to the limit, the more "
      "often everything is marked.");
}

void OutOfMemory(const Look& look) {
  uint64_t refused = 0;
  for (const LimitNote& note : look.run.limits) {
    refused += look.run.Text(note.what) == "out-of-memory";
  }
  const uint64_t tried = MajorsWith(look, "alloc-failed", "");
  if (refused == 0 && tried == 0) return;
  look.Add(
      "out-of-memory",
      absl::StrCat(CountText(refused), " requests could not be met, and ", CountText(tried),
                   " major cycles ran because a request found no memory."),
      "Raise the hard limit, or find what is kept alive (a heap snapshot tells who holds it).");
}

constexpr double kManyForced = 0.1;
void Forced(const Look& look) {
  const uint64_t forced = look.sum.forced_majors;
  const uint64_t majors = look.run.majors.size();
  if (forced < kFewestMajors || Share(forced, majors) < kManyForced) return;
  uint64_t pause_ns = 0, first_ns = UINT64_MAX, last_ns = 0;
  for (const Major& major : look.run.majors) {
    if (major.forced == 0) continue;
    pause_ns += major.pause_ns;
    first_ns = std::min(first_ns, major.start_ns);
    last_ns = std::max(last_ns, major.start_ns);
  }
  const double every_ns = static_cast<double>(last_ns - first_ns) / static_cast<double>(forced - 1);
  look.Add(
      "forced",
      absl::StrCat("The program asks for ", CountText(forced), " of ", CountText(majors),
                   " major cycles itself, one every ", TimeText(every_ns), "; they pause it for ",
                   TimeText(static_cast<double>(pause_ns)), " in all."),
      "Drop the calls of collect: each empties every pool a step, and the pacer runs a cycle "
      "when it pays; where time is left over in a frame, use Idle with a deadline.");
}

// --- Pauses --------------------------------------------------------------------------------------

constexpr double kMuchHook = 0.1;
void SlowHooks(const Look& look) {
  const Hook* slowest = nullptr;
  for (const Hook& hook : look.run.hooks) {
    if (slowest == nullptr || hook.duration_ns > slowest->duration_ns) slowest = &hook;
  }
  const double share = Share(look.sum.hooks_ns, look.sum.major_pauses.total);
  if (slowest == nullptr || (look.sum.slow_hooks == 0 && share < kMuchHook)) return;
  look.Add("slow-hooks",
           absl::StrCat("Cleanup hooks run while everything stands still and take ",
                        ShareText(share), " of the major pauses; ", CountText(look.sum.slow_hooks),
                        " runs were slow, the longest of ", look.run.Text(slowest->name), " with ",
                        TimeText(static_cast<double>(slowest->duration_ns)), "."),
           "Let the hook only note what is to be done, and do it after the pause.");
}

constexpr uint64_t kLongStopNs = 1'000'000;
constexpr double kMuchStopping = 0.2;
void Safepoint(const Look& look) {
  const Distribution& stops = look.sum.time_to_safepoint;
  const double share = Share(stops.total, look.sum.pauses.total);
  if (stops.p99 < kLongStopNs && (share < kMuchStopping || stops.p99 < kLongStopNs / 10)) return;
  look.Add("safepoint",
           absl::StrCat("Threads take long to stop: 1 % of stops waited ",
                        TimeText(static_cast<double>(stops.p99)), " or more for the last one, ",
                        TimeText(static_cast<double>(stops.max)), " at worst, ", ShareText(share),
                        " of all paused time."),
           "Put what blocks or computes for long without the heap into a BlockingRegion, poll in "
           "long native loops, and run no more threads than there are cores.");
}

// What a first touch of a 4 KiB page costs in the kernel: half a microsecond, zeroing included
// (0.25 to 1 by machine). Too high a figure blames faults for too much.
constexpr double kFaultNs = 500;
constexpr uint64_t kManyFaults = 1'000;
constexpr double kMuchFaulting = 0.1;
void PageFaults(const Look& look) {
  const uint64_t faults = look.sum.page_faults;
  const double ns = kFaultNs * static_cast<double>(faults);
  const double share = look.sum.paused_ns == 0 ? 0 : ns / static_cast<double>(look.sum.paused_ns);
  if (faults < kManyFaults || share < kMuchFaulting) return;
  look.Add("page-faults",
           absl::StrCat("Pauses wait for memory from the system: ", CountText(faults),
                        " page faults, at half a microsecond each about ", TimeText(ns), " or ",
                        ShareText(std::min(share, 1.0)), " of all paused time."),
           "Fix the nursery's size (--nursery=SIZE) so that its pages stay, and let the heap keep "
           "free blocks for longer (decay).");
}

constexpr double kMuchTime = 0.25;
void GcCpu(const Look& look) {
  const Summary& s = look.sum;
  const double paused = s.seconds > 0 ? static_cast<double>(s.paused_ns) / 1e9 / s.seconds : 0;
  const double share = std::max(paused, s.gc_cpu_percent / 100);
  if (share < kMuchTime || look.run.minors.size() + look.run.majors.size() < kFewestMinors) return;
  const bool minors = s.minor_pauses.total > s.major_pauses.total;
  look.Add("gc-cpu",
           absl::StrCat("Collections take ", ShareText(share), " of the time, mostly ",
                        minors ? "minor collections." : "major cycles."),
           minors ? "Raise --nursery: survivors per allocated byte fall; or allocate less."
                  : "Raise --gogc: twice the figure halves the number of cycles for twice the "
                    "garbage kept.");
}

constexpr uint64_t kCloseNs = 100'000'000;
void SmallHeap(const Look& look) {
  uint64_t clamped = 0;
  for (const Major& major : look.run.majors) {
    clamped += look.run.Text(major.next_clamp) == "min-heap";
  }
  const uint64_t majors = look.run.majors.size();
  if (majors < kFewestMinors || clamped * 2 < majors) return;
  const uint64_t every_ns =
      (look.run.majors.back().start_ns - look.run.majors.front().start_ns) / (majors - 1);
  if (every_ns == 0 || every_ns > kCloseNs) return;
  look.Add("small-heap",
           absl::StrCat("The heap is small (", BytesText(static_cast<double>(look.sum.live_bytes)),
                        " live), so its minimum decides, and a major cycle runs every ",
                        TimeText(static_cast<double>(every_ns)), "."),
           "Raise --gogc: the minimum grows with it, and a few MiB more make cycles rare.");
}

constexpr double kHalfFrame = 0.5;
constexpr size_t kFrameWindow = 3;  // index of 16.7 ms
static_assert(kMmuWindowsNs[kFrameWindow] == 16'700'000);
void Frame(const Look& look) {
  const double left = look.sum.mmu[kFrameWindow];
  if (look.sum.pauses.count == 0 || left >= kHalfFrame) return;
  const bool major = look.sum.major_pauses.max >= look.sum.minor_pauses.max;
  look.Add("frame",
           absl::StrCat("At the worst moment a frame of 16.7 ms has ", ShareText(left),
                        " of its time left; the longest pause is a ",
                        major ? "major cycle's, " : "minor collection's, ",
                        TimeText(static_cast<double>(look.sum.pauses.max)), "."),
           major
               ? "Have less alive, or run cycles where no frame waits: Idle with a deadline."
               : "Bound the nursery (--nursery=SIZE): what survives of it is copied in one pause.");
}

void LostEvents(const Look& look) {
  if (look.sum.lost == 0) return;
  look.Add("lost-events",
           absl::StrCat(CountText(look.sum.lost),
                        " events were lost because a ring was full: counts and sums are lower "
                        "bounds."),
           "Let the program drain its events more often (Heap::DrainEvents).");
}

}  // namespace

std::vector<Problem> FindProblems(const Run& run, const Summary& summary) {
  std::vector<Problem> found;
  const Look look{run, summary, found};
  for (auto* rule :
       {NurserySurvival, EarlyPromotion, OldWrites, NoRoom, Pools, MemoryLimit, OutOfMemory, Forced,
        SlowHooks, Safepoint, PageFaults, GcCpu, SmallHeap, Frame, LostEvents}) {
    rule(look);
  }
  return found;
}

std::vector<std::string> ProblemRules() {
  return {"nursery-survival", "early-promotion", "old-writes",
          "no-room",          "pool-evicted",    "pool-not-returned",
          "pool-full",        "pool-stolen",     "memory-limit",
          "out-of-memory",    "forced",          "slow-hooks",
          "safepoint",        "page-faults",     "gc-cpu",
          "small-heap",       "frame",           "lost-events"};
}

}  // namespace neap::trace
