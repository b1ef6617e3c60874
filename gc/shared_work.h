// SPDX-License-Identifier: MIT
//
// Work that the workers of a parallel trace hand to each other, and how they agree that it is over:
// a worker that finds nothing counts itself idle, and the trace ends when all are. Work is given
// only while somebody is idle, so that a trace which keeps everybody busy never locks.
#ifndef NEAP_GC_SHARED_WORK_H_
#define NEAP_GC_SHARED_WORK_H_

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "work_stack.h"

namespace neap::gc {

// Thread safe, but for the stacks, which are the caller's own.
class SharedWork {
 public:
  explicit SharedWork(int workers) : workers_(workers) {}

  bool SomebodyIdle() const { return idle_.load(std::memory_order_relaxed) > 0; }
  // True while giving work away helps somebody.
  bool Wanted() const { return SomebodyIdle() && size_.load(std::memory_order_relaxed) == 0; }
  // Moves the older half of the stack here.
  void Give(WorkStack& stack);
  // Moves half of what is here to the stack; false when nothing was.
  bool Take(WorkStack& stack);
  // Waits until there is work to take; false when all workers wait, and the trace is over.
  bool Wait();

  // Claims the next run of up to `count` of `total` entries: [first, end). False when none is left.
  bool Claim(size_t count, size_t total, size_t* first, size_t* end);

 private:
  const int workers_;
  std::mutex mutex_;
  std::vector<Word> words_;      // guarded by mutex_
  std::atomic<size_t> size_{0};  // of words_, for a cheap look
  std::atomic<int> idle_{0};
  std::atomic<size_t> next_entry_{0};
};

}  // namespace neap::gc

#endif  // NEAP_GC_SHARED_WORK_H_
