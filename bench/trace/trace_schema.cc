// SPDX-License-Identifier: MIT
#include "trace_schema.h"

#include <cstddef>
#include <iterator>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "neap/gc/event.h"
#include "neap/gc/profile_event.h"
#include "neap/gc/trace.h"

namespace neap::trace {
namespace {

// Meanings by name. A name that several events share stands once, under "" when it means the same
// everywhere.
struct Meaning {
  std::string_view event, field, sentence;
};
constexpr Meaning kMeanings[] = {
    {"", "cause", "why it ran, see below"},
    {"", "start_ns", "when the stop was asked for, CLOCK_MONOTONIC; 0 inside a major cycle"},
    {"", "time_to_safepoint_ns", "from there until the last thread stood still"},
    {"", "cpu_ns", "CPU time of the collecting threads"},
    {"", "weak_ns", "phase: weak references, ephemerons, finalizers"},
    {"", "page_faults", "minor page faults of the process during the pause"},
    {"", "finalizers_queued", "objects queued for finalization"},
    {"", "lost_events", "events of this heap lost up to now because a ring was full"},
    {"", "cycle", "number of the major cycle"},
    {"", "pool", "number of the pool, unique in the process"},
    {"minor", "number", "minor collections so far, this one included"},
    {"minor", "pause_ns", "from the stop's request to the restart; 0 inside a major cycle"},
    {"minor", "roots_ns", "phase: gathering what the Ps noted, roots"},
    {"minor", "remembered_ns", "phase: what the write barrier remembered; older traces: 0"},
    {"minor", "copy_ns", "phase: what is reachable from there"},
    {"minor", "finish_ns", "phase: turning the nursery over"},
    {"minor", "eden_bytes", "of eden, allocated since the last minor collection"},
    {"minor", "eden_limit_bytes", "size of the nursery in force, all Ps together"},
    {"minor", "young_large_bytes", "large objects allocated young since the last one"},
    {"minor", "young_off_heap_bytes", "bytes outside the heap owned by young objects"},
    {"minor", "copied_bytes", "survivors copied within the nursery"},
    {"minor", "promoted_bytes", "survivors copied into old space"},
    {"minor", "in_place_bytes", "survivors that became old, or stayed young, without a copy"},
    {"minor", "copied_objects", "objects of copied_bytes"},
    {"minor", "promoted_objects", "objects of promoted_bytes"},
    {"minor", "in_place_objects", "objects of in_place_bytes"},
    {"minor", "survived_age1_bytes", "survived for the first time now"},
    {"minor", "survived_age2_bytes", "survived for the second time"},
    {"minor", "survived_age3_bytes", "survived for the third time"},
    {"minor", "survived_older_bytes", "survived more often than that"},
    {"minor", "remembered_objects", "old objects that were looked at for young references"},
    {"minor", "remembered_cards", "parts of large objects among them"},
    {"minor", "pinned_objects", "objects that may not move"},
    {"minor", "no_room_objects", "survivors for which no room was found; they stay"},
    {"minor", "workers", "threads that copied"},
    {"minor", "tenure", "promoted on this survival"},
    {"major", "number", "major cycles so far, this one included"},
    {"major", "pause_ns", "from the stop's request to the restart"},
    {"major", "sweep_finish_ns", "phase: what the last cycle left to sweep"},
    {"major", "hooks_ns", "phase: cleanup hooks, the pools' among them"},
    {"major", "minor_ns", "phase: the minor collection at its start"},
    {"major", "mark_ns", "phase: marking"},
    {"major", "finish_ns", "phase: handing over to the sweeper, pacing"},
    {"major", "heap_before_bytes", "old and young objects at the start, garbage included"},
    {"major", "marked_bytes", "live after marking"},
    {"major", "marked_objects", "objects of marked_bytes"},
    {"major", "off_heap_bytes", "bytes outside the heap owned by live objects"},
    {"major", "root_bytes", "roots that were scanned: handles, stacks, providers"},
    {"major", "goal_bytes", "pacer: the heap size this cycle was to end the growth at"},
    {"major", "trigger_bytes", "pacer: the heap size it was to start at"},
    {"major", "next_goal_bytes", "pacer's output: the goal of the next cycle; null: never"},
    {"major", "next_trigger_bytes", "pacer's output: its trigger"},
    {"major", "next_clamp", "pacer's output: the rule that decided, see below"},
    {"major", "counter_bytes", "pacer's input: came into old space since the last cycle"},
    {"major", "gogc", "pacer's input: percent of growth; null: off"},
    {"major", "memory_limit_bytes", "pacer's input: the soft limit; null: none"},
    {"major", "mapped_bytes", "held from the system, released pages not counted"},
    {"major", "procs", "number of Ps"},
    {"major", "forced", "1: the program asked for it"},
    {"major", "hooks", "number of hooks that ran"},
    {"major", "weak_cleared", "weak slots cleared"},
    {"major", "gc_cpu_percent_x100", "share of the process's CPU time spent in collections, x 100"},
    {"hook", "name", "as it was registered"},
    {"hook", "duration_ns", "how long it ran, everything stopped"},
    {"hook", "slow", "1: its CPU time was over the switch slow-hook-us"},
    {"pool", "name", "the pool's name; not unique"},
    {"pool", "gets", "Gets since the last major cycle; so are all counts here"},
    {"pool", "private_hits", "Gets met by the processor's private slot"},
    {"pool", "shared_hits", "by the processor's own queue"},
    {"pool", "steals", "by the queue of another processor"},
    {"pool", "victim_hits", "by what the last cycle demoted"},
    {"pool", "misses", "Gets that made a new object or got none"},
    {"pool", "puts", "objects put back"},
    {"pool", "drops", "Puts that were refused: bounds, guard, closed"},
    {"pool", "demoted", "objects that moved to the victim in this cycle"},
    {"pool", "evicted", "objects dropped by this cycle"},
    {"pool", "bytes_held", "bytes the pool holds now"},
    {"pool_op", "op", "what was done; only with recording"},
    {"pool_op", "object", "identity of the object, 0: none"},
    {"pool_op", "place", "where it was found or went"},
    {"limit", "what", "under-live, limiter-on, limiter-off or out-of-memory"},
    {"limit", "live_bytes", "live then"},
    {"limit", "limit_bytes", "the limit then"},
    {"limit", "request_bytes", "the request that could not be met"},
    {"nursery", "old_bytes", "size before"},
    {"nursery", "new_bytes", "size after"},
    {"nursery", "predicted_survivor_bytes", "expected to survive the next collection"},
    {"nursery", "reason", "the sizer's rule that decided"},
    {"procs", "before", "number of Ps before"},
    {"procs", "after", "number of Ps after"},
    {"profile", "version", "of these three records; another one is passed over"},
    {"profile", "sample_bytes",
     "one sample in so many bytes, and the figures are estimates; 0: all"},
    {"profile", "minors", "minor collections while it was taken"},
    {"profile", "majors", "major cycles while it was taken"},
    {"profile", "duration_ns", "how long it was taken"},
    {"profile", "samples", "objects that were noted"},
    {"profile", "objects", "allocated while it was taken"},
    {"profile", "bytes", "of these objects, headers included"},
    {"profile", "types", "records profile_type that follow"},
    {"profile", "sites", "records profile_site that follow"},
    {"", "type", "type of the objects; empty: several rows in one"},
    {"profile_site", "function", "as it was called first; (host): no function of a script"},
    {"profile_site", "file", "its source, shortened; [C]: none"},
    {"profile_site", "line", "the line that allocated; 0: unknown"},
    {"", "rows", "1; more: so many rows with fewer bytes, summed up"},
    {"", "samples", "objects that were noted"},
    {"", "objects", "allocated; estimates when sampled, as all figures then are"},
    {"", "bytes", "of these objects, headers included"},
    {"", "met_objects", "whose first minor collection came"},
    {"", "survived_objects", "of these, found alive by it"},
    {"", "survivals", "minor collections survived while young, sum over all objects"},
    {"", "settled_objects", "that died young, or grew old by surviving"},
    {"", "promoted_objects", "of these, grew old"},
    {"", "dead_objects", "that a collection of the run found dead"},
    {"", "life_p50_bytes", "median of the dead: allocated by the program from birth to death"},
    {"", "life_p90_bytes", "90 % lived at most so long; as all, rounded up to a power of two"},
    {"", "life_p99_bytes", "99 %; null: beyond the scale (4 GiB), 0: none is dead"},
    {"", "live_objects", "alive after the collection that ends the run"},
    {"", "live_bytes", "bytes of these"},
};

std::string MeaningOf(std::string_view event, std::string_view field) {
  for (const std::string_view where : {event, std::string_view()}) {
    for (const Meaning& meaning : kMeanings) {
      if (meaning.event == where && meaning.field == field) return std::string(meaning.sentence);
    }
  }
  return "";
}

#define NEAP_NAME(name) #name,
constexpr const char* kMinor[] = {NEAP_MINOR_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kMajor[] = {NEAP_MAJOR_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kHook[] = {NEAP_HOOK_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kPool[] = {NEAP_POOL_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kPoolOp[] = {NEAP_POOL_OP_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kLimit[] = {NEAP_LIMIT_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kNursery[] = {NEAP_NURSERY_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kProcs[] = {NEAP_PROCS_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kProfile[] = {NEAP_PROFILE_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kProfileType[] = {NEAP_PROFILE_TYPE_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kProfileSite[] = {NEAP_PROFILE_SITE_EVENT_FIELDS(NEAP_NAME)};
#undef NEAP_NAME

template <size_t kFields>
EventDoc Doc(const char* name, const char* meaning, const char* const (&fields)[kFields]) {
  EventDoc doc{name, meaning, {}};
  for (const char* field : fields) doc.fields.push_back({field, MeaningOf(name, field)});
  return doc;
}

constexpr const char* kLines =
    "# Traces of neap\n"
    "\n"
    "A trace is a text file, one JSON object per line (UTF-8). `--trace FILE` writes one; a "
    "program\n"
    "does with `gc::JsonTrace` or `gc::FlightRecorder`.\n"
    "\n"
    "    {\"schema\":\"neap.trace\",\"version\":1, ...}   what ran; one per heap, before its "
    "events\n"
    "    {\"event\":\"minor\",\"p\":0,\"t\":83886080, ...}  events, in the order they were "
    "drained\n"
    "    {\"event\":\"lost\",\"new\":3,\"total\":17}        events that are missing here\n"
    "    {\"event\":\"profile\",\"version\":1, ...}    an allocation profile: its head, then its "
    "rows\n"
    "    {\"event\":\"end\",\"records\":4711,\"lost\":17,\"end_ns\":...}   the last line\n"
    "\n"
    "A file of several heaps has `\"heap\":N` first in each line. A file without the end line is "
    "of\n"
    "a program that still runs or did not end well.\n"
    "\n"
    "The schema line tells what is needed to run again: `command` and `arguments`, `environment`\n"
    "(variables NEAP_* and LUA_*), `program_seed` (NEAP_SEED), `options` of the heap with all "
    "debug\n"
    "switches, `build`, `machine`; `epoch_ns` is second 0; `note` says why a flight recorder "
    "wrote;\n"
    "`events` lists the fields of each event in order.\n"
    "\n"
    "An event has `event`, `p` (the processor whose ring held it), `t` (the heap's clock: ns of\n"
    "CLOCK_MONOTONIC, or allocated bytes where `time_unit` is \"ticks\"), then its fields. Numbers "
    "are\n"
    "unsigned 64-bit; null is 2^64-1 and stands for off, none or never. A missing field is 0; "
    "fields\n"
    "are only ever added, at the end, and then the version stays.\n"
    "\n"
    "A script that runs with `--alloc-profile` or `--pprof` ends its trace with the profile's "
    "rows,\n"
    "without `p` and `t`: `profile`, then the types and the places with most bytes; what has "
    "fewer\n"
    "bytes is summed up in the last row of each. The schema line says that they are to come\n"
    "(`allocation_profile`: off, all or sampled); a file that is cut off has lost them, and says "
    "so.\n";

std::string NamesText() {
  std::string causes, clamps;
#define NEAP_CAUSE_TEXT(name, text) absl::StrAppend(&causes, causes.empty() ? "" : ", ", text);
  NEAP_GC_CAUSES(NEAP_CAUSE_TEXT)
#undef NEAP_CAUSE_TEXT
  return absl::StrCat(
      "\n## Causes\n\n    ", causes,
      "\n\nnursery-full: eden, young large objects and young bytes outside the heap together "
      "reached\n"
      "the nursery's size. pacer: the heap reached the trigger. memory-limit: it reached the goal\n"
      "that the limit sets. major: the minor collection that starts a major cycle.\n"
      "\n## Clamps\n\n"
      "gogc: live size and GOGC alone. min-heap: the minimum heap was more. limit: the memory "
      "limit\n"
      "was less. live-floor: the goal would have been under what lives. off: nothing paces.\n");
}

}  // namespace

std::vector<EventDoc> TraceSchema() {
  return {
      Doc("minor", "A minor collection ended, also the one inside a major cycle.", kMinor),
      Doc("major", "A major cycle ended: marking is done, sweeping goes on lazily.", kMajor),
      Doc("hook", "A cleanup hook ran.", kHook),
      Doc("pool", "A pool was cleaned up in a major cycle.", kPool),
      Doc("pool_op", "One Get or Put, only with recording.", kPoolOp),
      Doc("limit", "The memory limit cannot be met, or memory is out.", kLimit),
      Doc("nursery", "The nursery changed its size.", kNursery),
      Doc("procs", "The number of Ps changed.", kProcs),
      Doc("profile", "An allocation profile begins.", kProfile),
      Doc("profile_type", "What was allocated of one type, and what became of it.", kProfileType),
      Doc("profile_site", "The same of one type at one place of a script.", kProfileSite)};
}

std::string TraceSchemaText() {
  std::string out = kLines;
  for (const EventDoc& event : TraceSchema()) {
    absl::StrAppend(&out, "\n## ", event.name, "\n\n", event.meaning, "\n\n");
    for (const FieldDoc& field : event.fields) {
      constexpr size_t kColumn = 26;
      const std::string blanks(
          field.name.size() < kColumn ? kColumn - field.name.size() : size_t{1}, ' ');
      absl::StrAppend(&out, "    ", field.name, blanks, field.meaning, "\n");
    }
  }
  return out + NamesText();
}

}  // namespace neap::trace
