// SPDX-License-Identifier: MIT
//
// The frame of the lab: experiments, their criteria and their output.
//
// An experiment is a function that runs real collections and states what it saw, criterion by
// criterion. It never prints and never exits: it fills its Lab, and the writers (report_text,
// report_json, report_gobench, report_html) show it.
//
//   void RunG1(Lab& lab) {
//     ...
//     lab.Exact("misses of 100 after 2 collections", "objects", misses, 100, {.source = "100"});
//   }
//   const Experiment kG1 = {.id = "G1", .family = "evict", .title = "Eviction cliff", ...};
//
// Invariants, upheld by lab.cc and by the runner (lab_main.cc):
//   L1  A criterion is stated in the row it is judged in; there is no verdict without its text.
//   L2  Only classes X and B set the exit status. A time bound never does: the machine is shared.
//   L3  A NaN meets no criterion, so that a division by zero cannot pass.
//   L4  An experiment that ends without a row is a failed check: silence is not a pass.
#ifndef NEAP_BENCH_LAB_LAB_H_
#define NEAP_BENCH_LAB_LAB_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neap/gc/flight_recorder.h"
#include "neap/gc/options.h"

namespace neap::lab {

// Classes of criteria (LAB.md). Strict ones (X, B) set the exit status.
enum class Class : uint8_t {
  kExact,   // X: equality
  kBound,   // B: a bound on counts, bytes or virtual time
  kTime,    // T: a bound on measured time; undecided when the control loop spreads too wide
  kShape,   // S: a shape or an ordering
  kReport,  // R: reported only
};
enum class Verdict : uint8_t { kPass, kFail, kUndecided, kReport };
const char* ClassLetter(Class c);    // "X" "B" "T" "S" "R"
const char* VerdictName(Verdict v);  // "pass" "FAIL" "undecided" "report"

// One line of the result: a quantity of ours beside the source's.
struct Row {
  std::string experiment = {};
  std::string quantity = {};
  std::string unit = {};
  double ours = 0;
  std::string source = {};  // the source's figure as text; empty: none given
  Class criterion_class = Class::kReport;
  std::string criterion = {};  // what was required, as text ("== 100", "in [0.97, 1.03]")
  Verdict verdict = Verdict::kReport;
  std::string reason = {};  // why it failed or is undecided; a remark
  bool is_figure = true;    // false: stated by Holds, `ours` is 1 or 0 for yes or no
};

// A free-form table shown above the verdicts (the published table's shape, ours beside theirs).
struct Table {
  std::string title = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};

// A curve for the HTML report.
struct Series {
  std::string name = {};
  std::vector<std::pair<double, double>> points = {};
  enum class Style : uint8_t { kPoints, kLine, kDashed } style = Style::kLine;
};
struct Plot {
  std::string title = {}, x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<Series> series = {};
};

// A timing in the shape that `go test -bench` prints, for benchstat.
struct BenchLine {
  std::string name = {};  // "Pool-2"
  uint64_t iterations = 0;
  double ns_per_op = 0;
  std::vector<std::pair<std::string, double>> metrics = {};  // unit -> value, e.g. {"B/op", 4096}
};

struct Settings {
  gc::Options heap = {};        // from flags and environment; presets are applied by experiments
  bool heap_is_default = true;  // no mode flag was given
  double scale = 1;             // < 1: a quick run for tests (fewer repetitions, same criteria)
  uint64_t seed = 12345;
  bool progress = true;                     // progress lines on stderr
  bool isolate = true;                      // run timing cells in a process each (RunIsolated)
  std::string trace_file = {};              // empty: none
  std::string command = "neap lab";         // what traces say made them
  std::vector<std::string> arguments = {};  // argv, for traces
  gc::FlightRecorderOptions flight = {};    // no path: none
  std::string allocation_profile = {};      // of scripts: as in gc::JsonTraceInfo
  bool record = false;       // K and G: replay every pool operation through the oracle
  std::string program = {};  // path of the neap program, for isolated cells
};

// What a criterion says beside its figures. All parts are optional.
struct Remark {
  std::string source = {};                 // the source's figure
  std::string reason = {};                 // why a failure would be expected, or a remark
  Class criterion_class = Class::kReport;  // overrides the helper's class when not kReport
};

class Lab {
 public:
  explicit Lab(const Settings& settings) : settings_(settings) {}
  const Settings& settings() const { return settings_; }

  using Remark = neap::lab::Remark;
  // The criteria. Each adds a row and returns whether it passed.
  bool Exact(std::string quantity, std::string unit, double ours, double wanted, Remark = {});
  bool Within(std::string quantity, std::string unit, double ours, double low, double high,
              Remark = {});  // Class::kBound unless the remark says otherwise
  bool AtMost(std::string quantity, std::string unit, double ours, double bound, Remark = {});
  bool AtLeast(std::string quantity, std::string unit, double ours, double bound, Remark = {});
  // Class::kTime: `spread` is the control loop's (max - min) / median in the same run; when it
  // exceeds the distance between `ours` and the bound (relative) the verdict is undecided.
  bool TimeAtMost(std::string quantity, std::string unit, double ours, double bound, double spread,
                  Remark = {});
  bool TimeAtLeast(std::string quantity, std::string unit, double ours, double bound, double spread,
                   Remark = {});
  // Class::kShape or any other class: the experiment decided itself.
  bool Holds(std::string quantity, bool holds, std::string criterion, Remark = {});
  void Observe(std::string quantity, std::string unit, double ours, Remark = {});  // kReport

  void Add(Table table) { tables_.push_back(std::move(table)); }
  void Add(Plot plot) { plots_.push_back(std::move(plot)); }
  void Add(BenchLine line) { bench_lines_.push_back(std::move(line)); }
  // A sentence or two under the table: what is seen and why (findings about the source).
  void Say(std::string sentence) { remarks_.push_back(std::move(sentence)); }
  // Progress of a long run: "K5 12/33 ...", on stderr, at most four times a second on a terminal.
  void Progress(std::string_view what, uint64_t done, uint64_t total);

  // Set by the runner before an experiment starts. The runner gives each experiment a Lab of its
  // own, so that tables, plots and remarks belong to one experiment.
  void Begin(const std::string& experiment) { experiment_ = experiment; }
  // `full` repetitions at scale 1, fewer in a quick run, never under `least`.
  uint64_t Repetitions(uint64_t full, uint64_t least) const;
  const std::string& experiment() const { return experiment_; }

  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Table>& tables() const { return tables_; }
  const std::vector<Plot>& plots() const { return plots_; }
  const std::vector<BenchLine>& bench_lines() const { return bench_lines_; }
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Rows of strict classes with verdict FAIL.
  int strict_failures() const;

 private:
  bool AddRow(std::string quantity, std::string unit, double ours, Class c, std::string criterion,
              Verdict verdict, Remark remark);
  const Settings settings_;
  std::string experiment_;
  std::vector<Row> rows_;
  std::vector<Table> tables_;
  std::vector<Plot> plots_;
  std::vector<BenchLine> bench_lines_;
  std::vector<std::string> remarks_;
  uint64_t last_progress_ns_ = 0;
};

struct Experiment {
  const char* id;      // "G1"
  const char* family;  // "evict", "throughput", "bullets", "memory", "pacing", "dirty",
                       // "escape"
  const char* title;
  const char* explains;  // a few sentences: what is tested, what the source claims
  bool headline;         // part of the bare `neap lab`
  void (*run)(Lab& lab);
};

// All experiments in the order of LAB.md. Each file of experiments exports one array
// (experiments_g.cc: GExperiments(), ...); experiments.cc joins them.
const std::vector<Experiment>& AllExperiments();
std::vector<Experiment> GExperiments();
std::vector<Experiment> KExperiments();
std::vector<Experiment> BExperiments();
std::vector<Experiment> DExperiments();
std::vector<Experiment> EExperiments();

// Experiments selected by names: an id, a family letter ("G"), a family name ("evict"), "all", or
// nothing (headline). An unknown name is returned in `unknown`.
std::vector<const Experiment*> SelectExperiments(const std::vector<std::string>& names,
                                                 std::string* unknown);

// Runs a cell of a timing experiment in a fresh process of the same program
// (`neap lab-cell NAME ARG...`) and returns its standard output; an empty string when it failed.
// Without settings().isolate, or when the program's path is not known, the cell runs in this
// process with its standard output captured. A cell's function prints its result to stdout and
// returns 0.
using CellFunction = int (*)(const std::vector<std::string>& arguments);
CellFunction FindCell(std::string_view name);
std::string RunIsolated(const Lab& lab, const char* name,
                        const std::vector<std::string>& arguments);

// A cell's name and function: a static object of the file that has the function, so that it is
// found in a process that only runs the cell. They chain themselves without allocating: every start
// of the program pays for them.
class Cell {
 public:
  Cell(const char* name, CellFunction function);
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

 private:
  friend CellFunction FindCell(std::string_view name);
  const char* name_;
  CellFunction function_;
  const Cell* next_;
};

// The heap's mode as arguments of a cell ("gogc=100", "nursery=off", ...), and back: arguments that
// gc::SetOption knows set `options`, the others are returned in their order.
std::vector<std::string> OptionArguments(const gc::Options& options);
std::vector<std::string> TakeOptionArguments(const std::vector<std::string>& arguments,
                                             gc::Options& options);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_LAB_H_
