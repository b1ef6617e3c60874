// SPDX-License-Identifier: MIT
//
// The collector's side of the pacer: what it measures at the end of a cycle, and what it does with
// the decision.
#include "collector.h"

namespace neap::gc {

void Collector::Repace(MajorEvent* event) {
  const MarkCounts& counts = marker_.counts();
  {
    std::lock_guard lock(pace_mutex_);
    MeasureMapped();  // before the counters below forget the garbage that is not swept yet
  }
  total_marked_bytes_.store(counts.marked_bytes);
  old_marked_bytes_.store(counts.marked_bytes - counts.young_bytes);
  old_since_mark_bytes_.store(0);
  old_off_heap_bytes_.store(
      static_cast<int64_t>(counts.off_heap_bytes - counts.young_off_heap_bytes));
  young_off_heap_bytes_.store(static_cast<int64_t>(counts.young_off_heap_bytes));
  allocated_at_mark_.store(AllocatedBytes());
  counter_bytes_.store(0);
  {
    std::lock_guard lock(pace_mutex_);
    event->goal_bytes = pace_.goal_bytes;
    event->trigger_bytes = pace_.trigger_bytes;
    pacer_inputs_.marked_bytes = old_marked_bytes_.load();
    pacer_inputs_.off_heap_bytes = counts.off_heap_bytes - counts.young_off_heap_bytes;
    pacer_inputs_.root_bytes = counts.root_bytes;
  }
  PaceNow();
  std::lock_guard lock(pace_mutex_);
  event->next_goal_bytes = pace_.goal_bytes;
  event->next_trigger_bytes = pace_.trigger_bytes;
  event->next_clamp = static_cast<uint64_t>(pace_.clamp);
  event->gogc = gogc_.load();
  event->memory_limit_bytes = memory_limit_bytes_.load();
  event->mapped_bytes = MappedBytes();
  event->procs = static_cast<uint64_t>(scheduler_.procs());
}

// What the heap holds from the OS at the end of a cycle, garbage that is not swept yet included.
void Collector::MeasureMapped() {
  pacer_inputs_.mapped_bytes = MappedBytes();
  pacer_inputs_.free_block_bytes = range_.warm_blocks() * kBlockBytes + large_space_.free_bytes();
  pacer_inputs_.heap_bytes = OldBytes();
}

// At the end of a major and when a knob turns.
void Collector::PaceNow() {
  std::lock_guard lock(pace_mutex_);
  pacer_inputs_.gogc = gogc_.load();
  pacer_inputs_.memory_limit_bytes = memory_limit_bytes_.load();
  pacer_inputs_.min_heap_bytes = options_.min_heap_bytes;
  pace_ = Pace(pacer_inputs_);
  runway_bytes_.store(pace_.runway_bytes);
  limit_bound_.store(pace_.limit_bound);
  if (pace_.limit_unreachable && !warned_limit_) {
    warned_limit_ = true;
    warn_pending_.store(true);
  }
}

}  // namespace neap::gc
