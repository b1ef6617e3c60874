// SPDX-License-Identifier: MIT
//
// The list of family B: what object pooling does to a frame of bullets.
#include "experiments_b.h"

#include <iterator>

namespace neap::lab {
namespace {

constexpr Experiment kExperiments[] = {
    {"B1", "bullets", "Checksums",
     "Every storage integrates the same stream of bullets, so every storage must give the "
     "published sum, to the last digit.",
     true, RunB1},
    {"B2", "bullets", "Allocation counts",
     "Fresh allocation makes S objects a frame; a free list makes as many as were ever alive at "
     "once; columns make none. Read from the allocator's counters.",
     true, RunB2},
    {"B3", "bullets", "Median frame, free list against fresh",
     "The source: a free list never improved the median above 300 spawns and cost 4.8x at "
     "10,000, "
     "because it undoes the compaction that a copying collector does. With a heap that does not "
     "move, the effect must vanish.",
     true, RunB3},
    {"B4", "bullets", "Second run: 20 fields",
     "The source's second run, with fatter bullets: medians disagree with the first, the tail "
     "does not: the free list cut p99 by 3.5x at 1,000 and 6.1x at 3,000.",
     true, RunB4},
    {"B5", "bullets", "Tail, columns against fresh",
     "The source: columns without objects cut p99 wherever a frame contains a collection; the "
     "first full millisecond is saved near 2,000 spawns.",
     true, RunB5},
    {"B6", "bullets", "Tail of the free list",
     "The source: at 3,000 the free list stopped helping even the tail (5.280 against 3.640 ms).",
     true, RunB6},
    {"B7", "bullets", "Above 12,000 spawns",
     "The source: beyond 12,000 spawns a frame nothing helps (15,000: columns 35.2, fresh 22.9 "
     "ms).",
     false, RunB7},
    {"B8", "bullets", "Below 1,000 spawns",
     "The source: the whole frame takes under a quarter of a millisecond; there is nothing to "
     "win.",
     false, RunB8},
    {"B9", "bullets", "Micro costs",
     "What one allocation, one overwrite and one push and pop cost. The source, in JavaScript: a "
     "free list costs 2.2 times what it saves.",
     false, RunB9},
    {"B10", "bullets", "Decomposition of the difference at 3,000",
     "The difference between the free list's and fresh allocation's mean frame, predicted from "
     "terms measured apart: update penalty, bookkeeping, allocation, collections.",
     false, RunB10},
    {"B11", "bullets", "What the worst frames contain",
     "The source: collections are all of the tail and a fifth of the mean. Each of the frames at "
     "or above p99 held one, and it was 86% of their excess.",
     false, RunB11},
    {"B12", "bullets", "A bigger nursery",
     "The source: a four times larger nursery halved the collections and their time, left p99 "
     "where it was and made the longest pause longer.",
     false, RunB12},
    {"B13", "bullets", "Copying costs what survives",
     "Two workloads of the same volume, one dead at each minor collection, one alive: the source "
     "saw 5.8 times the pause. Pauses over eight survival levels lie on a line.",
     false, RunB13},
    {"B14", "bullets", "Bytes copied are the live bullets",
     "With a nursery longer than a lifetime each minor copies exactly the bullets that are "
     "alive, "
     "by the workload's own count.",
     false, RunB14},
    {"B15", "bullets", "Locality of the live list",
     "Steps between neighbours of the list: near the object size when a collector copied them in "
     "order, a random walk after a LIFO free list.",
     false, RunB15},
    {"B16", "bullets", "Phases at 10,000",
     "The source: pooling costs nothing when spawning (1.295 against 1.285 ms) and everything "
     "when iterating (9.884 against 2.104).",
     false, RunB16},
    {"B17", "bullets", "FIFO instead of LIFO",
     "The source: columns that reuse slots in order of death had a 23% better median at 10,000 "
     "and the same at 1,000. Other machines saw the reverse.",
     false, RunB17},
    {"B18", "memory", "What a bullet and a pool weigh",
     "8 bytes a field and a header. A free list built by a burst of 300,000 holds ten times what "
     "the steady 30,000 need, for ever.",
     false, RunB18},
    {"B19", "memory", "The pool that shrinks",
     "After the burst and two collections a free list still holds 300,000 bullets, the "
     "collector's pool none.",
     false, RunB19},
    {"B20", "memory", "The pierce bug",
     "A reset that forgets one else branch: a reused bullet keeps its power-up. The damage of a "
     "whole run drifts up towards its closed form; nothing throws.",
     false, RunB20},
    {"B21", "memory", "Who finds it",
     "A test of one Get passes with the bug in; only the checksum of a seeded replay does not.",
     false, RunB21},
    {"B22", "bullets", "Object size",
     "The source: with 20 fields the collector's time at 3,000 doubled (90.0 to 178.8 ms), and "
     "columns' advantage in the tail rose from 1.6x to 4.2x.",
     false, RunB22},
    {"B23", "bullets", "The published table",
     "The source's run: p50, p99, collections and their time for three rates and three storages, "
     "beside ours, the defaults and plain C++.",
     true, RunB23},
    {"B24", "bullets", "Order of cells",
     "Cells that share a process inherit a warm heap. The same three cells forwards, backwards "
     "and each in a process of its own.",
     false, RunB24},
    {"B25", "bullets", "Observer trap",
     "Counters that are delivered late read as zero. Ours are read synchronously: fresh "
     "allocation at 1,000 spawns and more must show collections.",
     false, RunB25},
    {"B26", "bullets", "What to build",
     "The source's advice (no pool under 2,000 spawns; above, columns reused first in, first "
     "out) "
     "held against what this machine measured.",
     false, RunB26},
};

}  // namespace

std::vector<Experiment> BExperiments() {
  return {std::begin(kExperiments), std::end(kExperiments)};
}

}  // namespace neap::lab
