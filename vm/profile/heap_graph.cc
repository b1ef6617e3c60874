// SPDX-License-Identifier: MIT
//
// heap_graph.h: reading. The columns of nodes and edges stand in `meta`, by name; those that are
// missing are an error, unknown ones are skipped.
#include "profile/heap_graph.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rapidjson/encodedstream.h"
#include "rapidjson/error/en.h"
#include "rapidjson/memorystream.h"
#include "rapidjson/reader.h"

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

// What RapidJSON calls, in the order of the text. A key's path of at most three names says what is
// read: those of the format are "nodes", "edges", "strings", "snapshot.meta.node_fields" and the
// like; all else is passed over. False ends the parse, with the problem set.
class SnapshotHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, SnapshotHandler> {
 public:
  HeapGraph graph;
  Columns nodes, edges;
  std::vector<uint64_t> node_numbers, edge_numbers;
  std::string problem;

  bool Default() { return numbers_ == nullptr || Refuse("a whole number"); }
  bool Uint(unsigned number) { return Uint64(number); }
  bool Uint64(uint64_t number) {
    if (numbers_ != nullptr) numbers_->push_back(number);
    if (texts_ == &graph.strings) return Refuse("a string");
    if (keys_.size() == 3 && IsAt("snapshot", "neap", "process")) graph.process = number;
    return true;
  }
  bool String(const char* text, rapidjson::SizeType bytes, bool) {
    if (numbers_ != nullptr) return Refuse("a whole number");
    if (texts_ != nullptr) texts_->emplace_back(text, bytes);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType bytes, bool) {
    if (!keys_.empty() && keys_.size() <= kNames) keys_.back().assign(text, bytes);
    return true;
  }
  bool StartObject() {
    if (numbers_ != nullptr) return Refuse("a whole number");
    keys_.emplace_back();
    return keys_.size() <= kMostDepth || Refuse("less depth");
  }
  bool EndObject(rapidjson::SizeType) {
    keys_.pop_back();
    return true;
  }
  bool StartArray() {
    if (numbers_ != nullptr) return Refuse("a whole number");
    ++arrays_;
    if (arrays_ == 1 && keys_.size() == 1) {
      numbers_ = keys_[0] == "nodes"   ? &node_numbers
                 : keys_[0] == "edges" ? &edge_numbers
                                       : nullptr;
      texts_ = keys_[0] == "strings" ? &graph.strings : nullptr;
    } else if (keys_.size() == 3 && keys_[0] == "snapshot" && keys_[1] == "meta") {
      texts_ = MetaTexts();
    }
    return arrays_ <= kMostDepth || Refuse("less depth");
  }
  bool EndArray(rapidjson::SizeType) {
    --arrays_;
    numbers_ = nullptr;
    texts_ = nullptr;
    return true;
  }

 private:
  static constexpr size_t kNames = 3;       // of the longest path that matters
  static constexpr size_t kMostDepth = 64;  // of a bomb's brackets

  bool Refuse(const char* wanted) {
    problem = wanted;
    return false;
  }
  bool IsAt(const char* first, const char* second, const char* third) const {
    return keys_[0] == first && keys_[1] == second && keys_[2] == third;
  }
  // The names of fields are an array; the types of fields one in which that of "type" is an array.
  std::vector<std::string>* MetaTexts() {
    if (arrays_ == 1 && keys_[2] == "node_fields") return &nodes.names;
    if (arrays_ == 1 && keys_[2] == "edge_fields") return &edges.names;
    if (arrays_ == 2 && keys_[2] == "node_types") return &nodes.types;
    if (arrays_ == 2 && keys_[2] == "edge_types") return &edges.types;
    return nullptr;
  }

  std::vector<std::string> keys_;             // of each open object, the present key
  size_t arrays_ = 0;                         // open
  std::vector<uint64_t>* numbers_ = nullptr;  // where those of the innermost array go
  std::vector<std::string>* texts_ = nullptr;
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  absl::StatusOr<HeapGraph> Read() {
    rapidjson::Reader parser;
    rapidjson::MemoryStream bytes(text_.data(), text_.size());
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
    SnapshotHandler handler;
    const rapidjson::ParseResult result =
        parser.Parse<rapidjson::kParseIterativeFlag>(stream, handler);
    if (result.IsError()) {
      return Bad(handler.problem.empty()
                     ? absl::StrCat("is no JSON text: ", rapidjson::GetParseError_En(result.Code()),
                                    " (byte ", result.Offset(), ")")
                     : absl::StrCat("wants ", handler.problem, " at byte ", result.Offset()));
    }
    graph_ = std::move(handler.graph);
    node_columns_ = std::move(handler.nodes);
    edge_columns_ = std::move(handler.edges);
    nodes_ = std::move(handler.node_numbers);
    edges_ = std::move(handler.edge_numbers);
    if (node_columns_.names.empty() || nodes_.empty()) return Bad("is no heap snapshot");
    if (absl::Status status = FillNodes(); !status.ok()) return status;
    if (absl::Status status = FillEdges(); !status.ok()) return status;
    return std::move(graph_);
  }

 private:
  absl::Status Bad(const std::string& problem) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, " ", problem));
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
      if (nodes_[at + count] > edges_.size()) {
        return Bad(absl::StrCat("is damaged: node ", at / width, " has more edges than there are"));
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

  const std::string& text_;
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
