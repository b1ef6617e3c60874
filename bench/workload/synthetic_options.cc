// SPDX-License-Identifier: MIT
#include "synthetic_options.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "neap/gc/options.h"
#include "synthetic.h"

namespace neap::workload {
namespace {

absl::Status ReadWhole(const Knob& knob, int64_t low, int64_t high, int64_t* value) {
  const absl::StatusOr<int64_t> number = WholeNumber(knob, low, high);
  if (number.ok()) *value = *number;
  return number.status();
}

absl::Status ReadDistribution(const Knob& knob, Distribution* distribution) {
  absl::StatusOr<Distribution> parsed = Distribution::Parse(knob.value);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(knob.name, ": ", parsed.status().message()));
  }
  *distribution = *std::move(parsed);
  return absl::OkStatus();
}

absl::Status ReadRetention(const Knob& knob, std::optional<pool::Retention>* retention) {
  using pool::Retention;
  const std::string& text = knob.value;
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  uint32_t generations = 0;
  if (text == "none") {
    *retention = std::nullopt;
  } else if (text == "flush") {
    *retention = Retention::Flush();
  } else if (text == "victim") {
    *retention = Retention::Victim(1);
  } else if (name == "victim" && absl::SimpleAtoi(rest, &generations) && generations >= 1 &&
             generations <= Retention::kMaxGenerations) {
    *retention = Retention::Victim(generations);
  } else if (const auto bytes = gc::ParseBytes(rest); name == "bytes" && bytes.ok()) {
    *retention = Retention::Bytes(*bytes);
  } else {
    return BadKnob(knob, "none, flush, victim, victim:1 to victim:8 or bytes:SIZE");
  }
  return absl::OkStatus();
}

absl::Status ReadFraction(const Knob& knob, double* value) {
  if (!absl::SimpleAtod(knob.value, value) || !(*value >= 0 && *value <= 1)) {
    return BadKnob(knob, "a number from 0 to 1");
  }
  return absl::OkStatus();
}

absl::Status ReadKnob(const Knob& knob, SyntheticOptions* o) {
  constexpr int64_t kMany = 100'000'000;
  if (knob.name == "size") return ReadDistribution(knob, &o->size);
  if (knob.name == "lifetime") return ReadDistribution(knob, &o->lifetime);
  if (knob.name == "rate") return ReadWhole(knob, 1, kMany, &o->rate);
  if (knob.name == "references") return ReadWhole(knob, 0, kMaxReferences, &o->references);
  if (knob.name == "mutations") return ReadWhole(knob, 0, kMany, &o->mutations);
  if (knob.name == "reads") return ReadWhole(knob, 0, kMany, &o->reads);
  if (knob.name == "threads") return ReadWhole(knob, 1, 64, &o->threads);
  if (knob.name == "immortal") return ReadFraction(knob, &o->immortal);
  if (knob.name == "pool") return ReadRetention(knob, &o->pool);
  std::string known;
  for (const KnobMeaning& meaning : SyntheticKnobs()) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", meaning.name);
  }
  return UnknownKnob(knob, "synthetic", known);
}

}  // namespace

const std::vector<KnobMeaning>& SyntheticKnobs() {
  static const std::vector<KnobMeaning> knobs = {
      {"rate", "2000", "objects that each thread allocates in a frame"},
      {"size", "lognormal:48:0.7", "bytes of an object, header included: a distribution"},
      {"lifetime", "exp:256KiB", "bytes allocated until it dies: a distribution"},
      {"immortal", "0.002", "part of the objects that never die"},
      {"references", "1", "references of an object, to random living ones; up to 32"},
      {"mutations", "0",
       "references of living objects overwritten in a frame (the barrier's work)"},
      {"reads", "0", "living objects read in a frame, at random (the cache's work)"},
      {"threads", "1", "allocating threads; the first one's frames are measured"},
      {"pool", "none",
       "dead objects go to a pool: flush, victim, victim:K or bytes:SIZE; fixed "
       "sizes only"},
  };
  return knobs;
}

absl::StatusOr<SyntheticOptions> ReadSyntheticOptions(const Knobs& knobs) {
  SyntheticOptions options;
  for (const KnobMeaning& meaning : SyntheticKnobs()) {
    const absl::Status status = ReadKnob({meaning.name, meaning.initial}, &options);
    if (!status.ok()) return status;
  }
  for (const Knob& knob : knobs) {
    const absl::Status status = ReadKnob(knob, &options);
    if (!status.ok()) return status;
  }
  if (options.pool && !options.size.is_fixed()) {
    return absl::InvalidArgumentError(
        "pool: a pool's objects are of one size; give a fixed one, such as size=64");
  }
  return options;
}

}  // namespace neap::workload
