// SPDX-License-Identifier: MIT
//
// Profiles and snapshots as an embedder takes them.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "doctest/doctest.h"
#include "neap/vm/profile.h"
#include "neap/vm/vm.h"
#include "profile/heap_graph.h"
#include "proto_reader.h"

namespace neap::testing {
namespace {

TEST_SUITE("profile/recorder") {
  TEST_CASE("a host records what the scripts of a Vm allocate") {
    lua::Vm vm;
    lua::AllocationRecorder recorder(vm, {.sample_bytes = 0});
    CHECK(vm.Run("kept = {} for i = 1, 25 do kept[i] = {i} end", "@host.lua").ok());
    CHECK(recorder.Text().find("table  main chunk  host.lua:1\n") != std::string::npos);
    CHECK(recorder.Json().starts_with("{\"profile\":\"allocations\""));
    int64_t made = 0;
    for (const PprofSample& sample : ReadPprof(recorder.Pprof()).samples) {
      const bool is_here = !sample.stack.empty() && sample.stack[0] == "main chunk host.lua:1";
      if (is_here && sample.labels.at("type").text == "table") made += sample.values[0];
    }
    CHECK(made == 26);
  }

  TEST_CASE("scripts of another Vm on the heap count for the host") {
    lua::Vm vm;
    lua::Vm other(vm.mutator());
    lua::AllocationRecorder recorder(vm, {.sample_bytes = 0});
    CHECK(other.Run("t = {} for i = 1, 10 do t[i] = {} end", "@other.lua").ok());
    CHECK(vm.Run("t = {}", "@mine.lua").ok());
    CHECK(recorder.Text().find("other.lua") == std::string::npos);
    CHECK(recorder.Text().find("mine.lua:1") != std::string::npos);
  }

  TEST_CASE("a host writes a snapshot; a path that cannot be written is an error") {
    lua::Vm vm;
    CHECK(vm.Run("marked = {mark = 1}").ok());
    const std::string path = "recorder_test." + std::to_string(getpid());
    CHECK(lua::WriteHeapSnapshot(vm, path).ok());
    const auto graph = vm::ReadHeapSnapshot(path);
    std::remove(path.c_str());
    REQUIRE(graph.ok());
    bool found = false;
    for (const auto& node : graph->nodes) found |= graph->ClassOf(node) == "table {mark}";
    CHECK(found);
    const absl::Status status = lua::WriteHeapSnapshot(vm, "/no/such/folder/x");
    CHECK(status.code() == absl::StatusCode::kPermissionDenied);
  }
}

}  // namespace
}  // namespace neap::testing
