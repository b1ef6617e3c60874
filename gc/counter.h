// SPDX-License-Identifier: MIT
//
// A counter with one writer (the owner of the P, or the collector while stopped) that anybody may
// read: plain instructions on x86, no lock prefix.
#ifndef NEAP_GC_COUNTER_H_
#define NEAP_GC_COUNTER_H_

#include <atomic>
#include <cstdint>

namespace neap::gc {

class Counter {
 public:
  void Add(uint64_t n) { value_.store(Get() + n, std::memory_order_relaxed); }
  void Set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_COUNTER_H_
