// SPDX-License-Identifier: MIT
//
// The virtual clock.
//
//   now = source (bytes allocated) + skipped (ticks nobody had to allocate)
//
// Invariants, all under the mutex:
//   C1  sleeping_ counts the entries of sleepers_. Whoever wakes a sleeper removes its entry and
//       counts it as able to run at once: a thread that has been woken but not yet scheduled keeps
//       the clock from jumping.
//   C2  When sleeping_ == registered_ > 0, the clock jumps to the earliest wake-up before the mutex
//       is released. So a state in which everybody sleeps is never seen.
//   C3  The jump is computed from a reading taken under the mutex after the last thread went to
//       sleep: no registered thread can allocate then, so the reading is exact.
//
// A registered thread that blocks on anything else than this clock counts as able to run; the clock
// stands still until it allocates, sleeps or unregisters.
#include "neap/runtime/clock.h"

#include <time.h>

#include <algorithm>
#include <cerrno>

#include "neap/runtime/check.h"

namespace neap {
namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;

uint64_t ReadNanos(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * kNanosPerSecond + static_cast<uint64_t>(time.tv_nsec);
}

void SleepUntilMonotonicNanos(uint64_t nanos) {
  const timespec time{.tv_sec = static_cast<time_t>(nanos / kNanosPerSecond),
                      .tv_nsec = static_cast<long>(nanos % kNanosPerSecond)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

}  // namespace

uint64_t MonotonicNanos() { return ReadNanos(CLOCK_MONOTONIC); }
uint64_t ThreadCpuNanos() { return ReadNanos(CLOCK_THREAD_CPUTIME_ID); }
uint64_t ProcessCpuNanos() { return ReadNanos(CLOCK_PROCESS_CPUTIME_ID); }

// One thread asleep on a virtual clock; lives on its stack.
struct Clock::Sleeper {
  std::condition_variable ready;
  bool woken = false;  // guarded by the clock's mutex
};

Clock::~Clock() {
  NEAP_CHECK(sleepers_.empty(), "nobody sleeps on a clock that is destroyed", "sleepers=%zu",
             sleepers_.size());
}

uint64_t Clock::Now() const {
  if (kind_ == Kind::kReal) return MonotonicNanos();
  const uint64_t source = source_ == nullptr ? 0 : source_(source_context_);
  return source + skipped_.load(std::memory_order_relaxed);
}

void Clock::SetSource(Source source, void* context) {
  NEAP_CHECK(is_virtual(), "only a virtual clock has a source");
  source_ = source;
  source_context_ = context;
}

void Clock::Register() {
  NEAP_CHECK(is_virtual(), "threads register with a virtual clock only");
  const std::lock_guard lock(mutex_);
  ++registered_;
}

void Clock::Unregister() {
  const std::lock_guard lock(mutex_);
  NEAP_CHECK(registered_ > sleepers_.size(), "a thread unregisters once, and awake",
             "registered=%u sleeping=%zu", registered_, sleepers_.size());
  --registered_;
  JumpIfAllSleepLocked();
}

void Clock::SleepUntil(uint64_t time) {
  if (kind_ == Kind::kReal) {
    SleepUntilMonotonicNanos(time);
    return;
  }
  std::unique_lock lock(mutex_);
  NEAP_CHECK(registered_ > sleepers_.size(),
             "a thread registers before it sleeps on a virtual clock", "registered=%u sleeping=%zu",
             registered_, sleepers_.size());
  if (Now() >= time) return;
  Sleeper sleeper;
  sleepers_.emplace(std::pair(time, arrivals_++), &sleeper);
  sleeping_.store(static_cast<uint32_t>(sleepers_.size()), std::memory_order_relaxed);
  JumpIfAllSleepLocked();
  sleeper.ready.wait(lock, [&] { return sleeper.woken; });
}

void Clock::WakeDue() {
  if (sleeping_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  WakeDueLocked(Now());
}

void Clock::WakeDueLocked(uint64_t now) {
  while (!sleepers_.empty() && sleepers_.begin()->first.first <= now) {
    Sleeper* const sleeper = sleepers_.begin()->second;
    sleepers_.erase(sleepers_.begin());
    // Notified under the mutex: once it is free the sleeper may be gone from its stack.
    sleeper->woken = true;
    sleeper->ready.notify_one();
  }
  sleeping_.store(static_cast<uint32_t>(sleepers_.size()), std::memory_order_relaxed);
}

void Clock::JumpIfAllSleepLocked() {
  if (sleepers_.empty() || sleepers_.size() != registered_) return;
  const uint64_t earliest = sleepers_.begin()->first.first;
  const uint64_t now = Now();
  if (earliest > now) Skip(earliest - now);
  WakeDueLocked(std::max(earliest, now));
}

}  // namespace neap
