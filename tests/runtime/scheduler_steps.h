// SPDX-License-Identifier: MIT
//
// The small steps that tests of the scheduler are made of. Where a thread must be somewhere before
// the test goes on, the test waits for a state that proves it (waiting(), poll_requested()), never
// for a time to pass; a time passes only to give a broken rule the chance to show.
#ifndef NEAP_TESTS_RUNTIME_SCHEDULER_STEPS_H_
#define NEAP_TESTS_RUNTIME_SCHEDULER_STEPS_H_

#include <atomic>
#include <cstdint>

#include "crew.h"
#include "doctest/doctest.h"
#include "neap/runtime/scheduler.h"

namespace neap::testing {

inline constexpr uint64_t kNever = UINT64_MAX;  // a time slice that is not over during a test
inline constexpr uint64_t kShortSliceNs = 500'000;

// Stops and starts the world around `body`; the caller wins (nobody else stops).
template <typename Body>
StopInfo WhileStopped(Scheduler& scheduler, Processor** self, Body body) {
  StopInfo info;
  REQUIRE(scheduler.StopTheWorld(self, &info));
  body();
  scheduler.StartTheWorld();
  return info;
}

inline void PollUntil(Scheduler& scheduler, Processor** p, const std::atomic<bool>& done) {
  while (!done.load()) {
    if ((*p)->poll_requested()) *p = scheduler.SafepointSlow(*p);
  }
}

inline void WaitForWaiters(const Scheduler& scheduler, int n) {
  WaitUntil([&] { return scheduler.waiting() == n; });
}

inline void WaitForPoll(const Processor* p) {
  WaitUntil([&] { return p->poll_requested(); });
}

}  // namespace neap::testing

#endif  // NEAP_TESTS_RUNTIME_SCHEDULER_STEPS_H_
