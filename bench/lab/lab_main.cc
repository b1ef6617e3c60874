// SPDX-License-Identifier: MIT
#include "lab_main.h"

#include <cstdio>
#include <iomanip>

#include "neap/runtime/check.h"
#include "neap/runtime/clock.h"
#include "report_brief.h"
#include "report_gobench.h"
#include "report_json.h"
#include "report_text.h"
#include "verdict_counts.h"

namespace neap::lab {
namespace {

ExperimentResult RunOne(const Settings& settings, const Experiment& experiment) {
  auto lab = std::make_unique<Lab>(settings);
  lab->Begin(experiment.id);
  const uint64_t start_ns = MonotonicNanos();
  experiment.run(*lab);
  const double seconds = static_cast<double>(MonotonicNanos() - start_ns) * 1e-9;
  NEAP_CHECK(!lab->rows().empty(), "L4: an experiment states at least one row", "experiment %s",
             experiment.id);
  return {.experiment = &experiment, .lab = std::move(lab), .seconds = seconds};
}

bool IsForPeople(OutputFormat format) {
  return format == OutputFormat::kText || format == OutputFormat::kBrief ||
         format == OutputFormat::kExplain;
}

void WriteHead(const Settings& settings, OutputFormat format, std::ostream& out) {
  if (IsForPeople(format)) WriteTextHead(settings, out);
  if (format == OutputFormat::kGobench) WriteGobenchHead(out);
}

void WriteTail(const VerdictCounts& counts, double seconds, OutputFormat format,
               std::ostream& out) {
  if (IsForPeople(format)) WriteTextTail(counts, seconds, out);
  if (format == OutputFormat::kGobench) WriteGobenchTail(counts.strict_failures > 0, seconds, out);
}

// Family S of the sources' experiments: a scheduler's.
bool IsNotYet(const std::string& name) {
  const bool is_id =
      name.size() == 2 && (name[0] == 'S' || name[0] == 's') && name[1] >= '1' && name[1] <= '9';
  return is_id || name == "S" || name == "s" || name == "tasks";
}

}  // namespace

void WriteResult(const ExperimentResult& result, OutputFormat format, std::ostream& out) {
  switch (format) {
    case OutputFormat::kText:
      WriteText(*result.experiment, *result.lab, result.seconds, out);
      break;
    case OutputFormat::kBrief:
      WriteBrief(*result.experiment, *result.lab, result.seconds, out);
      break;
    case OutputFormat::kExplain:
      WriteExplanation(*result.experiment, *result.lab, out);
      break;
    case OutputFormat::kJson:
      WriteJson(*result.lab, out);
      break;
    case OutputFormat::kGobench:
      WriteGobench(*result.lab, out);
      break;
  }
  out.flush();
}

int RunExperiments(const Settings& settings, const std::vector<const Experiment*>& experiments,
                   OutputFormat format, std::ostream& out, std::vector<ExperimentResult>* results) {
  WriteHead(settings, format, out);
  VerdictCounts counts;
  double seconds = 0;
  for (const Experiment* experiment : experiments) {
    ExperimentResult result = RunOne(settings, *experiment);
    WriteResult(result, format, out);
    counts.Add(result.lab->rows());
    seconds += result.seconds;
    if (results != nullptr) results->push_back(std::move(result));
  }
  WriteTail(counts, seconds, format, out);
  out.flush();
  return counts.strict_failures > 0 ? kLabFailed : kLabPassed;
}

int RunLab(const Settings& settings, const std::vector<std::string>& names, OutputFormat format,
           std::ostream& out, std::vector<ExperimentResult>* results) {
  if (names.size() == 1 && names[0] == "list") {
    ListExperiments(out);
    return kLabPassed;
  }
  std::string unknown;
  const std::vector<const Experiment*> selected = SelectExperiments(names, &unknown);
  if (IsNotYet(unknown)) {
    std::fprintf(stderr, "neap lab: \"%s\": S1-S9 (tasks) wait for tasks in scripts: not yet\n",
                 unknown.c_str());
    return kLabMisuse;
  }
  if (!unknown.empty()) {
    std::fprintf(stderr,
                 "neap lab: \"%s\" is no experiment and no family; `neap lab list` names them\n",
                 unknown.c_str());
    return kLabMisuse;
  }
  return RunExperiments(settings, selected, format, out, results);
}

void ListExperiments(std::ostream& out) {
  for (const Experiment& experiment : AllExperiments()) {
    out << std::left << std::setw(5) << experiment.id << std::setw(12) << experiment.family
        << (experiment.headline ? "* " : "  ") << experiment.title << '\n';
  }
  out << "* in the headline set, which a bare `neap lab` runs. Names: an id, a family, a letter, "
         "all.\n"
         "S1-S9 (tasks) wait for tasks in scripts: not yet.\n";
}

}  // namespace neap::lab
