// SPDX-License-Identifier: MIT
//
// Allocations of scripts by function, line and type; as tables, JSON and pprof profiles.
#include "profile/allocation_profile.h"

#include <cstdint>
#include <string>

#include "doctest/doctest.h"
#include "profile/pprof_writer.h"
#include "proto_reader.h"
#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

using vm::AllocationProfile;
using vm::AllocationRow;
using vm::AllocationWatch;

AllocationProfile ProfileOf(std::string_view script, uint64_t sample_bytes = 0) {
  ScriptState lua;
  AllocationWatch watch(lua.state, {.sample_bytes = sample_bytes});
  CHECK(lua.Run(script) == "");
  return watch.Read();
}

AllocationRow RowAt(const AllocationProfile& profile, const std::string& function, uint32_t line,
                    const std::string& type) {
  for (const AllocationRow& row : vm::RowsBySite(profile)) {
    if (row.function == function && row.line == line && row.type == type) return row;
  }
  return {};
}

// test:1 ff.
constexpr std::string_view kScript =
    "keep = {}\n"
    "local function point(x)\n"
    "  return {x = x, y = 0}\n"
    "end\n"
    "function fill()\n"
    "  for i = 1, 50 do\n"
    "    keep[i] = point(i)\n"
    "    local dead = point(-i)\n"
    "  end\n"
    "end\n"
    "fill()\n"
    "local wrapped = coroutine.wrap(function()\n"
    "  for i = 1, 10 do coroutine.yield({}) end\n"
    "end)\n"
    "for i = 1, 10 do wrapped() end\n";

TEST_SUITE("profile/allocations") {
  TEST_CASE("allocations are counted at the line and in the function that made them") {
    const AllocationProfile profile = ProfileOf(kScript);
    const AllocationRow points = RowAt(profile, "point", 3, "table");
    CHECK(points.record.allocated.objects == 100);
    CHECK(points.record.allocated.bytes == 100 * 48);
    CHECK(points.live.objects == 50);
    CHECK(points.file == "test");
    CHECK(RowAt(profile, "main chunk", 1, "table").record.samples == 1);
    CHECK(RowAt(profile, "function at test:12", 13, "table").record.samples == 10);
    CHECK(RowAt(profile, "function at test:12", 13, "table").live.objects == 0);
  }

  TEST_CASE("what a native function makes counts for the line that called it") {
    const AllocationProfile profile = ProfileOf(
        "local s = 'x'\n"
        "for i = 1, 20 do\n"
        "  s = string.rep('ab', 100 + i)\n"
        "end\n");
    CHECK(RowAt(profile, "main chunk", 3, "string").record.allocated.objects == 20);
  }

  TEST_CASE("rows by type hold every allocation once") {
    const AllocationProfile profile = ProfileOf(kScript);
    double by_site = 0, by_type = 0, by_sample = 0;
    for (const AllocationRow& row : vm::RowsBySite(profile)) by_site += row.record.allocated.bytes;
    for (const AllocationRow& row : vm::RowsByType(profile)) by_type += row.record.allocated.bytes;
    for (const auto& sample : profile.samples) by_sample += sample.record.allocated.bytes;
    CHECK(by_site == by_sample);
    CHECK(by_type == by_sample);
  }

  TEST_CASE("a chunk that is loaded again and again is one function, and none is kept alive") {
    ScriptState lua;
    AllocationWatch watch(lua.state, {});
    CHECK(lua.Run("for i = 1, 50 do load('return {}', '=chunk')() end collectgarbage() "
                  "collectgarbage() for i = 1, 50 do load('return {}', '=chunk')() end") == "");
    const AllocationProfile profile = watch.Read();
    CHECK(RowAt(profile, "main chunk", 1, "table").record.allocated.objects == 100);
    CHECK(lua.heap.Verify(lua.m).ok());
  }

  TEST_CASE("a deep recursion is cut at the outer end") {
    const AllocationProfile profile = ProfileOf(
        "local function deep(n)\n"
        "  if n == 0 then return {} end\n"
        "  local t = deep(n - 1)\n"
        "  return t\n"
        "end\n"
        "deep(500)\n");
    CHECK(RowAt(profile, "deep", 2, "table").record.allocated.objects == 1);
    for (const auto& sample : profile.samples) {
      CHECK(sample.stack.size() <= vm::CallSites::kMaxFrames);
    }
  }

  TEST_CASE("the table and the JSON name site, type and totals") {
    const AllocationProfile profile = ProfileOf(kScript);
    const std::string table = vm::AllocationTable(profile);
    CHECK(table.find("table  point  test:3") != std::string::npos);
    CHECK(table.find("total\n") != std::string::npos);
    const std::string few = vm::AllocationTable(profile, 1);
    CHECK(few.find(" more sites\n") != std::string::npos);
    const std::string json = vm::AllocationJson(profile);
    CHECK(json.starts_with("{\"profile\":\"allocations\",\"version\":1,\"sample_bytes\":0,"));
    CHECK(json.find("{\"function\":\"point\",\"file\":\"test\",\"line\":3,\"type\":\"table\","
                    "\"samples\":100,\"objects\":100,\"bytes\":4800,\"mean_bytes\":48,") !=
          std::string::npos);
    CHECK(json.find("nan") == std::string::npos);
    CHECK(json.find("inf") == std::string::npos);
  }

  TEST_CASE("an empty profile has a table and a JSON text") {
    const AllocationProfile none;
    CHECK(vm::AllocationTable(none).find("total") != std::string::npos);
    CHECK(vm::AllocationJson(none).find("\"mean_bytes\":null") != std::string::npos);
    CHECK(ReadPprof(vm::PprofBytes(none)).samples.empty());
  }

  TEST_CASE("a pprof profile holds stacks, values and labels") {
    const AllocationProfile profile = ProfileOf(kScript);
    const PprofFile file = ReadPprof(vm::PprofBytes(profile));
    CHECK(file.sample_types == std::vector<std::string>{"alloc_objects/count", "alloc_space/bytes",
                                                        "inuse_objects/count",
                                                        "inuse_space/bytes"});
    CHECK(file.period_type == "space/bytes");
    CHECK(file.period == 1);
    CHECK(file.default_type == "alloc_space");
    int64_t made = 0, live = 0, kept_here = 0;
    for (const PprofSample& sample : file.samples) {
      REQUIRE(sample.values.size() == 4);
      const std::string space = sample.labels.at("space").text;
      CHECK((space == "young" || space == "old" || space == "dead"));
      CHECK((space == "dead") == (sample.values[2] == 0));
      CHECK(sample.labels.at("age").unit == "collections");
      if (sample.stack.empty() || sample.stack[0] != "point test:3") continue;
      if (sample.labels.at("type").text != "table") continue;  // its shape
      made += sample.values[0];
      live += sample.values[2];
      if (sample.stack[1] == "fill test:7") kept_here += sample.values[3];
      CHECK(sample.stack.size() == 3);
      CHECK(sample.stack[2] == "main chunk test:11");
    }
    CHECK(made == 100);
    CHECK(live == 50);
    CHECK(kept_here == 50 * 48);
  }

  TEST_CASE("the stack of a coroutine goes on with who resumed it") {
    const PprofFile file = ReadPprof(vm::PprofBytes(ProfileOf(kScript)));
    bool found = false;
    for (const PprofSample& sample : file.samples) {
      if (sample.stack.empty() || sample.stack[0] != "function at test:12 test:13") continue;
      found = true;
      CHECK(sample.stack.back() == "main chunk test:15");
    }
    CHECK(found);
  }

  TEST_CASE("sampling estimates the totals of a script") {
    const std::string_view script = "for i = 1, 30000 do local t = {x = i} end";
    const AllocationRow row = RowAt(ProfileOf(script, 2048), "main chunk", 1, "table");
    CHECK(row.record.samples > 200);
    CHECK(row.record.samples < 2000);
    CHECK(row.record.allocated.objects == doctest::Approx(30000).epsilon(0.2));
  }

  TEST_CASE("an instruction that makes two objects is sampled for both") {
    const std::string_view script =
        "for i = 1, 30000 do local t = {i, i, i} end\n"
        "for i = 1, 30000 do local f = function() return i end end";
    const AllocationProfile profile = ProfileOf(script, 512);
    for (const auto& [line, type] : {std::pair{1, "table"}, std::pair{1, "array part"},
                                     std::pair{2, "closure"}, std::pair{2, "upvalue"}}) {
      CAPTURE(type);
      CHECK(RowAt(profile, "main chunk", line, type).record.allocated.objects ==
            doctest::Approx(30000).epsilon(0.2));
    }
  }
}

}  // namespace
}  // namespace neap::testing
