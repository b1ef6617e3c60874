// SPDX-License-Identifier: MIT
//
// heap_graph.h: reading. The columns of nodes and edges stand in `meta`, by name; those that are
// missing are an error, unknown ones are skipped.
#include "profile/heap_graph.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/json_cursor.h"

namespace neap::vm {
namespace {

constexpr size_t kMissing = SIZE_MAX;

struct Columns {
  std::vector<std::string> names;
  std::vector<std::string> types;  // what the numbers of the column "type" mean

  size_t Of(const char* name) const {
    const auto it = std::find(names.begin(), names.end(), name);
    return it == names.end() ? kMissing : static_cast<size_t>(it - names.begin());
  }
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : json_(text), name_(name) {}

  absl::StatusOr<HeapGraph> Read() {
    std::string key;
    json_.Enter('{');
    while (json_.NextKey(&key)) {
      if (key == "snapshot") {
        ReadSnapshot();
      } else if (key == "nodes") {
        json_.Numbers(&nodes_);
      } else if (key == "edges") {
        json_.Numbers(&edges_);
      } else if (key == "strings") {
        json_.Strings(&graph_.strings);
      } else {
        json_.Skip();
      }
    }
    if (!json_.ok()) return Bad(json_.error());
    if (node_columns_.names.empty() || nodes_.empty()) return Bad("is no heap snapshot");
    if (absl::Status status = FillNodes(); !status.ok()) return status;
    if (absl::Status status = FillEdges(); !status.ok()) return status;
    return std::move(graph_);
  }

 private:
  absl::Status Bad(const std::string& problem) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, " ", problem));
  }

  void ReadSnapshot() {
    std::string key;
    json_.Enter('{');
    while (json_.NextKey(&key)) {
      if (key == "meta") {
        ReadMeta();
      } else if (key == "neap") {
        ReadNeap();
      } else {
        json_.Skip();
      }
    }
  }
  void ReadMeta() {
    std::string key;
    json_.Enter('{');
    while (json_.NextKey(&key)) {
      if (key == "node_fields") {
        json_.Strings(&node_columns_.names);
      } else if (key == "edge_fields") {
        json_.Strings(&edge_columns_.names);
      } else if (key == "node_types") {
        ReadTypes(&node_columns_.types);
      } else if (key == "edge_types") {
        ReadTypes(&edge_columns_.types);
      } else {
        json_.Skip();
      }
    }
  }
  // The types of all columns; that of the column "type" is an array, of names.
  void ReadTypes(std::vector<std::string>* types) {
    json_.Enter('[');
    while (json_.NextElement()) {
      if (json_.IsAt('[')) {
        json_.Strings(types);
      } else {
        json_.Skip();
      }
    }
  }
  void ReadNeap() {
    std::string key;
    uint64_t number = 0;
    json_.Enter('{');
    while (json_.NextKey(&key)) {
      if (key == "process") {
        json_.Number(&graph_.process);
      } else if (key == "version") {
        json_.Number(&number);
      } else {
        json_.Skip();
      }
    }
  }

  absl::Status FillNodes() {
    const size_t width = node_columns_.names.size();
    const size_t type = node_columns_.Of("type"), name = node_columns_.Of("name"),
                 id = node_columns_.Of("id"), size = node_columns_.Of("self_size"),
                 count = node_columns_.Of("edge_count");
    if (std::max({type, name, id, size, count}) == kMissing || nodes_.size() % width != 0) {
      return Bad("is a heap snapshot of an unknown version: its nodes lack columns");
    }
    graph_.node_types = node_columns_.types;
    uint64_t edges = 0;
    for (size_t at = 0; at < nodes_.size(); at += width) {
      const HeapGraph::Node node = {.id = nodes_[at + id],
                                    .self_bytes = nodes_[at + size],
                                    .type = static_cast<uint32_t>(nodes_[at + type]),
                                    .name = static_cast<uint32_t>(nodes_[at + name]),
                                    .first_edge = static_cast<uint32_t>(edges),
                                    .edge_count = static_cast<uint32_t>(nodes_[at + count])};
      if (node.type >= graph_.node_types.size() || node.name >= graph_.strings.size()) {
        return Bad(absl::StrCat("is damaged: node ", at / width, " has no such type or name"));
      }
      edges += nodes_[at + count];
      graph_.nodes.push_back(node);
    }
    const size_t edge_width = std::max<size_t>(edge_columns_.names.size(), 1);
    if (edges * edge_width == edges_.size()) return absl::OkStatus();
    return Bad(absl::StrCat("is damaged: its nodes have ", edges, " edges, its edges have ",
                            edges_.size(), " numbers"));
  }

  absl::Status FillEdges() {
    const size_t width = edge_columns_.names.size();
    const size_t type = edge_columns_.Of("type"), name = edge_columns_.Of("name_or_index"),
                 to = edge_columns_.Of("to_node");
    if (std::max({type, name, to}) == kMissing) {
      return Bad("is a heap snapshot of an unknown version: its edges lack columns");
    }
    graph_.edge_types = edge_columns_.types;
    const size_t node_width = node_columns_.names.size();
    for (size_t at = 0; at < edges_.size(); at += width) {
      const HeapGraph::Edge edge = {.type = static_cast<uint32_t>(edges_[at + type]),
                                    .name = static_cast<uint32_t>(edges_[at + name]),
                                    .to = static_cast<uint32_t>(edges_[at + to] / node_width)};
      const bool has_type = edge.type < graph_.edge_types.size();
      if (!has_type || edge.to >= graph_.nodes.size() ||
          (IsNamed(edge) && edge.name >= graph_.strings.size())) {
        return Bad(absl::StrCat("is damaged: edge ", at / width,
                                " has no such type, name or node to lead to"));
      }
      graph_.edges.push_back(edge);
    }
    return absl::OkStatus();
  }
  bool IsNamed(const HeapGraph::Edge& edge) const {
    const std::string& type = graph_.edge_types[edge.type];
    return type != "element" && type != "hidden";
  }

  JsonCursor json_;
  const std::string& name_;
  HeapGraph graph_;
  Columns node_columns_, edge_columns_;
  std::vector<uint64_t> nodes_, edges_;
};

}  // namespace

absl::StatusOr<HeapGraph> ParseHeapSnapshot(const std::string& text, const std::string& name) {
  return Reader(text, name).Read();
}

absl::StatusOr<HeapGraph> ReadHeapSnapshot(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  std::string text;
  char buffer[65536];
  size_t count = 0;
  while (file != nullptr && (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0) {
    text.append(buffer, count);
  }
  const bool failed = file == nullptr || std::ferror(file) != 0;
  const int reason = errno;
  if (file != nullptr) std::fclose(file);
  if (failed) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(reason)));
  }
  return ParseHeapSnapshot(text, path);
}

// --- Names ---------------------------------------------------------------------------------------

std::string HeapGraph::ClassOf(const Node& node) const {
  const std::string& type = TypeOf(node);
  if (type == "string" || type == "concatenated string" || type == "sliced string") {
    return "string";
  }
  if (type == "number" || type == "bigint" || type == "symbol") return type;
  return strings[node.name].empty() ? absl::StrCat("(", type, ")") : strings[node.name];
}

std::string HeapGraph::Label(const Node& node) const {
  if (ClassOf(node) != "string") {
    return absl::StrFormat("%s @0x%x", ClassOf(node), node.id);
  }
  constexpr size_t kShown = 40;
  std::string text = strings[node.name].substr(0, kShown);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = '.';
  }
  return absl::StrFormat("\"%s%s\" @0x%x", text, strings[node.name].size() > kShown ? "..." : "",
                         node.id);
}

std::string HeapGraph::EdgeLabel(const Edge& edge) const {
  const std::string& type = edge_types[edge.type];
  if (type == "element" || type == "hidden") return absl::StrCat("[", edge.name, "]");
  if (type == "internal") return absl::StrCat("<", strings[edge.name], ">");
  if (type == "context") return absl::StrCat("^", strings[edge.name]);
  return strings[edge.name].starts_with('[') ? strings[edge.name]
                                             : absl::StrCat(".", strings[edge.name]);
}

size_t HeapGraph::FindId(uint64_t id) const {
  const auto it =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.id == id; });
  return static_cast<size_t>(it - nodes.begin());
}

FlowGraph StrongGraph(const HeapGraph& graph) {
  FlowGraph strong;
  strong.first.reserve(graph.nodes.size() + 1);
  for (const HeapGraph::Node& node : graph.nodes) {
    for (uint32_t i = 0; i < node.edge_count; ++i) {
      const HeapGraph::Edge& edge = graph.edges[node.first_edge + i];
      if (!graph.IsWeak(edge)) strong.to.push_back(edge.to);
    }
    strong.first.push_back(static_cast<uint32_t>(strong.to.size()));
  }
  return strong;
}

}  // namespace neap::vm
