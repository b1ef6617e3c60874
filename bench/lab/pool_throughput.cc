// SPDX-License-Identifier: MIT
#include "pool_throughput.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "block.h"
#include "frame_times.h"
#include "lab_heap.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"
#include "neap/runtime/clock.h"

namespace neap::lab {
namespace {

constexpr size_t kBufferBytes = 4096;
constexpr uint64_t kPollEvery = 1000;  // operations; a native loop polls at least that often
constexpr const char* kCellName = "pool-throughput";

// Keeps the buffer reachable and writes into it, so that no loop can be optimised away.
[[gnu::noinline]] void UseBuffer(Block* block, gc::GlobalHandle& keep) {
  ++block->number;
  keep.set(block);
}

// Forces a collection each millisecond from its own thread while it lives.
class CollectEachMillisecond {
 public:
  explicit CollectEachMillisecond(gc::Heap& heap) : thread_([this, &heap] { Run(heap); }) {}
  // Called without a P: the thread may have to stop the world once more.
  uint64_t Stop() {
    stop_.store(true);
    thread_.join();
    return collections_;
  }

 private:
  void Run(gc::Heap& heap) {
    gc::Mutator m(heap);
    auto next = std::chrono::steady_clock::now();
    while (!stop_.load()) {
      heap.Collect(m);
      ++collections_;
      next += std::chrono::milliseconds(1);
      gc::BlockingRegion blocking(m);
      std::this_thread::sleep_until(next);
    }
  }

  std::atomic<bool> stop_{false};
  uint64_t collections_ = 0;
  std::thread thread_;
};

class Loop {
 public:
  Loop(LabHeap& heap, bool pooled)
      : heap_(heap),
        pooled_(pooled),
        type_(BlockType(kBufferBytes)),
        pool_(heap.heap(), PoolOptions()) {
    keep_ = gc::GlobalHandle(heap.mutator(), nullptr);
  }

  // Nanoseconds that `operations` take.
  uint64_t Time(uint64_t operations) {
    const uint64_t start_ns = MonotonicNanos();
    if (pooled_) {
      RunPooled(operations);
    } else {
      RunAllocating(operations);
    }
    return MonotonicNanos() - start_ns;
  }
  uint64_t misses() const { return misses_; }

 private:
  pool::Options<Block> PoolOptions() {
    pool::Options<Block> options;
    options.name = "throughput";
    options.go_exact = true;
    options.make = [this](gc::Mutator& m) {
      ++misses_;
      return static_cast<Block*>(m.Allocate(type_));
    };
    return options;
  }

  void RunAllocating(uint64_t operations) {
    gc::Mutator& m = heap_.mutator();
    for (uint64_t i = 0; i < operations; ++i) {
      UseBuffer(static_cast<Block*>(m.Allocate(type_)), keep_);
    }
  }

  void RunPooled(uint64_t operations) {
    gc::Mutator& m = heap_.mutator();
    for (uint64_t left = operations; left > 0;) {
      const uint64_t batch = std::min(left, kPollEvery);
      for (uint64_t i = 0; i < batch; ++i) {
        Block* block = pool_.Get(m);
        UseBuffer(block, keep_);
        pool_.Put(m, block);
      }
      m.Poll();
      left -= batch;
    }
  }

  LabHeap& heap_;
  const bool pooled_;
  const gc::TypeId type_;
  uint64_t misses_ = 0;
  pool::Pool<Block> pool_;
  gc::GlobalHandle keep_;
};

// A fixed amount of arithmetic: what varies here is the machine.
double ControlNs() {
  const uint64_t start_ns = MonotonicNanos();
  uint64_t x = start_ns | 1;
  for (int i = 0; i < 4'000'000; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  static std::atomic<uint64_t> sink;
  sink.store(x, std::memory_order_relaxed);
  return static_cast<double>(MonotonicNanos() - start_ns);
}

// Doubles the number of operations until two runs in a row take half of a repetition: one that was
// preempted proves nothing.
uint64_t Calibrate(Loop& loop, uint64_t repetition_ns) {
  uint64_t operations = kPollEvery;
  for (int long_enough = 0; long_enough < 2;) {
    if (loop.Time(operations) >= repetition_ns / 2) {
      ++long_enough;
    } else {
      operations *= 2;
      long_enough = 0;
    }
  }
  return operations;
}

Throughput RunLoop(LabHeap& heap, const std::string& name, uint64_t repetitions,
                   uint64_t repetition_ns) {
  const bool under_gc = name == "under-gc";
  Loop loop(heap, name != "no-pool");
  loop.Time(1);  // the cold miss, and the first touch of everything
  Throughput result;
  result.object_bytes = gc::kHeaderBytes + kBufferBytes;
  result.iterations = Calibrate(loop, repetition_ns);
  const gc::Stats before = heap.heap().Snapshot();
  std::vector<double> times, controls;
  std::unique_ptr<CollectEachMillisecond> collector;
  if (under_gc) collector = std::make_unique<CollectEachMillisecond>(heap.heap());
  for (uint64_t i = 0; i < repetitions; ++i) {
    times.push_back(static_cast<double>(loop.Time(result.iterations)) /
                    static_cast<double>(result.iterations));
    if (!under_gc) controls.push_back(ControlNs());
  }
  if (collector != nullptr) {
    gc::BlockingRegion blocking(heap.mutator());
    result.collections = static_cast<double>(collector->Stop());
  }
  while (controls.size() < repetitions) controls.push_back(ControlNs());
  const gc::Stats after = heap.heap().Snapshot();
  result.operations = static_cast<double>(repetitions * result.iterations);
  result.ns_per_op = Median(times);
  result.spread = Spread(times);
  result.control_spread = Spread(controls);
  result.bytes_per_op =
      static_cast<double>(after.alloc_bytes - before.alloc_bytes) / result.operations;
  result.allocs_per_op =
      static_cast<double>(after.alloc_objects - before.alloc_objects) / result.operations;
  result.misses = static_cast<double>(loop.misses());
  return result;
}

// Arguments: loop, repetitions, milliseconds of one, then the heap's mode.
int RunCell(const std::vector<std::string>& arguments) {
  gc::Options options;
  const std::vector<std::string> words = TakeOptionArguments(arguments, options);
  if (words.size() != 3) return 1;
  LabHeap heap(options);
  const Throughput t = RunLoop(heap, words[0], std::strtoull(words[1].c_str(), nullptr, 10),
                               std::strtoull(words[2].c_str(), nullptr, 10) * 1'000'000);
  std::printf("%" PRIu64 " %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", t.iterations,
              t.ns_per_op, t.spread, t.control_spread, t.object_bytes, t.bytes_per_op,
              t.allocs_per_op, t.misses, t.collections, t.operations);
  return 0;
}

const Cell kCell(kCellName, &RunCell);

Throughput Parse(const std::string& text) {
  Throughput t;
  const int fields =
      std::sscanf(text.c_str(), "%" SCNu64 " %lg %lg %lg %lg %lg %lg %lg %lg %lg", &t.iterations,
                  &t.ns_per_op, &t.spread, &t.control_spread, &t.object_bytes, &t.bytes_per_op,
                  &t.allocs_per_op, &t.misses, &t.collections, &t.operations);
  return fields == 10 ? t : Throughput{};
}

}  // namespace

const Throughput& MeasureThroughput(const Lab& lab, const std::string& loop,
                                    const gc::Options& options) {
  static std::map<std::string, Throughput> measured;
  std::vector<std::string> arguments = {loop, absl::StrCat(lab.Repetitions(10, 3)),
                                        absl::StrCat(lab.Repetitions(100, 20))};
  for (const std::string& argument : OptionArguments(options)) arguments.push_back(argument);
  const std::string key = absl::StrJoin(arguments, " ");
  const auto found = measured.find(key);
  if (found != measured.end()) return found->second;
  return measured[key] = Parse(RunIsolated(lab, kCellName, arguments));
}

}  // namespace neap::lab
