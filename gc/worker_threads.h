// SPDX-License-Identifier: MIT
//
// Helper threads of the collector. They sleep between uses and hold no P: they run only while the
// world is stopped, on behalf of the stopper.
#ifndef NEAP_GC_WORKER_THREADS_H_
#define NEAP_GC_WORKER_THREADS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace neap::gc {

class WorkerThreads {
 public:
  ~WorkerThreads();
  // Runs work(0) on the caller and work(1..count-1) on helpers (started on first use); returns when
  // all are done. CPU time of the helpers is added to helper_cpu_ns.
  void Run(int count, const std::function<void(int)>& work);
  uint64_t helper_cpu_ns() const { return helper_cpu_ns_; }

 private:
  void Loop(int id);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  uint64_t round_ = 0;
  int wanted_ = 0;  // helpers of this round: ids 1..wanted_
  int running_ = 0;
  bool quit_ = false;
  uint64_t helper_cpu_ns_ = 0;
};

}  // namespace neap::gc

#endif  // NEAP_GC_WORKER_THREADS_H_
