// SPDX-License-Identifier: MIT
//
// Dominators of a directed graph: node d dominates node v when every path from the root to v goes
// through d. In a heap: when d goes, v goes. The nodes that d dominates are what it retains.
#ifndef NEAP_VM_PROFILE_DOMINATORS_H_
#define NEAP_VM_PROFILE_DOMINATORS_H_

#include <cstdint>
#include <vector>

namespace neap::vm {

// Successors of node i: to[first[i]] .. to[first[i + 1] - 1]. Node 0 is the root; there is one.
struct FlowGraph {
  std::vector<uint32_t> first = {0};
  std::vector<uint32_t> to;

  uint32_t nodes() const { return static_cast<uint32_t>(first.size() - 1); }
};

struct DominatorTree {
  static constexpr uint32_t kNone = UINT32_MAX;
  // The nearest dominator of each node; kNone for the root and for what it does not reach.
  std::vector<uint32_t> parent;
  // Reachable nodes, each behind its parent; the root first.
  std::vector<uint32_t> order;

  bool IsReachable(uint32_t node) const { return node == 0 || parent[node] != kNone; }
};

// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (TOPLAS 1, 1979),
// the version with path compression alone: O(edges * log nodes). No recursion: heaps have lists of
// millions of nodes.
DominatorTree FindDominators(const FlowGraph& graph);

// For each node the sum of `bytes` over what it dominates, itself included; a node that is not
// reachable has its own.
std::vector<uint64_t> RetainedBytes(const DominatorTree& tree, const std::vector<uint64_t>& bytes);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_DOMINATORS_H_
