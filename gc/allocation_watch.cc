// SPDX-License-Identifier: MIT
//
// The collector's side of allocation_watcher.h: sample points and lowered limits.
#include <algorithm>
#include <cmath>

#include "allocation_watcher.h"
#include "collector.h"
#include "neap/runtime/check.h"

namespace neap::gc {
namespace {

// splitmix64: a step of the state, then a number of it.
uint64_t NextRandom(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Exponentially distributed, in whole bytes. The smallest of 2^53 values of the uniform number
// bounds it at 37 times the mean.
uint64_t Distance(uint64_t& state, uint64_t mean_bytes) {
  const double uniform = (static_cast<double>(NextRandom(state) >> 11) + 0.5) * 0x1p-53;
  return static_cast<uint64_t>(-std::log(uniform) * static_cast<double>(mean_bytes));
}

}  // namespace

void Collector::WatchAllocations(Mutator& m, AllocationWatcher* watcher, uint64_t mean_bytes,
                                 uint64_t seed) {
  WhileStopped(m, [&] {
    NEAP_CHECK(watcher == nullptr || watcher_ == nullptr, "A4: a heap has one allocation watcher");
    watcher_ = watcher;
    sample_mean_bytes_ = mean_bytes;
    sample_seed_ = seed;
    for (int id = 0; id < scheduler_.created(); ++id) StartSampling(*locals_[id], id);
  });
}

// World stopped, or a P that nobody has yet.
void Collector::StartSampling(Local& local, int id) {
  local.sample_state = sample_seed_ * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(id);
  local.next_sample =
      watcher_ == nullptr ? UINT64_MAX
      : sample_mean_bytes_ == 0
          ? 0
          : local.allocated_bytes() + Distance(local.sample_state, sample_mean_bytes_);
  LowerLimit(local);
}

void Collector::LowerLimit(Local& local) {
  const uint64_t allocated = local.allocated_bytes();
  const uint64_t left = local.next_sample > allocated ? local.next_sample - allocated : 0;
  const auto room = static_cast<uint64_t>(local.real_limit - local.top);
  local.limit = slow_mode_ ? local.top : local.top + std::min(left, room);
}

void Collector::WatchAllocation(Mutator& m, void* memory, TypeId type, size_t bytes) {
  Local& local = *m.local_;
  const uint64_t allocated = local.allocated_bytes();
  if (allocated > local.next_sample) {
    watcher_->Born(m, static_cast<Object*>(memory), type, bytes);
    if (sample_mean_bytes_ != 0) {
      local.next_sample = allocated + Distance(local.sample_state, sample_mean_bytes_);
    }
  }
  LowerLimit(local);
}

}  // namespace neap::gc
