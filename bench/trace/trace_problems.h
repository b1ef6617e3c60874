// SPDX-License-Identifier: MIT
//
// Likely problems of a run, in plain words, each with what to do about it.
//
// A rule looks at figures of the trace and fires above a threshold; the thresholds stand with the
// rules (trace_problems.cc). It says what the figures show and no more: whether a pause of 8 ms is
// a problem, only the program's author knows. Rules about shares want a minimum of collections, so
// that the first ten of a short script do not fire them.
//
//   nursery-survival    a fifth or more of what is born in the nursery is copied into old space
//   early-promotion     half or more of what is promoted is dead at the next major cycle
//   old-writes          minor collections mostly look at old objects that were written to
//   no-room             survivors found no room to be copied to
//   pool-evicted        a pool is emptied between its uses
//   pool-not-returned   a pool gets back less than half of what it gives out
//   pool-full           a pool refuses a tenth or more of the Puts
//   pool-stolen         a fifth or more of the Gets take from another processor
//   memory-limit        the memory limit decides when collections run
//   out-of-memory       a request could not be met
//   forced              the program asks for a tenth or more of its major cycles itself
//   slow-hooks          cleanup hooks hold pauses up
//   safepoint           threads take long to stop
//   page-faults         pauses wait for memory from the system
//   gc-cpu              collections take a quarter or more of the time
//   small-heap          the minimum heap decides, and cycles follow each other closely
//   frame               at the worst moment less than half of a 16.7 ms frame is left
//   lost-events         the trace has gaps
#ifndef NEAP_BENCH_TRACE_TRACE_PROBLEMS_H_
#define NEAP_BENCH_TRACE_TRACE_PROBLEMS_H_

#include <string>
#include <vector>

#include "trace_run.h"
#include "trace_summary.h"

namespace neap::trace {

struct Problem {
  std::string rule;    // of the list above
  std::string what;    // a sentence with the figures
  std::string remedy;  // a sentence
};

// In the order of the list above; `summary` is of `run`. Of a Go trace only the rules fire whose
// figures it has.
std::vector<Problem> FindProblems(const Run& run, const Summary& summary);

// Names of all rules.
std::vector<std::string> ProblemRules();

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_PROBLEMS_H_
