// SPDX-License-Identifier: MIT
//
// Threads for the tests of the floor: started one by one, joined when the crew goes out of scope.
//
//   Crew crew;
//   crew.Start([&] { ... });
//   WaitUntil([&] { return scheduler.waiting() == 1; });
#ifndef NEAP_TESTS_RUNTIME_CREW_H_
#define NEAP_TESTS_RUNTIME_CREW_H_

#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "neap/runtime/check.h"

namespace neap::testing {

class Crew {
 public:
  Crew() = default;
  ~Crew() { Join(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void Start(std::function<void()> body) { threads_.emplace_back(std::move(body)); }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

inline void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Waits for what another thread is about to do. Only a deadlock takes a minute: it fails the test.
template <typename Condition>
void WaitUntil(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    NEAP_CHECK(std::chrono::steady_clock::now() < deadline,
               "what a test waits for happens within a minute");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace neap::testing

#endif  // NEAP_TESTS_RUNTIME_CREW_H_
