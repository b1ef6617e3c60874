// SPDX-License-Identifier: MIT
#include "shared_work.h"

#include <algorithm>
#include <thread>

namespace neap::gc {

void SharedWork::Give(WorkStack& stack) {
  const size_t count = stack.size() / 2;
  std::lock_guard lock(mutex_);
  const size_t before = words_.size();
  words_.resize(before + count);
  stack.TakeOldest(count, words_.data() + before);
  size_.store(words_.size(), std::memory_order_release);
}

bool SharedWork::Take(WorkStack& stack) {
  if (size_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(mutex_);
  const size_t take = (words_.size() + 1) / 2;
  for (size_t i = 0; i < take; ++i) {
    (void)stack.Push(words_.back());
    words_.pop_back();
  }
  size_.store(words_.size(), std::memory_order_release);
  return take > 0;
}

bool SharedWork::Wait() {
  idle_.fetch_add(1, std::memory_order_acq_rel);
  for (;;) {
    if (size_.load(std::memory_order_acquire) > 0) {
      idle_.fetch_sub(1, std::memory_order_acq_rel);
      return true;
    }
    if (idle_.load(std::memory_order_acquire) == workers_) return false;
    std::this_thread::yield();
  }
}

bool SharedWork::Claim(size_t count, size_t total, size_t* first, size_t* end) {
  *first = next_entry_.fetch_add(count);
  *end = std::min(*first + count, total);
  return *first < total;
}

}  // namespace neap::gc
