// SPDX-License-Identifier: MIT
//
// The text trace: one line per event on stderr, NEAP_DEBUG=gctrace=1.
//
// A major cycle's line has the form of Go's gctrace, byte for byte, because scripts and viewers
// parse it:
//
//   gc 7 @0.512s 3%: 0.31+4.2+0.018 ms clock, 0.62+0/8.4/0+0.036 ms cpu, 8->8->5 MB, 8 MB goal,
//   0 MB stacks, 0 MB globals, 2 P (forced)                                  (one line in the
//   output)
//
//    1  gc 7            number of the major cycle
//    2  @0.512s         seconds since the epoch at which the stop was asked for
//    3  3%:             share of the CPU spent in collection since the start
//    4  a+b+c ms clock  Go: sweep-termination pause, concurrent mark, mark-termination pause
//    5  ms cpu          the same three in CPU time, the middle as assist/background/idle
//    6  x->y->z MB      heap at the start, at the end of marking, live
//    7  MB goal         the goal this cycle ran under
//    8  MB stacks       ours: all scanned roots
//    9  MB globals      ours: always 0, globals are among the roots
//   10  2 P             processors
//   11  (forced)        asked for by the program
//
// Go has two pauses with concurrent marking between them; here one pause holds everything. Its
// parts go where the same work stands in Go: a = time to safepoint, end of sweeping, hooks, the
// minor collection; b = marking; c = the rest of the pause (weak references, finalizers, restart).
// So a+b+c is the pause, and b is *not* time in which the program ran: a script that takes a+c for
// the pause understates it. CPU time follows Go's convention that a stopped world costs all Ps:
// wall time x Ps, marking counted as background. y equals x, since nothing is allocated while the
// world stands. MB are 2^20 bytes rounded down; times have two digits below 10 ms, as Go's.
//
// Lines of our own have other first words, so that a parser that looks for "gc " skips them:
//
//   gcm 12 @0.034s nursery-full: 0.12 ms clock, 0.11 ms cpu, 256 KB eden, 10+2+0 KB
//   copied+promoted+in-place, 3 remembered, 0 pinned, tenure 2, 256 KB limit, 0 faults
//   pool NAME #3 gc 7: 120 gets = 100 private + 3 shared + 2 stolen + 10 victim + 5 missed,
//   118 puts, 0 dropped, 8 demoted, 4 evicted, 96 KB held
//   hook NAME gc 7: 0.35 ms                            only over the slow-hook-us switch
//   limit WHAT: 33 MB live, 32 MB limit, 4096 bytes requested
//   nursery REASON: 256->512 KB, 12 KB survivors predicted
//   procs: 2->4
//   lost: 17 events
//
// The minor collection at the start of a major has cause "major"; it has no pause of its own, and
// its clock is the sum of its phases.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/trace.h"
#include "nursery_sizer.h"

namespace neap::gc {
namespace {

// A record from its words; fields that an older writer did not have are 0.
template <typename Record>
Record Read(const Event& event) {
  Record record;
  const size_t words = std::min(event.payload.size(), sizeof(Record) / sizeof(uint64_t));
  if (words != 0)
    std::memcpy(static_cast<void*>(&record), event.payload.data(), words * sizeof(uint64_t));
  return record;
}

// The name of a hook or pool, which travels as a pointer to a string that outlives the heap.
const char* NameOf(uint64_t word) {
  const char* name = reinterpret_cast<const char*>(word);
  return name == nullptr ? "?" : name;
}

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
uint64_t MiB(uint64_t bytes) { return bytes >> 20; }
uint64_t KiB(uint64_t bytes) { return bytes >> 10; }

// Milliseconds as gctrace prints them: whole from 10 ms on, else two digits, cut off and not
// rounded.
std::string Milliseconds(uint64_t ns) {
  const uint64_t us = ns / 1000;
  if (us >= 10'000) return absl::StrCat(us / 1000);
  if (us >= 1'000) return absl::StrFormat("%d.%d", us / 1000, us / 100 % 10);
  if (us >= 100) return absl::StrFormat("0.%02d", us / 10);
  if (us >= 1) return absl::StrFormat("0.%03d", us);
  return "0";
}

std::string SecondsSince(uint64_t epoch_ns, uint64_t time_ns) {
  const uint64_t ms = Minus(time_ns, epoch_ns) / 1'000'000;
  return absl::StrFormat("%d.%03ds", ms / 1000, ms % 1000);
}

std::string MajorLine(const MajorEvent& e, uint64_t epoch_ns) {
  const uint64_t before_ns = e.time_to_safepoint_ns + e.sweep_finish_ns + e.hooks_ns + e.minor_ns;
  const uint64_t after_ns = Minus(e.pause_ns, before_ns + e.mark_ns);
  const auto cpu = [&e](uint64_t ns) { return Milliseconds(ns * e.procs); };
  return absl::StrFormat(
      "gc %d @%s %d%%: %s+%s+%s ms clock, %s+0/%s/0+%s ms cpu, %d->%d->%d MB, %d MB goal, "
      "%d MB stacks, 0 MB globals, %d P%s\n",
      e.number, SecondsSince(epoch_ns, e.start_ns), e.gc_cpu_percent_x100 / 100,
      Milliseconds(before_ns), Milliseconds(e.mark_ns), Milliseconds(after_ns), cpu(before_ns),
      cpu(e.mark_ns), cpu(after_ns), MiB(e.heap_before_bytes), MiB(e.heap_before_bytes),
      MiB(e.marked_bytes), MiB(e.goal_bytes), MiB(e.root_bytes), e.procs,
      e.forced != 0 ? " (forced)" : "");
}

std::string MinorLine(const MinorEvent& e, uint64_t epoch_ns) {
  const uint64_t phases_ns = e.roots_ns + e.remembered_ns + e.copy_ns + e.weak_ns + e.finish_ns;
  const uint64_t clock_ns = e.pause_ns != 0 ? e.pause_ns : phases_ns;
  return absl::StrFormat(
      "gcm %d @%s %s: %s ms clock, %s ms cpu, %d KB eden, %d+%d+%d KB copied+promoted+in-place, "
      "%d remembered, %d pinned, tenure %d, %d KB limit, %d faults\n",
      e.number, SecondsSince(epoch_ns, e.start_ns), CauseName(static_cast<Cause>(e.cause)),
      Milliseconds(clock_ns), Milliseconds(e.cpu_ns), KiB(e.eden_bytes), KiB(e.copied_bytes),
      KiB(e.promoted_bytes), KiB(e.in_place_bytes), e.remembered_objects, e.pinned_objects,
      e.tenure, KiB(e.eden_limit_bytes), e.page_faults);
}

std::string HookLine(const HookEvent& e) {
  if (e.slow == 0) return "";
  return absl::StrFormat("hook %s gc %d: %s ms\n", NameOf(e.name), e.cycle,
                         Milliseconds(e.duration_ns));
}

std::string PoolLine(const PoolEvent& e) {
  return absl::StrFormat(
      "pool %s #%d gc %d: %d gets = %d private + %d shared + %d stolen + %d victim + %d missed, "
      "%d puts, %d dropped, %d demoted, %d evicted, %d KB held\n",
      NameOf(e.name), e.pool, e.cycle, e.gets, e.private_hits, e.shared_hits, e.steals,
      e.victim_hits, e.misses, e.puts, e.drops, e.demoted, e.evicted, KiB(e.bytes_held));
}

std::string LimitLine(const LimitEvent& e) {
  return absl::StrFormat("limit %s: %d MB live, %d MB limit, %d bytes requested\n",
                         LimitWhatName(e.what), MiB(e.live_bytes), MiB(e.limit_bytes),
                         e.request_bytes);
}

std::string NurseryLine(const NurseryEvent& e) {
  return absl::StrFormat("nursery %s: %d->%d KB, %d KB survivors predicted\n",
                         SizerReasonName(static_cast<SizerReason>(e.reason)), KiB(e.old_bytes),
                         KiB(e.new_bytes), KiB(e.predicted_survivor_bytes));
}

}  // namespace

const char* LimitWhatName(uint64_t what) {
  static constexpr const char* kNames[] = {"under-live", "limiter-on", "limiter-off",
                                           "out-of-memory"};
  return what < std::size(kNames) ? kNames[what] : "unknown";
}

TextTrace::TextTrace(std::FILE* out, uint64_t epoch_ns) : out_(out), epoch_ns_(epoch_ns) {}

std::string TextTrace::Line(const Event& event, uint64_t epoch_ns) {
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::kMinor:
      return MinorLine(Read<MinorEvent>(event), epoch_ns);
    case EventKind::kMajor:
      return MajorLine(Read<MajorEvent>(event), epoch_ns);
    case EventKind::kHook:
      return HookLine(Read<HookEvent>(event));
    case EventKind::kPool:
      return PoolLine(Read<PoolEvent>(event));
    case EventKind::kPoolOp:
      return "";
    case EventKind::kLimit:
      return LimitLine(Read<LimitEvent>(event));
    case EventKind::kNursery:
      return NurseryLine(Read<NurseryEvent>(event));
    case EventKind::kProcs: {
      const auto e = Read<ProcsEvent>(event);
      return absl::StrFormat("procs: %d->%d\n", e.before, e.after);
    }
  }
  return "";
}

void TextTrace::OnEvent(const Event& event) {
  std::string lines = Line(event, epoch_ns_);
  const uint64_t lost = LostEventsIn(event);
  if (lost > lost_) {
    absl::StrAppend(&lines, "lost: ", lost - lost_, " events\n");
    lost_ = lost;
  }
  // One write per event: lines of several heaps in one process do not cut each other.
  if (!lines.empty()) std::fwrite(lines.data(), 1, lines.size(), out_);
}

uint64_t LostEventsIn(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::kMinor:
      return Read<MinorEvent>(event).lost_events;
    case EventKind::kMajor:
      return Read<MajorEvent>(event).lost_events;
    default:
      return 0;
  }
}

}  // namespace neap::gc
