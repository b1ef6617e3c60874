// SPDX-License-Identifier: MIT
//
// Workloads in Lua: what they see, and what each kind of mistake is told.
#include "script_workload.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace neap::workload {
namespace {

// A file that is gone with the test.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("neap_workload_" + std::to_string(getpid()) + ".lua"))
                  .string()) {
    std::ofstream(path_) << text;
  }
  ~ScriptFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

absl::StatusOr<Run> RunText(const std::string& text, Knobs knobs = {}) {
  const ScriptFile file(text);
  knobs.insert(knobs.begin(), {{"frames", "5"}, {"warmup", "2"}});
  return RunHere({file.path(), knobs});
}

// The message of the error that the script is expected to get.
std::string Refusal(const std::string& text, const Knobs& knobs = {}) {
  const auto run = RunText(text, knobs);
  REQUIRE_FALSE(run.ok());
  return std::string(run.status().message());
}

bool Has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("setup gets the parameters, step the state and the frame") {
  const std::string text = R"(
    local w = {storages = {"a", "b"}, params = {n = 2, half = 0.5, on = true, name = "x"}}
    function w.setup(p)
      assert(math.type(p.seed) == "integer")
      return {p = p, first = true, made = {}}
    end
    function w.step(s, frame)
      if s.first then assert(frame == -1); s.first = false end
      s.made[#s.made + 1] = {}
      return frame * s.p.n + (s.p.on and 100 or 0) + s.p.half + #s.p.name * 1000
             + (s.p.storage == "b" and 10000 or 0)
    end
    function w.teardown(s) assert(#s.made == 7) end
    return w)";
  const auto run = RunText(text);
  INFO(run.status().ToString());
  REQUIRE(run.ok());
  CHECK(run->checksum == 15 * 2 + 500 + 2.5 + 5000);
  CHECK(run->frames.size() == 5);
  CHECK(run->alloc_objects >= 5);
  const auto other =
      RunText(text, {{"n", "3"}, {"half", "1"}, {"on", "false"}, {"name", "yy"}, {"storage", "b"}});
  REQUIRE(other.ok());
  CHECK(other->checksum == 15 * 3 + 5 + 10000 + 50000);
}

TEST_CASE("globals do, and only step is needed") {
  const auto run = RunText("function step(state, frame) assert(state == nil) return frame end");
  REQUIRE(run.ok());
  CHECK(run->checksum == 15);
  REQUIRE(RunText("function step() end").ok());
}

TEST_CASE("facts of a file") {
  const ScriptFile file("return {storages = {'x', 'y'}, params = {k = 3}, step = function() end}");
  const auto facts = ReadScriptFacts(file.path());
  REQUIRE(facts.ok());
  CHECK(facts->storages == std::vector<std::string>{"x", "y"});
  REQUIRE(facts->parameters.size() == 1);
  CHECK(KnobText(facts->parameters[0]) == "k=3");
}

TEST_CASE("a file without step, or with something else in its place, is refused by name") {
  CHECK(Has(Refusal("return {}"), "'step' is nil"));
  CHECK(Has(Refusal(""), "'step' is nil"));
  CHECK(Has(Refusal("return 5"), "'step' is nil"));
  CHECK(Has(Refusal("return {step = 3}"), "'step' is number"));
  CHECK(Has(Refusal("return {step = print, setup = 'x'}"), "'setup' is string"));
  CHECK(Has(Refusal("return {step = print, storages = 3}"), "'storages' is a number"));
  CHECK(Has(Refusal("return {step = print, storages = {}}"), "'storages' is empty"));
  CHECK(Has(Refusal("return {step = print, storages = {{}}}"), "no name at 1"));
  CHECK(Has(Refusal("return {step = print, storages = {'a', 'b', 'a'}}"),
            "'storages' holds \"a\" twice, at 1 and 3"));
  CHECK(Has(Refusal("return {step = print, params = 'p'}"), "'params' is a string"));
  CHECK(Has(Refusal("return {step = print, params = {gogc = 1}}"), "params.gogc"));
}

TEST_CASE("an error of the script says where, with a traceback") {
  CHECK(Has(Refusal("return {"), ":1:"));
  CHECK(
      Has(Refusal("return {step = print, setup = function() error('no bullets') end}"), "setup: "));
  const std::string in_step =
      Refusal("return {step = function(s, frame) if frame == 3 then error('boom') end end}");
  CHECK(Has(in_step, "step, frame 3: "));
  CHECK(Has(in_step, "boom"));
  CHECK(Has(in_step, "stack traceback"));
  CHECK(Has(Refusal("return {step = function() return 'many' end}"), "step returned a string"));
  CHECK(Has(Refusal("return {step = function() coroutine.yield() end}"),
            "step, frame -1: attempt to yield from outside a coroutine"));
  CHECK(Has(Refusal("return {step = function() error({}) end}"), "error object is a table value"));
  CHECK(Has(Refusal("return {step = function() end, teardown = function() error('late') end}"),
            "teardown: "));
}

TEST_CASE("a knob that the script does not have, or of another kind") {
  const std::string text = "return {params = {n = 2, on = true}, step = function() end}";
  CHECK(Has(Refusal(text, {{"m", "1"}}), "no knob \"m\""));
  CHECK(Has(Refusal(text, {{"n", "many"}}), "n: \"many\""));
  CHECK(Has(Refusal(text, {{"on", "yes"}}), "true or false"));
  CHECK(Has(Refusal(text, {{"storage", "heap"}}), "storage: \"heap\""));
}

}  // namespace
}  // namespace neap::workload
