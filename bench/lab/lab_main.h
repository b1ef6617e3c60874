// SPDX-License-Identifier: MIT
//
// `neap lab` without its command line: runs experiments, writes the report, says the exit status.
//
//   std::vector<ExperimentResult> results;
//   const int status = RunLab(settings, {"G1", "pacing"}, OutputFormat::kText, std::cout,
//   &results);
#ifndef NEAP_BENCH_LAB_LAB_MAIN_H_
#define NEAP_BENCH_LAB_LAB_MAIN_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "lab.h"

namespace neap::lab {

enum class OutputFormat : uint8_t {
  kText,     // tables, findings and a line per criterion; the last line counts the verdicts
  kBrief,    // a line per experiment with its verdict, and the criteria that failed
  kExplain,  // an experiment in sentences: what is tested, claimed and seen, and why
  kJson,     // one object per row and line
  kGobench,  // what `go test -bench` prints, for benchstat
};

// What one experiment left behind.
struct ExperimentResult {
  const Experiment* experiment;
  std::unique_ptr<Lab> lab;
  double seconds;
};

// Exit statuses of the program.
inline constexpr int kLabPassed = 0;
inline constexpr int kLabFailed = 1;  // a strict criterion failed
inline constexpr int kLabMisuse = 2;  // unknown name; one line on stderr

// Runs what `names` select (nothing: the headline set) and writes each experiment's part as soon as
// it is done. {"list"} writes the list instead. `results`, when given, receives everything, in
// order (for the HTML report). One thread; stderr carries progress and the line of a misuse.
int RunLab(const Settings& settings, const std::vector<std::string>& names, OutputFormat format,
           std::ostream& out, std::vector<ExperimentResult>* results = nullptr);

// The same for experiments already chosen.
int RunExperiments(const Settings& settings, const std::vector<const Experiment*>& experiments,
                   OutputFormat format, std::ostream& out,
                   std::vector<ExperimentResult>* results = nullptr);

// Writes one experiment's part of the report.
void WriteResult(const ExperimentResult& result, OutputFormat format, std::ostream& out);

// One line per experiment: id, family, whether it is in the headline set, title.
void ListExperiments(std::ostream& out);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_LAB_MAIN_H_
