// SPDX-License-Identifier: MIT
//
// One cell of the bullet tables: a storage, a rate, a heap; warm-up, measured frames, and all that
// was seen. A cell runs in a process of its own (cells that share one inherit a warm heap and warm
// pages from their predecessors, experiment B24), and its result crosses the border as text.
//
//   BulletSpec spec{.kind = BulletStorageKind::kFresh, .spawn = 3000};
//   spec.options = {"preset=source", "nursery=2MiB"};
//   const BulletRun run = RunBulletCell(lab, spec);   // or RunBullets(spec) in this process
#ifndef NEAP_BENCH_LAB_BULLET_RUN_H_
#define NEAP_BENCH_LAB_BULLET_RUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bullets.h"
#include "collection_log.h"
#include "frame_times.h"
#include "lab.h"
#include "locality.h"
#include "neap/gc/options.h"

namespace neap::lab {

struct BulletSpec {
  BulletStorageKind kind = BulletStorageKind::kFresh;
  int spawn = 1000;
  int fields = 6;  // 6 or 20
  int frames = kBulletFrames;
  std::vector<std::string> options = {};  // "name=value" for gc::SetOption; managed kinds only
  uint64_t repetition = 0;                // tells apart the processes of one cell; no other effect
};

// X(field): the plain counts of a run. "Measured" means the frames after the warm-up.
#define NEAP_LAB_BULLET_COUNTS(X)                                                  \
  X(made_in_warmup) /* objects made before the measured frames */                  \
  X(made_measured)  /* and in them */                                              \
  X(grown_measured) /* lists replaced by larger ones in them */                    \
  X(max_live)       /* largest population, at the start of an update */            \
  X(alloc_objects)  /* measured, from the allocator's counters */                  \
  X(alloc_bytes)                                                                   \
  X(total_young_bytes) /* young bytes since the heap was made, warm-up included */ \
  X(minors)            /* measured */                                              \
  X(majors)                                                                        \
  X(gc_cpu_ns)                                                                     \
  X(max_pause_cpu_ns) /* the longest by CPU time: machines are shared */           \
  X(copied_bytes)                                                                  \
  X(promoted_bytes)                                                                \
  X(in_place_bytes)                                                                \
  X(page_faults)        /* of the process, measured */                             \
  X(cache_misses)       /* last level, measured; 0 where perf says nothing */      \
  X(cache_misses_known) /* 1: the counter above is real */                         \
  X(lost_events)        /* since the heap was made */

struct BulletRun {
  double checksum = 0;
  double mean_live_updating = 0;  // mean population at the start of an update
  double mean_live_kept = 0;      // and after it
#define NEAP_DECLARE_COUNT(name) uint64_t name = 0;
  NEAP_LAB_BULLET_COUNTS(NEAP_DECLARE_COUNT)
#undef NEAP_DECLARE_COUNT
  std::vector<FrameSample> frames;
  std::vector<MinorRecord> minor_records;  // warm-up included: frame < 0 there
  std::vector<MajorRecord> major_records;
  Locality locality;  // of the live list at the end

  double p50_ms() const { return MedianMs(frames, &FrameSample::cpu_ns); }
  double p99_ms() const { return PercentileMs(frames, &FrameSample::cpu_ns, 0.99); }
  double max_ms() const { return MaxMs(frames, &FrameSample::cpu_ns); }
  double mean_ms() const { return MeanMs(frames, &FrameSample::cpu_ns); }
};

// The options that the spec's text gives, over the defaults.
absl::StatusOr<gc::Options> BulletOptions(const BulletSpec& spec);

// Runs the cell in this process.
BulletRun RunBullets(const BulletSpec& spec);

// The cell's arguments and its output; the two directions are inverse.
std::vector<std::string> ToArguments(const BulletSpec& spec);
absl::StatusOr<BulletSpec> SpecFromArguments(const std::vector<std::string>& arguments);
std::string ToText(const BulletRun& run);
absl::StatusOr<BulletRun> RunFromText(std::string_view text);

// Runs the cell in a process of its own (Settings::isolate), or here. Equal specs run once a
// process: the tables share their cells. A cell that dies leaves an empty run (checksum 0, no
// frames) and a line on stderr, so its criteria fail and the other cells go on.
const BulletRun& RunBulletCell(const Lab& lab, const BulletSpec& spec);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLET_RUN_H_
