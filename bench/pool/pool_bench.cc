// SPDX-License-Identifier: MIT
//
// The pool's fast path against Go's sync.Pool, in the same run and on the same kind of item: a
// block of 4 KiB that lives on the managed heap, one byte of it touched between Get and Put.
//
//   pair        one thread, CPU time
//   scaling     two threads with a P each, against two threads of plain arithmetic: what is missing
//               to the arithmetic's factor is what the pool's threads cost each other
//   under GC    one thread, while another forces a collection each millisecond; wall time
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "benchmarks.h"
#include "child.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/pool/pool.h"
#include "neap/runtime/clock.h"

namespace neap::bench {
namespace {

using Buffer = gc::ByteArray;
using Buffers = pool::Pool<Buffer>;

constexpr uint64_t kPairsOfCalls = 20'000'000;
constexpr uint64_t kThreadPairs = 40'000'000;
constexpr int kRuns = 5;
constexpr uint64_t kItemBytes = 4096;
constexpr uint64_t kPollEvery = 1000;  // calls between two polls (rule M1: bounded time to a stop)

pool::Options<Buffer> BufferOptions() {
  return {.name = "bench", .make = [](gc::Mutator& m) { return m.NewBytes(kItemBytes); }};
}

// `count` pairs; the sum of the touched bytes proves that each happened. With one item in use and
// no miss the byte counts up, wrapping at 256.
[[gnu::noinline]] uint64_t Pairs(gc::Mutator& m, Buffers& buffers, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t done = 0; done < count;) {
    const uint64_t stop = std::min(count, done + kPollEvery);
    for (; done < stop; ++done) {
      Buffer* buffer = buffers.Get(m);
      sum += ++buffer->data()[0];
      buffers.Put(m, buffer);
    }
    m.Poll();
  }
  return sum;
}

uint64_t SumOfWraps(uint64_t count) {
  const uint64_t rest = count % 256;
  return count / 256 * (255 * 256 / 2) + rest * (rest + 1) / 2;
}

double PairNanos() {
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);
  Buffers buffers(heap, BufferOptions());
  Pairs(m, buffers, 256 * 1000);  // a multiple of 256: the byte is 0 again
  const uint64_t start_ns = ThreadCpuNanos();
  const uint64_t sum = Pairs(m, buffers, kPairsOfCalls);
  const uint64_t cpu_ns = ThreadCpuNanos() - start_ns;
  if (sum != SumOfWraps(kPairsOfCalls)) return 0;
  return static_cast<double>(cpu_ns) / static_cast<double>(kPairsOfCalls);
}

void BenchPair(Board& board) {
  std::string no_go;
  const auto go = GoPeer("pool", &no_go);
  if (!go) {
    board.Value("Get and Put pair, one P", "ns", PairNanos());
    board.Skip("pair against Go", no_go);
    return;
  }
  const Pairing pairing = MeasurePairs(kRuns, PairNanos, [&go] {
    return RunChild({*go, "pair", std::to_string(kPairsOfCalls)})["ns"];
  });
  if (pairing.ours.low == 0) return board.Broken("pair", "the bytes do not add up");
  board.Compare("Get and Put pair, one P", "ns", pairing, "Go sync.Pool", AtMost(0.25));
}

void BenchInstructions(Board& board) {
  const auto once = CountInstructions("pairs", {"1000000"});
  const auto twice = CountInstructions("pairs", {"2000000"});
  if (!once || !twice) return board.Skip("pair, instructions", "no valgrind here, or it failed");
  board.Value("Get and Put pair with the touch", "instructions",
              (twice->total - once->total) / 1e6);
}

// Runs `work(thread)` on `threads` threads at once; wall seconds from the common start to the end
// of the last.
template <typename Work>
double RunThreads(int threads, Work work) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      ready.fetch_add(1);
      while (!go.load()) std::this_thread::yield();
      work(i);
    });
  }
  while (ready.load() < threads) std::this_thread::yield();
  const uint64_t start_ns = MonotonicNanos();
  go.store(true);
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(MonotonicNanos() - start_ns) * 1e-9;
}

[[gnu::noinline]] uint64_t Arithmetic(uint64_t count) {
  uint64_t x = count;
  for (uint64_t i = 0; i < count; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    Keep(x);
  }
  return x;
}

double PoolSeconds(int threads) {
  gc::Heap heap({.procs = 2});
  Buffers buffers(heap, BufferOptions());
  return RunThreads(threads, [&](int) {
    gc::Mutator m(heap);
    Keep(Pairs(m, buffers, kThreadPairs));
  });
}

double ArithmeticSeconds(int threads) {
  return RunThreads(threads, [](int) { Keep(Arithmetic(3 * kThreadPairs)); });
}

// Throughput of two threads over that of one: 2 is perfect.
void BenchScaling(Board& board) {
  if (std::thread::hardware_concurrency() < 2) return board.Skip("scaling", "one core only");
  const Pairing pairing = MeasurePairs(
      kRuns, [] { return 2 * PoolSeconds(1) / PoolSeconds(2); },
      [] { return 2 * ArithmeticSeconds(1) / ArithmeticSeconds(2); });
  board.Compare("two threads over one", "times", pairing, "arithmetic", AtLeast(0.95));
}

// Wall nanoseconds a pair; `collections` counts the forced cycles, none when it is null.
double NanosUnderCollections(uint64_t* collections) {
  gc::Heap heap({.procs = 2});
  Buffers buffers(heap, BufferOptions());
  std::atomic<bool> stop{false};
  std::thread collector([&] {
    if (collections == nullptr) return;
    gc::Mutator m(heap);
    while (!stop.load()) {
      {
        gc::BlockingRegion blocking(m);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      heap.Collect(m);
    }
    *collections = heap.majors();
  });
  gc::Mutator m(heap);
  Pairs(m, buffers, kThreadPairs / 20);
  const uint64_t start_ns = MonotonicNanos();
  Keep(Pairs(m, buffers, kThreadPairs));
  const uint64_t wall_ns = MonotonicNanos() - start_ns;
  stop.store(true);
  {
    gc::BlockingRegion blocking(m);  // the collector may be waiting for this thread to stop
    collector.join();
  }
  return static_cast<double>(wall_ns) / static_cast<double>(kThreadPairs);
}

void BenchUnderCollections(Board& board) {
  uint64_t collections = 0;
  const Pairing pairing = MeasurePairs(
      kRuns, [&collections] { return NanosUnderCollections(&collections); },
      [] { return NanosUnderCollections(nullptr); });
  board.Compare("pair, a collection forced each ms", "ns", pairing, "without", AtMost(1.2));
  const double ms = pairing.ours.median * static_cast<double>(kThreadPairs) * 1e-6;
  board.Note("the last run met " + std::to_string(collections) + " collections in about " +
             Figure(ms) + " ms");
}

}  // namespace

int PairsCell(const Arguments& arguments) {
  const uint64_t count = NumberAt(arguments, 0, 1'000'000);
  gc::Heap heap({.reserve_bytes = size_t{1} << 30, .procs = 1});
  gc::Mutator m(heap);
  Buffers buffers(heap, BufferOptions());
  const uint64_t sum = Pairs(m, buffers, count);
  std::printf("RESULT chk=%llu\n", static_cast<unsigned long long>(sum));
  return sum == SumOfWraps(count) ? 0 : 1;
}

void BenchPool(Board& board) {
  BenchPair(board);
  BenchInstructions(board);
  BenchScaling(board);
  BenchUnderCollections(board);
}

}  // namespace neap::bench
