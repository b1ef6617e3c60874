// SPDX-License-Identifier: MIT
#include "own_workload.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "neap/runtime/clock.h"
#include "number_text.h"
#include "script_workload.h"
#include "statistics.h"

namespace neap::workload {
namespace {

using lab::FixedNumber;
using lab::FrameSample;
using lab::Lab;

struct Storage {
  std::string name;  // "" when the file names none
  std::vector<Figures> runs;

  std::string label() const { return name.empty() ? "(the workload)" : name; }
  double Median(double Figures::*value) const { return Summary(value).median; }
  MedianInterval Summary(double Figures::*value) const {
    std::vector<double> values;
    for (const Figures& figures : runs) values.push_back(figures.*value);
    return MedianOf(std::move(values));
  }
};

std::string Percent(double share) { return FixedNumber(share * 100, 1) + " %"; }

// The knobs of one run. Those given by name win over the heap that the flags describe.
Knobs KnobsOf(const lab::Settings& settings, const OwnWorkload& workload,
              const std::string& storage, bool with_samples) {
  Knobs knobs;
  if (!settings.heap_is_default) {
    for (const std::string& option : lab::OptionArguments(settings.heap)) {
      if (auto knob = ParseKnob(option); knob.ok()) knobs.push_back(*std::move(knob));
    }
  }
  knobs.insert(knobs.end(), workload.knobs.begin(), workload.knobs.end());
  if (!storage.empty()) knobs.push_back({"storage", storage});
  if (with_samples) knobs.push_back({"samples", "1"});
  return knobs;
}

absl::Status Measure(Lab& lab, const OwnWorkload& workload, std::vector<Storage>* storages) {
  const auto total = static_cast<uint64_t>(workload.repeat) * storages->size();
  uint64_t done = 0;
  for (int round = 0; round < workload.repeat; ++round) {
    for (Storage& storage : *storages) {
      const Spec spec = {workload.path,
                         KnobsOf(lab.settings(), workload, storage.name, round == 0)};
      absl::StatusOr<Figures> figures = RunApart(spec, lab.settings().program);
      if (!figures.ok()) return figures.status();
      storage.runs.push_back(*std::move(figures));
      lab.Progress(storage.label(), ++done, total);
    }
  }
  return absl::OkStatus();
}

void AddFrames(Lab& lab, const std::vector<Storage>& storages) {
  lab::Table table{
      .title = "Frames, in ms of CPU time (medians over the runs)",
      .columns = {"storage", "p50", "± ", "p90", "p99", "± ", "max", "mean", "allocated MiB",
                  "copied MiB", "promoted MiB", "peak MiB", "checksum"}};
  for (const Storage& s : storages) {
    const auto half = [&s](double Figures::*value) {
      const MedianInterval m = s.Summary(value);
      return FixedNumber(std::max(m.high - m.median, m.median - m.low), 3);
    };
    table.rows.push_back(
        {s.label(), FixedNumber(s.Median(&Figures::p50_ms), 3), half(&Figures::p50_ms),
         FixedNumber(s.Median(&Figures::p90_ms), 3), FixedNumber(s.Median(&Figures::p99_ms), 3),
         half(&Figures::p99_ms), FixedNumber(s.Median(&Figures::max_ms), 3),
         FixedNumber(s.Median(&Figures::mean_ms), 3), FixedNumber(s.Median(&Figures::alloc_mib), 1),
         FixedNumber(s.Median(&Figures::copied_mib), 1),
         FixedNumber(s.Median(&Figures::promoted_mib), 1),
         FixedNumber(s.Median(&Figures::peak_mib), 1), lab::ReadableNumber(s.runs[0].checksum)});
  }
  lab.Add(std::move(table));
}

void AddAttribution(Lab& lab, const std::vector<Storage>& storages) {
  lab::Table table{.title = "What collections have to do with it",
                   .columns = {"storage", "minors", "majors", "GC ms", "of the mean frame",
                               "of the tail's excess", "tail frames with one", "others with one",
                               "longest pause ms"}};
  for (const Storage& s : storages) {
    table.rows.push_back(
        {s.label(), FixedNumber(s.Median(&Figures::minors), 0),
         FixedNumber(s.Median(&Figures::majors), 0), FixedNumber(s.Median(&Figures::gc_ms), 1),
         Percent(s.Median(&Figures::gc_share)), Percent(s.Median(&Figures::tail_gc_share)),
         Percent(s.Median(&Figures::tail_with_gc)), Percent(s.Median(&Figures::rest_with_gc)),
         FixedNumber(s.Median(&Figures::longest_pause_ms), 3)});
  }
  lab.Add(std::move(table));
}

// The frames of the first run that took longest, and what fell into them.
void AddWorstFrames(Lab& lab, const Storage& storage) {
  constexpr size_t kShown = 8;
  const std::vector<FrameSample>& frames = storage.runs[0].frames;
  std::vector<size_t> order(frames.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<long>(shown), order.end(),
                    [&](size_t a, size_t b) { return frames[a].cpu_ns > frames[b].cpu_ns; });
  lab::Table table{.title = absl::StrCat("The worst frames of ", storage.label(), ", first run"),
                   .columns = {"frame", "ms", "minors", "majors", "GC ms", "longest wait ms"}};
  for (size_t i = 0; i < shown; ++i) {
    const FrameSample& frame = frames[order[i]];
    table.rows.push_back({absl::StrCat(order[i] + 1),
                          FixedNumber(static_cast<double>(frame.cpu_ns) / 1e6, 3),
                          absl::StrCat(frame.minors), absl::StrCat(frame.majors),
                          FixedNumber(static_cast<double>(frame.gc_cpu_ns) / 1e6, 3),
                          FixedNumber(static_cast<double>(frame.gc_pause_ns) / 1e6, 3)});
  }
  lab.Add(std::move(table));
}

void AddPlot(Lab& lab, const std::vector<Storage>& storages) {
  lab::Plot plot{
      .title = "Frames of the first run", .x_label = "frame", .y_label = "ms of CPU time"};
  for (const Storage& storage : storages) {
    lab::Series all{.name = storage.label(), .points = {}, .style = lab::Series::Style::kLine};
    lab::Series collected{.name = absl::StrCat(storage.label(), ", held a collection"),
                          .points = {},
                          .style = lab::Series::Style::kPoints};
    const std::vector<FrameSample>& frames = storage.runs[0].frames;
    for (size_t i = 0; i < frames.size(); ++i) {
      const std::pair<double, double> point = {static_cast<double>(i + 1),
                                               static_cast<double>(frames[i].cpu_ns) / 1e6};
      all.points.push_back(point);
      if (frames[i].collections() > 0) collected.points.push_back(point);
    }
    plot.series.push_back(std::move(all));
    if (!collected.points.empty()) plot.series.push_back(std::move(collected));
  }
  lab.Add(std::move(plot));
}

// One sentence a storage: where its time goes, and whether it is worth it.
void SayWhatIsSeen(Lab& lab, const std::vector<Storage>& storages) {
  const Storage& first = storages[0];
  for (const Storage& s : storages) {
    std::string text =
        absl::StrCat(s.label(), ": collections are ", Percent(s.Median(&Figures::gc_share)),
                     " of the mean frame and ", Percent(s.Median(&Figures::tail_gc_share)),
                     " of what the worst hundredth takes longer than the median.");
    if (&s != &first) {
      const double p50 = s.Median(&Figures::p50_ms) / first.Median(&Figures::p50_ms);
      const double p99 = s.Median(&Figures::p99_ms) / first.Median(&Figures::p99_ms);
      absl::StrAppend(&text, " Against ", first.label(), ": ", FixedNumber(p50, 2),
                      " of its median, ", FixedNumber(p99, 2), " of its p99.");
    }
    lab.Say(std::move(text));
  }
}

void AddRows(Lab& lab, const std::vector<Storage>& storages) {
  for (const Storage& s : storages) {
    lab.Observe(absl::StrCat(s.label(), ", median frame"), "ms", s.Median(&Figures::p50_ms));
    lab.Observe(absl::StrCat(s.label(), ", p99"), "ms", s.Median(&Figures::p99_ms));
    const MedianInterval sum = s.Summary(&Figures::checksum);
    const bool agrees = sum.low == sum.high && sum.median == storages[0].runs[0].checksum;
    lab.Holds(absl::StrCat(s.label(), ", checksum in every run"), agrees,
              absl::StrCat("== ", lab::ShortestNumber(storages[0].runs[0].checksum)),
              {.criterion_class = lab::Class::kExact});
  }
}

void Report(Lab& lab, const std::vector<Storage>& storages) {
  AddFrames(lab, storages);
  AddAttribution(lab, storages);
  for (const Storage& storage : storages) AddWorstFrames(lab, storage);
  AddPlot(lab, storages);
  SayWhatIsSeen(lab, storages);
  AddRows(lab, storages);
}

// An experiment refers to its texts, and the reports to the experiment: it stays for the process.
const lab::Experiment& ExperimentFor(const std::string& path) {
  static std::string title;
  static lab::Experiment experiment;
  title = path;
  experiment = {.id = "own",
                .family = "own",
                .title = title.c_str(),
                .explains =
                    "A workload of your own: the same frames over each of its storages, "
                    "every run in a process of its own.",
                .headline = false,
                .run = nullptr};
  return experiment;
}

}  // namespace

absl::StatusOr<lab::ExperimentResult> RunOwnWorkload(const lab::Settings& settings,
                                                     const OwnWorkload& workload) {
  const absl::Status status = CheckSpec({workload.path, workload.knobs});
  if (!status.ok()) return status;
  const absl::StatusOr<ScriptFacts> facts = ReadScriptFacts(workload.path);
  if (!facts.ok()) return facts.status();
  std::vector<Storage> storages;
  for (const std::string& name : facts->storages) storages.push_back({.name = name, .runs = {}});
  for (const Knob& knob : workload.knobs) {
    if (knob.name == "storage") storages = {{.name = knob.value, .runs = {}}};
  }
  auto lab = std::make_unique<Lab>(settings);
  lab->Begin("own");
  const uint64_t start_ns = MonotonicNanos();
  const absl::Status measured = Measure(*lab, workload, &storages);
  if (!measured.ok()) return measured;
  Report(*lab, storages);
  const double seconds = static_cast<double>(MonotonicNanos() - start_ns) * 1e-9;
  return lab::ExperimentResult{&ExperimentFor(workload.path), std::move(lab), seconds};
}

}  // namespace neap::workload
