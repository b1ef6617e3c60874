// SPDX-License-Identifier: MIT
//
// The short reports: a line per experiment with its verdict, and an experiment told in sentences.
#ifndef NEAP_BENCH_LAB_REPORT_BRIEF_H_
#define NEAP_BENCH_LAB_REPORT_BRIEF_H_

#include <ostream>

#include "lab.h"

namespace neap::lab {

// One line, and below it each criterion that failed, with its reason:
//
//   pass      G1   The eviction cliff: 24 pass, 2 report; 0.1 s
//
// The first word: FAIL when a strict criterion failed, fail when only others did, undecided when
// the machine was too noisy for one, pass, or report when nothing is judged.
void WriteBrief(const Experiment& experiment, const Lab& lab, double seconds, std::ostream& out);

// A few sentences: what is tested and what the source claimed, what was seen here beside the
// source's figures, and why.
void WriteExplanation(const Experiment& experiment, const Lab& lab, std::ostream& out);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_BRIEF_H_
