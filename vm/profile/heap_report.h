// SPDX-License-Identifier: MIT
//
// What a person asks of a heap snapshot, as text and as JSON:
//
//   summary    objects by class: number, own bytes, bytes retained by all of the class together
//   retained   the objects that retain most: what goes when they go
//   path       why an object is alive: a shortest way from the root, and everything that refers to
//   it
//   diff       what there is more of in a second snapshot; when both are of one run, which objects
//              are new, and which are gone
#ifndef NEAP_VM_PROFILE_HEAP_REPORT_H_
#define NEAP_VM_PROFILE_HEAP_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/dominators.h"
#include "profile/heap_graph.h"

namespace neap::vm {

class HeapReport {
 public:
  explicit HeapReport(HeapGraph graph);

  struct ClassRow {
    std::string name;
    uint64_t objects = 0;
    uint64_t self_bytes = 0;
    uint64_t retained_bytes = 0;  // objects inside others of the class are counted once
  };
  // Most retained bytes first. What is only weakly reachable is not counted.
  std::vector<ClassRow> Classes() const;
  // Nodes by retained bytes, most first, without the root and without arrays, which are parts of
  // other objects; at most `most`.
  std::vector<uint32_t> Largest(size_t most) const;
  // Nodes from the root to `node` along strong references, as few as possible, and the edge that
  // leads to each of them. Empty: it is not reachable.
  struct Step {
    uint32_t node;
    uint32_t edge;  // UINT32_MAX for the root
  };
  std::vector<Step> PathTo(uint32_t node) const;

  const HeapGraph& graph() const { return graph_; }
  uint64_t retained(uint32_t node) const { return retained_[node]; }
  const DominatorTree& tree() const { return tree_; }

  // --- Texts -------------------------------------------------------------------------------------
  std::string SummaryText(size_t most) const;
  std::string RetainedText(size_t most) const;
  // NotFound: there is no object with this id.
  absl::StatusOr<std::string> PathText(uint64_t id) const;
  // {"objects":...,"self_bytes":...,"classes":[...],"largest":[...]}
  std::string Json(size_t most) const;

 private:
  std::string NodeLine(uint32_t node) const;
  std::string HoldersText(uint32_t node) const;

  HeapGraph graph_;
  DominatorTree tree_;
  std::vector<uint64_t> retained_;
};

struct HeapDifference {
  struct Row {
    std::string name;
    int64_t objects = 0, bytes = 0;           // second - first
    uint64_t made = 0, gone = 0, stayed = 0;  // objects, when both are of one run
  };
  bool is_one_run = false;
  std::vector<Row> rows;  // largest change of bytes first; classes without a change are left out
};
HeapDifference Compare(const HeapGraph& before, const HeapGraph& after);
std::string DifferenceText(const HeapDifference& difference, size_t most);
std::string DifferenceJson(const HeapDifference& difference);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_HEAP_REPORT_H_
