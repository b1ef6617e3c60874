// SPDX-License-Identifier: MIT
//
// heap_report.h: the questions. The texts are in heap_report_text.cc.
#include "profile/heap_report.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace neap::vm {

HeapReport::HeapReport(HeapGraph graph)
    : graph_(std::move(graph)), tree_(FindDominators(StrongGraph(graph_))) {
  std::vector<uint64_t> bytes;
  bytes.reserve(graph_.nodes.size());
  for (const HeapGraph::Node& node : graph_.nodes) bytes.push_back(node.self_bytes);
  retained_ = RetainedBytes(tree_, bytes);
}

// A node adds its retained bytes to its class unless one of its class is above it in the dominator
// tree. The way down is walked with a counter for each class that is open on it.
std::vector<HeapReport::ClassRow> HeapReport::Classes() const {
  absl::flat_hash_map<std::string, uint32_t> ids;
  std::vector<ClassRow> rows;
  std::vector<uint32_t> class_of(graph_.nodes.size(), 0);
  std::vector<std::vector<uint32_t>> children(graph_.nodes.size());
  for (const uint32_t node : tree_.order) {
    const std::string name = graph_.ClassOf(graph_.nodes[node]);
    const auto [it, inserted] = ids.try_emplace(name, static_cast<uint32_t>(rows.size()));
    if (inserted) rows.push_back({.name = name});
    class_of[node] = it->second;
    if (node == 0) continue;
    ++rows[it->second].objects;
    rows[it->second].self_bytes += graph_.nodes[node].self_bytes;
    children[tree_.parent[node]].push_back(node);
  }
  std::vector<uint32_t> open(rows.size(), 0);
  std::vector<std::pair<uint32_t, size_t>> stack = {{0, 0}};  // node, next child
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    uint32_t& depth = open[class_of[node]];
    if (next == 0 && depth++ == 0 && node != 0)
      rows[class_of[node]].retained_bytes += retained_[node];
    if (next == children[node].size()) {
      --depth;
      stack.pop_back();
      continue;
    }
    const uint32_t child = children[node][next++];
    stack.emplace_back(child, 0);
  }
  std::erase_if(rows, [](const ClassRow& row) { return row.objects == 0; });
  std::stable_sort(rows.begin(), rows.end(), [](const ClassRow& a, const ClassRow& b) {
    return a.retained_bytes > b.retained_bytes;
  });
  return rows;
}

std::vector<uint32_t> HeapReport::Largest(size_t most) const {
  std::vector<uint32_t> nodes;
  for (const uint32_t node : tree_.order) {
    if (node != 0 && graph_.TypeOf(graph_.nodes[node]) != "array") nodes.push_back(node);
  }
  most = std::min(most, nodes.size());
  std::partial_sort(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(most), nodes.end(),
                    [&](uint32_t a, uint32_t b) {
                      return std::pair(retained_[b], a) < std::pair(retained_[a], b);
                    });
  nodes.resize(most);
  return nodes;
}

// Breadth first.
std::vector<HeapReport::Step> HeapReport::PathTo(uint32_t node) const {
  std::vector<Step> came_from(graph_.nodes.size(), {UINT32_MAX, UINT32_MAX});
  std::vector<uint32_t> queue = {0};
  came_from[0].node = 0;
  for (size_t i = 0; i < queue.size() && came_from[node].node == UINT32_MAX; ++i) {
    const HeapGraph::Node& from = graph_.nodes[queue[i]];
    for (uint32_t e = from.first_edge; e < from.first_edge + from.edge_count; ++e) {
      const HeapGraph::Edge& edge = graph_.edges[e];
      if (graph_.IsWeak(edge) || came_from[edge.to].node != UINT32_MAX) continue;
      came_from[edge.to] = {queue[i], e};
      queue.push_back(edge.to);
    }
  }
  std::vector<Step> path;
  if (came_from[node].node == UINT32_MAX) return path;
  for (uint32_t at = node; at != 0; at = came_from[at].node) {
    path.push_back({at, came_from[at].edge});
  }
  path.push_back({0, UINT32_MAX});
  std::reverse(path.begin(), path.end());
  return path;
}

// --- Two snapshots -------------------------------------------------------------------------------

HeapDifference Compare(const HeapGraph& before, const HeapGraph& after) {
  HeapDifference difference;
  difference.is_one_run = before.process != 0 && before.process == after.process;
  std::map<std::string, HeapDifference::Row> rows;
  const auto ids = [](const HeapGraph& graph) {
    absl::flat_hash_set<uint64_t> set;
    for (size_t i = 1; i < graph.nodes.size(); ++i) set.insert(graph.nodes[i].id);
    return set;
  };
  const auto count = [&](const HeapGraph& graph, const HeapGraph& other, int sign) {
    const absl::flat_hash_set<uint64_t> others =
        difference.is_one_run ? ids(other) : absl::flat_hash_set<uint64_t>();
    for (size_t i = 1; i < graph.nodes.size(); ++i) {
      const HeapGraph::Node& node = graph.nodes[i];
      HeapDifference::Row& row = rows[graph.ClassOf(node)];
      row.objects += sign;
      row.bytes += sign * static_cast<int64_t>(node.self_bytes);
      if (!difference.is_one_run) continue;
      const bool is_in_both = others.contains(node.id);
      if (!is_in_both) ++(sign > 0 ? row.made : row.gone);
      if (is_in_both && sign > 0) ++row.stayed;
    }
  };
  count(before, after, -1);
  count(after, before, 1);
  for (auto& [name, row] : rows) {
    if (row.objects == 0 && row.bytes == 0 && row.made == 0 && row.gone == 0) continue;
    row.name = name;
    difference.rows.push_back(row);
  }
  std::stable_sort(difference.rows.begin(), difference.rows.end(),
                   [](const HeapDifference::Row& a, const HeapDifference::Row& b) {
                     return std::abs(a.bytes) > std::abs(b.bytes);
                   });
  return difference;
}

}  // namespace neap::vm
