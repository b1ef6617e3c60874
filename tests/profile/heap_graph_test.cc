// SPDX-License-Identifier: MIT
//
// Heap snapshots: written by a VM, read back, asked. And files that are none.
#include "profile/heap_graph.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "doctest/doctest.h"
#include "library/native_setup.h"
#include "profile/heap_report.h"
#include "profile/heap_snapshot.h"
#include "profile/snapshot_function.h"
#include "support/random.h"
#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

using vm::HeapGraph;
using vm::HeapReport;

// A snapshot of the state as it is now.
HeapGraph Snapshot(ScriptState& lua) {
  const std::string path = "heap_graph_test." + std::to_string(getpid()) + ".heapsnapshot";
  const absl::Status written = vm::WriteHeapSnapshot(lua.state, path);
  REQUIRE_MESSAGE(written.ok(), std::string(written.message()));
  absl::StatusOr<HeapGraph> graph = vm::ReadHeapSnapshot(path);
  std::remove(path.c_str());
  REQUIRE_MESSAGE(graph.ok(), std::string(graph.status().message()));
  return *std::move(graph);
}

const HeapReport::ClassRow& Class(const std::vector<HeapReport::ClassRow>& rows,
                                  const std::string& name) {
  static const HeapReport::ClassRow none;
  for (const HeapReport::ClassRow& row : rows) {
    if (row.name == name) return row;
  }
  return none;
}

std::string PathOf(const HeapReport& report, uint32_t node) {
  std::string path;
  for (const HeapReport::Step& step : report.PathTo(node)) {
    if (step.edge != UINT32_MAX) path += report.graph().EdgeLabel(report.graph().edges[step.edge]);
  }
  return path;
}

// The only node of the class.
uint32_t Only(const HeapGraph& graph, const std::string& name) {
  uint32_t found = 0;
  for (uint32_t i = 1; i < graph.nodes.size(); ++i) {
    if (graph.ClassOf(graph.nodes[i]) != name) continue;
    CHECK(found == 0);
    found = i;
  }
  CHECK(found != 0);
  return found;
}

TEST_SUITE("profile/heap_graph") {
  TEST_CASE("objects are grouped by the fields that their script gave them") {
    ScriptState lua;
    CHECK(lua.Run("list = setmetatable({}, {__name = 'List'}) "
                  "for i = 1, 100 do list[i] = {hp = i, name = 'n' .. i} end") == "");
    const HeapReport report(Snapshot(lua));
    const auto rows = report.Classes();
    CHECK(Class(rows, "table {hp, name}").objects == 100);
    CHECK(Class(rows, "table {hp, name}").self_bytes == 100 * 48);
    // Each holds its string: 100 of 16 + 3 or 4 bytes and a NUL, in words.
    CHECK(Class(rows, "table {hp, name}").retained_bytes == 100 * (48 + 24));
    const uint32_t list = Only(report.graph(), "List");
    CHECK(report.retained(list) > 100 * (48 + 24) + 100 * 8);
    CHECK(PathOf(report, list).ends_with(".list"));
  }

  TEST_CASE("__name is the class, and __gc objects and coroutines stand with their stacks") {
    ScriptState lua;
    CHECK(lua.Run("mt = {__name = 'Ship'} ship = setmetatable({}, mt)"
                  "co = coroutine.create(function() local held = {cargo = 1} "
                  "coroutine.yield() return held end) coroutine.resume(co)") == "");
    const HeapReport report(Snapshot(lua));
    CHECK(PathOf(report, Only(report.graph(), "Ship")).ends_with(".ship"));
    const std::string path = PathOf(report, Only(report.graph(), "table {cargo}"));
    CHECK_MESSAGE(path.find(".co") != std::string::npos, path);
  }

  TEST_CASE("a variable of a closure, a dictionary's key and an upvalue are named on the way") {
    ScriptState lua;
    CHECK(lua.Run("local secret = {deep = {deeper = {bottom = 1}}} "
                  "f = function() return secret end map = {} map[12.5] = {half = 1} "
                  "map[true] = {yes = 1}") == "");
    const HeapReport report(Snapshot(lua));
    const std::string path = PathOf(report, Only(report.graph(), "table {bottom}"));
    CHECK_MESSAGE(path.ends_with(".f^secret<value>.deep.deeper"), path);
    CHECK(PathOf(report, Only(report.graph(), "table {half}")).ends_with("<entries>[12.5]"));
    CHECK(PathOf(report, Only(report.graph(), "table {yes}")).ends_with("<entries>[true]"));
  }

  TEST_CASE("a weak value is seen only while others hold it, and a weak key holds its value") {
    ScriptState lua;
    CHECK(lua.Run("weak = setmetatable({}, {__mode = 'v'}) weak.gone = {lost = 1}"
                  "key = {the_key = 1} cache = setmetatable({}, {__mode = 'k'})"
                  "cache[key] = {cached = 1}") == "");
    const HeapReport report(Snapshot(lua));
    CHECK(Class(report.Classes(), "table {lost}").objects == 0);
    const uint32_t key = Only(report.graph(), "table {the_key}");
    const uint32_t value = Only(report.graph(), "table {cached}");
    CHECK(report.tree().parent[value] == key);
    CHECK(PathOf(report, value).ends_with(".key<value of this weak key>"));
  }

  TEST_CASE("ids are the numbers that tostring shows") {
    ScriptState lua;
    CHECK(lua.Run("t = {mark = 1} text = tostring(t)") == "");
    const HeapGraph graph = Snapshot(lua);
    const uint64_t id = graph.nodes[Only(graph, "table {mark}")].id;
    const std::string text = lua.Text("text");
    CHECK(std::stoull(text.substr(text.find("0x")), nullptr, 16) == id);
    CHECK(graph.FindId(id) == Only(graph, "table {mark}"));
  }

  TEST_CASE("two snapshots of one run tell new objects from old ones") {
    ScriptState lua;
    CHECK(lua.Run("list = {} for i = 1, 10 do list[i] = {v = i} end") == "");
    const HeapGraph before = Snapshot(lua);
    CHECK(lua.Run("for i = 1, 4 do list[i] = nil end "
                  "for i = 11, 30 do list[i] = {v = i} end") == "");
    const HeapGraph after = Snapshot(lua);
    const vm::HeapDifference difference = vm::Compare(before, after);
    CHECK(difference.is_one_run);
    for (const vm::HeapDifference::Row& row : difference.rows) {
      if (row.name != "table {v}") continue;
      CHECK(row.objects == 16);
      CHECK(row.made == 20);
      CHECK(row.gone == 4);
      CHECK(row.stayed == 6);
    }
    CHECK(vm::Compare(before, before).rows.empty());
  }

  TEST_CASE("a script takes a snapshot of itself, its variables included") {
    ScriptState lua;
    lua.state.Push(lua.state.globals_value());
    REQUIRE(vm::PushClosure(lua.state, vm::TakeHeapSnapshot, 0));
    REQUIRE(vm::SetFieldFromTop(lua.state, "snapshot"));
    lua.state.Pop(1);
    const std::string path = "heap_graph_script." + std::to_string(getpid());
    CHECK(lua.Run("local mine = {only_here = 1} assert(snapshot('" + path +
                  "') == true) mine.only_here = 2 "
                  "local ok, message = snapshot('/no/such/folder/x') "
                  "assert(ok == nil and message:find('cannot write /no/such/folder/x: ', 1, true)) "
                  "assert(not pcall(snapshot))") == "");
    const auto graph = vm::ReadHeapSnapshot(path);
    std::remove(path.c_str());
    REQUIRE(graph.ok());
    const HeapReport report(*graph);
    const std::string place = PathOf(report, Only(report.graph(), "table {only_here}"));
    CHECK_MESSAGE(place == ".mine of test", place);
  }

  TEST_CASE("the retained bytes of the root are all bytes") {
    ScriptState lua;
    CHECK(lua.Run("t = {} for i = 1, 50 do t[i] = {i} end") == "");
    const HeapReport report(Snapshot(lua));
    uint64_t bytes = 0;
    for (const HeapGraph::Node& node : report.graph().nodes) bytes += node.self_bytes;
    CHECK(report.retained(0) == bytes);
  }

  TEST_CASE("text that is no heap snapshot is refused with the place") {
    const auto error = [](const std::string& text) {
      return std::string(vm::ParseHeapSnapshot(text, "FILE").status().message());
    };
    CHECK(error("") == "FILE is no JSON text: The document is empty. (byte 0)");
    CHECK(error("hello") == "FILE is no JSON text: Invalid value. (byte 0)");
    for (const char* text : {"{}", "[]", "3", "[[1],{\"nodes\":[1]}]"}) {
      CHECK(error(text) == "FILE is no heap snapshot");
    }
    CHECK(error("{\"nodes\":[1,2,") == "FILE is no JSON text: Invalid value. (byte 14)");
    CHECK(error("{\"nodes\":[1.5]}") == "FILE wants a whole number at byte 10");
    for (const char* text : {"{\"nodes\":[-1]}", "{\"nodes\":[[1]]}", "{\"edges\":[{}]}",
                             "{\"edges\":[null]}", "{\"nodes\":[\"1\"]}"}) {
      CHECK(error(text).find("FILE wants a whole number at byte ") == 0);
    }
    CHECK(error("{\"strings\":[1]}") == "FILE wants a string at byte 12");
    CHECK(error("{\"strings\":[\"a").find("FILE is no JSON text: ") == 0);
    CHECK(error(std::string(100, '[')) == "FILE wants less depth at byte 64");
  }

  TEST_CASE("counts of edges that do not fit are refused, also when their sum comes round") {
    const auto error = [](const std::string& nodes) {
      const std::string text =
          R"({"snapshot":{"meta":{"node_fields":["id","type","name","self_size","edge_count"],)"
          R"("node_types":["number",["x"]],"edge_fields":["type","name_or_index","to_node"],)"
          R"("edge_types":[["weak","element"],"string_or_number","node"]}},"nodes":[)" +
          nodes + R"(],"edges":[1,7,0],"strings":["a"]})";
      return std::string(vm::ParseHeapSnapshot(text, "F").status().message());
    };
    CHECK(error("1,0,0,5,1") == "");
    CHECK(error("1,0,0,5,2").find("F is damaged: its nodes have 2 edges") == 0);
    // 2^63 and 2^63 and 1: one edge, modulo 2^64.
    CHECK(error("1,0,0,5,9223372036854775808,2,0,0,5,9223372036854775808,3,0,0,5,1") ==
          "F is damaged: node 0 has more edges than there are");
  }

  TEST_CASE("a snapshot that was cut anywhere is refused, and never trusted") {
    ScriptState lua;
    const std::string path = "heap_graph_cut." + std::to_string(getpid());
    REQUIRE(vm::WriteHeapSnapshot(lua.state, path).ok());
    FILE* file = std::fopen(path.c_str(), "rb");
    std::string text(4 << 20, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    std::remove(path.c_str());
    Random random;
    for (int i = 0; i < 60; ++i) {
      CHECK_FALSE(vm::ParseHeapSnapshot(text.substr(0, random.Below(text.size() - 2)), "F").ok());
    }
    // A digit changed: it is refused or read, but it does not crash.
    for (int i = 0; i < 60; ++i) {
      std::string damaged = text;
      damaged[random.Below(text.size())] = static_cast<char>('0' + random.Below(10));
      const auto graph = vm::ParseHeapSnapshot(damaged, "F");
      if (graph.ok()) (void)HeapReport(*graph).SummaryText(5);
    }
  }

  TEST_CASE("columns are found by name, as in the files of other tools") {
    const auto graph = vm::ParseHeapSnapshot(
        R"({"snapshot":{"meta":{"node_fields":["id","type","name","self_size","edge_count"],)"
        R"("node_types":["number",["x"]],"edge_fields":["type","name_or_index","to_node"],)"
        R"("edge_types":[["weak","element"],"string_or_number","node"]}},)"
        R"("nodes":[1,0,0,5,1],"edges":[1,7,0],"strings":["a\u00e9\ud83d\ude00"]})",
        "F");
    REQUIRE_MESSAGE(graph.ok(), std::string(graph.status().message()));
    CHECK(graph->nodes[0].self_bytes == 5);
    CHECK(graph->TypeOf(graph->nodes[0]) == "x");
    CHECK(graph->EdgeLabel(graph->edges[0]) == "[7]");
    CHECK(graph->strings[0] == "a\u00e9\U0001f600");
  }
}

}  // namespace
}  // namespace neap::testing
