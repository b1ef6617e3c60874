// SPDX-License-Identifier: MIT
//
// Runs small concurrent histories through all interleavings of their steps, in one thread.
//
//   A history is a set of bodies. Each body runs on a fiber of its own; it gives way at every
//   TestSteps::Step(), which the code under test calls between two accesses that others can see.
//   One execution follows one path of choices; the next takes the last choice that has an
//   untried alternative and starts from the beginning (stateless search, as in CHESS: Musuvathi and
//   Qadeer, 2007).
//
//   ExploreAll([] { return History{bodies, verify}; });
//
// Steps are sequentially consistent: what this proves is the protocol, not the memory orders.
#ifndef NEAP_TESTS_POOL_INTERLEAVING_H_
#define NEAP_TESTS_POOL_INTERLEAVING_H_

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "support/random.h"

namespace neap::testing {

struct History {
  std::vector<std::function<void()>> bodies;
  std::function<void()> verify;  // after all bodies have ended
};
using MakeHistory = std::function<History()>;

class Interleaver {
 public:
  // Runs one execution. `choose(n)` picks one of the n bodies that can go on.
  void Run(History& history, const std::function<size_t(size_t)>& choose) {
    fibers_.clear();
    for (std::function<void()>& body : history.bodies) {
      fibers_.push_back(std::make_unique<Fiber>());
      Start(*fibers_.back(), body);
    }
    Interleaver* outer = current_;
    current_ = this;
    for (std::vector<Fiber*> ready = Ready(); !ready.empty(); ready = Ready()) {
      running_ = ready[choose(ready.size())];
      ++steps_;
      swapcontext(&scheduler_, &running_->context);
    }
    current_ = outer;
    history.verify();
  }
  uint64_t steps() const { return steps_; }
  // Number of the present step, for the order of operations in real time.
  static uint64_t Now() { return current_ == nullptr ? 0 : current_->steps_; }

  static void Yield() {
    if (current_ == nullptr || current_->running_ == nullptr) return;
    Fiber* self = current_->running_;
    swapcontext(&self->context, &current_->scheduler_);
  }

 private:
  static constexpr size_t kStackBytes = 64 << 10;

  struct Fiber {
    ucontext_t context;
    std::function<void()> body;
    bool ended = false;
    std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
  };

  void Start(Fiber& fiber, std::function<void()>& body) {
    fiber.body = body;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Interleaver::Main, 0);
  }
  static void Main() {
    Fiber* self = current_->running_;
    self->body();
    self->ended = true;
    Fiber* left = std::exchange(current_->running_, nullptr);
    swapcontext(&left->context, &current_->scheduler_);
  }
  std::vector<Fiber*> Ready() {
    running_ = nullptr;
    std::vector<Fiber*> ready;
    for (const auto& fiber : fibers_) {
      if (!fiber->ended) ready.push_back(fiber.get());
    }
    return ready;
  }

  static inline Interleaver* current_ = nullptr;
  ucontext_t scheduler_;
  Fiber* running_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  uint64_t steps_ = 0;
};

// What the code under test is instantiated with.
struct TestSteps {
  static void Step() { Interleaver::Yield(); }
};

// All executions; returns how many there were. Fails the test beyond `limit`.
inline uint64_t ExploreAll(const MakeHistory& make, uint64_t limit = 1'000'000) {
  struct Choice {
    size_t taken;
    size_t alternatives;
  };
  std::vector<Choice> path;
  uint64_t executions = 0;
  while (true) {
    size_t depth = 0;
    History history = make();
    Interleaver().Run(history, [&](size_t alternatives) {
      if (depth == path.size()) path.push_back({0, alternatives});
      return path[depth++].taken;
    });
    ++executions;
    REQUIRE(executions <= limit);
    while (!path.empty() && path.back().taken + 1 == path.back().alternatives) path.pop_back();
    if (path.empty()) return executions;
    ++path.back().taken;
  }
}

// `executions` random ones, for histories with too many paths.
inline void ExploreRandomly(const MakeHistory& make, uint64_t executions, Random& random) {
  for (uint64_t i = 0; i < executions; ++i) {
    History history = make();
    Interleaver().Run(history, [&](size_t alternatives) { return random.Below(alternatives); });
  }
}

// The same, but a body goes on for 16 steps on average before another one runs: reaches what needs
// one thread to do much between two steps of another.
inline void ExploreInLongRuns(const MakeHistory& make, uint64_t executions, Random& random) {
  for (uint64_t i = 0; i < executions; ++i) {
    History history = make();
    size_t last_alternatives = 0;
    size_t present = 0;
    Interleaver().Run(history, [&](size_t alternatives) {
      if (alternatives != last_alternatives || random.OneIn(16)) {
        present = random.Below(alternatives);
      }
      last_alternatives = alternatives;
      return present;
    });
  }
}

}  // namespace neap::testing

#endif  // NEAP_TESTS_POOL_INTERLEAVING_H_
