// SPDX-License-Identifier: MIT
#include "worker_threads.h"

#include "neap/runtime/clock.h"

namespace neap::gc {

WorkerThreads::~WorkerThreads() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerThreads::Run(int count, const std::function<void(int)>& work) {
  {
    std::lock_guard lock(mutex_);
    work_ = &work;
    wanted_ = running_ = count - 1;
    ++round_;
    while (static_cast<int>(threads_.size()) < count - 1) {
      const int id = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, id] { Loop(id); });
    }
  }
  wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
  work_ = nullptr;
}

void WorkerThreads::Loop(int id) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock,
               [&] { return quit_ || (round_ != seen && id <= wanted_ && work_ != nullptr); });
    if (quit_) return;
    seen = round_;
    const std::function<void(int)>& work = *work_;
    lock.unlock();
    const uint64_t start = ThreadCpuNanos();
    work(id);
    const uint64_t spent = ThreadCpuNanos() - start;
    lock.lock();
    helper_cpu_ns_ += spent;
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace neap::gc
