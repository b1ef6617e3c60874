// SPDX-License-Identifier: MIT
//
// Dominators: the graph of the algorithm's paper, small shapes with known answers, random graphs
// against the definition.
#include "profile/dominators.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using vm::DominatorTree;
using vm::FlowGraph;

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;
constexpr uint32_t kNone = DominatorTree::kNone;

FlowGraph Graph(uint32_t nodes, const Edges& edges) {
  FlowGraph graph;
  for (uint32_t node = 0; node < nodes; ++node) {
    for (const auto& [from, to] : edges) {
      if (from == node) graph.to.push_back(to);
    }
    graph.first.push_back(static_cast<uint32_t>(graph.to.size()));
  }
  return graph;
}

// What the root reaches when `without` is not there.
std::vector<bool> Reached(const FlowGraph& graph, uint32_t without) {
  std::vector<bool> reached(graph.nodes(), false);
  std::vector<uint32_t> work;
  if (without != 0) {
    reached[0] = true;
    work.push_back(0);
  }
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    for (uint32_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
      const uint32_t to = graph.to[e];
      if (to == without || reached[to]) continue;
      reached[to] = true;
      work.push_back(to);
    }
  }
  return reached;
}

// By the definition: of the nodes without which v is not reached, the one that all others dominate.
std::vector<uint32_t> SlowDominators(const FlowGraph& graph) {
  const std::vector<bool> reachable = Reached(graph, kNone);
  std::vector<std::vector<bool>> left(graph.nodes());
  for (uint32_t d = 0; d < graph.nodes(); ++d) left[d] = Reached(graph, d);
  std::vector<uint32_t> parent(graph.nodes(), kNone);
  for (uint32_t v = 1; v < graph.nodes(); ++v) {
    if (!reachable[v]) continue;
    for (uint32_t d = 0; d < graph.nodes(); ++d) {
      if (d == v || !reachable[d] || left[d][v]) continue;
      // d dominates v; it is nearer than the one so far if that one dominates d.
      if (parent[v] == kNone || !left[parent[v]][d]) parent[v] = d;
    }
  }
  return parent;
}

TEST_SUITE("profile/dominators") {
  TEST_CASE("the example of Lengauer and Tarjan") {
    // R A B C D E F G H I J K L -> 0 .. 12
    const Edges edges = {{0, 1}, {0, 2},  {0, 3},  {1, 4},  {2, 1},  {2, 4},  {2, 5},
                         {3, 6}, {3, 7},  {4, 12}, {5, 8},  {6, 9},  {7, 9},  {7, 10},
                         {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 9}, {11, 0}, {12, 8}};
    const std::vector<uint32_t> parent = {kNone, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4};
    CHECK(vm::FindDominators(Graph(13, edges)).parent == parent);
  }

  TEST_CASE("a diamond is dominated by its top, a chain by each link") {
    const DominatorTree diamond = vm::FindDominators(Graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
    CHECK(diamond.parent == std::vector<uint32_t>{kNone, 0, 0, 0});
    const DominatorTree chain = vm::FindDominators(Graph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 1}}));
    CHECK(chain.parent == std::vector<uint32_t>{kNone, 0, 1, 2});
  }

  TEST_CASE("what the root does not reach has no dominator and retains itself") {
    const DominatorTree tree = vm::FindDominators(Graph(4, {{0, 1}, {2, 3}, {3, 1}}));
    CHECK(tree.parent == std::vector<uint32_t>{kNone, 0, kNone, kNone});
    CHECK_FALSE(tree.IsReachable(2));
    CHECK(vm::RetainedBytes(tree, {1, 2, 4, 8}) == std::vector<uint64_t>{3, 2, 4, 8});
  }

  TEST_CASE("retained bytes add up along the tree") {
    const DominatorTree tree =
        vm::FindDominators(Graph(6, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {0, 0}}));
    CHECK(vm::RetainedBytes(tree, {0, 1, 10, 100, 1000, 10000}) ==
          std::vector<uint64_t>{11111, 11111, 10, 100, 11000, 10000});
  }

  TEST_CASE("random graphs agree with the definition") {
    Random random;
    for (int round = 0; round < 300; ++round) {
      const auto nodes = static_cast<uint32_t>(random.Between(1, 40));
      Edges edges;
      for (uint64_t i = random.Below(3 * nodes + 1); i > 0; --i) {
        edges.emplace_back(random.Below(nodes), random.Below(nodes));
      }
      const FlowGraph graph = Graph(nodes, edges);
      CHECK(vm::FindDominators(graph).parent == SlowDominators(graph));
    }
  }

  TEST_CASE("a list of a million nodes, linked both ways, needs no stack") {
    constexpr uint32_t kNodes = 1'000'000;
    FlowGraph graph;
    for (uint32_t i = 0; i < kNodes; ++i) {
      if (i + 1 < kNodes) graph.to.push_back(i + 1);
      if (i > 0) graph.to.push_back(i - 1);
      graph.first.push_back(static_cast<uint32_t>(graph.to.size()));
    }
    const DominatorTree tree = vm::FindDominators(graph);
    bool is_chain = true;
    for (uint32_t i = 1; i < kNodes; ++i) is_chain = is_chain && tree.parent[i] == i - 1;
    CHECK(is_chain);
    CHECK(vm::RetainedBytes(tree, std::vector<uint64_t>(kNodes, 1))[kNodes / 2] == kNodes / 2);
  }
}

}  // namespace
}  // namespace neap::testing
