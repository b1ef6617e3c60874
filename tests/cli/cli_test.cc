// SPDX-License-Identifier: MIT
//
// The `neap` program seen from outside: what it prints, where, and its exit status. What the
// experiments find is the business of the lab's own tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "run_program.h"

namespace neap::cli_test {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Bad input: status 2, nothing on standard output, one line that says `flag` and `value`.
void CheckMisuse(const ProgramRun& run, const std::string& flag, const std::string& value) {
  INFO("stderr: ", run.err);
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(run.OneLineOfError());
  CHECK(Has(run.err, flag));
  CHECK(Has(run.err, value));
}

TEST_CASE("help, version and the debug switches go to standard output") {
  for (const char* word : {"help", "--help"}) {
    const ProgramRun run = RunNeap({word});
    CHECK(run.status == 0);
    CHECK(Has(run.out, "neap lab"));
    CHECK(run.err.empty());
  }
  const ProgramRun version = RunNeap({"version"});
  CHECK(version.status == 0);
  CHECK(version.out.rfind("neap ", 0) == 0);
  CHECK(Lines(version.out).size() == 1);
  const ProgramRun debug = RunNeap({"--help-debug"});
  CHECK(debug.status == 0);
  CHECK(Has(debug.out, "gctrace"));
  CHECK(Has(debug.out, "stress-alloc"));
}

TEST_CASE("lab --help names every flag and its environment variable") {
  const ProgramRun run = RunNeap({"lab", "--help"});
  CHECK(run.status == 0);
  for (const char* word : {"--gogc",
                           "NEAP_GOGC",
                           "--memlimit",
                           "NEAP_MEMLIMIT",
                           "--nursery",
                           "NEAP_NURSERY",
                           "--tenure",
                           "NEAP_TENURE",
                           "--procs",
                           "NEAP_MAXPROCS",
                           "--workers",
                           "NEAP_WORKERS",
                           "--in-place",
                           "NEAP_IN_PLACE",
                           "--preset",
                           "NEAP_PRESET",
                           "--format",
                           "--json",
                           "--html",
                           "--trace",
                           "--record",
                           "--seed",
                           "--scale",
                           "--no-progress",
                           "--flight-recorder",
                           "SECONDS[,pause=MS],FILE",
                           "NEAP_FLIGHT_RECORDER"}) {
    INFO(word);
    CHECK(Has(run.out, word));
  }
}

TEST_CASE("lab list names the published experiments, whatever the flags") {
  const ProgramRun run = RunNeap({"lab", "list", "--gogc=50"});
  CHECK(run.status == 0);
  for (const char* id : {"G1 ", "G6 ", "K5 ", "B23 ", "D2 "}) {
    INFO(id);
    CHECK(Has(run.out, id));
  }
}

TEST_CASE("an unknown command, flag or experiment is one line and status 2") {
  CheckMisuse(RunNeap({"frobnicate"}), "frobnicate", "cannot open");
  CheckMisuse(RunNeap({"--frobnicate"}), "--frobnicate", "help");
  CheckMisuse(RunNeap({"lab", "--frobnicate"}), "--frobnicate", "lab");
  CheckMisuse(RunNeap({"lab", "--frobnicate=7"}), "--frobnicate", "7");
  CheckMisuse(RunNeap({"lab", "Z99"}), "Z99", "lab");
  CheckMisuse(RunNeap({"lab-cell", "no-such-cell"}), "lab-cell", "no-such-cell");
  CheckMisuse(RunNeap({"lab-cell"}), "lab-cell", "which");
}

TEST_CASE("an impossible value names its flag and itself") {
  struct Bad {
    const char *flag, *value;
  };
  for (const Bad& bad : {Bad{"--nursery", "-1"},
                         {"--nursery", "4"},
                         {"--nursery", "2GiB"},
                         {"--nursery", ""},  // no value at all
                         {"--gogc", "-5"},
                         {"--gogc", "fast"},
                         {"--memlimit", "1023KiB"},  // below the runtime's own overhead
                         {"--memlimit", "12MB"},
                         {"--tenure", "0"},
                         {"--tenure", "16"},
                         {"--procs", "257"},
                         {"--procs", "100000000000000000000"},
                         {"--workers", "0"},
                         {"--in-place", "maybe"},
                         {"--preset", "rust"},
                         {"--format", "yaml"},
                         {"--seed", "-1"},
                         {"--seed", "18446744073709551616"},
                         {"--scale", "0"},
                         {"--scale", "1.5"},
                         {"--scale", "nan"},
                         {"--flight-recorder", "30"},
                         {"--flight-recorder", "0,f"},
                         {"--flight-recorder", "30,pause=0,f"},
                         {"--flight-recorder", "1234567,f"}}) {
    INFO(bad.flag, "=", bad.value);
    CheckMisuse(RunNeap({"lab", "G1", std::string(bad.flag) + "=" + bad.value}), bad.flag,
                bad.value);
  }
}

TEST_CASE("a flag without its value, and two formats, are refused") {
  CheckMisuse(RunNeap({"lab", "--nursery"}), "--nursery", "lab");
  CheckMisuse(RunNeap({"lab", "G1", "--json", "--format=text"}), "--format", "text");
}

TEST_CASE("a bad environment variable names itself and its value") {
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_GOGC=x"}), "NEAP_GOGC", "x");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_NURSERY=-1"}), "NEAP_NURSERY", "-1");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_MEMLIMIT=1"}), "NEAP_MEMLIMIT", "1");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_MAXPROCS=999"}), "NEAP_MAXPROCS", "999");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_PRESET=rust"}), "NEAP_PRESET", "rust");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_IN_PLACE=2"}), "NEAP_IN_PLACE", "2");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_SCALE=7"}), "NEAP_SCALE", "7");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_FORMAT=yaml"}), "NEAP_FORMAT", "yaml");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_FLIGHT_RECORDER=30,"}), "NEAP_FLIGHT_RECORDER", "30,");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_DEBUG=gctrace=yes"}), "gctrace", "yes");
  CheckMisuse(RunNeap({"lab", "G1"}, {"NEAP_DEBUG=nonsense=1"}), "nonsense", "NEAP_DEBUG");
}

TEST_CASE("a file that cannot be written is refused before anything runs") {
  const std::string path = "/no-such-folder/file";
  CheckMisuse(RunNeap({"lab", "G1", "--trace=" + path}), "--trace", path);
  CheckMisuse(RunNeap({"lab", "G1", "--html=" + path}), "--html", path);
  CheckMisuse(RunNeap({"lab", "G1", "--html=/tmp"}), "--html", "directory");
  CheckMisuse(RunNeap({"lab", "G1", "--html="}), "--html", "missing");
}

TEST_CASE("a name that is refused leaves no file behind") {
  const std::string html = ScratchPath("refused.html"), trace = ScratchPath("refused.jsonl");
  CHECK(RunNeap({"lab", "Z99", "--html=" + html, "--trace=" + trace}).status == 2);
  CHECK_FALSE(std::filesystem::exists(html));
  CHECK_FALSE(std::filesystem::exists(trace));
}

TEST_CASE("lab G1 passes and its last line counts the verdicts") {
  const ProgramRun run = RunNeap({"lab", "G1", "--scale=0.05", "--no-progress"});
  INFO(run.out);
  CHECK(run.status == 0);
  const std::vector<std::string> lines = Lines(run.out);
  REQUIRE_FALSE(lines.empty());
  CHECK(Has(lines.back(), "pass"));
  CHECK(Has(lines.back(), "0 FAIL"));
}

TEST_CASE("lab --json prints one object per line with the ten keys") {
  const ProgramRun run = RunNeap({"lab", "G1", "--scale=0.05", "--no-progress", "--json"});
  CHECK(run.status == 0);
  const std::vector<std::string> lines = Lines(run.out);
  REQUIRE_FALSE(lines.empty());
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(line.front() == '{');
    CHECK(line.back() == '}');
    for (const char* key : {"experiment", "row", "quantity", "unit", "ours", "source", "class",
                            "criterion", "verdict", "reason"}) {
      CHECK(Has(line, std::string("\"") + key + "\":"));
    }
  }
  CHECK(RunNeap({"lab", "G1", "--scale=0.05", "--no-progress", "--format=json"}).out == run.out);
}

TEST_CASE("a flag wins over its variable, and a preset over neither") {
  const std::string html = ScratchPath("modes.html");
  const ProgramRun run =
      RunNeap({"lab", "G1", "--scale=0.05", "--no-progress", "--gogc=50", "--html=" + html},
              {"NEAP_GOGC=200", "NEAP_TENURE=3", "NEAP_PRESET=source"});
  CHECK(run.status == 0);
  const std::string page = ReadFile(html);
  CHECK(Has(page, "<dt>gogc</dt><dd>50 %</dd>"));
  CHECK(Has(page, "<dt>tenure</dt><dd>survival 3</dd>"));
  CHECK(Has(page, "<dt>nursery</dt><dd>16 MiB per P, fixed</dd>"));
}

TEST_CASE("--html writes one page that loads nothing") {
  const std::string html = ScratchPath("report.html");
  const ProgramRun run = RunNeap({"lab", "G1", "--scale=0.05", "--no-progress", "--html=" + html});
  CHECK(run.status == 0);
  const std::string page = ReadFile(html);
  CHECK(page.rfind("<!DOCTYPE html>", 0) == 0);
  CHECK(Has(page, "id=\"G1\""));
  CHECK(Has(page, "badge pass"));
  CHECK(Has(page, "lab G1"));  // the command
  CHECK_FALSE(Has(page, "http:"));
  CHECK_FALSE(Has(page, "https:"));
  CHECK_FALSE(Has(page, "<link"));
  CHECK_FALSE(Has(page, "<img"));
  CHECK_FALSE(Has(page, "@import"));
}

TEST_CASE("--trace writes a schema line per heap, its events and an end line") {
  const std::string trace = ScratchPath("trace.jsonl");
  const ProgramRun run =
      RunNeap({"lab", "G1", "--scale=0.05", "--no-progress", "--trace=" + trace});
  CHECK(run.status == 0);
  const std::vector<std::string> lines = Lines(ReadFile(trace));
  REQUIRE(lines.size() > 3);
  CHECK(lines[0].rfind("{\"heap\":1,", 0) == 0);
  CHECK(Has(lines[0], "\"schema\":\"neap.trace\""));
  CHECK(lines.back().rfind("{\"event\":\"end\",", 0) == 0);
  const auto events = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return Has(line, "\"event\":\"") && Has(line, "\"heap\":");
  });
  CHECK(Has(lines.back(), "\"records\":" + std::to_string(events) + ","));
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return Has(line, "\"event\":\"major\"") && Has(line, "\"cause\":\"forced\"");
  }));
}

TEST_CASE("NEAP_DEBUG=gctrace=1 prints a line per major cycle of the lab's heaps") {
  const ProgramRun run =
      RunNeap({"lab", "G1", "--scale=0.05", "--no-progress"}, {"NEAP_DEBUG=gctrace=1"});
  CHECK(run.status == 0);
  const std::vector<std::string> lines = Lines(run.err);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.rfind("gc ", 0) == 0 && Has(line, "ms clock");
  }));
}

}  // namespace
}  // namespace neap::cli_test
