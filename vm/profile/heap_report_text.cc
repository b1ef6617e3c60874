// SPDX-License-Identifier: MIT
//
// heap_report.h: the answers as text and JSON.
//
//   self        bytes of the objects themselves, and of what they own outside the heap
//   retained    bytes that would be free if they were gone: of what only they keep alive, too
//
// In a path: .x a field, [3] an element, ^x a variable of a function, <part> of the object's own
// structure.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/trace.h"
#include "profile/heap_report.h"

namespace neap::vm {
namespace {

constexpr size_t kMostHolders = 12;
constexpr size_t kMostNames = 8;   // of a path in one line
constexpr size_t kMostSteps = 60;  // of a path: of a longer one the middle is left out

std::string JsonText(const std::string& text) {
  std::string quoted;
  gc::AppendJsonString(quoted, text);
  return quoted;
}

}  // namespace

std::string HeapReport::NodeLine(uint32_t node) const {
  return absl::StrFormat("%12d %12d  %s", graph_.nodes[node].self_bytes, retained_[node],
                         graph_.Label(graph_.nodes[node]));
}

std::string HeapReport::SummaryText(size_t most) const {
  const std::vector<ClassRow> rows = Classes();
  uint64_t objects = 0, bytes = 0;
  for (const ClassRow& row : rows) {
    objects += row.objects;
    bytes += row.self_bytes;
  }
  std::string text = absl::StrFormat("%d objects, %d bytes\n\n%12s %12s %12s  class\n", objects,
                                     bytes, "objects", "self", "retained");
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    absl::StrAppendFormat(&text, "%12d %12d %12d  %s\n", rows[i].objects, rows[i].self_bytes,
                          rows[i].retained_bytes, rows[i].name);
  }
  if (rows.size() > most) absl::StrAppend(&text, "  ... ", rows.size() - most, " more classes\n");
  return text;
}

std::string HeapReport::RetainedText(size_t most) const {
  std::string text = absl::StrFormat("%12s %12s  object, and where it hangs\n", "self", "retained");
  for (const uint32_t node : Largest(most)) {
    const std::vector<Step> path = PathTo(node);
    std::string place;
    size_t shown = 0;
    for (size_t i = 1; i < path.size() && shown < kMostNames; ++i) {
      const std::string name = graph_.EdgeLabel(graph_.edges[path[i].edge]);
      // Between a table and what is in it.
      if (name == "<fields>" || name == "<elements>" || name == "<entries>") continue;
      place += name;
      ++shown;
    }
    absl::StrAppend(&text, NodeLine(node), "  ", place, shown == kMostNames ? "..." : "", "\n");
  }
  return text;
}

std::string HeapReport::HoldersText(uint32_t node) const {
  std::string text;
  size_t holders = 0;
  for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    const HeapGraph::Node& from = graph_.nodes[i];
    for (uint32_t e = from.first_edge; e < from.first_edge + from.edge_count; ++e) {
      const HeapGraph::Edge& edge = graph_.edges[e];
      if (edge.to != node || ++holders > kMostHolders) continue;
      absl::StrAppend(&text, NodeLine(i), "  ", graph_.EdgeLabel(edge),
                      graph_.IsWeak(edge) ? " (weak)\n" : "\n");
    }
  }
  if (holders > kMostHolders) {
    absl::StrAppend(&text, "  ... ", holders - kMostHolders, " more references\n");
  }
  return text;
}

absl::StatusOr<std::string> HeapReport::PathText(uint64_t id) const {
  const size_t found = graph_.FindId(id);
  if (found == graph_.nodes.size()) {
    return absl::NotFoundError(absl::StrFormat("there is no object with the id 0x%x (%d)", id, id));
  }
  const auto node = static_cast<uint32_t>(found);
  std::string text = absl::StrFormat("%12s %12s  object\n", "self", "retained");
  const std::vector<Step> path = PathTo(node);
  if (path.empty()) {
    return absl::StrCat(text, NodeLine(node), "\n\nNothing keeps it alive but weak references:\n",
                        HoldersText(node));
  }
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > kMostSteps && i == kMostSteps / 2) {
      const size_t skipped = path.size() - kMostSteps;
      absl::StrAppend(&text, "  ... ", skipped, " steps\n");
      i += skipped - 1;
      continue;
    }
    absl::StrAppend(&text, NodeLine(path[i].node), "  ",
                    i == 0 ? "" : graph_.EdgeLabel(graph_.edges[path[i].edge]), "\n");
  }
  const uint32_t dominator = tree_.parent[node];
  if (node != 0) {
    absl::StrAppend(&text, "\nIt lives as long as ", graph_.Label(graph_.nodes[dominator]),
                    " holds it, whatever else is let go.\n\nAll references to it:\n",
                    HoldersText(node));
  }
  return text;
}

std::string HeapReport::Json(size_t most) const {
  const std::vector<ClassRow> rows = Classes();
  uint64_t objects = 0, bytes = 0;
  std::string classes;
  for (const ClassRow& row : rows) {
    objects += row.objects;
    bytes += row.self_bytes;
    absl::StrAppend(&classes, classes.empty() ? "\n" : ",\n", "{\"class\":", JsonText(row.name),
                    ",\"objects\":", row.objects, ",\"self_bytes\":", row.self_bytes,
                    ",\"retained_bytes\":", row.retained_bytes, "}");
  }
  std::string largest;
  for (const uint32_t node : Largest(most)) {
    absl::StrAppend(&largest, largest.empty() ? "\n" : ",\n", "{\"id\":", graph_.nodes[node].id,
                    ",\"class\":", JsonText(graph_.ClassOf(graph_.nodes[node])),
                    ",\"self_bytes\":", graph_.nodes[node].self_bytes,
                    ",\"retained_bytes\":", retained_[node], "}");
  }
  return absl::StrCat("{\"objects\":", objects, ",\"self_bytes\":", bytes, ",\"classes\":[",
                      classes, "],\n\"largest\":[", largest, "]}\n");
}

std::string DifferenceText(const HeapDifference& difference, size_t most) {
  std::string text = absl::StrFormat("%12s %12s", "objects", "bytes");
  if (difference.is_one_run) absl::StrAppendFormat(&text, " %9s %9s %9s", "new", "gone", "stayed");
  text += "  class\n";
  int64_t objects = 0, bytes = 0;
  for (size_t i = 0; i < difference.rows.size(); ++i) {
    const HeapDifference::Row& row = difference.rows[i];
    objects += row.objects;
    bytes += row.bytes;
    if (i >= most) continue;
    absl::StrAppendFormat(&text, "%+12d %+12d", row.objects, row.bytes);
    if (difference.is_one_run) {
      absl::StrAppendFormat(&text, " %9d %9d %9d", row.made, row.gone, row.stayed);
    }
    absl::StrAppend(&text, "  ", row.name, "\n");
  }
  if (difference.rows.size() > most) {
    absl::StrAppend(&text, "  ... ", difference.rows.size() - most, " more classes\n");
  }
  absl::StrAppendFormat(&text, "%+12d %+12d", objects, bytes);
  return text + (difference.is_one_run ? std::string(30, ' ') : "") + "  total\n";
}

std::string DifferenceJson(const HeapDifference& difference) {
  std::string rows;
  for (const HeapDifference::Row& row : difference.rows) {
    absl::StrAppend(&rows, rows.empty() ? "\n" : ",\n", "{\"class\":", JsonText(row.name),
                    ",\"objects\":", row.objects, ",\"bytes\":", row.bytes);
    if (difference.is_one_run) {
      absl::StrAppend(&rows, ",\"new\":", row.made, ",\"gone\":", row.gone,
                      ",\"stayed\":", row.stayed);
    }
    rows += "}";
  }
  return absl::StrCat("{\"one_run\":", difference.is_one_run ? "true" : "false", ",\"classes\":[",
                      rows, "]}\n");
}

}  // namespace neap::vm
