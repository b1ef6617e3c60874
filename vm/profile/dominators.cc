// SPDX-License-Identifier: MIT
//
// dominators.h. Everything below works on preorder numbers of a depth-first search, in which an
// ancestor has the smaller number. In the paper's words:
//
//   semi[v]      the semidominator of v: the smallest node from which a path leads to v whose inner
//                nodes are all greater than v
//   bucket of s  the nodes whose semidominator is s and whose dominator is not known yet
//   forest       nodes that were linked below their parents; best[v] is the node of least
//                semidominator on the compressed path from v up, its root left out
#include "profile/dominators.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace neap::vm {
namespace {

class Finder {
 public:
  explicit Finder(const FlowGraph& graph) : graph_(graph) {}

  DominatorTree Find() {
    Number();
    FindPredecessors();
    const auto n = static_cast<uint32_t>(vertex_.size());
    semi_.resize(n);
    best_.resize(n);
    std::iota(semi_.begin(), semi_.end(), 0);
    std::iota(best_.begin(), best_.end(), 0);
    ancestor_.assign(n, kNone);
    dominator_.assign(n, 0);
    bucket_head_.assign(n, kNone);
    bucket_next_.assign(n, kNone);
    for (uint32_t w = n; w-- > 1;) Settle(w);
    for (uint32_t w = 1; w < n; ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
    }
    return Tree();
  }

 private:
  static constexpr uint32_t kNone = DominatorTree::kNone;

  // Preorder numbers of what the root reaches, and parents in the search tree.
  void Number() {
    number_.assign(graph_.nodes(), kNone);
    std::vector<std::pair<uint32_t, uint32_t>> stack;  // node, next edge
    const auto enter = [&](uint32_t node, uint32_t parent) {
      number_[node] = static_cast<uint32_t>(vertex_.size());
      vertex_.push_back(node);
      parent_.push_back(parent);
      stack.emplace_back(node, graph_.first[node]);
    };
    enter(0, 0);
    while (!stack.empty()) {
      auto& [node, edge] = stack.back();
      if (edge == graph_.first[node + 1]) {
        stack.pop_back();
        continue;
      }
      const uint32_t to = graph_.to[edge++];
      if (number_[to] == kNone) enter(to, number_[node]);
    }
  }

  void FindPredecessors() {
    before_first_.assign(vertex_.size() + 1, 0);
    ForEachEdge([&](uint32_t, uint32_t to) { ++before_first_[to + 1]; });
    std::partial_sum(before_first_.begin(), before_first_.end(), before_first_.begin());
    before_.resize(before_first_.back());
    std::vector<uint32_t> next(before_first_.begin(), before_first_.end() - 1);
    ForEachEdge([&](uint32_t from, uint32_t to) { before_[next[to]++] = from; });
  }
  template <typename Visit>
  void ForEachEdge(Visit visit) {
    for (uint32_t v = 0; v < vertex_.size(); ++v) {
      const uint32_t node = vertex_[v];
      for (uint32_t e = graph_.first[node]; e < graph_.first[node + 1]; ++e) {
        visit(v, number_[graph_.to[e]]);
      }
    }
  }

  void Settle(uint32_t w) {
    for (uint32_t i = before_first_[w]; i < before_first_[w + 1]; ++i) {
      const uint32_t u = Evaluate(before_[i]);
      if (semi_[u] < semi_[w]) semi_[w] = semi_[u];
    }
    bucket_next_[w] = bucket_head_[semi_[w]];
    bucket_head_[semi_[w]] = w;
    const uint32_t parent = parent_[w];
    ancestor_[w] = parent;
    for (uint32_t v = bucket_head_[parent]; v != kNone; v = bucket_next_[v]) {
      const uint32_t u = Evaluate(v);
      dominator_[v] = semi_[u] < semi_[v] ? u : parent;
    }
    bucket_head_[parent] = kNone;
  }

  uint32_t Evaluate(uint32_t v) {
    if (ancestor_[v] == kNone) return v;
    // From v up to the last but one of its path, which is compressed from there down again.
    path_.clear();
    for (uint32_t u = v; ancestor_[ancestor_[u]] != kNone; u = ancestor_[u]) path_.push_back(u);
    while (!path_.empty()) {
      const uint32_t u = path_.back();
      path_.pop_back();
      const uint32_t above = ancestor_[u];
      if (semi_[best_[above]] < semi_[best_[u]]) best_[u] = best_[above];
      ancestor_[u] = ancestor_[above];
    }
    return best_[v];
  }

  DominatorTree Tree() const {
    DominatorTree tree;
    tree.parent.assign(graph_.nodes(), kNone);
    for (uint32_t w = 1; w < vertex_.size(); ++w) {
      tree.parent[vertex_[w]] = vertex_[dominator_[w]];
    }
    tree.order = vertex_;  // a dominator is an ancestor in the search tree
    return tree;
  }

  const FlowGraph& graph_;
  std::vector<uint32_t> number_;  // of a node; kNone: not reached
  std::vector<uint32_t> vertex_;  // the node of a number
  // By number.
  std::vector<uint32_t> parent_, semi_, best_, ancestor_, dominator_, bucket_head_, bucket_next_;
  std::vector<uint32_t> before_first_, before_;  // predecessors
  std::vector<uint32_t> path_;                   // scratch of Evaluate
};

}  // namespace

DominatorTree FindDominators(const FlowGraph& graph) { return Finder(graph).Find(); }

std::vector<uint64_t> RetainedBytes(const DominatorTree& tree, const std::vector<uint64_t>& bytes) {
  std::vector<uint64_t> retained = bytes;
  for (size_t i = tree.order.size(); i-- > 1;) {
    const uint32_t node = tree.order[i];
    retained[tree.parent[node]] += retained[node];
  }
  return retained;
}

}  // namespace neap::vm
