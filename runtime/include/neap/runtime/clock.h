// SPDX-License-Identifier: MIT
//
// The clock that reports, decays and sleeps read. Policies of the collector never read it.
//
// Two kinds. The real clock counts nanoseconds of CLOCK_MONOTONIC. The virtual clock counts ticks,
// one per allocated byte: `now` is a source function (the heap installs one that sums the bytes of
// retired TLABs and the bump offset of every P) plus the ticks skipped by sleeping. With it a paced
// experiment is a pure function of its flags and seed.
//
// Sleeping on the virtual clock: sleepers wait in a queue ordered by wake-up time (ties: order of
// arrival). While some registered thread can run, time moves only by allocation, and the runner
// calls `WakeDue` from its allocation slow path; when every registered thread sleeps, the clock
// jumps to the earliest wake-up. A thread that is not registered must not sleep on it; a registered
// one that waits for something else (a lock, a socket) counts as able to run and holds time still,
// so it unregisters first.
//
// Thread safety: every method may be called from any thread.
#ifndef NEAP_RUNTIME_CLOCK_H_
#define NEAP_RUNTIME_CLOCK_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace neap {

// Nanoseconds of CLOCK_MONOTONIC; for reports and for the real clock.
uint64_t MonotonicNanos();
// CPU nanoseconds of the calling thread (CLOCK_THREAD_CPUTIME_ID); about 1 us a call.
uint64_t ThreadCpuNanos();
// CPU nanoseconds of the whole process.
uint64_t ProcessCpuNanos();

class Clock {
 public:
  enum class Kind : uint8_t {
    kReal,     // unit: ns
    kVirtual,  // unit: ticks, one per allocated byte
  };
  explicit Clock(Kind kind) : kind_(kind) {}
  ~Clock();
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  Kind kind() const { return kind_; }
  bool is_virtual() const { return kind_ == Kind::kVirtual; }

  // The present time in the clock's unit. Real: ns since an arbitrary start. Virtual: ticks.
  uint64_t Now() const;

  // Virtual only: where allocated bytes are read from. Must be monotone, callable from any thread,
  // and take no lock that may be held during a call of this class (the clock reads it under its own
  // lock). Set before any thread registers.
  using Source = uint64_t (*)(void* context);
  void SetSource(Source source, void* context);

  // Virtual only: threads that may sleep on this clock register first; the last one to sleep makes
  // the clock jump.
  void Register();
  void Unregister();

  // Sleeps until Now() >= time. The caller must be in a blocking region (it holds no P).
  void SleepUntil(uint64_t time);
  void SleepFor(uint64_t duration) { SleepUntil(Now() + duration); }

  // Virtual only: wakes the sleepers whose time has come. Cheap when nobody sleeps.
  void WakeDue();

  // Virtual only: moves the clock forward without allocation (the one runner is about to idle).
  void Skip(uint64_t ticks) { skipped_.fetch_add(ticks, std::memory_order_relaxed); }

 private:
  struct Sleeper;
  void WakeDueLocked(uint64_t now);
  void JumpIfAllSleepLocked();

  const Kind kind_;
  Source source_ = nullptr;
  void* source_context_ = nullptr;
  std::atomic<uint64_t> skipped_{0};   // ticks skipped by sleeping
  std::atomic<uint32_t> sleeping_{0};  // == sleepers_.size(), for the fast exit of WakeDue
  std::mutex mutex_;                   // guards what follows
  uint32_t registered_ = 0;
  uint64_t arrivals_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, Sleeper*> sleepers_;  // (wake time, arrival)
};

}  // namespace neap

#endif  // NEAP_RUNTIME_CLOCK_H_
