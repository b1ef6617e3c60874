// SPDX-License-Identifier: MIT
//
// Binary trees: build, count and drop many, while one large tree lives. Ours builds a parent before
// its children and stores them through the write barrier, as an embedder would.
//
// Against C++ both sides are judged by the CPU time of the process, all threads. Go collects on
// other cores while it builds, so against Go both are judged by wall time.
#include <cstdio>

#include "benchmarks.h"
#include "child.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/clock.h"

namespace neap::bench {
namespace {

constexpr int kDepth = 18, kPairs = 3;

struct TreeNode : gc::Object {
  gc::Ref<TreeNode> left, right;
};
static_assert(sizeof(TreeNode) == 24);

class Forest {
 public:
  explicit Forest(gc::Mutator& m)
      : m_(m),
        type_(gc::RegisterType({.name = "tree-node",
                                .layout = gc::Layout::kBitmap,
                                .base_bytes = sizeof(TreeNode),
                                .slot_bitmap = 0b11})) {}

  TreeNode* Build(int depth) {
    TreeNode* node = m_.New<TreeNode>(type_);
    if (depth == 0) return node;
    gc::HandleScope scope(m_);
    const auto kept = scope.New(node);
    TreeNode* left = Build(depth - 1);
    m_.Store(kept.get(), kept->left.slot(), left);
    TreeNode* right = Build(depth - 1);
    m_.Store(kept.get(), kept->right.slot(), right);
    return kept.get();
  }

  // No safepoint: nothing else wants the world stopped while one thread runs.
  static uint64_t Count(const TreeNode* node) {
    const TreeNode* left = node->left;
    return left == nullptr ? 1 : 1 + Count(left) + Count(node->right);
  }

 private:
  gc::Mutator& m_;
  const gc::TypeId type_;
};

uint64_t NodesOf(int depth) { return (uint64_t{2} << depth) - 1; }

uint64_t ExpectedSum(int depth) {
  uint64_t sum = NodesOf(depth + 1) + NodesOf(depth);
  for (int d = 4; d <= depth; d += 2) sum += (uint64_t{1} << (depth - d + 4)) * NodesOf(d);
  return sum;
}

}  // namespace

int TreesCell(const Arguments& arguments) {
  const int depth = static_cast<int>(NumberAt(arguments, 0, kDepth));
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);
  gc::HandleScope scope(m);
  Forest forest(m);
  const uint64_t start_ns = MonotonicNanos();
  uint64_t sum = Forest::Count(forest.Build(depth + 1));
  const auto kept = scope.New(forest.Build(depth));
  for (int d = 4; d <= depth; d += 2) {
    for (int i = 0; i < 1 << (depth - d + 4); ++i) sum += Forest::Count(forest.Build(d));
  }
  sum += Forest::Count(kept.get());
  const double seconds = static_cast<double>(MonotonicNanos() - start_ns) * 1e-9;
  const gc::Stats stats = heap.Snapshot();
  std::printf("RESULT s=%.5f minors=%llu majors=%llu gc_s=%.4f worst_ms=%.3f chk=%llu\n", seconds,
              static_cast<unsigned long long>(stats.minors),
              static_cast<unsigned long long>(stats.majors),
              static_cast<double>(stats.gc_cpu_ns) * 1e-9,
              static_cast<double>(stats.max_pause_ns) * 1e-6, static_cast<unsigned long long>(sum));
  return sum == ExpectedSum(depth) ? 0 : 1;
}

void BenchTrees(Board& board) {
  const std::vector<std::string> depth = {std::to_string(kDepth)};
  const auto right = [](const ChildRun& run) {
    return run.ok && run["chk"] == static_cast<double>(ExpectedSum(kDepth));
  };
  std::string no_go;
  const auto cpp = CppPeer("trees");
  const auto go = GoPeer("trees", &no_go);
  std::vector<double> ours, ours_cpu, ours_peak, cpp_times, go_times;
  for (int i = 0; i < kPairs; ++i) {
    const ChildRun run = RunCell("trees", depth);
    if (!right(run)) return board.Broken("trees", "our count of nodes is wrong");
    ours.push_back(run["s"]);
    ours_cpu.push_back(run.cpu_s);
    ours_peak.push_back(run["peak_bytes"]);
    if (i == 0) {
      board.Note("collections: " + Figure(run["minors"]) + " minor, " + Figure(run["majors"]) +
                 " major, " + Figure(run["gc_s"]) + " s CPU, longest pause " +
                 Figure(run["worst_ms"]) + " ms");
    }
    const ChildRun cpp_run = cpp ? RunChild({*cpp, depth[0]}) : ChildRun();
    const ChildRun go_run = go ? RunChild({*go, depth[0]}) : ChildRun();
    if (cpp && !right(cpp_run)) return board.Broken("trees", "the C++ peer's count is wrong");
    if (go && !right(go_run)) return board.Broken("trees", "the Go peer's count is wrong");
    if (cpp) cpp_times.push_back(cpp_run.cpu_s);
    if (go) go_times.push_back(go_run["s"]);
  }
  if (cpp) {
    board.Compare("depth 18, CPU", "s", PairUp(ours_cpu, cpp_times), "C++ mimalloc", AtMost(1));
  } else {
    board.Skip("depth 18 against C++", "the peer was not built (no mimalloc)");
  }
  if (go) {
    board.Compare("depth 18, wall", "s", PairUp(ours, go_times), "Go", AtMost(1.0 / 3));
  } else {
    board.Skip("depth 18 against Go", no_go);
  }
  // The largest live set is the tree of depth 19 that is built first and dropped.
  const double live = static_cast<double>(NodesOf(kDepth + 1) * sizeof(TreeNode));
  board.Compare("peak resident, whole process", "bytes",
                PairUp(ours_peak, std::vector<double>(ours_peak.size(), live)), "live",
                AtMost(2.5));
}

}  // namespace neap::bench
