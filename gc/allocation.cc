// SPDX-License-Identifier: MIT
//
// The slow paths of allocation: a new TLAB, large and stationary objects, old objects with
// nursery=off; and what happens when memory is short.
//
// A request that finds the nursery's budget used up collects (a minor, or a major when one is due)
// and tries again. A request that finds no memory goes up a ladder, one rung per failure:
//
//   1  a full collection, sweeping finished, free pages given back to the reserve
//   2  the out-of-memory function is asked; if it says it freed something: collect and try once
//      more
//   3  null: the caller gets a clean error, the heap is intact
//
// The debug switch fail-alloc makes the Nth allocation fail as if no memory could be had.
#include <algorithm>
#include <cstring>

#include "collector.h"
#include "neap/runtime/check.h"
#include "type_table.h"

namespace neap::gc {
namespace {

// Blocks swept each time a TLAB is refilled: a sweep of 32 KiB costs about 0.1 us, a refill 1 us,
// and even a heap whose every byte survives then finishes long before the next cycle.
constexpr size_t kSweepBlocksPerRefill = 4;
// Old allocation is reported to the pacer's counter in steps of this, so that the counter's line is
// not written for each object.
constexpr size_t kReportOldBytes = 4096;

static_assert(kMaxNurseryObjectBytes == kMaxCellBytes);

}  // namespace

void* Collector::AllocateSlow(Mutator& m, TypeId type, size_t bytes, Where where) {
  NEAP_CHECK(!in_hook_ || stopper_ != &m, "A2: a cleanup hook may not allocate or collect");
  NEAP_CHECK(m.processor_ != nullptr, "M3: nothing of the heap is used inside a blocking region");
  NEAP_CHECK(m.no_safepoint_ == 0, "M6: no safepoint is reached inside a NoSafepointScope");
  m.Poll();
  if (clock_.is_virtual()) clock_.WakeDue();
  bool injected = false;
  if (slow_mode_) {
    StressAllocation(m);
    injected = InjectFailure();
  }
  Escalation step = Escalation::kStart;
  for (;;) {
    if (!injected) {
      if (void* memory = TryOnce(m, type, bytes, where)) {
        if (watcher_ != nullptr) WatchAllocation(m, memory, type, bytes);
        return memory;
      }
    }
    if (!Escalate(m, bytes, &step)) break;
    injected = injected && step != Escalation::kAsked;
  }
  {
    std::lock_guard lock(figures_mutex_);
    ++figures_.out_of_memory;
  }
  EmitLimit(m, LimitWhat::kOutOfMemory, bytes);
  return nullptr;
}

void Collector::StressAllocation(Mutator& m) {
  const uint64_t number = allocation_number_.fetch_add(1) + 1;
  const uint64_t every = options_.debug.stress_alloc;
  if (every != 0 && number % every == 0) CollectAsDue(m, Cause::kStress);
}

bool Collector::InjectFailure() {
  const uint64_t fail = options_.debug.fail_alloc;
  if (fail == 0) return false;
  const uint64_t number = allocation_number_.load(std::memory_order_relaxed);
  return options_.debug.fail_alloc_forever != 0 ? number >= fail : number == fail;
}

void* Collector::TryOnce(Mutator& m, TypeId type, size_t bytes, Where where) {
  if (where == Where::kStationary || bytes > kMaxCellBytes) return TryStationary(m, type, bytes);
  return nursery_off() ? TryOld(m, bytes) : TryNursery(m, bytes);
}

void* Collector::Bump(Local& local, size_t bytes) {
  if (static_cast<size_t>(local.real_limit - local.top) < bytes) return nullptr;
  char* memory = local.top;
  local.StoreTop(memory + bytes);
  local.CountObject();
  local.limit = slow_mode_ ? local.top : local.real_limit;
  return memory;
}

void* Collector::TryNursery(Mutator& m, size_t bytes) {
  for (;;) {
    if (void* memory = Bump(*m.local_, bytes)) return memory;
    if (OverHardLimit(bytes)) return nullptr;
    if (PeriodicDue()) CollectAsDue(m, Cause::kPeriodic);
    switch (nursery_.CutTlab(*m.local_, bytes)) {
      case Nursery::Cut::kDone:
        (void)old_space_.SweepSome(kSweepBlocksPerRefill, clock_.Now());
        (void)large_space_.SweepSome(kSweepBlocksPerRefill, clock_.Now());
        break;
      case Nursery::Cut::kFull:
        CollectAsDue(m, Cause::kNurseryFull);
        if (give_up_.load(std::memory_order_relaxed) && !AskForMemory(bytes)) return nullptr;
        break;
      case Nursery::Cut::kNoMemory:
        return nullptr;
    }
  }
}

// With nursery=off: a cell of old space.
void* Collector::TryOld(Mutator& m, size_t bytes) {
  if (OverHardLimit(bytes)) return nullptr;
  if (MajorDue() || PeriodicDue()) {
    CollectAsDue(m, Cause::kPacer);
    if (give_up_.load(std::memory_order_relaxed) && !AskForMemory(bytes)) return nullptr;
  }
  void* memory = m.local_->cells.Allocate(bytes);
  if (memory != nullptr) CountOld(*m.local_, bytes);
  return memory;
}

void Collector::CountOld(Local& local, size_t bytes) {
  local.old_bytes.Add(bytes);
  local.old_objects.Add(1);
  if (!nursery_off()) return;  // born young: counts when it becomes old
  local.unreported_old_bytes += bytes;
  if (local.unreported_old_bytes < kReportOldBytes) return;
  counter_bytes_.fetch_add(local.unreported_old_bytes, std::memory_order_relaxed);
  old_since_mark_bytes_.fetch_add(local.unreported_old_bytes, std::memory_order_relaxed);
  local.unreported_old_bytes = 0;
}

// Large objects and those that asked never to move. Young (nursery on) they use the nursery's
// budget up like any other newborn byte.
void* Collector::TryStationary(Mutator& m, TypeId type, size_t bytes) {
  if (OverHardLimit(bytes)) return nullptr;
  const bool young = !nursery_off();
  if (young && nursery_.DebitFull(bytes)) {
    CollectAsDue(m, Cause::kNurseryFull);
  } else if (MajorDue() || PeriodicDue()) {
    CollectAsDue(m, Cause::kPacer);
  }
  if (give_up_.load(std::memory_order_relaxed) && !AskForMemory(bytes)) return nullptr;
  const TypeInfo& info = type_table[type];
  Object* object;
  if (bytes > kMaxCellBytes) {
    const bool with_cards = info.layout == Layout::kSlots;
    object = static_cast<Object*>(large_space_.Allocate(bytes, with_cards));
    (void)large_space_.SweepSome(kSweepBlocksPerRefill, clock_.Now());
  } else {
    object = static_cast<Object*>(m.local_->stationary.Allocate(bytes));
    if (object != nullptr) std::memset(static_cast<void*>(object), 0, bytes);
  }
  if (object == nullptr) return nullptr;
  object->set_header(Object::MakeHeader(type) | (young ? Object::kStationaryYoungBit : 0));
  CountOld(*m.local_, bytes);
  if (young) {
    m.local_->stationary_young.push_back(object);
    nursery_.DebitStationary(bytes);
  }
  return object;
}

// --- Short of memory -----------------------------------------------------------------------------

bool Collector::OverHardLimit(size_t bytes) const {
  const uint64_t limit = hard_limit_bytes_.load(std::memory_order_relaxed);
  if (limit == Options::kNoLimit) return false;
  return OldBytes() + YoungBytes() + OffHeapBytes() + bytes > limit;
}

bool Collector::HasRoom(Mutator& m) {
  Escalation step = Escalation::kStart;
  while (OverHardLimit(0)) {
    if (!Escalate(m, 0, &step)) return false;
  }
  return true;
}

bool Collector::AskForMemory(size_t bytes) {
  OutOfMemoryFunction function;
  void* context;
  {
    std::lock_guard lock(hooks_mutex_);
    function = out_of_memory_;
    context = out_of_memory_context_;
  }
  const bool freed = function != nullptr && function(context, bytes, OldBytes() + YoungBytes());
  if (freed) {
    give_up_.store(false);
    limiter_.ForgetFutileCycles();
  }
  return freed;
}

bool Collector::Escalate(Mutator& m, size_t bytes, Escalation* step) {
  switch (*step) {
    case Escalation::kStart:
      *step = Escalation::kCollected;
      Collect(m, Cause::kAllocationFailed);
      return true;
    case Escalation::kCollected:
      *step = Escalation::kAsked;
      if (!AskForMemory(bytes)) return false;
      Collect(m, Cause::kAllocationFailed);
      return true;
    case Escalation::kAsked:
      return false;
  }
  return false;
}

// --- Off-heap bytes ------------------------------------------------------------------------------

void Collector::OffHeapChanged(Mutator& m, Object* owner, int64_t delta) {
  NEAP_CHECK(type_table[owner->type()].off_heap_bytes != nullptr,
             "A3: the type of an owner of off-heap bytes has an off_heap_bytes function", "type=%s",
             GetType(owner->type()).name);
  if (IsYoung(owner)) {
    young_off_heap_bytes_.fetch_add(delta, std::memory_order_relaxed);
    if (delta > 0) nursery_.DebitOffHeap(static_cast<size_t>(delta));
    // A full budget is noticed when a TLAB is cut: give the rest of this one up.
    if (nursery_.DebitFull(0)) m.local_->limit = m.local_->real_limit = m.local_->top;
    return;
  }
  old_off_heap_bytes_.fetch_add(delta, std::memory_order_relaxed);
  if (delta > 0) counter_bytes_.fetch_add(static_cast<uint64_t>(delta), std::memory_order_relaxed);
}

bool Collector::IsYoung(const Object* object) const {
  const Word word = ToWord(object);
  if (!range_.Contains(word)) return false;
  const SpaceByte space = range_.SpaceOf(word);
  if (space & kSpaceLook) return (object->header() & Object::kStationaryYoungBit) != 0;
  return (space & kSpaceYoung) != 0;
}

}  // namespace neap::gc
