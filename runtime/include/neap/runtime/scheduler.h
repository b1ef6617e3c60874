// SPDX-License-Identifier: MIT
//
// Processors (P), the threads that hold them, safepoints and stop-the-world.
//
// A P is the permission to run managed code. There are N of them; a thread runs managed code only
// while it holds one, and what is "per P" (TLAB, barrier buffer, pool shard, event ring) needs no
// lock. A thread about to block releases its P first, so no collection ever waits for it.
//
// It is not for scheduling work: which thread runs when is the operating system's business.
//
// States of a P (`Processor::state`, guarded by the scheduler's mutex):
//
//   idle      on the idle set; nobody holds it; counts as stopped
//   running   held by a thread that runs managed code
//   parked    held by a thread that waits at a safepoint for the end of a stop, or that was given
//             this P and has not woken up yet; counts as stopped
//   retired   its id is >= procs(); held by no one, handed to nobody
//
// Invariants:
//   R1  At most one thread holds a P, and a P with id >= procs() is held by no one while managed
//       code runs.
//   R2  While the world is stopped exactly one thread (the stopper) runs managed code.
//   R3  Between two safepoints a thread keeps its P, and no stop can complete.
//   R4  Waiters get Ps in order of arrival. A runner whose time slice (10 ms, counted from when
//       somebody first waited) is over gives its P up at its next safepoint (the waiter asks for
//       it: policies read no clock, but fairness is not a policy).
//   R5  A thread that returns from a blocking region while the world is stopped waits.
//   R6  Stops starve nobody. A parked thread sleeps through at most kMaxStopsSleptThrough stops
//       before one waits for it; a thread that has lost a stop to another's wins its next one
//       against any that is only requested.
//
// Threads. A thread may come and go; it must have released its P before it exits, or that P is lost
// and the next stop waits for ever. Every thread has left before the scheduler is destroyed
// (checked).
//
// fork(). The child has only the thread that called fork and none of the others, whose Ps stay held
// and whose locks may be locked: in the child call exec or _exit, nothing of neap. The parent goes
// on undisturbed. A program that forks to work on must do so before it creates a scheduler.
//
// Signals. No function here may be called from a signal handler; poll_requested may.
//
// Cost: the poll is one relaxed load. An Acquire and a Release that nobody contends for take the
// mutex once each: some 40 ns a pair on the reference machine; a stop and start with no other
// runner 100 ns.
//
// Example:
//   Scheduler scheduler({.procs = 2});
//   Processor* p = scheduler.Acquire();
//   ... managed code, with `if (p->poll_requested()) p = scheduler.SafepointSlow(p);` ...
//   scheduler.Release(p);
#ifndef NEAP_RUNTIME_SCHEDULER_H_
#define NEAP_RUNTIME_SCHEDULER_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "neap/runtime/event_ring.h"

namespace neap {

inline constexpr int kMaxProcs = 256;

struct alignas(128) Processor {
  explicit Processor(int id_in) : id(id_in), events(static_cast<uint16_t>(id_in)) {}

  // True when the holder should call Scheduler::SafepointSlow. One relaxed load.
  bool poll_requested() const { return poll.load(std::memory_order_relaxed) != 0; }

  enum class State : uint8_t { kIdle, kRunning, kParked, kRetired };

  const int id;
  // The scheduler sets it under its mutex; the holder may set it itself, to come to a safepoint of
  // its own. SafepointSlow clears it.
  std::atomic<uint32_t> poll{0};
  // Guarded by the scheduler's mutex:
  State state = State::kIdle;
  bool lost_stop = false;            // R6: the holder's last stop was another's
  uint32_t stops_slept_through = 0;  // R6: stops that have ended since the holder parked
  uint64_t slice_start_ns = 0;  // R4: since when somebody waits while the holder runs; 0: nobody

  void* gc = nullptr;  // the heap's per-P state; set once at heap creation
  EventRing events;    // holder writes
};

// What a stop cost; filled by StopTheWorld.
struct StopInfo {
  uint64_t requested_ns = 0;          // MonotonicNanos when the stop was asked for
  uint64_t time_to_safepoint_ns = 0;  // until the last running P was parked or released
  int waited_for = 0;                 // number of other Ps that were running then
};

class Scheduler {
 public:
  struct Options {
    int procs = 0;                        // 0: the number of cores; 1..kMaxProcs
    uint64_t time_slice_ns = 10'000'000;  // R4
  };
  // Stops a parked thread may sleep through. More: a thread may be held up longer by others that
  // collect back to back. Fewer: a stop more often waits until a thread has been woken and has come
  // to its next safepoint, some 50 us on the reference machine.
  static constexpr uint32_t kMaxStopsSleptThrough = 3;

  // Checks that procs is in range (callers validate user input first: ValidateProcs).
  explicit Scheduler(const Options& options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // OK for 1..kMaxProcs; otherwise InvalidArgument that names the value and the range.
  static absl::Status ValidateProcs(int64_t procs);

  // Any thread that holds no P. Blocks until it has one; FIFO.
  Processor* Acquire();
  // The same for one particular P (the deterministic scheduler of tests and of the lab). Checks
  // that id < procs(). Jumps no queue: it waits until that P is idle. When that P is retired
  // meanwhile, it waits until the number of Ps has grown again.
  Processor* AcquireSpecific(int id);
  // Gives the P back; its next holder may be another thread. Not by the stopper of a stopped world.
  void Release(Processor* p);

  // The holder of `p`, at a safepoint, when poll_requested(). Parks through a stop; yields when the
  // time slice is over and someone waits. Returns the P to go on with (it may be another one).
  Processor* SafepointSlow(Processor* p);

  // Stops the world from the thread that holds `*self`. True: every other P is idle, parked or
  // retired, and the caller must call StartTheWorld. False: another thread's stop came first and
  // has ended by now; `*self` may have changed and the caller looks again whether it still needs to
  // stop. What other threads wrote before their safepoint is visible to the stopper, and what the
  // stopper wrote is visible to them afterwards.
  [[nodiscard]] bool StopTheWorld(Processor** self, StopInfo* info);
  void StartTheWorld();

  // While the world is stopped, by the stopper: changes the number of Ps. Growing makes new idle
  // ones. Shrinking retires those with id >= n; a parked holder of such a P waits for another,
  // before all others, when the world starts. The stopper's own P must have id < n.
  void SetProcsWhileStopped(int n);

  int procs() const { return procs_.load(std::memory_order_relaxed); }
  // Ps ever created, retired ones too: ids are 0..created()-1. While stopped, or by a holder.
  int created() const { return created_.load(std::memory_order_acquire); }
  Processor& processor(int id) { return *processors_[static_cast<size_t>(id)]; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // True when the calling thread is the one that stopped the world.
  bool IsStopper() const;
  // Threads waiting for a P now.
  int waiting() const;

  // Called under the mutex for each P created from now on, before anybody can hold it (the heap
  // attaches its state). Those that exist already are the caller's to visit.
  using NewProcessor = void (*)(Processor& p, void* context);
  void SetNewProcessorFunction(NewProcessor function, void* context);

 private:
  // Ps nobody holds, as a set of ids; the lowest is handed out first, so that few threads keep to
  // few Ps and runs repeat.
  class IdleSet {
   public:
    void Insert(int id) { words_[Word(id)] |= Bit(id); }
    void Erase(int id) { words_[Word(id)] &= ~Bit(id); }
    bool Contains(int id) const { return (words_[Word(id)] & Bit(id)) != 0; }
    int Lowest() const;  // kNone when empty

   private:
    static size_t Word(int id) { return static_cast<size_t>(id) / 64; }
    static uint64_t Bit(int id) { return uint64_t{1} << (id % 64); }
    uint64_t words_[kMaxProcs / 64] = {};
  };
  struct Waiter;
  using Lock = std::unique_lock<std::mutex>;
  static constexpr int kNone = -1;  // no P, or no particular one

  Processor* AcquireLocked(Lock& lock, int specific);
  void ReleaseLocked(Processor* p);
  Processor* ParkLocked(Lock& lock, Processor* p);
  Processor* WaitLocked(Lock& lock, Waiter& waiter);
  bool MayGoOnLocked(const Waiter& waiter) const;
  void WaitForProcLocked(Lock& lock, Waiter& waiter);
  int FindIdleLocked(int specific) const;
  void HandOutLocked();
  void ResumeParkedLocked();
  void StartSlicesLocked();
  void AskForProcLocked();
  bool SliceIsOverLocked(const Processor& p) const;
  void StopRunningLocked(Processor* p);
  void RequestPollsLocked(const Processor* self);
  void RetireLocked(int id);
  void CreateUpToLocked(int n);

  const uint64_t time_slice_ns_;
  std::atomic<int> procs_{0};
  std::atomic<int> created_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<std::thread::id> stopper_{};  // of a requested or complete stop; written under mutex_
  std::unique_ptr<Processor> processors_[kMaxProcs];

  mutable std::mutex mutex_;             // guards what follows and every Processor::state
  std::condition_variable all_stopped_;  // a stop became complete, or was taken over (R6)
  bool stop_requested_ = false;          // until StartTheWorld
  Processor* stopper_proc_ = nullptr;
  int running_ = 0;  // Ps in state running
  IdleSet idle_;
  std::list<Waiter*> waiters_;      // without a P, oldest first
  Waiter* parked_[kMaxProcs] = {};  // the holder of each parked P
  NewProcessor new_processor_ = nullptr;
  void* new_processor_context_ = nullptr;
};

}  // namespace neap

#endif  // NEAP_RUNTIME_SCHEDULER_H_
