// SPDX-License-Identifier: MIT
//
// `neap sweep` and `neap lab FILE.lua` from outside: processes of their own, files that go on,
// merged job lists, and what mistakes are told.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "run_program.h"

namespace neap::cli_test {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kWorkload = R"(
local w = {storages = {"kept", "dropped"}, params = {n = 50, wrong = 0}}
function w.setup(p) return {p = p, kept = {}} end
function w.step(s)
  for i = 1, s.p.n do
    local t = {i}
    if s.p.storage == "kept" then s.kept[i] = t end
  end
  print("this is not a result")
  return s.p.n + (s.p.storage == "dropped" and s.p.wrong or 0)
end
return w)";

TEST_CASE("neap lab FILE.lua compares the storages of a workload") {
  const std::string path = WriteScratch("own.lua", kWorkload);
  const ProgramRun run = RunNeap({"lab", path, "frames=20", "n=60", "--repeat=2"});
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(Has(run.out, "kept, checksum in every run: == 1200"));
  CHECK(Has(run.out, "dropped, checksum in every run: == 1200"));
  CHECK(Has(run.out, "What collections have to do with it"));
  CHECK(Has(run.out, "The worst frames of dropped"));
  CHECK_FALSE(Has(run.out, "this is not a result"));
}

TEST_CASE("a storage that does other work fails the run") {
  const std::string path = WriteScratch("own.lua", kWorkload);
  const ProgramRun run = RunNeap({"lab", path, "frames=5", "wrong=1", "--repeat=1"});
  CHECK(run.status == 1);
  CHECK(Has(run.out, "FAIL      own X  dropped"));
}

TEST_CASE("one storage, as a report and as JSON") {
  const std::string path = WriteScratch("own.lua", kWorkload);
  const std::string page = ScratchPath("own.html");
  const ProgramRun run =
      RunNeap({"lab", path, "frames=5", "storage=kept", "--repeat=1", "--json", "--html=" + page});
  CHECK(run.status == 0);
  CHECK(Has(run.out, "\"experiment\":\"own\""));
  CHECK_FALSE(Has(run.out, "dropped"));
  CHECK(Has(ReadFile(page), "Frames of the first run"));
}

TEST_CASE("mistakes in a workload: status and one line, or the traceback of the script") {
  const ProgramRun missing = RunNeap({"lab", "nowhere.lua"});
  CHECK(missing.status == 2);
  CHECK(Has(missing.err, "'nowhere.lua'"));
  const ProgramRun no_step = RunNeap({"lab", WriteScratch("empty.lua", "return {}")});
  CHECK(no_step.status == 2);
  CHECK(Has(no_step.err, "empty.lua: 'step' is nil"));
  const ProgramRun raises =
      RunNeap({"lab", WriteScratch("raises.lua", "return {step = function() error('boom') end}")});
  CHECK(raises.status == 1);
  CHECK(Has(raises.err, "boom"));
  CHECK(Has(raises.err, "stack traceback"));
  // The process ends with its heap alive: nothing is a leak then, and LeakSanitizer, which does not
  // look into heaps, would give its own exit status.
  const ProgramRun leaves =
      RunNeap({"lab", WriteScratch("leaves.lua", "return {step = function() os.exit(4) end}")},
              {"ASAN_OPTIONS=detect_leaks=0"});
  CHECK(leaves.status == 1);
  CHECK(Has(leaves.err, "it ended with status 4 and without a result"));
  const std::string path = WriteScratch("own.lua", kWorkload);
  const ProgramRun twice = RunNeap({"lab", path, "n=1", "n=2"});
  CHECK(twice.status == 2);
  CHECK(twice.OneLineOfError());
  CHECK(Has(twice.err, "n: given twice"));
  const ProgramRun knob = RunNeap({"lab", path, "m=1", "--repeat=1"});
  CHECK(knob.status != 0);
  CHECK(Has(knob.err, "no knob \"m\""));
  CHECK(RunNeap({"lab", path, "--repeat=0"}).status == 2);
  CHECK(RunNeap({"lab", path, "frames"}).status == 2);
}

TEST_CASE("a sweep goes on with its file, and its job list gives the same cells") {
  const std::string out = ScratchPath("sweep.jsonl"), csv = ScratchPath("sweep.csv");
  const std::vector<std::string> words = {"sweep",        "synthetic",         "rate=20,40",
                                          "frames=5",     "nursery=64KiB,off", "--repeat=2",
                                          "--out=" + out, "--csv=" + csv};
  const ProgramRun first = RunNeap(words);
  INFO(first.err);
  REQUIRE(first.status == 0);
  CHECK(Lines(ReadFile(out)).size() == 9);
  CHECK(Lines(ReadFile(csv)).size() == 5);
  CHECK(Has(first.err, "8/8"));
  CHECK(Has(first.out, "synthetic frames=5"));
  // A file without its last run, which was cut in the middle.
  const std::string text = ReadFile(out);
  WriteScratch("sweep.jsonl", text.substr(0, text.size() - 100));
  const ProgramRun second = RunNeap(words);
  CHECK(second.status == 0);
  CHECK(Has(second.err, "7 of 8 runs are in the file already"));
  CHECK(Has(second.err, "8/8"));
  CHECK(Has(RunNeap({"sweep", "--merge", out, "--quiet"}).err, "1 lines that are no runs"));
}

TEST_CASE("a job list runs unchanged in a shell, and merges") {
  const std::string jobs = ScratchPath("jobs");
  const ProgramRun listed =
      RunNeap({"sweep", "synthetic", "rate=20,40", "frames=5", "--repeat=1", "--job-list=" + jobs});
  REQUIRE(listed.status == 0);
  CHECK(Has(listed.out, "2 jobs in"));
  REQUIRE(std::system(("sh '" + jobs + "'").c_str()) == 0);
  std::vector<std::string> merge = {"sweep", "--merge"};
  for (const auto& entry : std::filesystem::directory_iterator(jobs + ".parts")) {
    merge.push_back(entry.path().string());
  }
  CHECK(merge.size() == 4);
  const ProgramRun merged = RunNeap(merge);
  CHECK(merged.status == 0);
  CHECK(Has(merged.out, "synthetic frames=5"));
  CHECK(Lines(merged.out).size() >= 5);
}

TEST_CASE("mistakes in a sweep: status 2 and a line that names the place and the value") {
  struct Case {
    std::vector<std::string> words;
    const char* place;
    const char* value;
  };
  const Case cases[] = {
      {{"sweep"}, "workload", "sweep --help"},
      {{"sweep", "quake"}, "workload", "\"quake\""},
      {{"sweep", "bullets", "spawn=1..5"}, "spawn", "1..5"},
      {{"sweep", "bullets", "spawn=x"}, "spawn", "\"x\""},
      {{"sweep", "bullets", "spawn=1", "spawn=2"}, "spawn", "twice"},
      {{"sweep", "bullets", "nursery=1"}, "nursery", "1"},
      {{"sweep", "bullets", "--repeat=0"}, "--repeat", "0"},
      {{"sweep", "bullets", "--merge", "nowhere.jsonl"}, "nowhere.jsonl", "read"},
      {{"sweep", "--merge", "/dev/null"}, "--merge", "no run"},
      {{"sweep", "synthetic", "rate=-5"}, "rate", "\"-5\""},
      {{"sweep", "synthetic", "lifetime=exp:"}, "lifetime", "\"exp:\""},
      {{"sweep", "bullets", "storage=heap"}, "storage", "\"heap\""},
  };
  for (const Case& c : cases) {
    const ProgramRun run = RunNeap(c.words);
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(run.OneLineOfError());
    CHECK(Has(run.err, c.place));
    CHECK(Has(run.err, c.value));
  }
  const std::string foreign = WriteScratch("foreign.jsonl", "{\"schema\":\"neap-trace\"}\n");
  const ProgramRun run = RunNeap({"sweep", "synthetic", "--out=" + foreign});
  CHECK(run.status == 2);
  CHECK(Has(run.err, "line 1"));
}

TEST_CASE("files of a sweep that cannot be written: the flag, the path and the reason") {
  const auto fails = [](const std::string& flag, const std::string& line) {
    const ProgramRun run =
        RunNeap({"sweep", "synthetic", "frames=1", "--repeat=1", "--quiet", flag});
    CHECK(run.status == 1);
    CHECK(run.out == "");
    CHECK(run.err == "neap sweep: " + line + "\n");
  };
  fails("--out=/no/such/x", "--out: cannot write '/no/such/x': No such file or directory");
  fails("--out=/", "--out: cannot write '/': Is a directory");
  fails("--csv=/no/such/x", "--csv: cannot write '/no/such/x': No such file or directory");
  fails("--job-list=/dev/null/x",
        "--job-list: cannot make the folder '/dev/null/x.parts': Not a directory");
}

TEST_CASE("a storage that is named twice is refused with its name") {
  const std::string path =
      WriteScratch("twice.lua", "return {storages = {'x', 'y', 'x'}, step = function() end}");
  const ProgramRun lab = RunNeap({"lab", path});
  CHECK(lab.status == 2);
  CHECK(lab.OneLineOfError());
  CHECK(Has(lab.err, "twice.lua: 'storages' holds \"x\" twice, at 1 and 3"));
  const ProgramRun sweep = RunNeap({"sweep", path});  // found by the first cell's process
  CHECK(sweep.status == 1);
  CHECK(Has(sweep.err, "twice.lua: 'storages' holds \"x\" twice, at 1 and 3"));
}

TEST_CASE("lab all is brief, --explain tells an experiment in sentences") {
  const ProgramRun brief = RunNeap({"lab", "G1", "D1", "--format=brief", "--scale=0.1"});
  CHECK(brief.status == 0);
  CHECK(Has(brief.out, "pass      G1   The eviction cliff: "));
  const ProgramRun explained = RunNeap({"lab", "G1", "--explain", "--scale=0.1"});
  CHECK(explained.status == 0);
  CHECK(Has(explained.out, "Tested, and claimed: "));
  CHECK(Has(explained.out, "Seen here: "));
  CHECK(Has(explained.out, "Why: "));
  // One that says nothing while it runs: the words are at hand all the same.
  CHECK(Has(RunNeap({"lab", "D1", "--explain", "--scale=0.1"}).out, "Why: A reset at Get"));
}

}  // namespace
}  // namespace neap::cli_test
