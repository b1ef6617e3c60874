// SPDX-License-Identifier: MIT
//
// A heap snapshot, read: objects, references, names. What `neap heap` looks at.
//
//   absl::StatusOr<HeapGraph> graph = ReadHeapSnapshot("game.heapsnapshot");
//   const DominatorTree tree = FindDominators(StrongGraph(*graph));     // dominators.h
//
// Any file of the .heapsnapshot format is read (heap_snapshot.h), those of other JavaScript
// engines' tools too: columns are found by their names.
#ifndef NEAP_VM_PROFILE_HEAP_GRAPH_H_
#define NEAP_VM_PROFILE_HEAP_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/dominators.h"

namespace neap::vm {

struct HeapGraph {
  struct Node {
    uint64_t id = 0;
    uint64_t self_bytes = 0;
    uint32_t type = 0;  // index of node_types
    uint32_t name = 0;  // index of strings
    uint32_t first_edge = 0;
    uint32_t edge_count = 0;
  };
  struct Edge {
    uint32_t type = 0;  // index of edge_types
    uint32_t name = 0;  // index of strings; a number, for elements and hidden ones
    uint32_t to = 0;    // index of nodes
  };

  std::vector<Node> nodes;  // 0: the root
  std::vector<Edge> edges;
  std::vector<std::string> strings;
  std::vector<std::string> node_types;
  std::vector<std::string> edge_types;
  uint64_t process = 0;  // of the run that wrote it; 0: unknown

  const std::string& TypeOf(const Node& node) const { return node_types[node.type]; }
  // How objects are grouped: the name, but one group for all strings and so on.
  std::string ClassOf(const Node& node) const;
  // "table {x, y} @0x2a", a string in quotes.
  std::string Label(const Node& node) const;
  // ".x", "[3]", ".upvalue"
  std::string EdgeLabel(const Edge& edge) const;
  bool IsWeak(const Edge& edge) const { return edge_types[edge.type] == "weak"; }
  // The index of the node with this id; the number of nodes when there is none.
  size_t FindId(uint64_t id) const;
};

// NotFound: cannot be read. InvalidArgument: no heap snapshot, of another version, or damaged; each
// names the file and the place.
absl::StatusOr<HeapGraph> ReadHeapSnapshot(const std::string& path);
// The same for a text; `name` is what errors call it.
absl::StatusOr<HeapGraph> ParseHeapSnapshot(const std::string& text, const std::string& name);

// References that keep their target alive.
FlowGraph StrongGraph(const HeapGraph& graph);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_HEAP_GRAPH_H_
