// SPDX-License-Identifier: MIT
//
// The lab's report for people. Per experiment: what is tested, tables, findings, then one line per
// criterion that starts with its verdict, so that grep ^FAIL finds all of them:
//
//   pass      G1 X  misses of 100 after 2 collections: 100 objects  == 100  (source 100)
//
// The last line of a run counts the verdicts.
#ifndef NEAP_BENCH_LAB_REPORT_TEXT_H_
#define NEAP_BENCH_LAB_REPORT_TEXT_H_

#include <ostream>
#include <string>

#include "lab.h"
#include "verdict_counts.h"

namespace neap::lab {

void WriteTextHead(const Settings& settings, std::ostream& out);
void WriteText(const Experiment& experiment, const Lab& lab, double seconds, std::ostream& out);
void WriteTextTail(const VerdictCounts& counts, double seconds, std::ostream& out);

// One criterion's line, without the line break.
std::string CriterionLine(const Row& row);
// A table with aligned columns: numbers to the right, words to the left.
std::string TableText(const Table& table);
// `text` broken at blanks into lines of at most `width` columns, each after `indent`.
std::string WrapText(const std::string& text, size_t width, const std::string& indent);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_TEXT_H_
