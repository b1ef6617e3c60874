// SPDX-License-Identifier: MIT
//
// Speed of marking. The graph: nodes of 64 bytes with three references; two of them form a random
// spanning tree (node p[i] points to p[2i+1] and p[2i+2], p a random permutation), so that
// everything is reachable and each edge jumps to an unpredictable place; the third is a random
// edge, which mostly finds a marked node.
//
//   500 MB / 64 bytes = 7.8 M nodes, 23.4 M edges, each one cache miss and mostly a TLB miss
//
// Judged by the CPU time of the collecting threads in the pause, which is marking and little else
// here (no nursery, no weak references): the machine may be shared.
//
// The machine's limit stands beside: random reads of as many lines, one after another (each address
// depends on the last read) and independent (the processor overlaps them).
#include <sys/mman.h>

#include <numeric>
#include <random>

#include "benchmarks.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/os_memory.h"

namespace neap::bench {
namespace {

constexpr uint64_t kGraphBytes = 500'000'000;
constexpr int kRounds = 5;

struct MarkNode : gc::Object {
  gc::Ref<MarkNode> left, right, other;
  uint64_t payload[4];
};
static_assert(sizeof(MarkNode) == 64);
constexpr uint64_t kNodes = kGraphBytes / sizeof(MarkNode);

// With nursery=off nothing moves, and without a goal nothing is collected before Collect is called:
// so the builder may keep raw pointers.
gc::Object* BuildGraph(gc::Mutator& m) {
  const gc::TypeId type = gc::RegisterType({.name = "mark-node",
                                            .layout = gc::Layout::kBitmap,
                                            .base_bytes = sizeof(MarkNode),
                                            .slot_bitmap = 0b111});
  std::vector<MarkNode*> nodes(kNodes);
  for (MarkNode*& node : nodes) node = static_cast<MarkNode*>(m.Allocate(type));
  std::mt19937_64 random(12345);
  std::shuffle(nodes.begin(), nodes.end(), random);
  for (uint64_t i = 0; i < kNodes; ++i) {
    MarkNode* node = nodes[i];
    if (2 * i + 1 < kNodes) m.Store(node, node->left.slot(), nodes[2 * i + 1]);
    if (2 * i + 2 < kNodes) m.Store(node, node->right.slot(), nodes[2 * i + 2]);
    m.Store(node, node->other.slot(), nodes[random() % kNodes]);
  }
  return nodes[0];
}

struct Limit {
  double dependent_ns = 0;  // per read
  double independent_ns = 0;
};

// Reads each line of 512 MiB once, in a random cycle.
Limit RandomReads() {
  constexpr size_t kLines = size_t{8} << 20, kWords = kLines * 8;
  constexpr size_t kReads = 4'000'000;
  const size_t bytes = kWords * 8;
  auto* memory = static_cast<uint64_t*>(OsReserve(bytes, kHugePageBytes));
  if (memory == nullptr || !OsCommit(memory, bytes)) return {};
  OsAdviseHuge(memory, bytes);
  std::vector<uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i = 0; i < kLines; ++i) memory[size_t{order[i]} * 8] = order[(i + 1) % kLines];
  Limit limit;
  uint64_t start_ns = ThreadCpuNanos();
  uint64_t at = 0;
  for (size_t i = 0; i < kReads; ++i) at = memory[at * 8];
  Keep(at);
  limit.dependent_ns = static_cast<double>(ThreadCpuNanos() - start_ns) / kReads;
  start_ns = ThreadCpuNanos();
  uint64_t sum = 0;
  for (size_t i = 0; i < kReads; ++i) sum += memory[size_t{order[i]} * 8];
  Keep(sum);
  limit.independent_ns = static_cast<double>(ThreadCpuNanos() - start_ns) / kReads;
  OsRelease(memory, bytes);
  return limit;
}

}  // namespace

void BenchMark(Board& board) {
  gc::Heap heap({.nursery = gc::Options::Nursery::kOff, .gogc = gc::Options::kGogcOff, .procs = 1});
  gc::Mutator m(heap);
  gc::HandleScope scope(m);
  const auto root = scope.New(BuildGraph(m));
  gc::MajorEvent last;
  const int listener = heap.AddEventListener([&last](const Event& event) {
    if (event.kind != static_cast<uint16_t>(gc::EventKind::kMajor)) return;
    std::memcpy(static_cast<void*>(&last), event.payload.data(), sizeof(last));
  });
  std::vector<double> mark_gbps, wall_gbps, cycle_ms;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t start_ns = ThreadCpuNanos();
    heap.Collect(m);
    cycle_ms.push_back(static_cast<double>(ThreadCpuNanos() - start_ns) * 1e-6);
    heap.DrainEvents();
    const auto bytes = static_cast<double>(last.marked_bytes);
    mark_gbps.push_back(bytes / static_cast<double>(last.cpu_ns));
    wall_gbps.push_back(bytes / static_cast<double>(last.mark_ns));
    if (last.marked_objects < kNodes) return board.Broken("mark", "fewer objects marked than live");
  }
  heap.RemoveEventListener(listener);
  board.Value("marking, 64-byte nodes, 3 edges, CPU", "GB/s", Summarize(mark_gbps), AtLeast(1));
  board.Value("the same by the wall clock", "GB/s", Summarize(wall_gbps));
  board.Value("whole forced cycle, CPU", "ms", Summarize(cycle_ms));
  const double node_ns = static_cast<double>(sizeof(MarkNode)) / Summarize(mark_gbps).median;
  board.Value("marking, per node", "ns", node_ns);
  const Limit limit = RandomReads();
  board.Value("machine: dependent random read, 512 MiB", "ns", limit.dependent_ns);
  board.Value("machine: independent random read", "ns", limit.independent_ns);
  board.Value("machine: independent reads of 64 bytes", "GB/s", 64 / limit.independent_ns);
  Keep(root.word());
}

}  // namespace neap::bench
