// SPDX-License-Identifier: MIT
//
// Makes pattern matching stoppable. The matcher cannot be left in the middle of an attempt; so it
// gets a slice of work, and when that runs out the attempt is paid for and made again with a slice
// of twice the size. At most half of the work is done in vain, and budgets and interrupts are
// looked at after at most as much work as was done before.
//
//   PatternWork work(state);
//   while (search with work.budget() fails && PatternWork::RanOut(status)) {
//     if (!work.Extend()) return false;
//   }
//   return work.Settle();
#ifndef NEAP_VM_LIBRARY_PATTERN_WORK_H_
#define NEAP_VM_LIBRARY_PATTERN_WORK_H_

#include <cstdint>

#include "interpreter/state.h"
#include "text/text_status.h"

namespace neap::vm {

class PatternWork {
 public:
  explicit PatternWork(State& state) : state_(state), budget_(slice_) {}

  WorkBudget* budget() { return &budget_; }
  static bool RanOut(const TextStatus& status) {
    return status.kind() == TextStatus::Kind::kOutOfWork;
  }
  // After RanOut: pays for the slice and takes a larger one. False: the error is set. A safepoint.
  [[nodiscard]] bool Extend() {
    if (!state_.Spend(slice_ / kUnitsPerStep)) return false;
    slice_ *= 2;
    budget_ = WorkBudget(slice_);
    return true;
  }
  // Pays for what was used of the slice, and fills it up. False: the error is set. A safepoint.
  [[nodiscard]] bool Settle() {
    const uint64_t used = slice_ - budget_.left();
    budget_ = WorkBudget(slice_);
    return state_.Spend(used / kUnitsPerStep);
  }

 private:
  // Units: some milliseconds. Larger: interrupts wait longer; smaller: more attempts are made
  // twice.
  static constexpr uint64_t kFirstSlice = uint64_t{1} << 20;
  // Units of work in the time of one step of fuel, about.
  static constexpr uint64_t kUnitsPerStep = 4;

  State& state_;
  uint64_t slice_ = kFirstSlice;
  WorkBudget budget_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_PATTERN_WORK_H_
