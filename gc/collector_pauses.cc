// SPDX-License-Identifier: MIT
//
// The frame of a collection: stopping the world, what is measured of a pause, and what is left to
// do when the mutators run again.
#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "collector.h"
#include "neap/runtime/check.h"
#include "neap/runtime/log.h"
#include "neap/runtime/os_memory.h"

namespace neap::gc {

// --- Pauses --------------------------------------------------------------------------------------

bool Collector::BeginPause(Mutator& m, Pause* pause) {
  NEAP_CHECK(!in_hook_ || stopper_ != &m, "A2: a cleanup hook may not allocate or collect");
  NEAP_CHECK(m.processor_ != nullptr, "M3: nothing of the heap is used inside a blocking region");
  NEAP_CHECK(m.no_safepoint_ == 0, "M6: no safepoint is reached inside a NoSafepointScope");
  // Room for what is expected to survive is brought in before the world stops.
  if (!nursery_off()) range_.Warm(sizer_.PredictedSurvivorBytes() / kBlockBytes + 2);
  const uint64_t allocated = m.allocated_bytes();
  const bool stopped = scheduler_.StopTheWorld(&m.processor_, &pause->stop);
  m.BindTo(m.processor_);
  m.allocated_before_ = allocated;
  if (!stopped) return false;
  stopper_ = &m;
  in_pause_ = true;
  pause->cpu_start_ns = ThreadCpuNanos();
  pause->faults_start = OsMinorFaults();
  if (!clock_.is_virtual()) {
    limiter_.AddMutatorTime(MutatorNsSinceLastPause(pause->stop));
  }
  return true;
}

// CPU time of the program since the last pause, taking the Ps that ran when this stop was asked for
// as those that ran all the time.
uint64_t Collector::MutatorNsSinceLastPause(const StopInfo& stop) const {
  const uint64_t now_ns = stop.requested_ns;
  const uint64_t wall_ns = now_ns > last_pause_end_ns_ ? now_ns - last_pause_end_ns_ : 0;
  return wall_ns * static_cast<uint64_t>(stop.waited_for + 1);
}

void Collector::EndPause(Mutator& m, const Pause&) {
  last_pause_end_ns_ = MonotonicNanos();
  in_pause_ = false;
  stopper_ = nullptr;
  scheduler_.StartTheWorld();
  m.BindTo(m.processor_);
}

// What a collection leaves to do outside the pause, on the mutator that ran it.
void Collector::AfterPause(Mutator& m) {
  const bool warn = warn_pending_.exchange(false);
  if (warn) EmitLimit(m, LimitWhat::kUnderLive, 0);
  if (HasListeners()) DrainEvents();
  std::vector<SlowHook> slow;
  {
    std::lock_guard lock(hooks_mutex_);
    slow.swap(slow_hooks_);
  }
  for (const SlowHook& hook : slow) {
    Log(LogLevel::kWarning, absl::StrCat("cleanup hook \"", hook.name, "\" held the pause for ",
                                         hook.ns / 1000, " us"));
  }
  if (warn) {
    Log(LogLevel::kWarning,
        absl::StrCat("the live size and the runtime's own memory exceed the memory limit of ",
                     memory_limit_bytes_.load(),
                     " bytes; collections are limited to half of the CPU"));
  }
  uint64_t excess = 0;
  {
    std::lock_guard lock(pace_mutex_);
    excess = pace_.return_bytes;
  }
  const size_t keep = nursery_.limit_bytes() / kBlockBytes + 8;
  if (excess > 0) {
    (void)range_.Decay(UINT64_MAX, keep);
    (void)large_space_.Decay(UINT64_MAX);
  } else if (!clock_.is_virtual()) {
    const uint64_t age_ns = options_.decay_ms * 1'000'000;
    const uint64_t now = clock_.Now();
    if (now > age_ns) {
      (void)range_.Decay(now - age_ns, keep);
      (void)large_space_.Decay(now - age_ns);
    }
  }
}

void Collector::WhileStopped(Mutator& m, const std::function<void()>& work) {
  Pause pause;
  while (!BeginPause(m, &pause)) {
  }
  work();
  EndPause(m, pause);
}

// What is measured of every pause; Event is MinorEvent or MajorEvent.
template <typename Event>
void Collector::MeasurePause(const Pause& pause, Event* event) {
  event->start_ns = pause.stop.requested_ns;
  event->time_to_safepoint_ns = pause.stop.time_to_safepoint_ns;
  event->cpu_ns = ThreadCpuNanos() - pause.cpu_start_ns;
  event->page_faults = OsMinorFaults() - pause.faults_start;
  event->lost_events = LostEvents();
  event->pause_ns = MonotonicNanos() - pause.stop.requested_ns;
  pauses_.Record(event->pause_ns);
}

// Adds a pause, already told to the limiter, to the figures. Returns the CPU time of all so far.
template <typename Event>
uint64_t Collector::CountPause(const Event& event) {
  std::lock_guard lock(figures_mutex_);
  figures_.pause_ns += event.pause_ns;
  if (std::is_same_v<Event, MinorEvent>) figures_.minor_pause_ns += event.pause_ns;
  figures_.max_pause_ns = std::max(figures_.max_pause_ns, event.pause_ns);
  figures_.gc_cpu_ns += event.cpu_ns;
  figures_.page_faults += event.page_faults;
  figures_.limiter_ns = limiter_.engaged_ns();
  return figures_.gc_cpu_ns;
}

void Collector::FinishMinorPause(Mutator& m, const Pause& pause, MinorEvent* event) {
  MeasurePause(pause, event);
  if (!clock_.is_virtual()) {
    limiter_.AddMinorTime(event->pause_ns * static_cast<uint64_t>(scheduler_.procs()));
  }
  (void)CountPause(*event);
  Emit(*m.processor_, EventKind::kMinor, reinterpret_cast<const uint64_t*>(event),
       sizeof(*event) / 8);
}

void Collector::FinishMajorPause(Mutator& m, const Pause& pause, MajorEvent* event) {
  MeasurePause(pause, event);
  last_major_ns_.store(MonotonicNanos());
  if (!clock_.is_virtual()) {
    const uint64_t before = event->heap_before_bytes + off_heap_before_bytes_;
    const uint64_t after = OldBytes() + YoungBytes() + OffHeapBytes();
    limiter_.EndCycle({.gc_ns = event->pause_ns * static_cast<uint64_t>(scheduler_.procs()),
                       .heap_before_bytes = before,
                       .freed_bytes = before > after ? before - after : 0,
                       .limit_bound = event->cause == static_cast<uint64_t>(Cause::kLimit)});
    give_up_.store(limiter_.out_of_memory());
    if (limiter_.engaged() != limiter_was_engaged_) {
      limiter_was_engaged_ = limiter_.engaged();
      EmitLimit(m, limiter_was_engaged_ ? LimitWhat::kLimiterOn : LimitWhat::kLimiterOff, 0);
    }
  }
  const uint64_t gc_cpu_ns = CountPause(*event);
  CountMajor(*event);
  const uint64_t cpu_ns = std::max<uint64_t>(ProcessCpuNanos() - start_cpu_ns_, 1);
  event->gc_cpu_percent_x100 = gc_cpu_ns * 10'000 / cpu_ns;
  Emit(*m.processor_, EventKind::kMajor, reinterpret_cast<const uint64_t*>(event),
       sizeof(*event) / 8);
}

}  // namespace neap::gc
