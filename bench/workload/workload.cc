// SPDX-License-Identifier: MIT
#include "workload.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bullet_run.h"
#include "child_process.h"
#include "script_workload.h"
#include "synthetic.h"

namespace neap::workload {
namespace {

const KnobMeaning kRunKnobs[] = {
    {"frames", "600", "measured frames, 1 to 1,000,000"},
    {"warmup", "30", "frames before them (bullets: always 30)"},
    {"seed", "1", "of the workload's random numbers (bullets: a fixed one)"},
    {"samples", "0", "1: the figures of each frame are part of the result"},
};

const KnobMeaning kBulletKnobs[] = {
    {"storage", "fresh", "fresh, pool, gcpool, typed, typedfifo, or cpp- and one of them"},
    {"spawn", "1000", "bullets a frame, 1 to 1,000,000"},
    {"fields", "6", "of a bullet: 6 or 20"},
};

absl::Status SetRunKnob(const Knob& knob, RunKnobs* run) {
  const auto whole = [&knob](int64_t low, int64_t high, auto* value) {
    const absl::StatusOr<int64_t> number = WholeNumber(knob, low, high);
    if (number.ok()) *value = static_cast<std::remove_pointer_t<decltype(value)>>(*number);
    return number.status();
  };
  if (knob.name == "frames") return whole(1, 1'000'000, &run->frames);
  if (knob.name == "warmup") return whole(0, 1'000'000, &run->warmup);
  if (knob.name == "seed") return whole(0, INT64_MAX, &run->seed);
  return whole(0, 1, &run->frames_too);
}

bool IsRunKnob(std::string_view name) {
  return std::any_of(std::begin(kRunKnobs), std::end(kRunKnobs),
                     [name](const KnobMeaning& knob) { return name == knob.name; });
}

// --- bullets -------------------------------------------------------------------------------------

absl::StatusOr<lab::BulletSpec> BulletSpecOf(const Spec& spec, const SortedKnobs& knobs) {
  lab::BulletSpec bullets{.frames = knobs.run.frames};
  for (const Knob& knob : knobs.rest) {
    if (knob.name == "storage") {
      const auto kind = lab::ParseBulletStorage(knob.value);
      if (!kind) return BadKnob(knob, kBulletKnobs[0].sentence);
      bullets.kind = *kind;
    } else if (knob.name == "spawn") {
      const absl::StatusOr<int64_t> spawn = WholeNumber(knob, 1, 1'000'000);
      if (!spawn.ok()) return spawn.status();
      bullets.spawn = static_cast<int>(*spawn);
    } else if (knob.name == "fields") {
      if (knob.value != "6" && knob.value != "20") return BadKnob(knob, "6 or 20");
      bullets.fields = knob.value == "6" ? 6 : 20;
    } else {
      return UnknownKnob(knob, "bullets", "storage, spawn, fields");
    }
  }
  for (const Knob& knob : spec.knobs) {
    if (gc::IsOption(knob.name)) bullets.options.push_back(KnobText(knob));
    const bool is_fixed = knob.name == "warmup" || knob.name == "seed";
    if (is_fixed && knob.value != (knob.name == "warmup" ? "30" : "1")) {
      return BadKnob(knob, "the published workload's own");
    }
  }
  if (!lab::IsManaged(bullets.kind)) bullets.options.clear();
  return bullets;
}

Run FromBullets(const lab::BulletRun& bullets) {
  return {.frames = bullets.frames,
          .checksum = bullets.checksum,
          .minors = bullets.minors,
          .majors = bullets.majors,
          .alloc_bytes = bullets.alloc_bytes,
          .alloc_objects = bullets.alloc_objects,
          .copied_bytes = bullets.copied_bytes,
          .promoted_bytes = bullets.promoted_bytes,
          .in_place_bytes = bullets.in_place_bytes,
          .gc_cpu_ns = bullets.gc_cpu_ns,
          .longest_pause_cpu_ns = bullets.max_pause_cpu_ns,
          .page_faults = bullets.page_faults,
          .peak_bytes = lab::OwnPeakBytes()};
}

// --- The cell ------------------------------------------------------------------------------------

// `neap lab-cell workload WORKLOAD NAME=VALUE...`
int WorkloadCellMain(const std::vector<std::string>& arguments) {
  Spec spec{.workload = arguments.empty() ? "" : arguments[0]};
  absl::Status status;
  for (size_t i = 1; i < arguments.size() && status.ok(); ++i) {
    absl::StatusOr<Knob> knob = ParseKnob(arguments[i]);
    status = knob.status();
    if (status.ok()) spec.knobs.push_back(*std::move(knob));
  }
  absl::StatusOr<SortedKnobs> knobs = SortKnobs(spec);
  if (status.ok()) status = knobs.status();
  // Standard output belongs to the result: what a script prints goes to the error output.
  const int result_fd = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  absl::StatusOr<Run> run = status.ok() ? RunHere(spec) : status;
  std::fflush(stdout);
  if (!run.ok()) {
    std::fprintf(stderr, "neap: %s\n", std::string(run.status().message()).c_str());
    return 1;
  }
  const std::string text = ToJson(FiguresOf(*run, knobs->run.frames_too)) + "\n";
  std::FILE* const result = fdopen(result_fd, "w");
  if (result == nullptr) return 1;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), result) == text.size();
  return std::fclose(result) == 0 && is_written ? 0 : 1;
}

const lab::Cell kCell("workload", &WorkloadCellMain);

}  // namespace

absl::StatusOr<Knob> ParseKnob(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not NAME=VALUE"));
  }
  return Knob{text.substr(0, equals), text.substr(equals + 1)};
}

std::string KnobText(const Knob& knob) { return absl::StrCat(knob.name, "=", knob.value); }

bool IsCommonKnob(std::string_view name) { return IsRunKnob(name) || gc::IsOption(name); }
bool IsScript(std::string_view workload) { return workload.ends_with(".lua"); }

absl::StatusOr<int64_t> WholeNumber(const Knob& knob, int64_t low, int64_t high) {
  int64_t number = 0;
  if (absl::SimpleAtoi(knob.value, &number) && number >= low && number <= high) return number;
  return BadKnob(knob, absl::StrCat("a whole number from ", low, " to ", high));
}

absl::Status BadKnob(const Knob& knob, const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(knob.name, ": \"", knob.value, "\" is not allowed; give ", allowed));
}

absl::Status UnknownKnob(const Knob& knob, const std::string& workload, const std::string& known) {
  return absl::InvalidArgumentError(
      absl::StrCat(workload, ": no knob \"", knob.name, "\" (value \"", knob.value, "\"); it has ",
                   known, "; `neap sweep list` lists those of the run and of the heap"));
}

absl::StatusOr<SortedKnobs> SortKnobs(const Spec& spec) {
  SortedKnobs sorted;
  absl::Status status = gc::SetOptionsFromEnvironment(sorted.heap);
  // A preset never undoes what was asked for by name.
  for (const bool presets : {true, false}) {
    for (const Knob& knob : spec.knobs) {
      if (!status.ok()) return status;
      if (!gc::IsOption(knob.name) || (knob.name == "preset") != presets) continue;
      status = gc::SetOption(sorted.heap, knob.name, knob.value);
    }
  }
  for (const Knob& knob : spec.knobs) {
    if (!status.ok()) return status;
    if (IsRunKnob(knob.name)) {
      status = SetRunKnob(knob, &sorted.run);
    } else if (!gc::IsOption(knob.name)) {
      sorted.rest.push_back(knob);
    }
  }
  if (status.ok()) status = gc::ValidateOptions(sorted.heap);
  if (!status.ok()) return status;
  return sorted;
}

absl::Status CheckSpec(const Spec& spec) {
  const absl::StatusOr<SortedKnobs> knobs = SortKnobs(spec);
  if (!knobs.ok()) return knobs.status();
  if (spec.workload == "bullets") return BulletSpecOf(spec, *knobs).status();
  if (spec.workload == "synthetic") return CheckSynthetic(*knobs);
  if (!IsScript(spec.workload)) {
    return absl::NotFoundError(
        absl::StrCat("no workload \"", spec.workload, "\"; give bullets, synthetic or a FILE.lua"));
  }
  if (access(spec.workload.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("cannot read the workload '", spec.workload, "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Run> RunHere(const Spec& spec) {
  const absl::Status status = CheckSpec(spec);
  if (!status.ok()) return status;
  const absl::StatusOr<SortedKnobs> knobs = SortKnobs(spec);
  if (!knobs.ok()) return knobs.status();
  if (IsScript(spec.workload)) return RunScript(spec.workload, *knobs);
  if (spec.workload == "synthetic") return RunSynthetic(*knobs);
  const absl::StatusOr<lab::BulletSpec> bullets = BulletSpecOf(spec, *knobs);
  if (!bullets.ok()) return bullets.status();
  return FromBullets(lab::RunBullets(*bullets));
}

absl::StatusOr<Figures> RunApart(const Spec& spec, const std::string& program) {
  std::vector<std::string> argv = {program, "lab-cell", "workload", spec.workload};
  for (const Knob& knob : spec.knobs) argv.push_back(KnobText(knob));
  const lab::ChildProcess process = lab::RunToEnd(argv);
  if (process.ok) return FiguresFromJson(process.output);
  return absl::AbortedError(absl::StrCat(
      "a run of ", spec.workload, " failed: it ended ",
      process.status < 0 ? "by a signal" : absl::StrCat("with status ", process.status),
      " and without a result"));
}

std::string DescribeWorkloads() {
  std::string text;
  const auto list = [&text](const char* title, const auto& knobs) {
    absl::StrAppend(&text, title, "\n");
    for (const KnobMeaning& knob : knobs) {
      absl::StrAppendFormat(&text, "  %-11s %-17s %s\n", knob.name, knob.initial, knob.sentence);
    }
  };
  list("bullets: the bullet workload of the lab", kBulletKnobs);
  list("synthetic: objects with drawn sizes and lifetimes", SyntheticKnobs());
  absl::StrAppend(&text, "FILE.lua: setup, step, teardown in a script; its own `params`, and\n",
                  "  storage     (the first)       one of its `storages`\n");
  list("every run", kRunKnobs);
  absl::StrAppend(&text,
                  "every heap\n  preset, gogc, memlimit, nursery, tenure, workers, procs, in-place "
                  "as the flags of that name\n"
                  "distributions\n  64, uniform:16-256, exp:64KiB, lognormal:48:0.7, "
                  "pareto:16:1.5, choice:16/64/4096\n");
  return text;
}

}  // namespace neap::workload
