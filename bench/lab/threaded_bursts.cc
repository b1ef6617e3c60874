// SPDX-License-Identifier: MIT
#include "threaded_bursts.h"

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "block.h"
#include "lab_heap.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"

namespace neap::lab {
namespace {

constexpr int kThreads = 64;
constexpr size_t kBufferBytes = 4096;

// The threads and what they share. One more party at the barrier than threads: the driver.
class Crew {
 public:
  Crew(LabHeap& heap, uint64_t bursts)
      : heap_(heap),
        bursts_(bursts),
        block_type_(BlockType(kBufferBytes)),
        owned_(kThreads * (bursts + 1) + 1),
        pool_(heap.heap(), PoolOptions()) {
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Work(); });
  }

  ThreadedCounts Run() {
    for (uint64_t burst = 0; burst < bursts_; ++burst) {
      heap_.Collect();
      if (burst == 1) misses_.store(0);
      Meet(heap_.mutator());  // start
      Meet(heap_.mutator());  // all hold one
      Meet(heap_.mutator());  // all put back
    }
    gc::BlockingRegion blocking(heap_.mutator());
    for (std::thread& thread : threads_) thread.join();
    return {.misses = misses_.load(), .violations = violations_.load()};
  }

 private:
  pool::Options<Block> PoolOptions() {
    pool::Options<Block> options;
    options.name = "threaded";
    options.make = [this](gc::Mutator& m) { return Make(m); };
    options.go_exact = true;
    return options;
  }

  Block* Make(gc::Mutator& m) {
    misses_.fetch_add(1);
    Block* block = static_cast<Block*>(m.Allocate(block_type_));
    block->number = next_number_.fetch_add(1);
    block->put_cycle = m.heap().majors();
    return block;
  }

  // Waits for everybody, without a P.
  void Meet(gc::Mutator& m) {
    gc::BlockingRegion blocking(m);
    barrier_.arrive_and_wait();
  }

  void Check(gc::Mutator& m, const Block* block) {
    const bool known = block->number >= 1 && block->number < owned_.size();
    const bool old = m.heap().majors() - block->put_cycle > 1;
    if (!known || old || owned_[block->number].exchange(true)) violations_.fetch_add(1);
  }

  void Work() {
    gc::Mutator m(heap_.heap());
    gc::HandleScope scope(m);
    gc::Handle<Block> held = scope.New<Block>(nullptr);
    for (uint64_t burst = 0; burst < bursts_; ++burst) {
      Meet(m);
      held.set(pool_.Get(m));
      Check(m, held.get());
      Meet(m);
      std::this_thread::yield();
      held->put_cycle = m.heap().majors();
      owned_[held->number].store(false);
      pool_.Put(m, held.get());
      held.set(nullptr);
      Meet(m);
    }
  }

  LabHeap& heap_;
  const uint64_t bursts_;
  const gc::TypeId block_type_;
  std::vector<std::atomic<bool>> owned_;  // by number: somebody holds it
  std::atomic<uint64_t> next_number_{1};
  std::atomic<uint64_t> misses_{0};
  std::atomic<uint64_t> violations_{0};
  std::barrier<> barrier_{kThreads + 1};
  pool::Pool<Block> pool_;
  std::vector<std::thread> threads_;
};

}  // namespace

ThreadedCounts RunThreadedBursts(const gc::Options& options, uint64_t bursts) {
  LabHeap heap(options);
  Crew crew(heap, bursts + 1);
  return crew.Run();
}

}  // namespace neap::lab
