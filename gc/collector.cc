// SPDX-License-Identifier: MIT
//
// The collector: a generational, copying nursery in front of a non-moving mark-sweep old space,
// stop-the-world, precise.
//
// Spaces. Young objects are born in eden (nursery.h), bump-allocated from per-P TLABs. Objects over
// 8 KiB (large_space.h) and those that asked for it (stationary cells of old_space.h) never move
// and are young in place. What survives `tenure` minors is promoted: copied to a cell of old space,
// or left where it is, its block becoming an old mixed block (evacuator.cc). With nursery=off every
// object is born old and there are no minors.
//
// A minor collection, one pause:
//
//   entry   mutators run; nursery budget used up (or asked for)
//   1 stop        every P idle or parked; TLABs retired, modification buffers gathered
//   2 copy        roots, remembered objects, then all young objects reached from there
//   3 weak        ephemerons, weak slots, finalizers, resurrection
//   4 finish      from-space goes back to the pool, stationary objects age or are freed
//   exit    eden empty; every old object with a young referent is in the retained set (N2)
//
// A major cycle, one pause:
//
//   entry   counter of old allocation has reached the pacer's runway (or asked for)
//   1 stop
//   2 sweep        what lazy sweeping has left of the last cycle; all mark bits are clear then
//   3 hooks        cleanup hooks, in order of registration; no allocation; no root is captured
//                  yet, so what a hook drops is freed by this very cycle
//   4 minor        as above: the nursery is empty but for survivors
//   5 mark         everything reachable, young survivors too                        (marker.h)
//   6 weak         as in a minor, for all objects
//   7 finish       dead objects leave the retained set and the side tables; every block of old
//                  space is unswept; the pacer sets the next goal
//   exit    mutators run; blocks are swept when they are needed, some at each TLAB
//
// The minor inside the major makes the mark simple to make concurrent later: a mark that starts
// with an empty eden need not read the nursery.
//
// Barrier (mutator.h). One test: the log state of the object that holds the slot. It is kLogged for
// young objects and for those already in a buffer; the slow path logs the object in its P's
// modification buffer. Large arrays are carded: a byte for each 512 bytes. The same test is to
// serve a snapshot-at-the-beginning barrier: its slow path would first push the object's old
// references.
//
// Pacing. The counter counts bytes that became old (promoted, in place, born old) and off-heap
// bytes whose owner became old; comparing all *allocated* bytes with the live size would count
// garbage that never reaches old space. When it reaches the runway the next collection is a major
// one. All of it is arithmetic on bytes (pacer.h, nursery_sizer.h), so runs repeat; clocks feed
// reports, the CPU limiter and the two-minute rule only.
//
// Invariants. Checks, tests and the verifier quote the number.
//   N1  Outside a pause no header is forwarded.
//   N2  Every old object that holds a reference to a young object is in a modification buffer or in
//       the retained set, with log state kLogged (carded: the card's byte is set and `logged`).
//   N3  No reference leads to a freed block.
//   N4  During a minor a live young object is forwarded or reached in place, never both.
//   N5  kReachedBit and kPinnedBit are clear outside a minor.
//   N6  A minor deals with every from block: freed, kept, adopted or quarantined.
//   N7  The work stacks have room for what a pause can push, or the marker rescans.
//   N8  An object of a block with space kSpaceOld has its start bit set; a nursery object has none.
//   N9  Mark bits are clear outside a pause, but for unswept blocks and large objects.
//   N10 Hooks run once per major cycle, before its roots are captured, and never at a minor.
//   N11 Sum of eden bytes consumed at each minor + the present eden == young bytes allocated.
//   N12 A finalizer entry, registered or pending, leads to an object that exists; the entry of a
//       young object stands in the list of young ones, the only one that a minor reads.
//   N13 A number of the identity table belongs to an object that exists; a young one stands in the
//       table's list of young ones, once.
//   N14 The gauges of off-heap bytes say what young and what old objects own, dead ones included
//       until they are freed (young) or known dead (old). Exact for owners that never move, which
//       is all that have a drop function; of others, see below.
//   N15 An entry of a weak table names an object that exists; a young one stands in the table's
//       list of young ones.
//
// Known exceptions: an object that was reached by the minor of a major cycle only from dead old
// objects survives it (unmarked) until the next minor; nothing reachable refers to it. Off-heap
// bytes of owners that move stay in the young gauge while their owner lies dead in the nursery: the
// next minor or major sets the gauge right.
#include "collector.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "neap/runtime/check.h"
#include "neap/runtime/log.h"
#include "neap/runtime/os_memory.h"
#include "verifier.h"

namespace neap::gc {
namespace {

// In-place promotion pauses while old mixed blocks are emptier than this.
constexpr uint64_t kMinMixedPercent = 50;

uint64_t Since(uint64_t& mark_ns) {
  const uint64_t now = MonotonicNanos();
  const uint64_t spent = now - mark_ns;
  mark_ns = now;
  return spent;
}

}  // namespace

// --- Minor ---------------------------------------------------------------------------------------

// TLABs are retired, modification buffers and newborn stationary objects gathered, of all Ps.
void Collector::GatherLocals() {
  remembered_.TakeRetained();
  for (int id = 0; id < scheduler_.created(); ++id) {
    Local& local = *locals_[id];
    nursery_.Retire(local);
    remembered_.TakeLog(local.log);
    stationary_young_.insert(stationary_young_.end(), local.stationary_young.begin(),
                             local.stationary_young.end());
    local.stationary_young.clear();
    counter_bytes_.fetch_add(local.unreported_old_bytes, std::memory_order_relaxed);
    old_since_mark_bytes_.fetch_add(local.unreported_old_bytes, std::memory_order_relaxed);
    local.unreported_old_bytes = 0;
  }
}

void Collector::MinorWhileStopped(Mutator&, Cause cause, MinorEvent* event) {
  uint64_t mark_ns = MonotonicNanos();
  const uint64_t stationary_bytes = nursery_.stationary_bytes();
  const uint64_t off_heap_bytes = nursery_.off_heap_bytes();
  const uint64_t eden_limit = nursery_.limit_bytes();
  GatherLocals();
  const uint64_t allocated = YoungAllocatedBytes();
  const uint64_t eden_bytes = allocated - retired_at_minor_;
  retired_at_minor_ = allocated;
  // It pays from about 1 MB on: two workers take twice as long as one for 0.5 MB (the helper is
  // woken, headers are swapped), as long for 1 MB, and copy 2 MB 1.2 times, 16 MB 1.45 times as
  // fast.
  const bool parallel =
      options_.workers > 1 && sizer_.PredictedSurvivorBytes() >= options_.debug.parallel_from;
  const uint64_t mixed = old_space_.mixed_blocks();
  const bool mixed_is_dense =
      mixed < 32 || old_space_.mixed_live_bytes() * 100 >= mixed * kBlockBytes * kMinMixedPercent;
  const uint32_t tenure = tenure_.load(std::memory_order_relaxed);
  evacuator_.Begin({.tenure = tenure,
                    .workers = parallel ? static_cast<int>(options_.workers) : 1,
                    .cohorts_stay = options_.in_place && cohorts_.in_place() && mixed_is_dense,
                    .is_sensor =
                        [](void* self, uint64_t block) {
                          return static_cast<CohortPredictor*>(self)->IsSensor(block);
                        },
                    .sensor_context = &cohorts_});
  evacuator_.CopyRoots();
  event->roots_ns = Since(mark_ns);
  evacuator_.CopyRemembered();
  event->remembered_ns = Since(mark_ns);
  evacuator_.CopyReachable();
  event->copy_ns = Since(mark_ns) - evacuator_.shared_scan_ns();
  event->remembered_ns += evacuator_.shared_scan_ns();
  evacuator_.SettleWeak();
  event->weak_ns = Since(mark_ns);
  evacuator_.Finish(clock_.Now(), stationary_young_);
  event->finish_ns = Since(mark_ns);

  const EvacuationCounts& counts = evacuator_.counts();
  counter_bytes_.fetch_add(counts.became_old_bytes + counts.off_heap_promoted_bytes);
  old_since_mark_bytes_.fetch_add(counts.became_old_bytes);
  old_off_heap_bytes_.fetch_add(static_cast<int64_t>(counts.off_heap_promoted_bytes));
  young_off_heap_bytes_.store(static_cast<int64_t>(counts.off_heap_young_bytes));
  event->number = minors_.fetch_add(1) + 1;
  event->cause = static_cast<uint64_t>(cause);
  event->eden_bytes = eden_bytes;
  event->eden_limit_bytes = eden_limit;
  event->young_large_bytes = stationary_bytes;
  event->young_off_heap_bytes = off_heap_bytes;
  event->workers = parallel ? options_.workers : 1;
  event->tenure = tenure;
  ReportEvacuation(event);
  AdaptNursery(*event, eden_bytes);
  CountMinor(*event);
}

void Collector::ReportEvacuation(MinorEvent* event) const {
  const EvacuationCounts& counts = evacuator_.counts();
  event->copied_bytes = counts.copied_bytes;
  event->promoted_bytes = counts.promoted_bytes;
  event->in_place_bytes = counts.in_place_bytes;
  event->copied_objects = counts.copied_objects;
  event->promoted_objects = counts.promoted_objects;
  event->in_place_objects = counts.in_place_objects;
  event->survived_age1_bytes = counts.survived_bytes[0];
  event->survived_age2_bytes = counts.survived_bytes[1];
  event->survived_age3_bytes = counts.survived_bytes[2];
  event->survived_older_bytes = counts.survived_bytes[3];
  event->remembered_objects = evacuator_.remembered_objects();
  event->remembered_cards = counts.remembered_cards;
  event->pinned_objects = evacuator_.pinned_objects();
  event->no_room_objects = counts.no_room_objects;
  event->finalizers_queued = evacuator_.finalizers_queued();
}

// Feeds the two predictors with what this minor found.
void Collector::AdaptNursery(const MinorEvent& event, uint64_t eden_consumed) {
  const EvacuationCounts& counts = evacuator_.counts();
  const uint64_t aged_before = survivor_bytes_.load(std::memory_order_relaxed);
  const uint64_t survived = counts.survived_bytes[0] + counts.survived_bytes[1] +
                            counts.survived_bytes[2] + counts.survived_bytes[3];
  survivor_bytes_.store(survived - std::min(survived, counts.became_old_bytes));
  (void)cohorts_.EndMinor(
      {.eden_bytes = eden_consumed,
       .eden_survived_bytes = std::min(counts.survived_bytes[0], eden_consumed),
       .aged_bytes = aged_before,
       .aged_survived_bytes = std::min(aged_before, survived - counts.survived_bytes[0])});
  const uint64_t budget_used = eden_consumed + event.young_large_bytes + event.young_off_heap_bytes;
  const NurserySizer::Decision next =
      sizer_.EndMinor({.budget_bytes = budget_used,
                       .copied_bytes = event.copied_bytes + event.promoted_bytes,
                       .copied_objects = event.copied_objects + event.promoted_objects,
                       .in_place_bytes = event.in_place_bytes,
                       .in_place_objects = event.in_place_objects,
                       .scanned_objects = event.remembered_objects + event.remembered_cards,
                       .root_bytes = evacuator_.root_bytes()});
  if (next.changed) {
    SetNurseryTotal(next.bytes, static_cast<uint64_t>(next.reason), next.predicted_survivor_bytes);
  }
}

void Collector::SetNurseryTotal(size_t bytes, uint64_t reason, uint64_t predicted) {
  const NurseryEvent event{.old_bytes = nursery_.limit_bytes(),
                           .new_bytes = bytes,
                           .predicted_survivor_bytes = predicted,
                           .reason = reason};
  nursery_.SetLimit(bytes, scheduler_.procs());
  EmitWhileStopped(EventKind::kNursery, reinterpret_cast<const uint64_t*>(&event),
                   sizeof(event) / 8);
}

// --- Major ---------------------------------------------------------------------------------------

void Collector::ReleaseAllCells() {
  for (int id = 0; id < scheduler_.created(); ++id) {
    locals_[id]->cells.Release();
    locals_[id]->stationary.Release();
  }
  evacuator_.ReleaseCells();
}

void Collector::RunHooks(uint64_t cycle, MajorEvent* event) {
  std::lock_guard lock(hooks_mutex_);
  in_hook_ = true;
  for (const Hook& hook : hooks_) {
    const uint64_t start = MonotonicNanos();
    const uint64_t cpu_start_ns = ThreadCpuNanos();
    hook.function(hook.context, cycle);
    // Judged by CPU time: on a loaded machine any hook may lose its CPU for milliseconds. (A hook
    // may not block, so that waiting is no part of what it costs.)
    const uint64_t cpu_ns = ThreadCpuNanos() - cpu_start_ns;
    const uint64_t spent = MonotonicNanos() - start;
    const bool slow = cpu_ns > options_.debug.slow_hook_us * 1000;
    const HookEvent record{.cycle = cycle,
                           .name = reinterpret_cast<uint64_t>(hook.name),
                           .duration_ns = spent,
                           .slow = slow ? uint64_t{1} : 0};
    EmitWhileStopped(EventKind::kHook, reinterpret_cast<const uint64_t*>(&record),
                     sizeof(record) / 8);
    if (slow) slow_hooks_.push_back({hook.name, spent});
    ++event->hooks;
  }
  in_hook_ = false;
}

void Collector::MajorWhileStopped(Mutator& m, Cause cause, MajorEvent* event) {
  uint64_t mark_ns = MonotonicNanos();
  GatherLocals();
  event->heap_before_bytes = OldBytes() + YoungBytes();
  off_heap_before_bytes_ = OffHeapBytes();
  event->counter_bytes = counter_bytes_.load();
  old_space_.FinishSweep(clock_.Now());
  large_space_.FinishSweep(clock_.Now());
  event->sweep_finish_ns = Since(mark_ns);
  event->number = majors_.fetch_add(1) + 1;
  event->cause = static_cast<uint64_t>(cause);
  event->forced = cause == Cause::kForced;
  RunHooks(event->number, event);
  event->hooks_ns = Since(mark_ns);
  if (!nursery_off()) {
    MinorEvent minor;
    MinorWhileStopped(m, Cause::kMajor, &minor);
    Emit(*m.processor_, EventKind::kMinor, reinterpret_cast<const uint64_t*>(&minor),
         sizeof(minor) / 8);
    event->finalizers_queued += minor.finalizers_queued;
  }
  ReleaseAllCells();
  event->minor_ns = Since(mark_ns);
  MarkWhileStopped(event);
  mark_ns = MonotonicNanos();
  FreeUnmarkedYoung();
  ClearNurseryMarks();
  old_space_.StartSweep();
  large_space_.StartSweep();
  Repace(event);
  event->finish_ns = Since(mark_ns);
}

void Collector::MarkWhileStopped(MajorEvent* event) {
  uint64_t mark_ns = MonotonicNanos();
  marker_.Begin();
  marker_.MarkRoots();
  marker_.MarkReachable();
  event->mark_ns = Since(mark_ns);
  marker_.SettleWeak();
  event->weak_ns = Since(mark_ns);
  marker_.CountYoung(nursery_.survivors(), stationary_young_);
  const MarkCounts& counts = marker_.counts();
  event->marked_bytes = counts.marked_bytes;
  event->marked_objects = counts.marked_objects;
  event->off_heap_bytes = counts.off_heap_bytes;
  event->root_bytes = counts.root_bytes;
  event->weak_cleared = counts.weak_cleared;
  event->finalizers_queued += counts.finalizers_queued;
  remembered_.Purge([&](Object* object) { return range_.IsMarked(object); });
}

// Stationary young objects that only dead old objects referred to.
void Collector::FreeUnmarkedYoung() {
  const uint64_t now = clock_.Now();
  std::erase_if(stationary_young_, [&](Object* object) {
    if (range_.IsMarked(object)) return false;
    if (range_.BlockOf(object).kind == BlockKind::kLarge) {
      large_space_.Free(object, now);
    } else {
      old_space_.FreeCell(object);
    }
    return true;
  });
}

void Collector::ClearNurseryMarks() {
  for (const uint32_t index : nursery_.survivors()) range_.ClearBits(index);
}

// --- Who collects what ---------------------------------------------------------------------------

bool Collector::MajorDue() const {
  if (counter_bytes_.load(std::memory_order_relaxed) <
      runway_bytes_.load(std::memory_order_relaxed)) {
    return false;
  }
  // A cycle that the limit wants waits while the limiter holds it back; GOGC's go ahead.
  return clock_.is_virtual() || !limit_bound_.load() || limiter_.MayStart();
}

bool Collector::PeriodicDue() const {
  if (options_.periodic_major_s == 0 || clock_.is_virtual()) return false;
  return MonotonicNanos() - last_major_ns_.load(std::memory_order_relaxed) >
         options_.periodic_major_s * 1'000'000'000;
}

void Collector::RunMinor(Mutator& m, const Pause& pause, Cause cause) {
  MinorEvent event;
  MinorWhileStopped(m, cause, &event);
  VerifyIfAsked("after a minor collection");
  FinishMinorPause(m, pause, &event);
}

void Collector::RunMajor(Mutator& m, const Pause& pause, Cause cause) {
  MajorEvent event;
  MajorWhileStopped(m, cause, &event);
  VerifyIfAsked("after a major cycle");
  FinishMajorPause(m, pause, &event);
}

void Collector::CollectAsDue(Mutator& m, Cause cause) {
  Pause pause;
  if (!BeginPause(m, &pause)) return;
  const uint64_t stress = options_.debug.stress_major;
  const bool stress_major = stress != 0 && collection_number_.fetch_add(1) % stress == stress - 1;
  VerifyIfAsked("before a collection");
  if (MajorDue() || stress_major || nursery_off() || PeriodicDue()) {
    RunMajor(m, pause,
             MajorDue()      ? (limit_bound_.load() ? Cause::kLimit : Cause::kPacer)
             : PeriodicDue() ? Cause::kPeriodic
             : stress_major  ? Cause::kStress
                             : cause);
  } else {
    RunMinor(m, pause, cause);
  }
  EndPause(m, pause);
  AfterPause(m);
}

void Collector::CollectMinor(Mutator& m, Cause cause) {
  if (nursery_off()) return;
  Pause pause;
  while (!BeginPause(m, &pause)) {
  }
  VerifyIfAsked("before a collection");
  RunMinor(m, pause, cause);
  EndPause(m, pause);
  AfterPause(m);
}

void Collector::Collect(Mutator& m, Cause cause) {
  Pause pause;
  while (!BeginPause(m, &pause)) {
  }
  VerifyIfAsked("before a collection");
  RunMajor(m, pause, cause);
  EndPause(m, pause);
  old_space_.FinishSweep(clock_.Now());
  large_space_.FinishSweep(clock_.Now());
  AfterPause(m);
}

bool Collector::Idle(Mutator& m, uint64_t deadline_ns) {
  NEAP_CHECK(!in_hook_ || stopper_ != &m, "A2: a cleanup hook may not allocate or collect");
  NEAP_CHECK(m.processor_ != nullptr, "M3: nothing of the heap is used inside a blocking region");
  const auto wants_minor = [this] {
    return !nursery_off() && nursery_.debit_bytes() * 2 > nursery_.limit_bytes();
  };
  // While nothing is learned, and with a fixed nursery, which never learns: all of it survives, at
  // the nominal 1 ns a byte of nursery_sizer.cc.
  const bool learns = options_.nursery == Options::Nursery::kAdaptive;
  const uint64_t learned_ns = learns ? sizer_.PredictedWorkNs() : 0;
  const uint64_t predicted_ns = learned_ns != 0 ? learned_ns : nursery_.debit_bytes();
  // A major that is due stays due: the prediction is of a minor.
  if (wants_minor() && MonotonicNanos() + predicted_ns < deadline_ns) {
    CollectMinor(m, Cause::kIdle);
  }
  while (MonotonicNanos() < deadline_ns) {
    // A stop that others ask for does not wait for the rest of the sweep. Not Poll: under
    // stress-safepoint it would collect, and add to the sweep, each time.
    if (m.processor_->poll_requested()) m.Poll();
    const bool more = old_space_.SweepSome(16, clock_.Now());
    const bool more_large = large_space_.SweepSome(16, clock_.Now());
    if (!more && !more_large) break;
  }
  return old_space_.sweep_done() && large_space_.sweep_done() && !wants_minor();
}

void Collector::StressSafepoint(Mutator& m) {
  Local& local = *m.local_;
  if (options_.debug.stress_safepoint == 0) return;
  if (++local.safepoints % options_.debug.stress_safepoint == 0) CollectAsDue(m, Cause::kStress);
}

void Collector::VerifyIfAsked(const char* when) {
  if (options_.debug.verify == 0) return;
  const absl::Status status = VerifyWhileStopped(*this);
  NEAP_CHECK(status.ok(), "V: the heap is consistent", "%s: %s", when,
             std::string(status.message()).c_str());
}

}  // namespace neap::gc
