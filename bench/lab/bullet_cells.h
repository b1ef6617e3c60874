// SPDX-License-Identifier: MIT
//
// What the experiments of family B share: the two kinds of cells (judged, and beside it), their
// repetitions, the control loop, and the rows and columns that every table has.
//
// Judged cells run under the preset "source": one P, fixed nursery, tenure 2, nothing promoted in
// place. The nursery is 2 MiB, because the article's counts (20, 43 and 139 collections in 600
// frames at 1,000, 3,000 and 10,000 spawns of 72 bytes) say that its effective nursery was 2.1
// to 3.1 MB, whatever its ceiling was. Cells beside them run under the heap that the command line
// asked for, by default the adaptive one.
//
// Times are CPU times of the thread. Repetitions are processes; a cell's figure is their median.
#ifndef NEAP_BENCH_LAB_BULLET_CELLS_H_
#define NEAP_BENCH_LAB_BULLET_CELLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bullet_run.h"
#include "lab.h"

namespace neap::lab {

inline constexpr const char* kSourceNursery = "2MiB";

BulletSpec SourceSpec(BulletStorageKind kind, int spawn, int fields = 6);
// The heap of judged cells, for experiments that make their own.
gc::Options SourceOptions();
BulletSpec DefaultSpec(const Lab& lab, BulletStorageKind kind, int spawn, int fields = 6);
// Plain mark-sweep, as Go's: nothing moves.
BulletSpec NonMovingSpec(BulletStorageKind kind, int spawn, int fields = 6);

// Medians over the repetitions of a cell: three processes up to 3,000 spawns, one above (a process
// of 10,000 spawns takes seconds), one in quick runs.
struct CellSummary {
  double p50_ms = 0, p99_ms = 0, max_ms = 0;
  double p50_spread = 0, p99_spread = 0;  // (max - min) / median over the repetitions
  double wall_p99_ms = 0;
  double minors = 0, majors = 0, gc_ms = 0, max_pause_ms = 0;
  double spawn_p50_ms = 0, update_p50_ms = 0;
  double checksum = 0;           // of the first repetition; the others are compared
  bool checksums_agree = false;  // all repetitions gave it, and every frame was seen
};
CellSummary Summarize(const Lab& lab, const BulletSpec& spec);

// The control: a cell that neither allocates nor collects (columns in plain C++). Its spread over
// the same number of processes says what the machine's noise alone does to a figure. Above 3,000
// spawns it is the one of 3,000: a single process has no spread.
CellSummary Control(const Lab& lab, int spawn, int fields = 6);

// The exact checksum of a rate: the published one where there is one, else computed here.
double ExpectedChecksum(int spawn);

// "1.234", "0.087": milliseconds in tables.
std::string Ms(double ms);
// A name for the options of a spec, in tables: "source, nursery=2MiB", "default", "malloc".
std::string ModeName(const BulletSpec& spec);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLET_CELLS_H_
