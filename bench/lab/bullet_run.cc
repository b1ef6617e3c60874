// SPDX-License-Identifier: MIT
#include "bullet_run.h"

#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bullets_cpp.h"
#include "bullets_managed.h"
#include "lab_heap.h"
#include "neap/runtime/check.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/debug.h"
#include "neap/runtime/os_memory.h"

namespace neap::lab {
namespace {

// Asks the workload for its own population in every minor collection. It registers as a source of
// roots and has none: being asked is the point, and it costs the frame nothing.
class PopulationProbe final : public gc::RootProvider {
 public:
  PopulationProbe(gc::Heap& heap, const BulletStorage& storage) : heap_(heap), storage_(storage) {
    heap_.AddRootProvider(this);
  }
  ~PopulationProbe() override { heap_.RemoveRootProvider(this); }
  void VisitRoots(gc::Tracer&) override {}
  void VisitYoungRoots(gc::Tracer&) override { at_minors_.push_back(storage_.live()); }
  const std::vector<uint64_t>& at_minors() const { return at_minors_; }

 private:
  gc::Heap& heap_;
  const BulletStorage& storage_;
  std::vector<uint64_t> at_minors_;
};

// What happens around a frame; the managed run drains events there.
class FrameObserver {
 public:
  virtual ~FrameObserver() = default;
  virtual void BeforeFrame(int64_t) {}
  virtual void AfterFrame(int64_t) {}
  virtual void BeforeMeasured() {}
};

FrameSample TimeFrame(BulletStorage& storage, BulletGenerator& generator, int spawn,
                      uint64_t* updated, double* sum) {
  FrameSample sample;
  const uint64_t cpu_ns = ThreadCpuNanos();
  const uint64_t start_ns = MonotonicNanos();
  storage.Spawn(generator, spawn);
  const uint64_t spawned_cpu_ns = ThreadCpuNanos();
  *updated = storage.live();
  *sum = storage.Update();
  const uint64_t end_ns = MonotonicNanos();
  const uint64_t end_cpu_ns = ThreadCpuNanos();
  sample.wall_ns = end_ns - start_ns;
  sample.cpu_ns = end_cpu_ns - cpu_ns;
  sample.spawn_ns = spawned_cpu_ns - cpu_ns;
  sample.update_ns = end_cpu_ns - spawned_cpu_ns;
  return sample;
}

void RunFrames(const BulletSpec& spec, BulletStorage& storage, FrameObserver& observer,
               BulletRun* run) {
  BulletGenerator generator;
  CacheMissCounter cache;
  run->frames.reserve(static_cast<size_t>(spec.frames));
  uint64_t faults = 0, misses = 0, grown = 0, updated = 0, updated_sum = 0, kept_sum = 0;
  double checksum = 0, sum = 0;
  for (int64_t frame = -kBulletWarmFrames; frame < spec.frames; ++frame) {
    if (frame == 0) {
      run->made_in_warmup = storage.made();
      grown = storage.grown();
      observer.BeforeMeasured();
      faults = OsMinorFaults();
      misses = cache.misses();
    }
    observer.BeforeFrame(frame);
    const FrameSample sample = TimeFrame(storage, generator, spec.spawn, &updated, &sum);
    observer.AfterFrame(frame);
    run->max_live = std::max<uint64_t>(run->max_live, updated);
    if (frame < 0) continue;
    checksum += sum;
    updated_sum += updated;
    kept_sum += storage.live();
    run->frames.push_back(sample);
  }
  run->page_faults = OsMinorFaults() - faults;
  run->cache_misses = cache.misses() - misses;
  run->cache_misses_known = cache.available() ? 1 : 0;
  run->grown_measured = storage.grown() - grown;
  run->made_measured = storage.made() - run->made_in_warmup;
  run->checksum = std::round(checksum);
  run->mean_live_updating = static_cast<double>(updated_sum) / spec.frames;
  run->mean_live_kept = static_cast<double>(kept_sum) / spec.frames;
  run->locality = LocalityOf(storage.LiveAddresses());
}

class HeapObserver final : public FrameObserver {
 public:
  HeapObserver(gc::Heap& heap, CollectionLog& log) : heap_(heap), log_(log) {}
  void BeforeFrame(int64_t frame) override { log_.set_frame(frame); }
  void AfterFrame(int64_t) override { log_.Drain(); }
  void BeforeMeasured() override { before_ = heap_.Snapshot(); }
  const gc::Stats& before() const { return before_; }

 private:
  gc::Heap& heap_;
  CollectionLog& log_;
  gc::Stats before_;
};

void TakeCollections(const CollectionLog& log, const std::vector<uint64_t>& populations,
                     BulletRun* run) {
  run->minor_records = log.minors();
  run->major_records = log.majors();
  run->lost_events = log.lost();
  for (size_t i = 0; i < std::min(populations.size(), run->minor_records.size()); ++i) {
    run->minor_records[i].live_objects = populations[i];
  }
  run->max_pause_cpu_ns =
      AttributeCollections(run->minor_records, run->major_records, &run->frames);
}

void RunManaged(const BulletSpec& spec, BulletRun* run) {
  const absl::StatusOr<gc::Options> options = BulletOptions(spec);
  NEAP_CHECK(options.ok(), "a bullet cell gets options that were valid in its parent", "%s",
             options.status().ToString().c_str());
  gc::Options with_switches = *options;
  if (auto switches = DebugSwitchesFromEnvironment(); switches.ok())
    with_switches.debug = *switches;
  LabHeap lab_heap(with_switches);
  gc::Heap& heap = lab_heap.heap();
  gc::Mutator& m = lab_heap.mutator();
  CollectionLog log(heap);
  const auto storage = MakeManagedStorage(m, spec.kind, spec.fields, spec.spawn);
  PopulationProbe probe(heap, *storage);
  HeapObserver observer(heap, log);
  RunFrames(spec, *storage, observer, run);
  const gc::Stats after = heap.Snapshot();
  TakeDifference(observer.before(), after, run);
  run->total_young_bytes = after.young_alloc_bytes;
  // One more minor, outside every frame, says how much of eden was left unused (B12).
  log.set_frame(spec.frames);
  heap.CollectMinor(m);
  log.Drain();
  TakeCollections(log, probe.at_minors(), run);
}

// --- Text ----------------------------------------------------------------------------------------

// Records are words, so one writer and one reader serve all three kinds.
template <typename Record>
void WriteRecords(const char* name, const std::vector<Record>& records, std::string* text) {
  using Words = std::array<int64_t, sizeof(Record) / sizeof(int64_t)>;
  for (const Record& record : records) {
    absl::StrAppend(text, name, " ", absl::StrJoin(std::bit_cast<Words>(record), " "), "\n");
  }
}

template <typename Record>
void ReadRecord(std::istringstream& in, std::vector<Record>* records) {
  std::array<int64_t, sizeof(Record) / sizeof(int64_t)> words;
  for (int64_t& word : words) in >> word;
  records->push_back(std::bit_cast<Record>(words));
}

using RealField = std::pair<const char*, double BulletRun::*>;
constexpr RealField kRealFields[] = {{"checksum", &BulletRun::checksum},
                                     {"mean_live_updating", &BulletRun::mean_live_updating},
                                     {"mean_live_kept", &BulletRun::mean_live_kept}};
using CountField = std::pair<const char*, uint64_t BulletRun::*>;
constexpr CountField kCountFields[] = {
#define NEAP_LIST_COUNT(name) {#name, &BulletRun::name},
    NEAP_LAB_BULLET_COUNTS(NEAP_LIST_COUNT)
#undef NEAP_LIST_COUNT
};

std::string Exactly(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

template <typename Fields>
bool ReadField(const Fields& fields, const std::string& name, std::istringstream& in,
               BulletRun* run) {
  for (const auto& [known, field] : fields) {
    if (name == known) return static_cast<bool>(in >> run->*field);
  }
  return false;
}

bool ReadLine(const std::string& line, BulletRun* run) {
  std::istringstream in(line);
  std::string name;
  in >> name;
  if (name == "frame") {
    ReadRecord(in, &run->frames);
  } else if (name == "minor") {
    ReadRecord(in, &run->minor_records);
  } else if (name == "major") {
    ReadRecord(in, &run->major_records);
  } else if (name == "locality") {
    in >> run->locality.median_step_bytes >> run->locality.share_within_4kib;
  } else {
    return ReadField(kRealFields, name, in, run) || ReadField(kCountFields, name, in, run);
  }
  return !in.fail();
}

// The cell: `neap lab-cell bullets fresh 3000 6 600 0 preset=source ...`.
int BulletCellMain(const std::vector<std::string>& arguments) {
  const absl::StatusOr<BulletSpec> spec = SpecFromArguments(arguments);
  if (!spec.ok()) {
    std::fprintf(stderr, "bullets: %s\n", spec.status().ToString().c_str());
    return 2;
  }
  const std::string text = ToText(RunBullets(*spec));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

const Cell kCell("bullets", &BulletCellMain);

}  // namespace

absl::StatusOr<gc::Options> BulletOptions(const BulletSpec& spec) {
  gc::Options options;
  for (const std::string& option : spec.options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("\"", option, "\" is not name=value"));
    }
    const absl::Status status =
        gc::SetOption(options, option.substr(0, equals), option.substr(equals + 1));
    if (!status.ok()) return status;
  }
  const absl::Status status = gc::ValidateOptions(options);
  if (!status.ok()) return status;
  return options;
}

BulletRun RunBullets(const BulletSpec& spec) {
  BulletRun run;
  if (IsManaged(spec.kind)) {
    RunManaged(spec, &run);
  } else {
    const auto storage = MakeCppStorage(spec.kind, spec.fields, spec.spawn);
    FrameObserver observer;
    RunFrames(spec, *storage, observer, &run);
  }
  return run;
}

std::vector<std::string> ToArguments(const BulletSpec& spec) {
  std::vector<std::string> arguments = {BulletStorageName(spec.kind), absl::StrCat(spec.spawn),
                                        absl::StrCat(spec.fields), absl::StrCat(spec.frames),
                                        absl::StrCat(spec.repetition)};
  arguments.insert(arguments.end(), spec.options.begin(), spec.options.end());
  return arguments;
}

absl::StatusOr<BulletSpec> SpecFromArguments(const std::vector<std::string>& arguments) {
  BulletSpec spec;
  if (arguments.size() < 5) {
    return absl::InvalidArgumentError(
        "needs STORAGE SPAWN FIELDS FRAMES REPETITION [NAME=VALUE...]");
  }
  const auto kind = ParseBulletStorage(arguments[0]);
  if (!kind.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("no storage \"", arguments[0], "\""));
  }
  spec.kind = *kind;
  spec.spawn = std::atoi(arguments[1].c_str());
  spec.fields = std::atoi(arguments[2].c_str());
  spec.frames = std::atoi(arguments[3].c_str());
  spec.repetition = std::strtoull(arguments[4].c_str(), nullptr, 10);
  spec.options.assign(arguments.begin() + 5, arguments.end());
  if (spec.spawn < 1 || (spec.fields != 6 && spec.fields != 20) || spec.frames < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("spawn=", spec.spawn, " fields=", spec.fields, " frames=", spec.frames));
  }
  const absl::StatusOr<gc::Options> options = BulletOptions(spec);
  if (!options.ok()) return options.status();
  return spec;
}

std::string ToText(const BulletRun& run) {
  std::string text;
  for (const auto& [name, field] : kRealFields) {
    absl::StrAppend(&text, name, " ", Exactly(run.*field), "\n");
  }
  for (const auto& [name, field] : kCountFields)
    absl::StrAppend(&text, name, " ", run.*field, "\n");
  absl::StrAppend(&text, "locality ", Exactly(run.locality.median_step_bytes), " ",
                  Exactly(run.locality.share_within_4kib), "\n");
  WriteRecords("frame", run.frames, &text);
  WriteRecords("minor", run.minor_records, &text);
  WriteRecords("major", run.major_records, &text);
  return text;
}

absl::StatusOr<BulletRun> RunFromText(std::string_view text) {
  BulletRun run;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    if (!ReadLine(line, &run)) {
      return absl::InvalidArgumentError(
          absl::StrCat("not a line of a bullet cell: \"", line, "\""));
    }
  }
  if (run.frames.empty()) return absl::InvalidArgumentError("the cell printed no frame");
  return run;
}

const BulletRun& RunBulletCell(const Lab& lab, const BulletSpec& spec) {
  static std::map<std::string, BulletRun> runs;
  const std::vector<std::string> arguments = ToArguments(spec);
  const auto [place, is_new] = runs.try_emplace(absl::StrJoin(arguments, " "));
  if (!is_new) return place->second;
  absl::StatusOr<BulletRun> run = RunFromText(RunIsolated(lab, "bullets", arguments));
  if (run.ok()) {
    place->second = *std::move(run);
  } else {
    std::fprintf(stderr, "neap lab: cell \"bullets %s\" failed: %s\n", place->first.c_str(),
                 run.status().ToString().c_str());
  }
  return place->second;
}

}  // namespace neap::lab
