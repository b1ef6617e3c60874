// SPDX-License-Identifier: MIT
//
// A sweep: a workload over a grid of knobs, every run in a process of its own.
//
//   Sweep sweep{.workload = "bullets", .axes = {{"spawn", {"1000", "3000"}}, ...}, .repeat = 5};
//   absl::StatusOr<SweepResult> result = RunSweep(sweep, files, "neap", std::cerr);
//   PrintTable(*result, std::cout);
//
// A cell is one point of the grid. Cells are run in rounds, each cell once a round, so that a slow
// minute of the machine falls on all of them alike; the result of a cell is the median of its
// repetitions with an interval (statistics.h).
//
// The result file is JSON lines: a schema line, then one line a run, written as soon as the run is
// over. So a sweep that was stopped goes on where it was: runs that the file holds are not run
// again. A line that was cut is run again.
//
//   {"schema":"neap-sweep","version":1,"workload":"bullets","command":"neap sweep ..."}
//   {"cell":"spawn=1000 nursery=2MiB","repetition":0,"figures":{"p50_ms":0.33,...}}
#ifndef NEAP_BENCH_WORKLOAD_SWEEP_H_
#define NEAP_BENCH_WORKLOAD_SWEEP_H_

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "workload.h"

namespace neap::workload {

inline constexpr int kSweepVersion = 1;
inline constexpr size_t kMaxCells = 1'000'000;

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// "spawn=1000,3000", "spawn=1000..5000+1000" (steps), "nursery=256KiB..4MiB*2" (factors; sizes and
// whole numbers). InvalidArgument names the text.
absl::StatusOr<Axis> ParseAxis(const std::string& text);

struct Sweep {
  std::string workload;
  std::vector<Axis> axes;  // the last one varies fastest
  int repeat = 5;          // runs of each cell, 1..1000
  std::string command;     // as typed, for the schema line
};

// All cells, in order. ResourceExhausted: more than kMaxCells.
absl::StatusOr<std::vector<Knobs>> CellsOf(const Sweep& sweep);
std::string CellText(const Knobs& knobs);  // "spawn=1000 nursery=2MiB"
// The first cell that the workload refuses, so that nothing runs before all is known to be right.
absl::Status CheckSweep(const Sweep& sweep);

// Runs by cell and repetition.
class SweepResult {
 public:
  struct Cell {
    Knobs knobs;
    std::map<int, Figures> runs;
  };
  std::string workload;
  std::vector<Cell> cells;  // in the order of the grid, or of first appearance

  const Figures* Find(const std::string& cell, int repetition) const;
  void Add(const std::string& cell, int repetition, const Figures& figures);

 private:
  std::map<std::string, size_t> by_text_;
};

// Reads a result file into `result`; `*cut`: lines that were no whole runs. NotFound: no such file.
// InvalidArgument: no file of a sweep, or of another version or workload: names file, line and what
// was found.
absl::Status ReadResults(const std::string& path, SweepResult* result, int* cut);

// Runs what `path` does not hold yet and appends it there (empty: no file). Progress and the time
// left go to `progress` (null: none). Aborted: a run failed; those before it are in the file.
absl::StatusOr<SweepResult> RunSweep(const Sweep& sweep, const std::string& path,
                                     const std::string& program, std::ostream* progress);

// A line of shell per cell that runs it into a file of its own under `folder`: for GNU parallel
// (`parallel < jobs`) and for arrays of Slurm (`sed -n "${SLURM_ARRAY_TASK_ID}p" jobs | sh`).
// `ReadResults` over those files gives the whole.
std::string JobList(const Sweep& sweep, const std::string& program, const std::string& folder);

// One row a cell: its knobs, then median, low and high of each figure.
std::string ToCsv(const SweepResult& result);
// The figures that a person looks at first, median and half interval.
std::string ToTable(const SweepResult& result);
// The whole as a result file (what a merge writes).
std::string ToJsonLines(const SweepResult& result, const std::string& command);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_SWEEP_H_
