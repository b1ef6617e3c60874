// SPDX-License-Identifier: MIT
#include "bullet_cells.h"

#include <algorithm>
#include <functional>
#include <map>

#include "absl/strings/str_cat.h"
#include "number_text.h"

namespace neap::lab {
namespace {

// Above this rate one process is enough to pay for.
constexpr int kRepeatedSpawns = 3000;

constexpr double kNsPerMs = 1e6;

uint64_t CellRepetitions(const Lab& lab, int spawn) {
  return spawn > kRepeatedSpawns ? 1 : lab.Repetitions(3, 1);
}

double MedianOf(const Lab& lab, const BulletSpec& spec,
                const std::function<double(const BulletRun&)>& figure) {
  std::vector<double> values;
  BulletSpec cell = spec;
  for (cell.repetition = 0; cell.repetition < CellRepetitions(lab, spec.spawn); ++cell.repetition) {
    values.push_back(figure(RunBulletCell(lab, cell)));
  }
  return Median(values);
}

}  // namespace

BulletSpec SourceSpec(BulletStorageKind kind, int spawn, int fields) {
  BulletSpec spec{.kind = kind, .spawn = spawn, .fields = fields};
  if (IsManaged(kind)) spec.options = {"preset=source", absl::StrCat("nursery=", kSourceNursery)};
  return spec;
}

gc::Options SourceOptions() { return *BulletOptions(SourceSpec(BulletStorageKind::kFresh, 1000)); }

BulletSpec DefaultSpec(const Lab& lab, BulletStorageKind kind, int spawn, int fields) {
  BulletSpec spec{.kind = kind, .spawn = spawn, .fields = fields};
  if (IsManaged(kind)) spec.options = OptionArguments(lab.settings().heap);
  return spec;
}

BulletSpec NonMovingSpec(BulletStorageKind kind, int spawn, int fields) {
  BulletSpec spec{.kind = kind, .spawn = spawn, .fields = fields};
  if (IsManaged(kind)) spec.options = {"preset=source", "nursery=off"};
  return spec;
}

CellSummary Summarize(const Lab& lab, const BulletSpec& spec) {
  std::vector<double> p50, p99;
  CellSummary summary;
  summary.checksums_agree = true;
  BulletSpec cell = spec;
  for (cell.repetition = 0; cell.repetition < CellRepetitions(lab, spec.spawn); ++cell.repetition) {
    const BulletRun& run = RunBulletCell(lab, cell);
    p50.push_back(run.p50_ms());
    p99.push_back(run.p99_ms());
    if (cell.repetition == 0) summary.checksum = run.checksum;
    summary.checksums_agree &= run.checksum == summary.checksum && !run.frames.empty();
  }
  const auto median = [&](auto figure) { return MedianOf(lab, spec, figure); };
  summary.p50_ms = Median(p50);
  summary.p99_ms = Median(p99);
  summary.p50_spread = Spread(p50);
  summary.p99_spread = Spread(p99);
  summary.max_ms = median([](const BulletRun& run) { return run.max_ms(); });
  summary.wall_p99_ms = median(
      [](const BulletRun& run) { return PercentileMs(run.frames, &FrameSample::wall_ns, 0.99); });
  summary.minors = median([](const BulletRun& run) { return static_cast<double>(run.minors); });
  summary.majors = median([](const BulletRun& run) { return static_cast<double>(run.majors); });
  summary.gc_ms =
      median([](const BulletRun& run) { return static_cast<double>(run.gc_cpu_ns) / kNsPerMs; });
  summary.max_pause_ms = median(
      [](const BulletRun& run) { return static_cast<double>(run.max_pause_cpu_ns) / kNsPerMs; });
  summary.spawn_p50_ms =
      median([](const BulletRun& run) { return MedianMs(run.frames, &FrameSample::spawn_ns); });
  summary.update_p50_ms =
      median([](const BulletRun& run) { return MedianMs(run.frames, &FrameSample::update_ns); });
  return summary;
}

CellSummary Control(const Lab& lab, int spawn, int fields) {
  return Summarize(
      lab, SourceSpec(BulletStorageKind::kCppTyped, std::min(spawn, kRepeatedSpawns), fields));
}

double ExpectedChecksum(int spawn) {
  if (const auto published = PublishedChecksum(spawn)) return *published;
  static std::map<int, double> computed;
  const auto [place, is_new] = computed.try_emplace(spawn);
  if (is_new) place->second = ReferenceChecksum(spawn);
  return place->second;
}

std::string Ms(double ms) { return FixedNumber(ms, 3); }

std::string ModeName(const BulletSpec& spec) {
  if (!IsManaged(spec.kind)) return "malloc";
  if (spec.options.empty() || spec.options[0] != "preset=source") return "default";
  return absl::StrCat("source, ", spec.options.back());
}

}  // namespace neap::lab
