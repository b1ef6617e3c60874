// SPDX-License-Identifier: MIT
//
// `neap trace` as it is called, and how runs are recorded: exit status, messages, files.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "run_program.h"
#include "trace_builder.h"

namespace neap::testing {
namespace {

using cli_test::Lines;
using cli_test::ProgramRun;
using cli_test::ReadFile;
using cli_test::RunNeap;
using cli_test::ScratchPath;
using cli_test::WriteScratch;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string WholeTrace() {
  TraceBuilder trace;
  trace.Minor(1000, 100);
  trace.Major(2000, 300);
  trace.End(5000);
  return trace.text();
}

// Allocates for a while; garbage only.
constexpr const char* kAllocate = "for i = 1, 3e5 do local t = {i} end";

TEST_SUITE("trace/command") {
  TEST_CASE("a whole trace: status 0, nothing on standard error") {
    const std::string path = WriteScratch("whole.jsonl", WholeTrace());
    const ProgramRun text = RunNeap({"trace", path});
    CHECK(text.status == 0);
    CHECK(text.err == "");
    CHECK(Has(text.out, "Pauses"));
    const ProgramRun json = RunNeap({"trace", path, "--json"});
    CHECK(json.status == 0);
    CHECK(Has(json.out, "\"minor.count\":1,\"major.count\":1"));
    CHECK(Has(json.out, "\"complete\":true"));
    CHECK(Lines(json.out).size() == 1);
    const ProgramRun both = RunNeap({"trace", path, path});
    CHECK(both.status == 0);
    CHECK(Has(both.out, "B / A"));
    CHECK(Has(RunNeap({"trace", "--json", path, path}).out, "\"ratio\":{"));
    CHECK(RunNeap({"trace", "-"}, {}, WholeTrace()).status == 0);
  }

  TEST_CASE("a cut trace: what is there is shown, status 1, the line is named") {
    const std::string whole = WholeTrace();
    const std::string path = WriteScratch("cut.jsonl", whole.substr(0, whole.size() - 20));
    const ProgramRun cut = RunNeap({"trace", path});
    CHECK(cut.status == 1);
    CHECK(Has(cut.out, "Pauses"));
    CHECK(cut.OneLineOfError());
    CHECK(Has(cut.err, path + ":4: the file ends in the middle of this line"));
    const std::string line = whole.substr(0, whole.rfind("{\"event\":\"end\""));
    const ProgramRun endless = RunNeap({"trace", WriteScratch("endless.jsonl", line)});
    CHECK(endless.status == 1);
    CHECK(Has(endless.err, "no end line"));
  }

  TEST_CASE("no trace, another version, no file, wrong flags: status 2 and one line") {
    const std::string whole = WriteScratch("whole.jsonl", WholeTrace());
    const std::string foreign = WriteScratch("foreign.txt", "hello\nworld\n");
    std::string other = WholeTrace();
    other.replace(other.find("\"version\":1"), 11, "\"version\":9");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{foreign}, foreign + ":1: no trace"},
        {{WriteScratch("v9.jsonl", other)},
         "version 9 of neap.trace; this program reads version 1"},
        {{WriteScratch("empty", "")}, "the file is empty"},
        {{"/no/such/file"}, "cannot read '/no/such/file': No such file"},
        {{"/"}, "cannot read '/'"},
        {{}, "which file?"},
        {{"--nonsense"}, "--nonsense"},
        {{whole, whole, whole}, "two files at most, not 3"},
        {{whole, whole, "--html", "x"}, "one trace"},
        {{whole, "--follow", "--json"}, "--follow"},
        {{whole, "--heap", "7"}, "has no heap 7"},
        {{whole, "--heap", "x"}, "heap"},
        {{whole, foreign}, foreign + ":1: no trace"},
    };
    for (const auto& [arguments, message] : cases) {
      std::vector<std::string> words = {"trace"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      const ProgramRun run = RunNeap(words);
      CAPTURE(message);
      CAPTURE(run.err);
      CHECK(run.status == 2);
      CHECK(run.OneLineOfError());
      CHECK(Has(run.err, message));
    }
  }

  TEST_CASE("page and export are files; one that cannot be written is status 1") {
    const std::string path = WriteScratch("whole.jsonl", WholeTrace());
    const std::string html = ScratchPath("out.html"), perfetto = ScratchPath("out.perfetto");
    CHECK(RunNeap({"trace", path, "--html", html, "--perfetto=" + perfetto}).status == 0);
    CHECK(Has(ReadFile(html), "</html>"));
    CHECK(Has(ReadFile(perfetto), "major: pacer"));
    const ProgramRun refused = RunNeap({"trace", path, "--html", "/no/such/folder/x.html"});
    CHECK(refused.status == 1);
    CHECK(Has(refused.err, "/no/such/folder/x.html"));
  }

  TEST_CASE("--schema prints the reference without a file") {
    const ProgramRun schema = RunNeap({"trace", "--schema"});
    CHECK(schema.status == 0);
    CHECK(Has(schema.out, "time_to_safepoint_ns"));
    CHECK(Has(schema.out, "## Clamps"));
  }

  TEST_CASE("--follow prints as the file grows, and ends with it") {
    const std::string path = ScratchPath("growing.jsonl");
    TraceBuilder trace;
    { std::ofstream(path) << trace.text(); }
    std::thread writer([&] {
      for (int i = 1; i <= 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        const size_t before = trace.text().size();
        trace.Minor(static_cast<uint64_t>(i) * 1000, 100);
        if (i == 3) trace.End(5000);
        std::ofstream(path, std::ios::app) << trace.text().substr(before);
      }
    });
    const ProgramRun run = RunNeap({"trace", path, "--follow"});
    writer.join();
    CHECK(run.status == 0);
    const std::vector<std::string> lines = Lines(run.out);
    REQUIRE(lines.size() >= 2);
    CHECK(Has(lines.front(), "minor 1 (+1)"));
    CHECK(Has(lines.back(), "minor 3 (+1)"));
  }
}

TEST_SUITE("trace/recording") {
  TEST_CASE("the schema line tells how to run again, and so it does") {
    const std::string path = ScratchPath("run.jsonl");
    const std::string script = "print(math.random(1 << 40), math.random(1 << 40))";
    const ProgramRun first =
        RunNeap({"--trace=" + path, "-e", script}, {"NEAP_SEED=77", "NEAP_GOGC=150"});
    REQUIRE(first.status == 0);
    const std::string schema = Lines(ReadFile(path)).front();
    CHECK(Has(schema, "\"program_seed\":77"));
    CHECK(Has(schema, "\"environment\":{\"NEAP_GOGC\":\"150\",\"NEAP_SEED\":\"77\"}"));
    CHECK(Has(schema, "\"--trace=" + path + "\",\"-e\",\"" + script + "\"]"));
    CHECK(Has(schema, "\"gogc\":150"));
    CHECK(RunNeap({"-e", script}, {"NEAP_SEED=77"}).out == first.out);
    CHECK(RunNeap({"-e", script}, {"NEAP_SEED=78"}).out != first.out);
    CHECK(RunNeap({"-e", script}).out != RunNeap({"-e", script}).out);
    const ProgramRun refused = RunNeap({"-e", script}, {"NEAP_SEED=x7"});
    CHECK(refused.status == 2);
    CHECK(Has(refused.err, "NEAP_SEED: \"x7\" is not allowed"));
  }

  TEST_CASE("what a run records is a whole trace to the reader") {
    const std::string path = ScratchPath("run.jsonl");
    REQUIRE(RunNeap({"--trace=" + path, "-e", kAllocate}).status == 0);
    const ProgramRun read = RunNeap({"trace", path, "--json"});
    CHECK(read.status == 0);
    CHECK(Has(read.out, "\"nursery-full\":"));
    CHECK(Has(read.out, "\"unknown_events\":0"));
  }

  TEST_CASE("a profile of the run is in its trace, however the script ends") {
    const std::string make =
        "keep = {}\nlocal function make(i) return {i} end\n"
        "for i = 1, 1000 do keep[i % 100] = make(i) end\n"
        "collectgarbage()\n";
    const struct {
      std::string last;
      int status;
    } ends[] = {{"", 0}, {"error('no')", 1}, {"os.exit(7)", 7}, {"os.exit(0, true)", 0}};
    for (const auto& [last, status] : ends) {
      CAPTURE(last);
      const std::string script = WriteScratch("makes.lua", make + last);
      for (const std::string flag :
           {std::string("--alloc-profile"), "--alloc-profile=" + ScratchPath("p.txt"),
            "--pprof=" + ScratchPath("p.pb.gz")}) {
        CAPTURE(flag);
        const std::string path = ScratchPath("profiled.jsonl");
        REQUIRE(RunNeap({"--trace=" + path, flag, script}).status == status);
        CHECK(Has(ReadFile(path), "\"allocation_profile\":\"all\""));
        const ProgramRun text = RunNeap({"trace", path});
        CHECK(text.status == 0);
        CHECK(text.err == "");
        CHECK(Has(text.out, "Allocations by type (each one counted)"));
        CHECK(Has(text.out, "table  make  "));
        const ProgramRun json = RunNeap({"trace", path, "--json"});
        CHECK(Has(json.out, "\"unknown_events\":0"));
        const size_t at = json.out.find("\"type\":\"table\",\"function\":\"make\"");
        REQUIRE(at != std::string::npos);
        const std::string row = json.out.substr(at, json.out.find('}', at) - at);
        CHECK(Has(row, "makes.lua\",\"line\":2,\"rows\":1,"));
        CHECK(Has(row, "\"objects\":1000,"));
        CHECK(Has(row, "\"live_objects\":100,"));
        CHECK(Has(row, "\"dead_objects\":900,"));
      }
    }
  }

  TEST_CASE("a trace without a profile has none, and one that was cut off says what is gone") {
    const std::string path = ScratchPath("plain.jsonl");
    REQUIRE(RunNeap({"--trace=" + path, "-e", kAllocate}).status == 0);
    CHECK(Has(ReadFile(path), "\"allocation_profile\":\"off\""));
    CHECK_FALSE(Has(ReadFile(path), "\"event\":\"profile"));
    CHECK(Has(RunNeap({"trace", path, "--json"}).out, "\"profile\":null"));

    const std::string killed = ScratchPath("killed.jsonl");
    const std::string script = std::string(kAllocate) + " os.execute('kill -9 $PPID')";
    RunNeap({"--trace=" + killed, "--alloc-profile", "--alloc-sample=64KiB", "-e", script});
    const ProgramRun read = RunNeap({"trace", killed});
    CHECK(read.status == 1);
    CHECK(Has(read.out, "this file does not reach that far"));
  }

  TEST_CASE("the flight recorder writes after a long pause and on SIGUSR1") {
    const std::string path = ScratchPath("flight.jsonl");
    // A pause above a millisecond: three megabytes survive.
    const std::string survivors =
        "local t = {} for i = 1, 6e4 do t[i] = {i} end collectgarbage() print(#t)";
    REQUIRE(RunNeap({"--flight-recorder=30,pause=1," + path, "-e", survivors}).status == 0);
    CHECK(Has(ReadFile(path), "\"note\":\"a pause of "));
    CHECK(RunNeap({"trace", path}).status == 0);

    const std::string asked = ScratchPath("asked.jsonl");
    const std::string script =
        std::string(kAllocate) + " os.execute('kill -USR1 $PPID') " + kAllocate;
    const ProgramRun run = RunNeap({"--alloc-profile=" + ScratchPath("p.txt"), "-e", script},
                                   {"NEAP_FLIGHT_RECORDER=30," + asked});
    CHECK(run.status == 0);
    CHECK(Has(run.err, "flight recorder: " + asked));
    CHECK(Has(ReadFile(asked), "\"note\":\"SIGUSR1\""));
    const ProgramRun read = RunNeap({"trace", asked});
    CHECK(read.status == 0);
    CHECK_FALSE(Has(read.out, "allocation profile"));  // nor is one missed
  }

  TEST_CASE("the lab's flight recorder writes when asked, a file of its own for each heap") {
    // K5 makes heaps one after another, in seconds. The signal is caught before the trace is made,
    // and sent again and again: each heap is asked.
    const std::string folder = ScratchPath("flight") + ".d";
    REQUIRE(std::filesystem::create_directory(folder));
    const std::string command =
        "cd '" + folder +
        "' && (" NEAP_PROGRAM
        " lab K5 --no-progress --trace=t "
        "--flight-recorder=30,f.jsonl >out 2>err & pid=$!; "
        "until [ -e t ]; do sleep 0.01; done; "
        "until [ -s f.heap2.jsonl ]; do kill -USR1 $pid || break; sleep 0.1; done; wait $pid)";
    CHECK(std::system(command.c_str()) == 0);
    CHECK(Has(ReadFile(folder + "/err"), "neap: flight recorder: f.jsonl\n"));
    for (const std::string file : {"f.jsonl", "f.heap2.jsonl"}) {
      CAPTURE(file);
      CHECK(Has(ReadFile(folder + "/" + file), "\"note\":\"SIGUSR1\""));
      CHECK(Has(ReadFile(folder + "/" + file), " lab K5 "));
      CHECK(RunNeap({"trace", folder + "/" + file}).status == 0);
    }
  }

  TEST_CASE("a flight recorder that makes no sense is refused") {
    for (const char* value : {"", "30", "30,", "x,f", "0,f", "30,pause=,f", "30,pause=0,f",
                              "30,pause=5", "1234567,f", "-1,f", ",f"}) {
      CAPTURE(value);
      const std::string flag = std::string("--flight-recorder=") + value;
      const ProgramRun run = RunNeap({flag, "-e", "x = 1"});
      CHECK(run.status == 2);
      CHECK(run.OneLineOfError());
      CHECK(Has(run.err, "SECONDS[,pause=MS],FILE"));
      const ProgramRun lab = RunNeap({"lab", "G1", flag});
      CHECK(lab.status == 2);
      CHECK(lab.OneLineOfError());
      if (*value == '\0') continue;  // CLI11 itself misses a value
      // "neap: " stands for the program's name, and a line feed ends it.
      CHECK(Has(run.err, lab.err.substr(6, lab.err.size() - 7) + "; `neap help` lists"));
    }
  }
}

}  // namespace
}  // namespace neap::testing
