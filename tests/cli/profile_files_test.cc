// SPDX-License-Identifier: MIT
//
// Profiles of a run: --alloc-profile, --pprof, --heap-snapshot; and `neap heap`, `neap dump
// --escape` on what they leave.
#include <doctest/doctest.h>
#include <zlib.h>

#include "profile/proto_reader.h"
#include "run_program.h"

namespace neap::cli_test {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Gunzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text(1 << 20, '\0');
  const int count = file == nullptr ? -1 : gzread(file, text.data(), 1 << 20);
  if (file != nullptr) gzclose(file);
  text.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return text;
}

const char* const kScript =
    "keep = {}\n"
    "function make(i)\n"
    "  return {id = i}\n"
    "end\n"
    "for i = 1, 100 do keep[i % 10 + 1] = make(i) end\n"
    "print('done')\n";

TEST_CASE("an allocation profile is a table on standard error; the script's output is its own") {
  const std::string script = WriteScratch("profiled.lua", kScript);
  const ProgramRun run = RunNeap({"run", "--alloc-profile", script, "--alloc-profile"});
  CHECK(run.status == 0);
  CHECK(run.out == "done\n");
  CHECK(Has(run.err, "each one counted"));
  CHECK(Has(run.err, "table  make  "));
  CHECK(Has(run.err, "profiled.lua:3\n"));
}

TEST_CASE("--alloc-profile=FILE is text, or JSON when the name says so") {
  const std::string script = WriteScratch("profiled.lua", kScript);
  const std::string text = ScratchPath("profile.txt"), json = ScratchPath("profile.json");
  CHECK(RunNeap({"run", "--alloc-profile=" + text, script}).err == "");
  CHECK(Has(ReadFile(text), "By site\n"));
  CHECK(RunNeap({"run", "--alloc-profile=" + json, script}).err == "");
  CHECK(ReadFile(json).starts_with("{\"profile\":\"allocations\",\"version\":1,"));
  CHECK(Has(ReadFile(json), "\"function\":\"make\""));
  CHECK(Has(ReadFile(json), "\"objects\":100,"));
}

TEST_CASE("--pprof writes a gzip file that an independent decoder reads") {
  const std::string script = WriteScratch("profiled.lua", kScript);
  const std::string path = ScratchPath("profile.pb.gz");
  CHECK(RunNeap({"run", "--pprof=" + path, script}).err == "");
  CHECK(ReadFile(path).starts_with("\x1f\x8b"));
  const testing::PprofFile file = testing::ReadPprof(Gunzip(path));
  int64_t made = 0, live = 0;
  for (const testing::PprofSample& sample : file.samples) {
    if (sample.stack.empty() || !sample.stack[0].starts_with("make ")) continue;
    if (sample.labels.at("type").text != "table") continue;
    made += sample.values[0];
    live += sample.values[2];
  }
  CHECK(made == 100);
  CHECK(live == 10);
}

TEST_CASE("profiles are written when the script fails, and when it exits") {
  const std::string script = WriteScratch("fails.lua", std::string(kScript) + "error('no')");
  ProgramRun run = RunNeap({"run", "--alloc-profile", script});
  CHECK(run.status == 1);
  CHECK(Has(run.err, "table  make  "));
  const std::string exits = WriteScratch("exits.lua", std::string(kScript) + "os.exit(7)");
  run = RunNeap({"run", "--alloc-profile", exits});
  CHECK(run.status == 7);
  CHECK(Has(run.err, "table  make  "));
}

TEST_CASE("sampling is asked for by bytes") {
  const std::string script = WriteScratch("many.lua", "for i = 1, 20000 do local t = {x = i} end");
  const ProgramRun run = RunNeap({"run", "--alloc-profile", "--alloc-sample=4KiB", script});
  CHECK(run.status == 0);
  CHECK(Has(run.err, "one in 4.00 KiB"));
}

TEST_CASE("flags of profiles that cannot be met are refused before the script runs") {
  const std::string script = WriteScratch("profiled.lua", kScript);
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& part) {
    std::vector<std::string> words = {"run"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.push_back(script);
    const ProgramRun run = RunNeap(words);
    CHECK(run.status == 2);
    CHECK(run.out == "");
    CHECK(run.OneLineOfError());
    CHECK_MESSAGE(Has(run.err, part), run.err);
  };
  refused({"--alloc-profile=/no/such/folder/x"},
          "--alloc-profile: cannot write '/no/such/folder/x'");
  refused({"--pprof=/no/such/folder/x"}, "--pprof: cannot write '/no/such/folder/x'");
  refused({"--heap-snapshot=/no/such/x"}, "--heap-snapshot: cannot write '/no/such/x'");
  refused({"--alloc-profile="}, "needs the name of a file");
  refused({"--pprof="}, "needs the name of a file");
  refused({"--trace="}, "needs the name of a file");
  refused({"--alloc-profile", "--alloc-sample=lots"}, "--alloc-sample: \"lots\"");
  refused({"--alloc-profile", "--alloc-sample=2TiB"}, "--alloc-sample: \"2TiB\"");
  refused({"--alloc-sample=1KiB"}, "nothing to sample for");
}

TEST_CASE("a heap snapshot is summed up, and asked for retained bytes, paths and differences") {
  const std::string script = WriteScratch(
      "held.lua", std::string(kScript) + "ship = setmetatable({}, {__name = 'Ship'}) print(ship)");
  const std::string path = ScratchPath("held.heapsnapshot");
  ProgramRun run = RunNeap({"run", "--heap-snapshot=" + path, script});
  CHECK(run.status == 0);
  const std::string id = run.out.substr(run.out.find("0x"));
  run = RunNeap({"heap", path, "--top=1000"});
  CHECK(run.status == 0);
  CHECK(Has(run.out, "          10          400          400  table {id}\n"));
  CHECK(Has(run.out, "  Ship\n"));
  run = RunNeap({"heap", path, "--retained"});
  CHECK(Has(run.out, "  _G @0x"));
  run = RunNeap({"heap", path, "--path=" + id.substr(0, id.size() - 1)});
  CHECK(run.status == 0);
  CHECK(Has(run.out, "Ship @0x"));
  CHECK(Has(run.out, "  .ship\n"));
  CHECK(RunNeap({"heap", path, "--json"}).out.starts_with("{\"objects\":"));

  const std::string other = ScratchPath("other.heapsnapshot");
  const std::string more =
      WriteScratch("more.lua", std::string(kScript) + "for i = 1, 50 do keep[i] = {id = i} end");
  CHECK(RunNeap({"run", "--heap-snapshot=" + other, more}).status == 0);
  run = RunNeap({"heap", path, other});
  CHECK(run.status == 0);
  CHECK(Has(run.out, "         +40        +1600  table {id}\n"));
  CHECK(RunNeap({"heap", path, other, "--json"}).out.starts_with("{\"one_run\":false,"));
}

TEST_CASE("what is no heap snapshot, and what asks for nothing there is, is refused") {
  const auto refused = [](const std::vector<std::string>& words, int status,
                          const std::string& part) {
    const ProgramRun run = RunNeap(words);
    CHECK(run.status == status);
    CHECK(run.OneLineOfError());
    CHECK_MESSAGE(Has(run.err, part), run.err);
  };
  const std::string script = WriteScratch("profiled.lua", kScript);
  const std::string path = ScratchPath("small.heapsnapshot");
  CHECK(RunNeap({"run", "--heap-snapshot=" + path, "-e", "x = 1"}).status == 0);
  const std::string cut = WriteScratch("cut.heapsnapshot", ReadFile(path).substr(0, 5000));
  refused({"heap"}, 2, "which snapshot?");
  refused({"heap", "/no/such/file"}, 2, "cannot read /no/such/file");
  refused({"heap", script}, 2, "profiled.lua is no JSON text: ");
  refused({"heap", cut}, 2, "(byte 5000)");
  refused({"heap", path, "--path=0xffffff"}, 1, "no object with the id 0xffffff");
  refused({"heap", path, "--path=here"}, 2, "--path: \"here\" is no number");
  refused({"heap", path, "--up"}, 2, "--up");
  refused({"heap", path, "--top=-1"}, 2, "--top");
  refused({"heap", path, path, "--retained"}, 2, "look at one snapshot");
}

TEST_CASE("dump --escape says what stays in its function") {
  const std::string script =
      WriteScratch("points.lua",
                   "local function sum(x, y) local p = {x = x, y = y} return p.x + p.y end\n"
                   "print(sum(1, 2))\n");
  const ProgramRun run = RunNeap({"dump", "--escape", script});
  CHECK(run.status == 0);
  CHECK(Has(run.out, "sum, lines 1-1\n  line 1    table   p                stays\n"));
  CHECK(Has(run.out, "2 of 2 tables and closures stay"));
  CHECK(RunNeap({"dump", "--escape"}).status == 2);
}

}  // namespace
}  // namespace neap::cli_test
