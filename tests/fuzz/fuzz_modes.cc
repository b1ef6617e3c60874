// SPDX-License-Identifier: MIT
//
// The mode matrix of the heap fuzzer: every switch that changes how the heap works inside, each
// with the operations that it is about made more frequent.
#include <string>

#include "heap_machine.h"

namespace neap::fuzz {
namespace {

using gc::Options;
using Nursery = gc::Options::Nursery;

constexpr OpCode kAllWeak[] = {OpCode::kNewWeakBox, OpCode::kNewWeakKeyBox, OpCode::kNewEphemerons,
                               OpCode::kWeakHandle};

std::vector<OpCode> Weak() { return {std::begin(kAllWeak), std::end(kAllWeak)}; }

std::vector<Mode> MakeModes() {
  return {
      {.name = "plain", .set = [](Options&) {}},
      {.name = "nursery-off", .set = [](Options& o) { o.nursery = Nursery::kOff; }},
      {.name = "nursery-off-weak",
       .set = [](Options& o) { o.nursery = Nursery::kOff; },
       .boosted = Weak()},
      {.name = "nursery-4k", .set = [](Options& o) { o.nursery_bytes = 4 << 10; }},
      {.name = "nursery-256k", .set = [](Options& o) { o.nursery_bytes = 256 << 10; }},
      {.name = "adaptive",
       .set =
           [](Options& o) {
             o.nursery = Nursery::kAdaptive;
             o.nursery_bytes = 8 << 10;
             o.nursery_max_bytes = 512 << 10;
           }},
      {.name = "tenure-1", .set = [](Options& o) { o.tenure = 1; }},
      {.name = "tenure-3", .set = [](Options& o) { o.tenure = 3; }},
      {.name = "tenure-15", .set = [](Options& o) { o.tenure = 15; }},
      {.name = "in-place-off", .set = [](Options& o) { o.in_place = false; }},
      // Shelves that fill up make cohorts live on.
      {.name = "in-place-cohorts",
       .set =
           [](Options& o) {
             o.in_place = true;
             o.nursery_bytes = 64 << 10;
           },
       .boosted = {OpCode::kShelve},
       .boost = 30},
      {.name = "workers-2",
       .set =
           [](Options& o) {
             o.workers = 2;
             o.debug.parallel_from = 0;
           },
       .boosted = {OpCode::kShelve}},
      {.name = "workers-2-cohorts",
       .set =
           [](Options& o) {
             o.workers = 2;
             o.debug.parallel_from = 0;
             o.in_place = true;
             o.nursery_bytes = 64 << 10;
           },
       .boosted = {OpCode::kShelve, OpCode::kPin},
       .boost = 30},
      {.name = "pins", .set = [](Options&) {}, .boosted = {OpCode::kPin}, .boost = 20},
      {.name = "no-room", .set = [](Options& o) { o.debug.no_room = 1; }},
      {.name = "no-room-3",
       .set = [](Options& o) { o.debug.no_room = 3; },
       .boosted = {OpCode::kPin}},
      {.name = "stress-alloc", .set = [](Options& o) { o.debug.stress_alloc = 7; }},
      {.name = "stress-safepoint",
       .set = [](Options& o) { o.debug.stress_safepoint = 3; },
       .boosted = {OpCode::kPoll}},
      {.name = "stress-major", .set = [](Options& o) { o.debug.stress_major = 3; }},
      {.name = "weak", .set = [](Options&) {}, .boosted = Weak()},
      {.name = "finalizers",
       .set = [](Options&) {},
       .boosted = {OpCode::kRegister, OpCode::kRunFinalizers, OpCode::kNewWeakKeyBox},
       .boost = 12},
      {.name = "finalizers-no-room",
       .set = [](Options& o) { o.debug.no_room = 2; },
       .boosted = {OpCode::kRegister, OpCode::kRunFinalizers, OpCode::kNewWeakKeyBox},
       .boost = 12},
      {.name = "large",
       .set = [](Options& o) { o.nursery_bytes = 128 << 10; },
       .boosted = {OpCode::kNewLargeArray, OpCode::kNewLargeBytes, OpCode::kBulkMove},
       .boost = 12},
      {.name = "off-heap",
       .set = [](Options& o) { o.nursery_bytes = 128 << 10; },
       .boosted = {OpCode::kNewBuffer, OpCode::kResizeBuffer},
       .boost = 12},
      {.name = "stationary",
       .set = [](Options&) {},
       .boosted = {OpCode::kNewStationary},
       .boost = 30},
      {.name = "procs",
       .set = [](Options& o) { o.procs = 3; },
       .boosted = {OpCode::kSetting},
       .changes_settings = true},
      {.name = "poison-rotate",
       .set =
           [](Options& o) {
             o.debug.poison = 1;
             o.debug.rotate = 6;
           },
       .boosted = {OpCode::kPin}},
      {.name = "verify",
       .set =
           [](Options& o) {
             o.debug.verify = 1;
             o.debug.stress_major = 5;
             o.nursery_bytes = 256 << 10;  // a verification costs as much as 10,000 operations
           }},
      {.name = "out-of-memory",
       .set = [](Options& o) { o.hard_limit_bytes = 6 << 20; },
       .boosted = {OpCode::kNewLargeBytes, OpCode::kNewLargeArray, OpCode::kNewBuffer},
       .boost = 20,
       .allocation_may_fail = true},
      {.name = "memory-limit",
       .set =
           [](Options& o) {
             o.gogc = Options::kGogcOff;
             o.memory_limit_bytes = 32 << 20;
           }},
      // One log of the write barrier in 500 is forgotten: the fuzzer must find it. Not part of
      // "all".
      {.name = "broken-barrier",
       .set = [](Options& o) { o.debug.drop_barrier = 500; },
       .broken = true},
  };
}

}  // namespace

const std::vector<Mode>& Modes() {
  static const std::vector<Mode> modes = MakeModes();
  return modes;
}

const Mode* FindMode(const std::string& name) {
  for (const Mode& mode : Modes()) {
    if (name == mode.name) return &mode;
  }
  return nullptr;
}

}  // namespace neap::fuzz
