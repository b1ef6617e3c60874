// SPDX-License-Identifier: MIT
//
// A trace in memory: what trace_file reads, and what summary, report, comparison and export look
// at. Events are the records of neap/gc/event.h as they were written; a field that a file does not
// have is 0. About 300 bytes per collection.
//
// A field that is text in the file (cause, name, type, file, ...) holds an index of
// `names`: Text() spells it. So a name that this build does not know stays readable.
//
// Times: start_ns and Pause::start_ns are of CLOCK_MONOTONIC in a neap trace, and count from the
// start of the program in a Go trace (epoch_ns is 0 there). Seconds() makes them comparable.
#ifndef NEAP_BENCH_TRACE_TRACE_RUN_H_
#define NEAP_BENCH_TRACE_TRACE_RUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neap/gc/event.h"
#include "neap/gc/profile_event.h"

namespace neap::trace {

enum class Source : uint8_t {
  kNeap,  // JSON lines of gc/trace_json.cc
  kGo,    // lines of GODEBUG=gctrace=1; majors only, sizes in whole MiB, starts in whole ms
};

// One heap of the file: what its schema line says. A Go trace has one, without facts.
struct HeapFacts {
  uint64_t number = 0;  // as the file counts; 0 when it has one heap and gives no number
  std::string command;
  uint64_t epoch_ns = 0;
  bool is_virtual = false;  // "t" counts allocated bytes
  // Everything of the schema line by its path ("options.gogc", "machine.cpu"), except `events`.
  std::vector<std::pair<std::string, std::string>> facts;

  // The value at `path`, empty when there is none.
  std::string Fact(const std::string& path) const;
};

// An event with where and when it was.
template <typename Fields>
struct Recorded : Fields {
  uint64_t time = 0;  // "t": the heap's clock
  uint32_t heap = 0;  // index in Run::heaps
};
using Minor = Recorded<gc::MinorEvent>;
using Major = Recorded<gc::MajorEvent>;
using Hook = Recorded<gc::HookEvent>;
using PoolCycle = Recorded<gc::PoolEvent>;
using LimitNote = Recorded<gc::LimitEvent>;
using NurseryChange = Recorded<gc::NurseryEvent>;
using ProfileHead = Recorded<gc::ProfileEvent>;
using ProfileType = Recorded<gc::ProfileTypeEvent>;
using ProfileSite = Recorded<gc::ProfileSiteEvent>;

// A stretch in which the program stood still for one collection. Go has two per cycle.
struct Pause {
  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t end_ns() const { return start_ns + duration_ns; }
};

struct Run {
  std::string path;
  Source source = Source::kNeap;
  std::vector<HeapFacts> heaps;
  std::vector<Minor> minors;
  std::vector<Major> majors;
  std::vector<Hook> hooks;
  std::vector<PoolCycle> pools;
  std::vector<LimitNote> limits;
  std::vector<NurseryChange> nursery_changes;
  std::vector<ProfileHead> profiles;  // at the end of a run that took one (profile_tables.h)
  std::vector<ProfileType> profile_types;
  std::vector<ProfileSite> profile_sites;
  std::vector<Pause> pauses;  // in the order of the file
  std::vector<std::string> names;

  // Lines that are events, the unknown and the unused ones included, records of a profile not.
  uint64_t events = 0;
  uint64_t unknown = 0;      // events of kinds that this build does not know
  uint64_t lost = 0;         // events that the program could not write
  uint64_t end_ns = 0;       // the latest moment that the file knows of
  bool has_end = false;      // the end line: the program closed its trace
  uint64_t cut_line = 0;     // number of the line the file ends in the middle of; 0: none
  uint64_t other_lines = 0;  // Go: lines that were something else

  const std::string& Text(uint64_t name) const;
  // Seconds since second 0 of the heap's trace.
  double Seconds(uint32_t heap, uint64_t at_ns) const;
  uint64_t start_ns() const { return heaps.empty() ? 0 : heaps.front().epoch_ns; }
  uint64_t duration_ns() const { return end_ns > start_ns() ? end_ns - start_ns() : 0; }
  // The run with the events of one heap (index) only.
  Run OnlyHeap(uint32_t heap) const;
  // Index of the heap with the most collections.
  uint32_t BusiestHeap() const;
};

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_RUN_H_
