// SPDX-License-Identifier: MIT
//
// The collector's knobs, hooks, listeners and figures: everything that is not a cycle.
#include <algorithm>
#include <utility>

#include "collector.h"
#include "neap/runtime/check.h"
#include "neap/runtime/os_memory.h"

namespace neap::gc {

// --- Knobs ---------------------------------------------------------------------------------------

uint64_t Collector::SetGogc(uint64_t percent) {
  const uint64_t old = gogc_.exchange(percent);
  PaceNow();
  return old;
}

uint64_t Collector::SetMemoryLimit(uint64_t bytes) {
  const uint64_t old = memory_limit_bytes_.exchange(bytes);
  PaceNow();
  return old;
}

Options Collector::CurrentOptions() const {
  Options now = options_;
  now.gogc = gogc_.load();
  now.memory_limit_bytes = memory_limit_bytes_.load();
  now.hard_limit_bytes = hard_limit_bytes_.load();
  now.tenure = tenure_.load();
  if (now.nursery == Options::Nursery::kFixed) now.nursery_bytes = fixed_nursery_bytes_;
  return now;
}

size_t Collector::NurseryTotalBytes(size_t per_proc) const {
  return per_proc * static_cast<size_t>(scheduler_.procs());
}

void Collector::SetNurseryBytes(Mutator& m, size_t bytes_per_proc) {
  WhileStopped(m, [&] {
    options_.nursery = bytes_per_proc == 0 ? Options::Nursery::kAdaptive : Options::Nursery::kFixed;
    if (bytes_per_proc != 0) fixed_nursery_bytes_ = bytes_per_proc;
    BoundNursery();
  });
}

// Bounds of eden and its size, after a knob turned.
void Collector::BoundNursery() {
  const bool fixed = options_.nursery == Options::Nursery::kFixed;
  const size_t least = NurseryTotalBytes(fixed ? fixed_nursery_bytes_ : options_.nursery_bytes);
  const size_t most =
      fixed ? least : std::max(least, NurseryTotalBytes(options_.nursery_max_bytes));
  (void)sizer_.SetBounds(least, most);
  SetNurseryTotal(sizer_.bytes(), static_cast<uint64_t>(SizerReason::kBounds), 0);
}

void Collector::SetProcs(Mutator& m, int procs) {
  for (;;) {
    if (m.proc() >= procs) m.MoveToProc(0);
    Pause pause;
    if (!BeginPause(m, &pause)) continue;
    const int before = scheduler_.procs();
    const bool stays = m.proc() < procs;
    if (stays) {
      for (int id = procs; id < before; ++id) {
        nursery_.Retire(*locals_[id]);
        locals_[id]->cells.Release();
        locals_[id]->stationary.Release();
      }
      scheduler_.SetProcsWhileStopped(procs);
      limiter_.SetProcs(procs);
      if (!nursery_off()) BoundNursery();
      const ProcsEvent event{.before = static_cast<uint64_t>(before),
                             .after = static_cast<uint64_t>(procs)};
      EmitWhileStopped(EventKind::kProcs, reinterpret_cast<const uint64_t*>(&event),
                       sizeof(event) / 8);
    }
    EndPause(m, pause);
    if (stays) return;
  }
}

// --- Hooks and listeners -------------------------------------------------------------------------

int Collector::AddHook(const char* name, CleanupHook hook, void* context) {
  NEAP_CHECK(!in_hook_, "A4: hooks are registered and removed while mutators run");
  std::lock_guard lock(hooks_mutex_);
  hooks_.push_back({++last_id_, name, hook, context});
  slow_hooks_.reserve(hooks_.size());
  return last_id_;
}

void Collector::RemoveHook(int id) {
  NEAP_CHECK(!in_hook_, "A4: hooks are registered and removed while mutators run");
  std::lock_guard lock(hooks_mutex_);
  std::erase_if(hooks_, [&](const Hook& hook) { return hook.id == id; });
}

void Collector::SetOutOfMemory(OutOfMemoryFunction function, void* context) {
  std::lock_guard lock(hooks_mutex_);
  out_of_memory_ = function;
  out_of_memory_context_ = context;
}

int Collector::AddListener(EventListener listener) {
  std::lock_guard lock(listeners_mutex_);
  static std::atomic<int> last{0};
  const int id = ++last;
  listeners_.emplace_back(id, std::move(listener));
  listener_count_.store(static_cast<int>(listeners_.size()), std::memory_order_relaxed);
  return id;
}

void Collector::RemoveListener(int id) {
  DrainEvents();
  std::lock_guard lock(listeners_mutex_);
  std::erase_if(listeners_, [&](const auto& entry) { return entry.first == id; });
  listener_count_.store(static_cast<int>(listeners_.size()), std::memory_order_relaxed);
}

void Collector::DrainEvents() {
  std::lock_guard lock(listeners_mutex_);
  for (int id = 0; id < scheduler_.created(); ++id) {
    scheduler_.processor(id).events.Drain([&](const Event& event) {
      for (auto& [number, listener] : listeners_) listener(event);
    });
  }
}

void Collector::Emit(Processor& p, EventKind kind, const uint64_t* words, size_t count) {
  if (!HasListeners()) return;
  (void)p.events.Emit(static_cast<uint16_t>(kind), clock_.Now(), {words, count});
}

void Collector::EmitWhileStopped(EventKind kind, const uint64_t* words, size_t count) {
  NEAP_CHECK(stopper_ != nullptr, "A5: EmitWhileStopped is for hooks");
  Emit(stopper_->processor(), kind, words, count);
}

void Collector::EmitLimit(Mutator& m, LimitWhat what, uint64_t request_bytes) {
  if (!HasListeners()) return;
  LimitEvent event = {.what = static_cast<uint64_t>(what),
                      .limit_bytes = memory_limit_bytes_.load(),
                      .request_bytes = request_bytes};
  if (what == LimitWhat::kOutOfMemory) {
    event.limit_bytes = std::min(event.limit_bytes, hard_limit_bytes_.load());
  }
  {
    std::lock_guard lock(pace_mutex_);
    event.live_bytes = pacer_inputs_.marked_bytes + pacer_inputs_.off_heap_bytes;
  }
  Emit(*m.processor_, EventKind::kLimit, reinterpret_cast<const uint64_t*>(&event),
       sizeof(event) / 8);
}

// --- Figures -------------------------------------------------------------------------------------

uint64_t Collector::YoungAllocatedBytes() const {
  uint64_t bytes = 0;
  for (int id = 0; id < scheduler_.created(); ++id) {
    bytes += locals_[id]->retired_bytes.Get() + locals_[id]->tlab_bytes();
  }
  return bytes;
}

uint64_t Collector::AllocatedBytes() const {
  uint64_t bytes = YoungAllocatedBytes();
  for (int id = 0; id < scheduler_.created(); ++id) bytes += locals_[id]->old_bytes.Get();
  // Another P may retire its TLAB between the two reads above; the clock never runs backwards.
  uint64_t last = last_clock_.load(std::memory_order_relaxed);
  while (last < bytes && !last_clock_.compare_exchange_weak(last, bytes)) {
  }
  return std::max(last, bytes);
}

uint64_t Collector::YoungBytes() const {
  if (nursery_off()) return 0;
  return survivor_bytes_.load(std::memory_order_relaxed) + nursery_.debit_bytes() -
         nursery_.off_heap_bytes();
}

uint64_t Collector::MappedBytes() const {
  return range_.resident_block_bytes() + large_space_.resident_bytes() + range_.metadata_bytes();
}

uint64_t Collector::LiveEstimateBytes() const {
  return total_marked_bytes_.load(std::memory_order_relaxed) + AllocatedBytes() -
         allocated_at_mark_.load(std::memory_order_relaxed);
}

void Collector::CountMinor(const MinorEvent& event) {
  std::lock_guard lock(figures_mutex_);
  figures_.copied_bytes += event.copied_bytes;
  figures_.promoted_bytes += event.promoted_bytes;
  figures_.in_place_bytes += event.in_place_bytes;
  figures_.copied_objects += event.copied_objects;
  figures_.promoted_objects += event.promoted_objects;
  figures_.remembered_objects += event.remembered_objects;
  figures_.weak_cleared += evacuator_.counts().weak_cleared;
  figures_.finalizers_queued += event.finalizers_queued;
}

void Collector::CountMajor(const MajorEvent& event) {
  std::lock_guard lock(figures_mutex_);
  figures_.forced_majors += event.forced;
  figures_.hook_ns += event.hooks_ns;
  figures_.weak_cleared += marker_.counts().weak_cleared;
  figures_.finalizers_queued += marker_.counts().finalizers_queued;
}

uint64_t Collector::LostEvents() const {
  uint64_t lost = 0;
  auto& scheduler = const_cast<Scheduler&>(scheduler_);
  for (int id = 0; id < scheduler.created(); ++id) lost += scheduler.processor(id).events.lost();
  return lost;
}

Stats Collector::Snapshot() const {
  Stats stats;
  {
    std::lock_guard lock(figures_mutex_);
    stats = figures_;
  }
  for (int id = 0; id < scheduler_.created(); ++id) {
    const Local& local = *locals_[id];
    stats.alloc_objects +=
        __atomic_load_n(&local.objects, __ATOMIC_RELAXED) + local.old_objects.Get();
    stats.old_alloc_bytes += local.old_bytes.Get();
    stats.logged_objects += local.logged_objects.Get();
  }
  stats.lost_events = LostEvents();
  stats.young_alloc_bytes = YoungAllocatedBytes();
  stats.alloc_bytes = stats.young_alloc_bytes + stats.old_alloc_bytes;
  stats.minors = minors();
  stats.majors = majors();
  stats.marked_bytes = total_marked_bytes_.load();
  stats.old_bytes = OldBytes();
  stats.young_bytes = YoungBytes();
  stats.heap_bytes = stats.old_bytes + stats.young_bytes;
  stats.off_heap_bytes = OffHeapBytes();
  {
    std::lock_guard lock(pace_mutex_);
    stats.goal_bytes = pace_.goal_bytes;
    stats.trigger_bytes = pace_.trigger_bytes;
  }
  stats.nursery_bytes = nursery_.limit_bytes();
  stats.mapped_bytes = MappedBytes();
  stats.free_block_bytes = range_.warm_blocks() * kBlockBytes + large_space_.free_bytes();
  stats.released_bytes = range_.released_bytes() + large_space_.released_bytes();
  stats.metadata_bytes = range_.metadata_bytes();
  return stats;
}

}  // namespace neap::gc
