// SPDX-License-Identifier: MIT
//
// A workload that can be measured frame by frame under any heap: what `neap sweep` runs over grids
// of knobs and `neap lab FILE.lua` compares storages with. Three kinds:
//
//   bullets      the bullet workload of the lab, natively (bench/lab/bullets.h)
//   synthetic    objects with drawn sizes and lifetimes, no code needed (synthetic.h)
//   FILE.lua     setup, step and teardown in a script (script_workload.h)
//
// Everything that can be varied is a knob with a name and a text, in one name space: those of the
// run ("frames", "seed"), those of the workload ("spawn", "lifetime"), those of the heap
// ("nursery", "gogc": gc::SetOption). So a grid needs not know what a knob means.
//
//   Spec spec{.workload = "bullets", .knobs = {{"spawn", "3000"}, {"nursery", "2MiB"}}};
//   absl::StatusOr<Run> run = RunHere(spec);               // in this process
//   absl::StatusOr<Figures> figures = RunApart(spec, "neap");   // in one of its own, as JSON
//
// A run is repeatable: the same knobs make the same allocations and the same collections. Only the
// times differ.
#ifndef NEAP_BENCH_WORKLOAD_WORKLOAD_H_
#define NEAP_BENCH_WORKLOAD_WORKLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frame_times.h"
#include "neap/gc/options.h"

namespace neap::workload {

struct Knob {
  std::string name, value;
};
using Knobs = std::vector<Knob>;

// "name=value". InvalidArgument names the text.
absl::StatusOr<Knob> ParseKnob(const std::string& text);
std::string KnobText(const Knob& knob);  // the inverse

struct Spec {
  std::string workload;
  Knobs knobs = {};  // a later one of the same name wins
};

// Knobs of the run, the same for all workloads.
struct RunKnobs {
  int frames = 600;         // measured; 1..1,000,000
  int warmup = 30;          // frames before them; bullets: always 30
  uint64_t seed = 1;        // of the workload's random numbers; bullets: a fixed one
  bool frames_too = false;  // "samples=1": figures of each frame are part of the result
};

// What a native workload understands, for help and for messages.
struct KnobMeaning {
  const char* name;
  const char* initial;  // the value when none is given
  const char* sentence;
};

// All that was seen of a run.
struct Run {
  std::vector<lab::FrameSample> frames;
  double checksum = 0;  // sum of what the steps returned: equal storages give equal sums
  uint64_t minors = 0, majors = 0;
  uint64_t alloc_bytes = 0, alloc_objects = 0;  // in the measured frames, as all below
  uint64_t copied_bytes = 0, promoted_bytes = 0, in_place_bytes = 0;
  uint64_t gc_cpu_ns = 0, longest_pause_cpu_ns = 0, page_faults = 0;
  uint64_t peak_bytes = 0;  // resident peak of the process
};

// The figures of a run, X(name, unit, sentence). Times are CPU times of the thread that runs the
// frames; percentiles as in frame_times.h.
#define NEAP_WORKLOAD_FIGURES(X)                                                   \
  X(p50_ms, "ms", "the median frame")                                              \
  X(p90_ms, "ms", "")                                                              \
  X(p99_ms, "ms", "")                                                              \
  X(max_ms, "ms", "the worst frame")                                               \
  X(mean_ms, "ms", "")                                                             \
  X(wall_p99_ms, "ms", "p99 by the clock on the wall")                             \
  X(minors, "collections", "minor collections")                                    \
  X(majors, "collections", "major cycles")                                         \
  X(gc_ms, "ms", "CPU time of collecting threads")                                 \
  X(gc_share, "", "collections' part of all frames' time")                         \
  X(tail_gc_share, "",                                                             \
    "collections' part of what the frames at or above p99 exceed the median by")   \
  X(tail_with_gc, "", "part of the frames at or above p99 that held a collection") \
  X(rest_with_gc, "", "part of the other frames that held one")                    \
  X(longest_pause_ms, "ms", "by CPU time")                                         \
  X(alloc_mib, "MiB", "allocated by the program")                                  \
  X(alloc_objects, "objects", "")                                                  \
  X(copied_mib, "MiB", "survivors copied within the nursery")                      \
  X(promoted_mib, "MiB", "copied into old space")                                  \
  X(in_place_mib, "MiB", "became old without a copy")                              \
  X(page_faults, "faults", "of the process")                                       \
  X(peak_mib, "MiB", "resident peak of the process")                               \
  X(checksum, "", "sum of what the steps returned")

struct Figures {
#define NEAP_DECLARE_FIGURE(name, unit, sentence) double name = 0;
  NEAP_WORKLOAD_FIGURES(NEAP_DECLARE_FIGURE)
#undef NEAP_DECLARE_FIGURE
  std::vector<lab::FrameSample> frames;  // with samples=1
};
struct FigureName {
  const char* name;
  const char* unit;
  const char* sentence;
  double Figures::*value;
};
const std::vector<FigureName>& FigureNames();

Figures FiguresOf(const Run& run, bool with_frames = false);
// One JSON object without a line feed, and back. InvalidArgument: not such an object.
std::string ToJson(const Figures& figures);
absl::StatusOr<Figures> FiguresFromJson(const std::string& text);

// NotFound: no such workload. InvalidArgument names the knob and the value. For scripts only what
// can be known without running them: the file can be read.
absl::Status CheckSpec(const Spec& spec);
// Runs it in this process, on the calling thread and those it makes. Errors: those of CheckSpec;
// Aborted: an error in a script, with its traceback.
absl::StatusOr<Run> RunHere(const Spec& spec);
// The same in a process of its own: `program` is a neap. Aborted: the process failed; its error
// output went to ours. Processes that share nothing are what makes runs comparable (LAB B24).
absl::StatusOr<Figures> RunApart(const Spec& spec, const std::string& program);

// --- For the kinds of workloads ------------------------------------------------------------------

// The knobs of a spec, sorted into those of the run, of the heap, and the rest.
struct SortedKnobs {
  RunKnobs run;
  gc::Options heap;
  Knobs rest;
};
absl::StatusOr<SortedKnobs> SortKnobs(const Spec& spec);
// True for a name that the run or the heap understands.
bool IsCommonKnob(std::string_view name);
bool IsScript(std::string_view workload);  // ends in ".lua"

// The value as a whole number from `low` to `high`. InvalidArgument names knob and value.
absl::StatusOr<int64_t> WholeNumber(const Knob& knob, int64_t low, int64_t high);
// InvalidArgument with the knob, its value and what is allowed.
absl::Status BadKnob(const Knob& knob, const std::string& allowed);
// The same for a name that the workload does not know.
absl::Status UnknownKnob(const Knob& knob, const std::string& workload, const std::string& known);

// All knobs of native workloads, for `neap sweep list`.
std::string DescribeWorkloads();

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_WORKLOAD_H_
