// SPDX-License-Identifier: MIT
#include "burst_trials.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

namespace neap::lab {
namespace {

// What the series does at its next appointment. Between kAim and kReturn the workers hold buffers.
enum class Step : uint8_t {
  kAim,      // find out when the next gap starts; again after a major cycle, if that lies between
  kReturn,   // put back: the gap starts
  kMeasure,  // the gap is over: take
};

struct Appointment {
  uint64_t time;
  size_t series;
  Step step;
  bool operator>(const Appointment& other) const {
    return time != other.time ? time > other.time : series > other.series;
  }
};

class Run {
 public:
  Run(PacedProgram& program, const TrialOptions& options, std::vector<TrialSeries*> series)
      : program_(program), options_(options), series_(std::move(series)) {
    hold_ = program.FromMs(options.hold_ms);
    for (TrialSeries* one : series_) {
      BurstOptions burst = one->burst;
      burst.buffer_bytes = program.buffer_bytes();
      pools_.push_back(std::make_unique<BurstPool>(program.lab_heap(), burst));
      done_.push_back(0);
      total_ += one->trials;
      phases_.emplace_back();
      for (uint64_t trial = 0; trial < one->trials; ++trial) {
        phases_.back().insert(std::fmod(static_cast<double>(trial) * 0.618, 1.0));
      }
    }
  }

  void ToEnd() {
    for (size_t i = 0; i < series_.size(); ++i) {
      pools_[i]->Take();
      if (series_[i]->trials > 0) agenda_.push({program_.Now() + hold_, i, Step::kAim});
    }
    while (!agenda_.empty()) {
      const Appointment next = agenda_.top();
      agenda_.pop();
      program_.WaitUntil(next.time);
      Advance(next);
    }
    for (size_t i = 0; i < series_.size(); ++i) {
      if (series_[i]->burst.record) series_[i]->replay = pools_[i]->Replay();
    }
  }

 private:
  void Advance(const Appointment& at) {
    switch (at.step) {
      case Step::kAim:
        return Aim(at.series);
      case Step::kReturn:
        pools_[at.series]->Return();
        agenda_.push({program_.Now() + static_cast<uint64_t>(series_[at.series]->gap), at.series,
                      Step::kMeasure});
        return;
      case Step::kMeasure:
        return Measure(at.series);
    }
  }

  // Takes the next phase that this period still has ahead. When none is left, waits for the next
  // period, whose start is known only when it has come: looked for each 500th of a period, so a
  // phase that is passed by less than that counts as ahead.
  void Aim(size_t i) {
    const uint64_t now = program_.Now();
    if (options_.wait_periods) {
      const auto wait = static_cast<uint64_t>(options_.wait_periods() * options_.period);
      agenda_.push({now + wait, i, Step::kReturn});
      return;
    }
    constexpr double kGlance = 1.0 / 500;
    const uint64_t start = program_.last_major();
    const double period = PeriodSoFar();
    const double passed = static_cast<double>(now - start) / period;
    // Where nothing starts a major cycle (the generational defaults) there are no phases either.
    constexpr double kNoCycles = 3;
    const auto next =
        passed > kNoCycles ? phases_[i].begin() : phases_[i].lower_bound(passed - 2 * kGlance);
    if (next != phases_[i].end()) {
      const uint64_t time = start + static_cast<uint64_t>(*next * period);
      agenda_.push({std::max(time, now), i, Step::kReturn});
      phases_[i].erase(next);
      return;
    }
    const auto glance = static_cast<uint64_t>(kGlance * period);
    agenda_.push({now + glance + 1, i, Step::kAim});
  }

  // The pool's own buffers count as live and make periods a little longer than they were before the
  // run, so the mean of the run is taken as soon as it is one.
  double PeriodSoFar() const {
    constexpr size_t kEnoughMajors = 8;
    return program_.major_starts().size() < kEnoughMajors ? options_.period : program_.MeanPeriod();
  }

  void Measure(size_t i) {
    TrialSeries& series = *series_[i];
    if (series.burst.account_bytes) {
      series.peak_bytes_held = std::max(series.peak_bytes_held, pools_[i]->Snapshot().bytes_held);
    }
    series.measured += pools_[i]->Take();
    if (options_.progress) options_.progress(++finished_, total_);
    if (++done_[i] < series.trials) agenda_.push({program_.Now() + hold_, i, Step::kAim});
  }

  PacedProgram& program_;
  const TrialOptions& options_;
  const std::vector<TrialSeries*> series_;
  std::vector<std::unique_ptr<BurstPool>> pools_;
  std::vector<std::multiset<double>> phases_;  // of a period, not yet used
  std::vector<uint64_t> done_;
  std::priority_queue<Appointment, std::vector<Appointment>, std::greater<>> agenda_;
  uint64_t hold_ = 0;
  uint64_t finished_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

void RunTrials(PacedProgram& program, const TrialOptions& options,
               std::vector<TrialSeries*> series) {
  Run(program, options, std::move(series)).ToEnd();
}

double PredictedHitRate(double gap_in_periods) { return std::clamp(2 - gap_in_periods, 0.0, 1.0); }

}  // namespace neap::lab
