// SPDX-License-Identifier: MIT
//
// sweep_command.h.
#include "sweep_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "read_flags.h"
#include "sweep.h"
#include "write_file.h"

namespace neap::cli {
namespace {

using workload::Sweep;
using workload::SweepResult;

constexpr int kExitFailed = 1;
constexpr const char* kProgram = "/proc/self/exe";

struct SweepFlags {
  std::vector<std::string> words;
  std::string out, csv, job_list;
  std::vector<std::string> merged;
  int repeat = 5;
  bool is_quiet = false, is_dry = false;
};

int Complain(const absl::Status& status) {
  std::fprintf(stderr, "neap sweep: %s\n", std::string(status.message()).c_str());
  const bool is_input = absl::IsInvalidArgument(status) || absl::IsNotFound(status) ||
                        absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
  return is_input ? kExitMisuse : kExitFailed;
}

// The result file's errors, with the flag that named it.
absl::Status WithFlag(const absl::Status& status) {
  if (!absl::IsPermissionDenied(status) && !absl::IsDataLoss(status)) return status;
  return absl::Status(status.code(), absl::StrCat("--out: ", status.message()));
}

void AddOptions(CLI::App& app, SweepFlags& flags) {
  app.add_option("WORDS", flags.words,
                 "the workload (bullets, synthetic, FILE.lua), then knobs NAME=VALUE[,VALUE...], "
                 "NAME=LOW..HIGH+STEP or NAME=LOW..HIGH*FACTOR; or: list");
  app.add_option("--repeat", flags.repeat, "runs of each cell, 1 to 1000 (5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", flags.out,
                 "JSON lines, one a run; a sweep that was stopped goes on with its file");
  app.add_option("--csv", flags.csv, "one line a cell: medians and intervals of all figures");
  app.add_option("--job-list", flags.job_list,
                 "runs nothing: writes a command per cell, for GNU parallel or an array of Slurm; "
                 "results go into the folder FILE.parts");
  app.add_option("--merge", flags.merged, "result files to put together (into --out, --csv)");
  app.add_flag("--dry-run", flags.is_dry, "only lists the cells");
  app.add_flag("--quiet", flags.is_quiet, "no progress, no table");
  app.footer(
      "Examples:\n"
      "  neap sweep bullets spawn=1000..16000*2 storage=fresh,pool,typed --csv=pool.csv\n"
      "  neap sweep synthetic lifetime=exp:64KiB,exp:1MiB nursery=256KiB..4MiB*2,off\n"
      "  neap sweep game.lua storage=fresh,pool gogc=50,100,200 --out=game.jsonl\n"
      "`neap sweep list` lists workloads and knobs.\n");
}

absl::StatusOr<Sweep> ReadSweep(const SweepFlags& flags, const std::string& as_typed) {
  if (flags.words.empty()) {
    return absl::InvalidArgumentError("which workload? `neap sweep --help` says more");
  }
  Sweep sweep{.workload = flags.words[0], .axes = {}, .repeat = flags.repeat, .command = as_typed};
  for (size_t i = 1; i < flags.words.size(); ++i) {
    absl::StatusOr<workload::Axis> axis = workload::ParseAxis(flags.words[i]);
    if (!axis.ok()) return axis.status();
    sweep.axes.push_back(*std::move(axis));
  }
  const absl::Status status = workload::CheckSweep(sweep);
  if (!status.ok()) return status;
  return sweep;
}

int WriteJobList(const Sweep& sweep, const std::string& path) {
  const std::string folder = path + ".parts";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Complain(absl::PermissionDeniedError(
        absl::StrCat("--job-list: cannot make the folder '", folder, "': ", error.message())));
  const std::string program = std::filesystem::read_symlink(kProgram, error).string();
  const std::string jobs = workload::JobList(sweep, program, folder);
  const absl::Status status = WriteFile("--job-list", path, jobs);
  if (!status.ok()) return Complain(status);
  const auto count = std::count(jobs.begin(), jobs.end(), '\n');
  std::printf(
      "%td jobs in %s\n"
      "  parallel < %s\n"
      "  sbatch --array=1-%td --wrap 'sed -n \"${SLURM_ARRAY_TASK_ID}p\" %s | sh'\n"
      "  neap sweep --merge %s/*.jsonl --csv=...\n",
      count, path.c_str(), path.c_str(), count, path.c_str(), folder.c_str());
  return 0;
}

int Report(const SweepResult& result, const SweepFlags& flags) {
  if (!flags.csv.empty()) {
    const absl::Status status = WriteFile("--csv", flags.csv, workload::ToCsv(result));
    if (!status.ok()) return Complain(status);
  }
  if (!flags.is_quiet) std::fputs(workload::ToTable(result).c_str(), stdout);
  return 0;
}

int Merge(const SweepFlags& flags, const std::string& as_typed) {
  SweepResult result;
  int cut = 0;
  for (const std::string& path : flags.merged) {
    const absl::Status status = workload::ReadResults(path, &result, &cut);
    if (!status.ok()) return Complain(status);
  }
  if (result.cells.empty()) {
    return Complain(absl::InvalidArgumentError("--merge: there is no run in these files"));
  }
  if (cut > 0) std::fprintf(stderr, "neap sweep: passed over %d lines that are no runs\n", cut);
  if (!flags.out.empty()) {
    const absl::Status status =
        WriteFile("--out", flags.out, workload::ToJsonLines(result, as_typed));
    if (!status.ok()) return Complain(status);
  }
  return Report(result, flags);
}

int Run(const SweepFlags& flags, const std::string& as_typed) {
  if (flags.words == std::vector<std::string>{"list"}) {
    std::fputs(workload::DescribeWorkloads().c_str(), stdout);
    return 0;
  }
  if (!flags.merged.empty()) return Merge(flags, as_typed);
  const absl::StatusOr<Sweep> sweep = ReadSweep(flags, as_typed);
  if (!sweep.ok()) return Complain(sweep.status());
  if (flags.is_dry) {
    const absl::StatusOr<std::vector<workload::Knobs>> cells = workload::CellsOf(*sweep);
    for (const workload::Knobs& cell : *cells) std::puts(workload::CellText(cell).c_str());
    return 0;
  }
  if (!flags.job_list.empty()) return WriteJobList(*sweep, flags.job_list);
  const absl::StatusOr<SweepResult> result =
      workload::RunSweep(*sweep, flags.out, kProgram, flags.is_quiet ? nullptr : &std::cerr);
  if (!result.ok()) return Complain(WithFlag(result.status()));
  return Report(*result, flags);
}

}  // namespace

int RunSweepCommand(const std::vector<std::string>& arguments, const std::string& as_typed) {
  CLI::App app("Runs a workload over a grid of knobs, every run in a process of its own.",
               "neap sweep");
  SweepFlags flags;
  AddOptions(app, flags);
  const std::optional<int> status = ReadFlags(app, arguments);
  return status ? *status : Run(flags, as_typed);
}

}  // namespace neap::cli
