// SPDX-License-Identifier: MIT
//
// How large eden should be.
//
// The pause of a minor collection follows what survives, not how large eden is. Let x be the age of
// an object in bytes allocated since its birth, and p(x) the share of bytes that live longer than
// that. A minor after E bytes of allocation finds
//
//   S(E) = integral of p(x) dx from 0 to E        survivor bytes
//
//   S |            . - '''''''   live set          p never grows, so S grows and bends down:
//     |       . '
//     |    .'                                        S(E)  <=  S(2E)  <=  2 S(E)          (N-bound)
//     |  .'   slope 1: everything survives           S(2E) - S(E)  <=  2 (S(E) - S(E/2))
//     +------------------------- E
//
// Those bounds are the model: one or two measured sizes bound the next size up from both sides,
// whatever the program is. A figure remembered from an earlier visit to that size refines the
// prediction but cannot leave the bounds, which is how the policy un-learns: a size that was too
// dear in another phase is judged by what is seen now.
//
// Work, not time, is predicted: bytes and objects times constants (SurvivorWorkNs). Policies never
// read the clock, so that a run with the same seed collects at the same points. Predictions are
// padded, mean + 2 mean absolute deviations, as TCP pads its round trips (RFC 6298 uses 4): a pause
// budget is a promise about the bad rounds.
//
// Sizes are min, 2 min, 4 min, ... max. One decision per minor, at most one step:
//
//   over the budget here                            -> shrink, at once
//   twice the size stays under 80 % of the budget:
//     and the fixed cost per minor is worth halving -> grow
//     otherwise, every 64 minors                    -> probe: climb a step every 3 minors while it
//                                                      fits; keep the size if the cost per
//                                                      allocated byte fell by 10 %, else walk back
//
// The probe is the sensor. A program whose objects live for 400 KiB of allocation shows 100 %
// survival at 256 KiB; only a visit to larger sizes shows that most of them would have died there.
//
// Three lessons of other adaptive heaps (PerryTS/perry issues 9851, 9861, 9949) are built in: the
// first minors see the start-up cohort, where everything survives, and teach nothing; a step is one
// size; whatever is decided keeps being measured.
//
// Invariants:
//   E1  min_bytes <= bytes() <= max_bytes, and a decision moves it by one size at most.
//   E2  It never grows to where the padded prediction exceeds kGrowShare of the budget.
//   E3  A probe ends: it is kept, or it returns to the size where it began unless the budget forces
//       a smaller one.
//   E4  Without survivors, max_bytes is reached; with steady survivors over the budget at every
//       size, min_bytes is.
#include "nursery_sizer.h"

#include <algorithm>
#include <cmath>

#include "neap/runtime/check.h"

namespace neap::gc {
namespace {

// Nominal cost, in ns, as bench/gc/copy_bench and trees_bench measured it on the reference machine:
// a 64-byte object is copied in 15 ns, most of it the object's own cost (header, forwarding, the
// miss). Only their ratio to budget_ns matters. Too high: eden stays small and minors are many. Too
// low: pauses exceed what the budget says.
constexpr double kCopyByteNs = 0.05;
constexpr double kCopyObjectNs = 12;
constexpr double kInPlaceObjectNs = 8;   // a start bit and a scan, no copy
constexpr double kScannedObjectNs = 20;  // a remembered object
constexpr double kRootByteNs = 0.25;     // 2 ns a slot
constexpr double kStopNs = 10'000;       // stop, turnover and restart

// Weight of a new sample in an average. Higher: follows noise. Lower: needs longer than a phase of
// the program lasts.
constexpr double kAlpha = 0.25;
// Weight of the nth sample: a plain average at first, so that the spread is known as soon as the
// mean.
double WeightOf(uint32_t n) { return std::max(kAlpha, 1.0 / n); }

// Full minors that teach nothing (start-up), and that a size is given before it is judged.
constexpr uint32_t kStartupRounds = 3;
constexpr uint32_t kSettleRounds = 3;
// Minors at one size before a probe. Fewer: more of the run is spent at sizes that do not pay
// (3 steps of 3 in 64 is 14 % already). More: a better size is found later.
constexpr uint32_t kProbeRounds = 64;
// Share of the budget that a larger size may be predicted to use: the gap to 1 is the hysteresis.
constexpr double kGrowShare = 0.8;
// Share of the cost per allocated byte that a larger size must save.
constexpr double kGain = 0.10;

}  // namespace

const char* SizerReasonName(SizerReason reason) {
  switch (reason) {
#define NEAP_REASON_CASE(name, text) \
  case SizerReason::name:            \
    return text;
    NEAP_SIZER_REASONS(NEAP_REASON_CASE)
#undef NEAP_REASON_CASE
  }
  return "unknown";
}

void NurserySizer::Average::Add(double value) {
  ++samples;
  known = true;
  if (samples == 1) {
    mean = value;
    deviation = 0;
    return;
  }
  const double weight = WeightOf(samples);
  deviation += weight * (std::abs(value - mean) - deviation);
  mean += weight * (value - mean);
}

void NurserySizer::Average::Seed(double guess_mean, double guess_deviation) {
  *this = {.mean = guess_mean, .deviation = guess_deviation, .samples = 0, .known = true};
}

double NurserySizer::SurvivorWorkNs(const MinorSample& sample) {
  return kCopyByteNs * static_cast<double>(sample.copied_bytes) +
         kCopyObjectNs * static_cast<double>(sample.copied_objects) +
         kInPlaceObjectNs * static_cast<double>(sample.in_place_objects);
}

double NurserySizer::FixedWorkNs(const MinorSample& sample) {
  return kStopNs + kScannedObjectNs * static_cast<double>(sample.scanned_objects) +
         kRootByteNs * static_cast<double>(sample.root_bytes);
}

NurserySizer::NurserySizer(const Config& config) : config_(config) {
  NEAP_CHECK(config_.min_bytes > 0 && config_.min_bytes <= config_.max_bytes,
             "E1: bounds of the nursery are ordered", "min_bytes=%llu max_bytes=%llu",
             static_cast<unsigned long long>(config_.min_bytes),
             static_cast<unsigned long long>(config_.max_bytes));
  ResetLevels(config_.initial_bytes);
}

void NurserySizer::ResetLevels(uint64_t initial_bytes) {
  levels_.fill({});
  levels_in_use_ = 1;
  while (levels_in_use_ < kMaxLevels && SizeOf(levels_in_use_ - 1) < config_.max_bytes) {
    ++levels_in_use_;
  }
  level_ = 0;
  while (level_ + 1 < levels_in_use_ && SizeOf(level_) < initial_bytes) ++level_;
  rounds_at_level_ = 0;
  probe_ = Probe::kNone;
}

uint64_t NurserySizer::SizeOf(int level) const {
  if (config_.min_bytes > config_.max_bytes >> level) return config_.max_bytes;
  return config_.min_bytes << level;
}

NurserySizer::Decision NurserySizer::SetBounds(uint64_t min_bytes, uint64_t max_bytes) {
  if (min_bytes == config_.min_bytes && max_bytes == config_.max_bytes) {
    return Hold(SizerReason::kBounds);
  }
  NEAP_CHECK(min_bytes > 0 && min_bytes <= max_bytes, "E1: bounds of the nursery are ordered",
             "min_bytes=%llu max_bytes=%llu", static_cast<unsigned long long>(min_bytes),
             static_cast<unsigned long long>(max_bytes));
  const uint64_t before_bytes = bytes();
  config_.min_bytes = min_bytes;
  config_.max_bytes = max_bytes;
  ResetLevels(before_bytes);
  Decision decision = Hold(SizerReason::kBounds);
  decision.changed = bytes() != before_bytes;
  return decision;
}

NurserySizer::Decision NurserySizer::EndMinor(const MinorSample& sample) {
  if (sample.budget_bytes < bytes() - bytes() / 4) return Hold(SizerReason::kPartial);
  if (++rounds_ <= kStartupRounds) return Hold(SizerReason::kStart);
  Learn(sample);
  return probe_ == Probe::kNone ? JudgeSize() : EndProbeRound();
}

void NurserySizer::Learn(const MinorSample& sample) {
  Level& here = levels_[level_];
  here.work_ns.Add(SurvivorWorkNs(sample));
  here.survivor_bytes.Add(static_cast<double>(sample.copied_bytes + sample.in_place_bytes));
  fixed_ns_.Add(FixedWorkNs(sample));
  ++rounds_at_level_;
}

NurserySizer::Decision NurserySizer::JudgeSize() {
  if (levels_[level_].work_ns.Padded() > static_cast<double>(config_.budget_ns)) {
    return level_ > 0 ? Step(-1, SizerReason::kShrink) : Hold(SizerReason::kOverAtMin);
  }
  if (rounds_at_level_ < kSettleRounds) return Hold(SizerReason::kSettling);
  if (level_ + 1 == levels_in_use_) return Hold(SizerReason::kAtMax);
  if (!FitsUp()) return Hold(SizerReason::kTooDear);
  if (GainsUp()) return Step(+1, SizerReason::kGrow);
  if (rounds_at_level_ < kProbeRounds) return Hold(SizerReason::kNoGain);
  probe_ = Probe::kClimbing;
  origin_level_ = level_;
  origin_cost_ = CostPerByte(level_);
  return Step(+1, SizerReason::kProbe);
}

NurserySizer::Decision NurserySizer::EndProbeRound() {
  if (levels_[level_].work_ns.Padded() > static_cast<double>(config_.budget_ns)) {
    probe_ = Probe::kReturning;
  }
  if (probe_ == Probe::kClimbing) {
    if (rounds_at_level_ < kSettleRounds) return Hold(SizerReason::kProbe);
    if (CostPerByte(level_) <= (1 - kGain) * origin_cost_) {
      probe_ = Probe::kNone;
      return Hold(SizerReason::kProbeKept);
    }
    if (level_ + 1 < levels_in_use_ && FitsUp()) return Step(+1, SizerReason::kProbe);
    probe_ = Probe::kReturning;
  }
  if (level_ - 1 == origin_level_) probe_ = Probe::kNone;
  return Step(-1, SizerReason::kProbeReverted);
}

double NurserySizer::CostPerByte(int level) const {
  return (fixed_ns_.mean + levels_[level].work_ns.mean) / static_cast<double>(SizeOf(level));
}

double NurserySizer::RatioUp() const {
  return static_cast<double>(SizeOf(level_ + 1)) / static_cast<double>(SizeOf(level_));
}

double NurserySizer::SlopeBoundNs() const {
  if (level_ == 0 || levels_[level_ - 1].work_ns.samples < kSettleRounds) return HUGE_VAL;
  const double rise_ns =
      std::max(levels_[level_].work_ns.mean - levels_[level_ - 1].work_ns.mean, 0.0);
  const auto step_bytes = [this](int from) {
    return static_cast<double>(SizeOf(from + 1) - SizeOf(from));
  };
  return rise_ns * step_bytes(level_) / step_bytes(level_ - 1);
}

double NurserySizer::PredictUpNs() const {
  const double here_ns = levels_[level_].work_ns.Padded();
  const double most_ns = std::min(RatioUp() * here_ns, here_ns + SlopeBoundNs());  // N-bound
  const Average& up_ns = levels_[level_ + 1].work_ns;
  return up_ns.samples == 0 ? most_ns : std::clamp(up_ns.Padded(), here_ns, most_ns);
}

bool NurserySizer::FitsUp() const {
  return PredictUpNs() <= kGrowShare * static_cast<double>(config_.budget_ns);
}

bool NurserySizer::GainsUp() const {
  // Growing saves part of the fixed cost for certain; less survivor work per byte is a hope, unless
  // the larger size was visited and showed it.
  const double here_ns = fixed_ns_.mean + levels_[level_].work_ns.mean;
  const double saved_ns = fixed_ns_.mean * (1 - 1 / RatioUp());
  if (saved_ns >= kGain * here_ns) return true;
  return levels_[level_ + 1].work_ns.samples >= kSettleRounds &&
         CostPerByte(level_ + 1) <= (1 - kGain) * CostPerByte(level_);
}

NurserySizer::Decision NurserySizer::Step(int delta, SizerReason reason) {
  const Level from = levels_[level_];
  const double ratio =
      delta > 0 ? RatioUp()
                : static_cast<double>(SizeOf(level_ - 1)) / static_cast<double>(SizeOf(level_));
  level_ += delta;
  rounds_at_level_ = 0;
  // What is expected here until the first sample: linear, the upper end of the N-bound going up.
  Level& here = levels_[level_];
  here.work_ns.Seed(from.work_ns.mean * ratio, from.work_ns.deviation * ratio);
  here.survivor_bytes.Seed(from.survivor_bytes.mean * ratio, from.survivor_bytes.deviation * ratio);
  Decision decision = Hold(reason);
  decision.changed = true;
  return decision;
}

NurserySizer::Decision NurserySizer::Hold(SizerReason reason) const {
  return {bytes(), reason, PredictedSurvivorBytes(), false};
}

uint64_t NurserySizer::PredictedSurvivorBytes() const {
  const Average& survivors = levels_[level_].survivor_bytes;
  return survivors.known ? static_cast<uint64_t>(survivors.Padded()) : bytes();
}

uint64_t NurserySizer::PredictedWorkNs() const {
  const Level& here = levels_[level_];
  if (!here.work_ns.known) return 0;
  return static_cast<uint64_t>(here.work_ns.Padded() + fixed_ns_.Padded());
}

// --- CohortPredictor -----------------------------------------------------------------------------
//
// When a program's objects live for longer than eden lasts, nearly all of eden survives every
// minor, and copying it buys nothing: the blocks could become old where they stand. A scavenger
// learns what survived only by doing the work, so the next cohort is judged by the last ones.
// Buying the knowledge with a full marking pass costs more than the copies it saves (perry issue
// 10204).
//
// Two things must hold: eden survives (the copy is wasted), and what survived once survives again
// (else promotion fills old space with what dies next). The second can only be seen on objects that
// are still aged, which in-place promotion would do away with. So one block in 16 is always copied
// and aged; it is the sensor by which the mode is left again.

namespace {

constexpr double kEnterSurvival = 0.85;
constexpr double kLeaveSurvival = 0.70;
// Second survival. Under a half, one more copy of the survivors costs less than marking and
// sweeping the dead among them (at GOGC=100 a promoted byte that dies costs about one marked byte).
constexpr double kEnterAgedSurvival = 0.6;
constexpr double kLeaveAgedSurvival = 0.5;
constexpr uint64_t kSensorOneIn = 16;

double Share(uint64_t part, uint64_t whole) {
  return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

bool CohortPredictor::EndMinor(const Sample& sample) {
  if (sample.eden_bytes == 0 || ++rounds_ <= kStartupRounds) return in_place_;
  const double ratio = Share(sample.eden_survived_bytes, sample.eden_bytes);
  const uint32_t samples = rounds_ - kStartupRounds;
  if (samples > 1) deviation_ += WeightOf(samples) * (std::abs(ratio - survival_) - deviation_);
  survival_ += WeightOf(samples) * (ratio - survival_);
  if (sample.aged_bytes > 0) {
    const double aged = Share(sample.aged_survived_bytes, sample.aged_bytes);
    aged_survival_ = aged_known_ ? aged_survival_ + kAlpha * (aged - aged_survival_) : aged;
    aged_known_ = true;
  }
  ++rounds_in_mode_;
  if (in_place_ ? Leaves(ratio) : Enters()) {
    in_place_ = !in_place_;
    rounds_in_mode_ = 0;
    ++switches_;
  }
  return in_place_;
}

bool CohortPredictor::Enters() const {
  return rounds_in_mode_ >= kSettleRounds && survival_ - deviation_ >= kEnterSurvival &&
         aged_survival_ >= kEnterAgedSurvival;
}

bool CohortPredictor::Leaves(double ratio) const {
  // One bad cohort is enough: holes in a block that became old stay for long.
  return ratio < kLeaveSurvival || survival_ < kLeaveSurvival ||
         aged_survival_ < kLeaveAgedSurvival;
}

bool CohortPredictor::IsSensor(uint64_t block) const {
  return (block + rounds_) % kSensorOneIn == 0;
}

}  // namespace neap::gc
