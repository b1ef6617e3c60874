// SPDX-License-Identifier: MIT
#include "lab_command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "heap_traces.h"
#include "machine_facts.h"
#include "own_workload.h"
#include "report_html.h"
#include "verdict_counts.h"

namespace neap::cli {
namespace {

int Misuse(const std::string& line) {
  std::fprintf(stderr, "neap: %s\n", line.c_str());
  return kExitMisuse;
}

// The report is written at the end of a long run; whether it can be is found out before. No file is
// made: a run that is interrupted leaves none behind.
absl::Status CheckWritable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool exists = fs::exists(path, error);
  const fs::path folder = fs::absolute(path, error).parent_path();
  int reason = 0;
  if (fs::is_directory(path, error)) {
    reason = EISDIR;
  } else if (access(exists ? path.c_str() : folder.c_str(), exists ? W_OK : W_OK | X_OK) != 0) {
    reason = errno;
  }
  if (reason == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot write '", path, "': ", std::strerror(reason)));
}

std::string SizeText(uint64_t bytes) {
  if (bytes % (1 << 20) == 0) return absl::StrCat(bytes >> 20, " MiB");
  if (bytes % (1 << 10) == 0) return absl::StrCat(bytes >> 10, " KiB");
  return absl::StrCat(bytes, " B");
}

std::string NurseryText(const gc::Options& options) {
  switch (options.nursery) {
    case gc::Options::Nursery::kOff:
      return "off";
    case gc::Options::Nursery::kFixed:
      return absl::StrCat(SizeText(options.nursery_bytes), " per P, fixed");
    case gc::Options::Nursery::kAdaptive:
      break;
  }
  return absl::StrCat("adaptive, ", SizeText(options.nursery_bytes), " to ",
                      SizeText(options.nursery_max_bytes), " per P");
}

std::vector<std::pair<std::string, std::string>> ConfigurationFacts(const lab::Settings& settings) {
  const gc::Options& heap = settings.heap;
  const bool limited = heap.memory_limit_bytes != gc::Options::kNoLimit;
  return {
      {"heap",
       settings.heap_is_default ? "defaults; experiments apply the presets they name" : "as given"},
      {"nursery", NurseryText(heap)},
      {"tenure", absl::StrCat("survival ", heap.tenure, heap.in_place ? ", in-place on" : "")},
      {"gogc", heap.gogc == gc::Options::kGogcOff ? "off" : absl::StrCat(heap.gogc, " %")},
      {"memory limit", limited ? SizeText(heap.memory_limit_bytes) : "none"},
      {"Ps", heap.procs == 0 ? "the cores" : absl::StrCat(heap.procs)},
      {"workers", absl::StrCat(heap.workers)},
      {"seed", absl::StrCat(settings.seed)},
      {"scale", absl::StrCat(settings.scale)},
  };
}

std::vector<lab::HtmlSection> Sections(const std::vector<lab::ExperimentResult>& results) {
  std::vector<lab::HtmlSection> sections;
  for (const lab::ExperimentResult& result : results) {
    const lab::Experiment& experiment = *result.experiment;
    sections.push_back({.id = experiment.id,
                        .title = experiment.title,
                        .explains = experiment.explains,
                        .rows = result.lab->rows(),
                        .tables = result.lab->tables(),
                        .plots = result.lab->plots(),
                        .remarks = result.lab->remarks()});
  }
  return sections;
}

absl::Status WriteReport(const CommandLine& line,
                         const std::vector<lab::ExperimentResult>& results) {
  const lab::HtmlHead head = {.command = line.as_typed,
                              .date = UtcNow(),
                              .configuration = ConfigurationFacts(line.settings),
                              .machine = MachineFacts()};
  return lab::WriteHtmlFile(line.html_file, lab::RenderHtml(head, Sections(results)));
}

bool IsOwnWorkload(const std::vector<std::string>& names) {
  return !names.empty() && workload::IsScript(names[0]);
}

// `neap lab FILE.lua KNOB=VALUE...`
int RunOwn(const lab::Settings& settings, const CommandLine& line,
           std::vector<lab::ExperimentResult>* results) {
  workload::OwnWorkload own{.path = line.words[0], .knobs = {}, .repeat = line.repeat};
  for (size_t i = 1; i < line.words.size(); ++i) {
    absl::StatusOr<workload::Knob> knob = workload::ParseKnob(line.words[i]);
    if (!knob.ok()) return Misuse(absl::StrCat("lab: ", std::string(knob.status().message())));
    const auto is_same = [&](const workload::Knob& other) { return other.name == knob->name; };
    if (std::any_of(own.knobs.begin(), own.knobs.end(), is_same)) {
      return Misuse(absl::StrCat(knob->name, ": given twice"));
    }
    own.knobs.push_back(*std::move(knob));
  }
  absl::StatusOr<lab::ExperimentResult> result = workload::RunOwnWorkload(settings, own);
  if (!result.ok()) {
    const int status = Misuse(std::string(result.status().message()));
    return absl::IsAborted(result.status()) ? lab::kLabFailed : status;
  }
  lab::WriteResult(*result, line.format, std::cout);
  lab::VerdictCounts counts;
  counts.Add(result->lab->rows());
  results->push_back(*std::move(result));
  return counts.strict_failures > 0 ? lab::kLabFailed : lab::kLabPassed;
}

// False for `list` and for a name that RunLab will refuse: no file is made for these.
bool RunsSomething(const std::vector<std::string>& names) {
  if (IsOwnWorkload(names)) return true;
  if (names.size() == 1 && names[0] == "list") return false;
  std::string unknown;
  lab::SelectExperiments(names, &unknown);
  return unknown.empty();
}

}  // namespace

int RunLabCommand(const CommandLine& line) {
  lab::Settings settings = line.settings;
  settings.program = "/proc/self/exe";
  if (!RunsSomething(line.words)) return lab::RunLab(settings, line.words, line.format, std::cout);
  if (!line.html_file.empty()) {
    const absl::Status status = CheckWritable(line.html_file);
    if (!status.ok()) return Misuse(absl::StrCat("--html: ", std::string(status.message())));
  }
  absl::Status status = lab::StartTraces(settings);
  if (!status.ok()) return Misuse(absl::StrCat("--trace: ", std::string(status.message())));
  std::vector<lab::ExperimentResult> results;
  const int exit_status = IsOwnWorkload(line.words)
                              ? RunOwn(settings, line, &results)
                              : lab::RunLab(settings, line.words, line.format, std::cout, &results);
  status = lab::FinishTraces();
  if (status.ok() && !line.html_file.empty()) {
    status = WriteReport(line, results);
    if (status.ok()) std::fprintf(stderr, "neap: report in %s\n", line.html_file.c_str());
  }
  if (!status.ok()) {
    std::fprintf(stderr, "neap: %s\n", std::string(status.message()).c_str());
    return lab::kLabFailed;
  }
  return exit_status;
}

int RunLabCell(const CommandLine& line) {
  const lab::CellFunction cell = lab::FindCell(line.words[0]);
  if (cell == nullptr) return Misuse(absl::StrCat("lab-cell: no cell \"", line.words[0], "\""));
  const absl::Status status = lab::StartTraces(line.settings);
  if (!status.ok()) return Misuse(std::string(status.message()));
  return cell({line.words.begin() + 1, line.words.end()});
}

}  // namespace neap::cli
