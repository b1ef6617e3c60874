// SPDX-License-Identifier: MIT
//
// One mutex, and one condition variable for each thread that waits. Managed code takes neither:
// between safepoints it reads its P's poll word and nothing else.
//
// A thread that waits is a Waiter on its own stack, in one of two places:
//
//   in waiters_              it holds no P; HandOutLocked gives it one, in order
//   in parked_[id of its P]  it holds a P in state parked: it came to a safepoint during a stop, or
//                            has just been given the P
//
// A P goes round like this (the names are those of the functions below, without Locked):
//
//                    HandOut                  Wait (no stop)
//          idle  ------------->  parked  ---------------------->  running
//         ^ |  ^                  | ^  \__ StartTheWorld (R6) __/  | |  ^
//         | |  |   SetProcs, n<=id| |                              | |  |
//         | |  |                  v +----------- Park -------------+ |  |
//         | |  +--- SetProcs --- retired                             |  |
//         | +---------------------- Acquire (uncontended) ----------------+
//         +-------------------------- Release -----------------------+
//
// A P handed to a sleeping thread is parked, not running, until that thread is awake: so a stop
// never waits for the operating system to wake a thread up, only for code that runs. The price is
// that a stopper that stops again and again could keep a parked thread asleep; R6 bounds that.
//
// The order of things in a stop:
//
//   1. StopTheWorld: stop_requested_ is set; nobody gets a P or goes on from here. The poll word of
//      every running P is set.
//   2. Each of them parks at a safepoint or releases its P. The one that makes running_ == 1 (only
//      the stopper is left) notifies all_stopped_.
//   3. The stopper sets stopped_ and works. The mutex is free meanwhile: others come and wait.
//   4. StartTheWorld: the flags fall, parked threads are woken, idle Ps are handed out.
//
// Between 1 and 2 another thread may take the stop over (R6): it puts its name into stopper_, and
// the first requester, seeing that, parks like everybody else and has lost.
#include "neap/runtime/scheduler.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "neap/runtime/check.h"
#include "neap/runtime/clock.h"

namespace neap {
namespace {

// A longer time slice means "never", and keeps sums of times from overflowing.
constexpr uint64_t kMaxTimeSliceNs = uint64_t{3600} * 1'000'000'000;

int CoresWithinRange() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxProcs);
}

}  // namespace

struct Scheduler::Waiter {
  Waiter(int specific_in, Processor* p_in) : specific(specific_in), p(p_in) {}

  const int specific;             // the id it waits for; kNone: any
  Processor* p;                   // guarded by mutex_; null: this stands in waiters_
  std::condition_variable ready;  // p or its state changed, or a stop ended
};

int Scheduler::IdleSet::Lowest() const {
  for (size_t i = 0; i < kMaxProcs / 64; ++i) {
    if (words_[i] != 0) return static_cast<int>(i) * 64 + std::countr_zero(words_[i]);
  }
  return kNone;
}

// --- Making and ending ---------------------------------------------------------------------------

absl::Status Scheduler::ValidateProcs(int64_t procs) {
  if (procs >= 1 && procs <= kMaxProcs) return absl::OkStatus();
  return absl::InvalidArgumentError("number of processors " + std::to_string(procs) +
                                    " is not in 1.." + std::to_string(kMaxProcs));
}

Scheduler::Scheduler(const Options& options)
    : time_slice_ns_(std::min(options.time_slice_ns, kMaxTimeSliceNs)) {
  const int n = options.procs == 0 ? CoresWithinRange() : options.procs;
  NEAP_CHECK(ValidateProcs(n).ok(), "the number of processors is in 1..kMaxProcs", "procs=%d", n);
  const Lock lock(mutex_);
  CreateUpToLocked(n);
  procs_.store(n, std::memory_order_relaxed);
}

Scheduler::~Scheduler() {
  const Lock lock(mutex_);
  NEAP_CHECK(running_ == 0 && waiters_.empty() && !stop_requested_,
             "every thread has released its P before the scheduler is destroyed",
             "running=%d waiting=%zu stop_requested=%d", running_, waiters_.size(),
             stop_requested_);
}

void Scheduler::SetNewProcessorFunction(NewProcessor function, void* context) {
  const Lock lock(mutex_);
  new_processor_ = function;
  new_processor_context_ = context;
}

void Scheduler::CreateUpToLocked(int n) {
  for (int id = created(); id < n; ++id) {
    auto& p = processors_[static_cast<size_t>(id)];
    p = std::make_unique<Processor>(id);
    if (new_processor_ != nullptr) new_processor_(*p, new_processor_context_);
    idle_.Insert(id);
    created_.store(id + 1, std::memory_order_release);
  }
}

// --- Getting and giving a P ----------------------------------------------------------------------

Processor* Scheduler::Acquire() {
  Lock lock(mutex_);
  return AcquireLocked(lock, kNone);
}

Processor* Scheduler::AcquireSpecific(int id) {
  Lock lock(mutex_);
  NEAP_CHECK(id >= 0 && id < procs(), "a particular P is asked for by an id below procs()",
             "id=%d procs=%d", id, procs());
  return AcquireLocked(lock, id);
}

void Scheduler::Release(Processor* p) {
  const Lock lock(mutex_);
  NEAP_CHECK(p->state == Processor::State::kRunning, "R1: only the holder of a P releases it",
             "P %d is in state %d", p->id, static_cast<int>(p->state));
  NEAP_CHECK(!stopped(), "R2: the stopper keeps its P until it has started the world", "P %d",
             p->id);
  ReleaseLocked(p);
}

Processor* Scheduler::AcquireLocked(Lock& lock, int specific) {
  if (!stop_requested_ && waiters_.empty()) {
    const int id = FindIdleLocked(specific);
    if (id != kNone) {
      Processor* const p = processors_[static_cast<size_t>(id)].get();
      idle_.Erase(id);
      p->state = Processor::State::kRunning;
      ++running_;
      return p;
    }
  }
  Waiter waiter(specific, /*p_in=*/nullptr);
  waiters_.push_back(&waiter);
  StartSlicesLocked();
  HandOutLocked();
  return WaitLocked(lock, waiter);
}

void Scheduler::ReleaseLocked(Processor* p) {
  StopRunningLocked(p);
  p->state = Processor::State::kIdle;
  p->lost_stop = false;
  p->slice_start_ns = 0;
  idle_.Insert(p->id);
  HandOutLocked();
}

int Scheduler::FindIdleLocked(int specific) const {
  if (specific == kNone) return idle_.Lowest();
  return idle_.Contains(specific) ? specific : kNone;
}

// Gives idle Ps to waiters, oldest first. A waiter whose particular P is busy holds up nobody.
void Scheduler::HandOutLocked() {
  if (stop_requested_) return;  // R5
  for (auto place = waiters_.begin(); place != waiters_.end() && idle_.Lowest() != kNone;) {
    Waiter* const waiter = *place;
    const int id = FindIdleLocked(waiter->specific);
    if (id == kNone) {
      ++place;
      continue;
    }
    idle_.Erase(id);
    waiter->p = processors_[static_cast<size_t>(id)].get();
    waiter->p->state = Processor::State::kParked;
    parked_[id] = waiter;
    waiter->ready.notify_one();
    place = waiters_.erase(place);
  }
}

// The end of every wait: the waiter has a P and may go on with it.
Processor* Scheduler::WaitLocked(Lock& lock, Waiter& waiter) {
  while (!MayGoOnLocked(waiter)) {
    if (waiter.p == nullptr) {
      WaitForProcLocked(lock, waiter);
    } else {
      waiter.ready.wait(lock);
    }
  }
  Processor* const p = waiter.p;
  parked_[p->id] = nullptr;
  p->stops_slept_through = 0;
  if (p->state == Processor::State::kParked) {
    p->state = Processor::State::kRunning;
    ++running_;
  }
  // Others may have come to wait while this thread was still waking up.
  if (!waiters_.empty()) StartSlicesLocked();
  return p;
}

bool Scheduler::MayGoOnLocked(const Waiter& waiter) const {
  if (waiter.p == nullptr) return false;
  // Running already: StartTheWorld decided that the next stop waits for this thread (R6).
  return !stop_requested_ || waiter.p->state == Processor::State::kRunning;
}

// --- Time slices (R4) ----------------------------------------------------------------------------

// One sleep of a thread without a P; when it ends with the time, the thread asks a runner for its
// P.
void Scheduler::WaitForProcLocked(Lock& lock, Waiter& waiter) {
  // Those ahead ask sooner, and each P that becomes free serves one of them; so the k-th in the
  // queue has nothing to ask for before k / procs more slices are over. This keeps a long queue
  // from waking up all the time.
  const auto ahead =
      std::distance(waiters_.begin(), std::find(waiters_.begin(), waiters_.end(), &waiter));
  const uint64_t turns = 1 + static_cast<uint64_t>(ahead) / static_cast<uint64_t>(procs());
  const auto timeout = std::chrono::nanoseconds(time_slice_ns_ * turns);
  const std::cv_status status = waiter.ready.wait_for(lock, timeout);
  if (status == std::cv_status::timeout && waiter.p == nullptr && !stop_requested_) {
    AskForProcLocked();
  }
}

// Slices are counted only while somebody waits; so Acquire need not read the clock, which would
// double its cost.
void Scheduler::StartSlicesLocked() {
  const uint64_t now_ns = MonotonicNanos();
  for (int id = 0; id < created(); ++id) {
    Processor& p = processor(id);
    if (p.state == Processor::State::kRunning && p.slice_start_ns == 0) p.slice_start_ns = now_ns;
  }
}

// Sets the poll word of the P that somebody wants, that has run longest beyond its slice and that
// has not been asked yet.
void Scheduler::AskForProcLocked() {
  Processor* longest = nullptr;
  for (int id = 0; id < created(); ++id) {
    Processor& p = processor(id);
    if (p.poll_requested() || !SliceIsOverLocked(p)) continue;
    if (longest == nullptr || p.slice_start_ns < longest->slice_start_ns) longest = &p;
  }
  if (longest != nullptr) longest->poll.store(1, std::memory_order_relaxed);
}

bool Scheduler::SliceIsOverLocked(const Processor& p) const {
  if (p.state != Processor::State::kRunning || p.slice_start_ns == 0) return false;
  const bool wanted = std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) {
    return waiter->specific == kNone || waiter->specific == p.id;
  });
  return wanted && MonotonicNanos() - p.slice_start_ns >= time_slice_ns_;
}

// --- Safepoints ----------------------------------------------------------------------------------

Processor* Scheduler::SafepointSlow(Processor* p) {
  Lock lock(mutex_);
  NEAP_CHECK(p->state == Processor::State::kRunning, "R1: only the holder of a P polls on it",
             "P %d is in state %d", p->id, static_cast<int>(p->state));
  // The stopper's own polls find its own stop; they have nothing to wait for.
  if (IsStopper()) return p;
  p->poll.store(0, std::memory_order_relaxed);
  if (stop_requested_) p = ParkLocked(lock, p);
  // Time parked counts: where stops are more frequent than slices, nobody's slice would ever end.
  if (!SliceIsOverLocked(*p)) return p;
  ReleaseLocked(p);
  return AcquireLocked(lock, kNone);
}

// Waits through a stop. The thread keeps its P unless that is retired meanwhile.
Processor* Scheduler::ParkLocked(Lock& lock, Processor* p) {
  StopRunningLocked(p);
  p->state = Processor::State::kParked;
  Waiter waiter(kNone, p);
  parked_[p->id] = &waiter;
  return WaitLocked(lock, waiter);
}

// `p` leaves the state running; the caller sets the new state before it gives the mutex up.
void Scheduler::StopRunningLocked(Processor* p) {
  p->poll.store(0, std::memory_order_relaxed);
  --running_;
  if (stop_requested_ && running_ == 1) all_stopped_.notify_all();
}

// --- Stopping the world --------------------------------------------------------------------------

bool Scheduler::StopTheWorld(Processor** self, StopInfo* info) {
  Lock lock(mutex_);
  Processor* const p = *self;
  const std::thread::id me = std::this_thread::get_id();
  NEAP_CHECK(p->state == Processor::State::kRunning, "R1: the stopper holds a P",
             "P %d is in state %d", p->id, static_cast<int>(p->state));
  NEAP_CHECK(!IsStopper(), "R2: the world is not stopped twice by one thread", "P %d", p->id);
  const bool takes_over = stop_requested_ && !stopped() && p->lost_stop;
  if (!stop_requested_ || takes_over) {
    info->requested_ns = MonotonicNanos();
    info->waited_for = running_ - 1;
    stop_requested_ = true;
    stopper_.store(me, std::memory_order_relaxed);
    stopper_proc_ = p;
    RequestPollsLocked(p);
    // The requester that has lost its stop waits for the same event.
    if (takes_over) all_stopped_.notify_all();
    all_stopped_.wait(lock, [&] { return running_ == 1 || stopper_proc_ != p; });
  }
  if (stopper_proc_ != p) {
    p->lost_stop = true;
    *self = ParkLocked(lock, p);
    return false;
  }
  p->lost_stop = false;
  stopped_.store(true, std::memory_order_relaxed);
  info->time_to_safepoint_ns = MonotonicNanos() - info->requested_ns;
  return true;
}

void Scheduler::RequestPollsLocked(const Processor* self) {
  for (int id = 0; id < created(); ++id) {
    Processor& p = processor(id);
    if (p.state != Processor::State::kRunning) continue;
    p.poll.store(&p == self ? 0 : 1, std::memory_order_relaxed);
  }
}

void Scheduler::StartTheWorld() {
  const Lock lock(mutex_);
  NEAP_CHECK(stopped() && IsStopper(), "R2: the world is started by the thread that stopped it");
  stop_requested_ = false;
  stopped_.store(false, std::memory_order_relaxed);
  stopper_.store(std::thread::id(), std::memory_order_relaxed);
  stopper_proc_ = nullptr;
  ResumeParkedLocked();
  HandOutLocked();
}

void Scheduler::ResumeParkedLocked() {
  for (int id = 0; id < created(); ++id) {
    Waiter* const waiter = parked_[id];
    if (waiter == nullptr) continue;
    Processor& p = processor(id);
    const bool overslept = ++p.stops_slept_through > kMaxStopsSleptThrough;
    if (p.state == Processor::State::kParked && (overslept || p.lost_stop)) {
      p.state = Processor::State::kRunning;  // R6: the next stop waits for this thread
      ++running_;
    }
    waiter->ready.notify_one();
  }
}

bool Scheduler::IsStopper() const {
  return stopper_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

int Scheduler::waiting() const {
  const Lock lock(mutex_);
  return static_cast<int>(waiters_.size());
}

// --- The number of Ps ----------------------------------------------------------------------------

void Scheduler::SetProcsWhileStopped(int n) {
  const Lock lock(mutex_);
  NEAP_CHECK(stopped() && IsStopper(), "R2: the stopper changes the number of Ps");
  NEAP_CHECK(ValidateProcs(n).ok(), "the number of processors is in 1..kMaxProcs", "procs=%d", n);
  NEAP_CHECK(stopper_proc_->id < n, "R1: the stopper's own P is not retired", "P %d, procs=%d",
             stopper_proc_->id, n);
  // From the highest down, so that of several holders the one of the lowest P is served first.
  for (int id = created() - 1; id >= n; --id) RetireLocked(id);
  for (int id = 0; id < std::min(n, created()); ++id) {
    Processor& p = processor(id);
    if (p.state != Processor::State::kRetired) continue;
    p.state = Processor::State::kIdle;
    idle_.Insert(id);
  }
  CreateUpToLocked(n);
  procs_.store(n, std::memory_order_relaxed);
}

// A parked holder goes to the head of the queue: it had its P before anyone who waits there.
void Scheduler::RetireLocked(int id) {
  Processor& p = processor(id);
  idle_.Erase(id);
  if (p.state == Processor::State::kParked) {
    Waiter* const waiter = std::exchange(parked_[id], nullptr);
    waiter->p = nullptr;
    waiters_.push_front(waiter);
  }
  p.state = Processor::State::kRetired;
  p.lost_stop = false;
  p.slice_start_ns = 0;
  p.stops_slept_through = 0;
}

}  // namespace neap
