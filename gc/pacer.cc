// SPDX-License-Identifier: MIT
//
// How a generational heap is paced.
//
// Go's rule reads "collect when the heap has grown by GOGC percent of what was live", and grows by
// every allocated byte. In front of a nursery that comparison is wrong: most allocated bytes die
// young and never reach old space, so a heap paced by them marks the same old objects over and over
// for garbage that a minor collection has long reclaimed. What is compared here are two figures of
// the same space, old space as the last marking left it, and what was added to it since:
//
//   L       marked bytes + off-heap bytes of the marked objects    (PacerInputs)
//   A       the counter: bytes promoted + bytes allocated directly old + off-heap bytes whose owner
//           became old. With nursery=off every byte is allocated old, and A is Go's figure.
//
//   |<------------ L ------------->|<---- runway ---->|
//   |   marked   |     off-heap    |  A grows -> ...  |
//   0                              L               trigger = goal
//
//   goal    = L + max(min_heap x GOGC/100, (L + roots) x GOGC/100)
//
// Roots are work for the marker and are paid for by growth, as Go has done since 1.18 (proposal
// 44167), but they are not part of L. Off-heap bytes stand on both sides; counting them on one only
// is how native-heavy programs come to collect all the time, or never.
//
// The memory limit is a bound on all memory at once, so the heap gets what the rest leaves:
//
//   overhead   = mapped - empty blocks - cells   (nursery, metadata, holes in used blocks)
//   limit goal = limit - overhead - max(3 % of the limit, 1 MiB)
//   goal       = min(GOGC's goal, limit goal), then raised to L + kMinRunwayBytes
//
// Empty blocks are not overhead, although they are mapped: growth is served from them first.
// Counting them would set a goal at the live size exactly when a large heap has just died, and
// collect in a storm until the decay has returned them. Go 1.19 (proposal 48409) also lowers the
// goal by what the process exceeds its limit; that is left out. An earlier collection returns
// nothing in a heap that does not move objects. What helps is giving back empty blocks, and
// `return_bytes` says how many.
//
// Marking stops the world, so nothing is allocated between trigger and the end of marking, and the
// trigger is the goal: a period of exactly goal - L bytes. A concurrent marker will need the bytes
// that are allocated while it marks; then the trigger moves down from the goal, and only it.
//
// Invariants:
//   P1  goal >= L + kMinRunwayBytes: between two cycles that the pacer asks for at least that much
//       is added to old space, whatever the knobs say.
//   P2  trigger <= goal.
//   P3  runway == trigger - L, and UINT64_MAX when trigger is ("never").
//   P4  Every sum and product saturates: figures of a hostile limit or GOGC cannot wrap around.
//   P5  limit_unreachable says that L + overhead > limit; then clamp is live-floor.
//   P6  Monotone: a higher GOGC, limit or minimum heap never lowers the goal.
#include "pacer.h"

#include <algorithm>

namespace neap::gc {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

uint64_t Add(uint64_t a, uint64_t b) { return a > kNever - b ? kNever : a + b; }
uint64_t Subtract(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t Multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? kNever : product;
}
// Exact where the result fits: hundreds and remainder apart.
uint64_t Percent(uint64_t value, uint64_t percent) {
  return Add(Multiply(value / 100, percent), Multiply(value % 100, percent) / 100);
}

struct Goal {
  uint64_t bytes;
  PacerClamp clamp;
};

Goal GogcGoal(const PacerInputs& in, uint64_t live_bytes) {
  if (in.gogc == Options::kGogcOff) return {kNever, PacerClamp::kOff};
  const uint64_t growth_bytes = Percent(Add(live_bytes, in.root_bytes), in.gogc);
  const uint64_t least_bytes = Percent(in.min_heap_bytes, in.gogc);
  if (least_bytes > growth_bytes) return {Add(live_bytes, least_bytes), PacerClamp::kMinHeap};
  return {Add(live_bytes, growth_bytes), PacerClamp::kGogc};
}

uint64_t OverheadBytes(const PacerInputs& in) {
  return Subtract(in.mapped_bytes, Add(in.free_block_bytes, in.heap_bytes));
}

uint64_t LimitGoalBytes(const PacerInputs& in) {
  const uint64_t limit_bytes = in.memory_limit_bytes;
  const uint64_t headroom_bytes =
      std::max(Percent(limit_bytes, kLimitHeadroomPercent), kLimitHeadroomMinBytes);
  return Subtract(limit_bytes, Add(OverheadBytes(in), headroom_bytes));
}

}  // namespace

PacerDecision Pace(const PacerInputs& in) {
  const uint64_t live_bytes = Add(in.marked_bytes, in.off_heap_bytes);
  Goal goal = GogcGoal(in, live_bytes);
  PacerDecision decision;

  if (in.memory_limit_bytes != Options::kNoLimit) {
    const uint64_t limit_goal_bytes = LimitGoalBytes(in);
    if (limit_goal_bytes < goal.bytes) {
      goal = {limit_goal_bytes, PacerClamp::kLimit};
      decision.limit_bound = true;
    }
    decision.limit_unreachable = Add(live_bytes, OverheadBytes(in)) > in.memory_limit_bytes;
    decision.return_bytes =
        Subtract(Add(in.mapped_bytes, in.off_heap_bytes), in.memory_limit_bytes);
  }

  const uint64_t floor_bytes = Add(live_bytes, kMinRunwayBytes);
  if (goal.bytes < floor_bytes) goal = {floor_bytes, PacerClamp::kLiveFloor};

  decision.goal_bytes = goal.bytes;
  decision.trigger_bytes = goal.bytes;
  decision.runway_bytes = goal.bytes == kNever ? kNever : goal.bytes - live_bytes;
  decision.clamp = goal.clamp;
  return decision;
}

Cause PacerCause(const PacerDecision& decision) {
  return decision.limit_bound ? Cause::kLimit : Cause::kPacer;
}

const char* PacerClampName(PacerClamp clamp) {
  switch (clamp) {
#define NEAP_CLAMP_CASE(name, text) \
  case PacerClamp::name:            \
    return text;
    NEAP_PACER_CLAMPS(NEAP_CLAMP_CASE)
#undef NEAP_CLAMP_CASE
  }
  return "unknown";
}

}  // namespace neap::gc
