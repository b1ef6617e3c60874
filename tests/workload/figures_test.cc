// SPDX-License-Identifier: MIT
//
// From frames to figures, with numbers that can be worked out by hand; figures as JSON and back.
#include <doctest/doctest.h>

#include "bullets.h"
#include "workload.h"

namespace neap::workload {
namespace {

// 100 frames of 1 ms; the last one takes 11 ms, 8 of them a collection.
Run ARun() {
  Run run;
  for (int i = 0; i < 100; ++i) run.frames.push_back({.wall_ns = 2'000'000, .cpu_ns = 1'000'000});
  run.frames[99].cpu_ns = 11'000'000;
  run.frames[99].gc_cpu_ns = 8'000'000;
  run.frames[99].minors = 1;
  run.minors = 1;
  run.gc_cpu_ns = 8'000'000;
  run.alloc_bytes = 3 << 20;
  run.checksum = 0.1;
  return run;
}

TEST_CASE("what collections have to do with frames") {
  const Figures figures = FiguresOf(ARun());
  CHECK(figures.p50_ms == 1);
  CHECK(figures.p99_ms == 11);
  CHECK(figures.mean_ms == doctest::Approx(1.1));
  CHECK(figures.gc_share == doctest::Approx(8.0 / 110));
  CHECK(figures.tail_gc_share == doctest::Approx(0.8));
  CHECK(figures.tail_with_gc == 1);
  CHECK(figures.rest_with_gc == 0);
  CHECK(figures.alloc_mib == 3);
  CHECK(figures.frames.empty());
}

TEST_CASE("figures come back from JSON as they were") {
  const Figures figures = FiguresOf(ARun(), true);
  const auto read = FiguresFromJson(ToJson(figures));
  REQUIRE(read.ok());
  for (const FigureName& name : FigureNames()) {
    INFO(name.name);
    CHECK((*read).*name.value == figures.*name.value);
  }
  REQUIRE(read->frames.size() == 100);
  CHECK(read->frames[99].gc_cpu_ns == 8'000'000);
  CHECK(read->frames[99].cpu_ns == 11'000'000);
  CHECK(read->frames[0].wall_ns == 2'000'000);
}

TEST_CASE("what is no figures is refused") {
  const std::string good = ToJson(FiguresOf(ARun()));
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() / 2),
        std::string("{\"p50_ms\":\"x\"}")}) {
    INFO(text);
    CHECK_FALSE(FiguresFromJson(text).ok());
  }
}

TEST_CASE("knobs go to the run, the heap and the workload; a preset undoes nothing") {
  const auto sorted = SortKnobs(
      {"synthetic",
       {{"nursery", "64KiB"}, {"rate", "5"}, {"frames", "7"}, {"preset", "go"}, {"seed", "9"}}});
  REQUIRE(sorted.ok());
  CHECK(sorted->heap.nursery == gc::Options::Nursery::kFixed);
  CHECK(sorted->heap.nursery_bytes == 64 << 10);
  CHECK(sorted->run.frames == 7);
  CHECK(sorted->run.seed == 9);
  REQUIRE(sorted->rest.size() == 1);
  CHECK(sorted->rest[0].name == "rate");
}

TEST_CASE("a bad knob is refused by name and value") {
  struct Case {
    Spec spec;
    const char* name;
    const char* value;
  };
  const Case cases[] = {
      {{"bullets", {{"spawn", "0"}}}, "spawn", "\"0\""},
      {{"bullets", {{"storage", "heap"}}}, "storage", "\"heap\""},
      {{"bullets", {{"fields", "7"}}}, "fields", "\"7\""},
      {{"bullets", {{"seed", "3"}}}, "seed", "\"3\""},
      {{"bullets", {{"colour", "red"}}}, "colour", "\"red\""},
      {{"bullets", {{"nursery", "1"}}}, "nursery", "1"},
      {{"bullets", {{"frames", "1e3"}}}, "frames", "\"1e3\""},
      {{"synthetic", {{"rate", "-1"}}}, "rate", "\"-1\""},
      {{"synthetic", {{"size", "big"}}}, "size", "\"big\""},
      {{"synthetic", {{"immortal", "2"}}}, "immortal", "\"2\""},
      {{"synthetic", {{"pool", "victim:9"}}}, "pool", "\"victim:9\""},
      {{"synthetic", {{"pool", "flush"}}}, "pool", "size"},
      {{"quake", {}}, "workload", "\"quake\""},
      {{"no such file.lua", {}}, "workload", "'no such file.lua'"},
  };
  for (const Case& c : cases) {
    const absl::Status status = CheckSpec(c.spec);
    INFO(status.ToString());
    REQUIRE_FALSE(status.ok());
    const std::string message(status.message());
    CHECK(message.find(c.name) != std::string::npos);
    CHECK(message.find(c.value) != std::string::npos);
  }
}

TEST_CASE("bullets give the sum of the lab") {
  const auto run = RunHere({"bullets", {{"spawn", "20"}, {"nursery", "64KiB"}, {"frames", "50"}}});
  REQUIRE(run.ok());
  CHECK(run->checksum == lab::ReferenceChecksum(20, 50));
  CHECK(run->frames.size() == 50);
  CHECK(run->alloc_objects >= 1000);
  CHECK(run->alloc_bytes >= 1000 * 56);
}

}  // namespace
}  // namespace neap::workload
