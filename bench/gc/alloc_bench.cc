// SPDX-License-Identifier: MIT
//
// Allocation that dies at once. "The same size" means the same payload: our object carries an
// 8-byte header on top, malloc its own bookkeeping elsewhere. Both sides write the first word and
// nothing else; malloc's pair is its best case, the block just freed is the next one taken.
#ifdef NEAP_BENCH_MIMALLOC
#include <mimalloc.h>
#endif

#include "benchmarks.h"
#include "child.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/clock.h"

namespace neap::bench {
namespace {

constexpr uint64_t kObjects = 20'000'000;  // a run; over a thousand minor collections at 256 KiB
constexpr int kPairs = 7;

template <size_t kWords>
struct Block : gc::Object {
  explicit Block(uint64_t value) { words[0] = value; }
  uint64_t words[kWords];
};

template <size_t kWords>
gc::TypeId BlockType() {
  static const gc::TypeId type =
      gc::RegisterType({.name = "block", .base_bytes = sizeof(Block<kWords>)});
  return type;
}

template <size_t kWords>
[[gnu::noinline]] uint64_t AllocateOurs(gc::Mutator& m, uint64_t count) {
  const gc::TypeId type = BlockType<kWords>();
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const Block<kWords>* block = m.New<Block<kWords>>(type, i);
    Keep(block);
    sum += block->words[0];
  }
  return sum;
}

// CPU nanoseconds per object, or 0 when the answer is wrong.
template <typename Loop>
double NanosPerObject(Loop loop) {
  const uint64_t start_ns = ThreadCpuNanos();
  const uint64_t sum = loop(kObjects);
  const uint64_t end_ns = ThreadCpuNanos();
  if (sum != kObjects * (kObjects - 1) / 2) return 0;
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(kObjects);
}

#ifdef NEAP_BENCH_MIMALLOC
[[gnu::noinline]] uint64_t AllocateTheirs(size_t bytes, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    auto* block = static_cast<uint64_t*>(mi_malloc(bytes));
    block[0] = i;
    Keep(block);
    sum += block[0];
    mi_free(block);
  }
  return sum;
}
#endif

template <size_t kWords>
void Measure(Board& board, gc::Mutator& m) {
  const size_t bytes = kWords * 8;
  const std::string quantity = std::to_string(bytes) + " bytes of payload";
  const auto ours = [&m] {
    return NanosPerObject([&m](uint64_t count) { return AllocateOurs<kWords>(m, count); });
  };
  ours();  // the adaptive nursery settles
#ifdef NEAP_BENCH_MIMALLOC
  const Pairing pairing = MeasurePairs(kPairs, ours, [bytes] {
    return NanosPerObject([bytes](uint64_t count) { return AllocateTheirs(bytes, count); });
  });
  if (pairing.ours.low == 0 || pairing.reference.low == 0) {
    board.Broken(quantity, "the sum over the objects is wrong");
    return;
  }
  board.Compare(quantity, "ns", pairing, "mimalloc malloc/free", AtMost(0.5));
#else
  board.Value(quantity, "ns", ours());
  board.Skip(quantity, "no mimalloc in this build to compare with");
#endif
}

}  // namespace

void BenchAlloc(Board& board) {
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);
  Measure<2>(board, m);
  Measure<3>(board, m);
  Measure<4>(board, m);
  Measure<6>(board, m);
  Measure<8>(board, m);
  const gc::Stats stats = heap.Snapshot();
  board.Note(std::to_string(stats.minors) + " minor collections, longest pause " +
             Figure(static_cast<double>(stats.max_pause_ns) * 1e-3) + " us, CPU of collections " +
             Figure(static_cast<double>(stats.gc_cpu_ns) * 1e-6) + " ms in all");
  const auto once = CountInstructions("alloc", {"32", "1000000"});
  const auto twice = CountInstructions("alloc", {"32", "2000000"});
  if (once && twice) {
    board.Value("32 bytes, with collections", "instructions", (twice->total - once->total) / 1e6);
  } else {
    board.Skip("32 bytes, with collections, instructions", "no valgrind here");
  }
}

int AllocCell(const Arguments& arguments) {
  const uint64_t count = NumberAt(arguments, 1, kObjects);
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);
  const uint64_t sum = AllocateOurs<4>(m, count);
  std::printf("RESULT chk=%llu\n", static_cast<unsigned long long>(sum));
  return sum == count * (count - 1) / 2 ? 0 : 1;
}

}  // namespace neap::bench
