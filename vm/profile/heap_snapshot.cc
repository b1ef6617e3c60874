// SPDX-License-Identifier: MIT
//
// heap_snapshot.h. The world stands still while nodes and edges are gathered; the file is written
// after that, from memory: 24 bytes for each object, 16 for each reference, and the names.
#include "profile/heap_snapshot.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "interpreter/state.h"
#include "neap/gc/heap_walk.h"
#include "neap/gc/trace.h"
#include "neap/runtime/random_seed.h"
#include "profile/object_names.h"

namespace neap::vm {
namespace {

constexpr uint32_t kNodeFields = 7;

// The meta object of the format, which readers take the columns' meaning from.
constexpr const char* kMeta =
    R"("meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id",)"
    R"("detachedness"],"node_types":[["hidden","array","string","object","code","closure",)"
    R"("regexp","number","native","synthetic","concatenated string","sliced string","symbol",)"
    R"("bigint","object shape"],"string","number","number","number","number","number"],)"
    R"("edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element",)"
    R"("property","internal","hidden","shortcut","weak"],"string_or_number","node"],)"
    R"("trace_function_info_fields":["function_id","name","script_name","script_id","line",)"
    R"("column"],"trace_node_fields":["id","function_info_index","count","size","children"],)"
    R"("sample_fields":["timestamp_us","last_assigned_id"],)"
    R"("location_fields":["object_index","script_id","line","column"]})";

uint64_t ProcessNumber() {
  static const uint64_t number = RandomSeed() & ((uint64_t{1} << 53) - 1);  // exact in JSON
  return number;
}

class Gatherer final : public gc::HeapVisitor {
 public:
  explicit Gatherer(State& state) : state_(state), names_(state) {
    nodes_.push_back({.name = String("(root)"), .kind = NodeKind::kSynthetic});
  }

  void VisitObject(gc::Object* object, size_t bytes) override {
    const uint32_t node = NodeOf(object);
    const ObjectName name = names_.Describe(object);
    nodes_[node].name = String(name.text);
    nodes_[node].kind = name.kind;
    nodes_[node].bytes = bytes;
    nodes_[node].id = state_.mutator().Identity(object);
  }

  void VisitEdge(const gc::HeapEdge& edge) override {
    const uint32_t from = edge.from == nullptr ? 0 : NodeOf(edge.from);
    const ReferenceName name = names_.DescribeEdge(edge);
    Edge made = {.from = from, .to = NodeOf(edge.to), .name = name.index, .kind = name.kind};
    if (name.kind != EdgeName::kElement) made.name = String(name.text);
    if (edge.kind == gc::EdgeKind::kWeak) {
      if (name.kind == EdgeName::kElement) made.name = String(std::to_string(name.index));
      made.kind = EdgeName::kWeak;
    }
    if (from == 0) {
      AddRoot(made);
    } else {
      edges_.push_back(made);
    }
  }

  // False: errno says why not.
  bool Write(FILE* file) {
    SortEdges();
    std::fprintf(file,
                 "{\"snapshot\":{%s,\"node_count\":%zu,\"edge_count\":%zu,"
                 "\"trace_function_count\":0,\"neap\":{\"version\":%d,\"process\":%llu}},\n",
                 kMeta, nodes_.size(), edges_.size(), kHeapSnapshotVersion,
                 static_cast<unsigned long long>(ProcessNumber()));
    WriteNodes(file);
    WriteEdges(file);
    std::fputs(
        "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n",
        file);
    WriteStrings(file);
    return std::ferror(file) == 0;
  }

 private:
  struct Node {
    uint64_t id = 0;
    uint64_t bytes = 0;
    uint32_t name = 0;
    uint32_t edges = 0;
    NodeKind kind = NodeKind::kHidden;
  };
  struct Edge {
    uint32_t from, to, name;
    EdgeName kind;
  };

  // The developer tools want a root to be named once; a variable says more than a handle does.
  void AddRoot(const Edge& edge) {
    const auto [it, inserted] = root_edges_.try_emplace(edge.to, edges_.size());
    if (inserted) {
      edges_.push_back(edge);
    } else if (strings_[edges_[it->second].name] == ObjectNames::kHandle) {
      edges_[it->second].name = edge.name;
    }
  }

  uint32_t NodeOf(const gc::Object* object) {
    const auto [it, inserted] = node_of_.try_emplace(object, static_cast<uint32_t>(nodes_.size()));
    if (inserted) nodes_.push_back({});
    return it->second;
  }
  uint32_t String(const std::string& text) {
    const auto [it, inserted] =
        string_ids_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
    if (inserted) strings_.push_back(text);
    return it->second;
  }

  // By node, and as they came within a node: counting sort.
  void SortEdges() {
    for (const Edge& edge : edges_) ++nodes_[edge.from].edges;
    std::vector<size_t> next(nodes_.size());
    for (size_t i = 1; i < nodes_.size(); ++i) next[i] = next[i - 1] + nodes_[i - 1].edges;
    std::vector<Edge> sorted(edges_.size());
    for (const Edge& edge : edges_) sorted[next[edge.from]++] = edge;
    edges_.swap(sorted);
  }

  void WriteNodes(FILE* file) const {
    std::fputs("\"nodes\":[", file);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      std::fprintf(file, "%s%d,%u,%llu,%llu,%u,0,0\n", i == 0 ? "" : ",",
                   static_cast<int>(node.kind), node.name, static_cast<unsigned long long>(node.id),
                   static_cast<unsigned long long>(node.bytes), node.edges);
    }
    std::fputs("],\n", file);
  }
  void WriteEdges(FILE* file) const {
    std::fputs("\"edges\":[", file);
    for (size_t i = 0; i < edges_.size(); ++i) {
      const Edge& edge = edges_[i];
      std::fprintf(file, "%s%d,%u,%llu\n", i == 0 ? "" : ",", static_cast<int>(edge.kind),
                   edge.name, static_cast<unsigned long long>(edge.to) * kNodeFields);
    }
    std::fputs("],\n", file);
  }
  void WriteStrings(FILE* file) const {
    std::fputs("\"strings\":[", file);
    std::string text;
    for (size_t i = 0; i < strings_.size(); ++i) {
      text = i == 0 ? "" : ",\n";
      gc::AppendJsonString(text, strings_[i]);
      std::fwrite(text.data(), 1, text.size(), file);
    }
    std::fputs("]}\n", file);
  }

  State& state_;
  ObjectNames names_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::string> strings_;
  absl::flat_hash_map<std::string, uint32_t> string_ids_;
  absl::flat_hash_map<const gc::Object*, uint32_t> node_of_;
  absl::flat_hash_map<uint32_t, size_t> root_edges_;  // node -> edge
};

}  // namespace

absl::Status WriteHeapSnapshot(State& state, const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  }
  state.heap().Collect(state.mutator());
  Gatherer gatherer(state);
  gc::WalkHeap(state.mutator(), gatherer);
  const bool written = gatherer.Write(file);
  if (std::fclose(file) == 0 && written) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

}  // namespace neap::vm
