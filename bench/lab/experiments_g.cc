// SPDX-License-Identifier: MIT
//
// Family G: "sync.Pool survives one GC, not two" (go1.27.0, Apple M4 Pro, 12 cores; benchstat
// medians of 10).
#include "experiments_g.h"

namespace neap::lab {

std::vector<Experiment> GExperiments() {
  return {
      {"G1", "evict", "The eviction cliff",
       "100 objects are put into a pool, k collections are forced, 100 are taken out; a miss is a "
       "call of New. The source: 0 of 100 missed after none and one, 100 after two.",
       true, RunG1},
      {"G2", "evict", "Demotion and promotion",
       "An object that is parked when a collection starts is found in the victim; Get and Put park "
       "it anew. A pool touched in every cycle never empties; one without a Put between two "
       "collections is empty.",
       false, RunG2},
      {"G3", "evict", "Before Go 1.13: every collection empties every pool",
       "The same trace under the policies flush and victim. And the server that source K quotes: a "
       "collection each 4 seconds, the hit rate of its gzip pool down to 50 %.",
       false, RunG3},
      {"G4", "throughput", "Throughput: allocate, pool, pool under collections",
       "A 4 KiB buffer per operation that escapes: allocated each time, from a pool, from a pool "
       "with a forced collection each millisecond.",
       true, RunG4},
      {"G5", "throughput", "The ratios of G4",
       "The source: the pool is 51 times as fast as allocation, 44 times with a collection each "
       "millisecond, which costs 14 % and multiplies the miss rate by 628.",
       false, RunG5},
      {"G6", "evict", "The arithmetic of misses under collections",
       "The source: about 122,000 operations a millisecond, a miss in 265,000, so a miss each 2.17 "
       "collections, explained as \"lost on the second\". By the rules a worker that stays on its "
       "P "
       "loses nothing, ever.",
       true, RunG6},
      {"G7", "evict", "The cost of eviction: one New per object held, per P",
       "One object per P, two collections without use: as many calls of New as there are Ps.",
       false, RunG7},
      {"G8", "throughput", "An expensive New",
       "367 ns for 4 KiB, orders of magnitude more for a scratch buffer or a compiled template: "
       "the "
       "time lost per pair of collections is misses times the cost of New.",
       false, RunG8},
      {"G9", "throughput", "Low throughput: 200 requests a second",
       "A claim of the source, not measured there: with a collection each 100 ms a pool that sees "
       "200 requests a second is cold as often as it is warm. Source K's line says otherwise. "
       "Virtual clock.",
       false, RunG9},
      {"G10", "memory", "A buffer that once grew to 40 MB",
       "Put back, it keeps its capacity, and the pool keeps it as long as it is used. A guard at "
       "Put drops it.",
       false, RunG10},
      {"G11", "memory", "What the source did not measure: marking, stealing",
       "Mark time of a pool full of pointers, and whether stealing lowers the misses of several "
       "Ps.",
       false, RunG11},
  };
}

}  // namespace neap::lab
