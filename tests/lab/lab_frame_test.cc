// SPDX-License-Identifier: MIT
//
// The lab's frame without a heap: judging, the three formats, selection, exit status.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "child_process.h"
#include "doctest/doctest.h"
#include "lab.h"
#include "lab_main.h"
#include "number_text.h"
#include "report_gobench.h"
#include "report_json.h"
#include "report_text.h"
#include "table_columns.h"

namespace neap::lab {
namespace {

Settings Quiet() {
  Settings settings;
  settings.progress = false;
  settings.isolate = false;
  return settings;
}

// A lab in which an experiment "T1" has begun.
struct Begun : Lab {
  Begun() : Lab(Quiet()) { Begin("T1"); }
  const Row& last() const { return rows().back(); }
};

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void RunPassing(Lab& lab) { lab.Exact("answer", "units", 42, 42, {.source = "42"}); }
void RunFailing(Lab& lab) {
  lab.Add(Table{.title = "t", .columns = {"name", "n"}, .rows = {{"a", "1"}, {"bcd", "22"}}});
  lab.Say("A finding.");
  lab.Exact("answer", "units", 41, 42);
  lab.Observe("remark", "ns", 1.5);
}
void RunLateTime(Lab& lab) { lab.TimeAtMost("time", "ns", 20, 10, 0.01); }
void RunShapeless(Lab& lab) { lab.Holds("falls", false, "falls"); }
void RunTimed(Lab& lab) {
  lab.Add(BenchLine{.name = "Pool-2",
                    .iterations = 166666666,
                    .ns_per_op = 7.202,
                    .metrics = {{"allocs/op", 0}, {"B/op", 4096}, {"%miss", 6e-7}}});
  lab.Observe("time", "ns", 7.202);
}

constexpr Experiment kPassing = {"T1", "evict", "passes", "It passes.", false, RunPassing};
constexpr Experiment kFailing = {"T2", "evict", "fails", "It fails.", false, RunFailing};
constexpr Experiment kLateTime = {"T3", "evict", "late", "Too slow.", false, RunLateTime};
constexpr Experiment kShapeless = {"T4", "evict", "shape", "No shape.", false, RunShapeless};
constexpr Experiment kTimed = {"T5", "evict", "timed", "A timing.", false, RunTimed};

int Run(const std::vector<const Experiment*>& experiments, OutputFormat format, std::string* text) {
  std::ostringstream out;
  const int status = RunExperiments(Quiet(), experiments, format, out);
  *text = out.str();
  return status;
}

}  // namespace

TEST_CASE("an exact criterion passes on equality only") {
  Begun lab;
  CHECK(lab.Exact("a", "objects", 100, 100));
  CHECK_FALSE(lab.Exact("b", "objects", 99, 100));
  CHECK(lab.rows()[0].verdict == Verdict::kPass);
  CHECK(lab.last().verdict == Verdict::kFail);
  CHECK(lab.last().criterion == "== 100");
  CHECK(lab.strict_failures() == 1);
}

TEST_CASE("bounds include their ends") {
  Begun lab;
  CHECK(lab.Within("a", "", 0.97, 0.97, 1.03));
  CHECK(lab.Within("b", "", 1.03, 0.97, 1.03));
  CHECK_FALSE(lab.Within("c", "", 1.04, 0.97, 1.03));
  CHECK(lab.last().criterion == "in [0.97, 1.03]");
  CHECK(lab.Within("narrow", "", 29491.7, 29491.65, 29491.75));
  CHECK(lab.last().criterion == "in [29491.65, 29491.75]");
  CHECK(lab.AtMost("d", "", 5, 5));
  CHECK_FALSE(lab.AtMost("e", "", 5.1, 5));
  CHECK(lab.AtLeast("f", "", 5, 5));
  CHECK_FALSE(lab.AtLeast("g", "", 4.9, 5));
}

TEST_CASE("a NaN meets no criterion") {
  Begun lab;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(lab.Exact("a", "", nan, 0));
  CHECK_FALSE(lab.Within("b", "", nan, 0, 1));
  CHECK_FALSE(lab.AtMost("c", "", nan, 1));
  CHECK_FALSE(lab.AtLeast("d", "", nan, 1));
  CHECK_FALSE(lab.TimeAtMost("e", "", nan, 1, 0));
  CHECK(lab.strict_failures() == 4);
}

TEST_CASE("a remark's class overrides the helper's") {
  Begun lab;
  lab.Within("a", "", 2, 0, 1, {.criterion_class = Class::kShape});
  CHECK(lab.last().criterion_class == Class::kShape);
  CHECK(lab.last().verdict == Verdict::kFail);
  CHECK(lab.strict_failures() == 0);
}

TEST_CASE("a time bound is undecided when the control loop spreads wider than the margin") {
  Begun lab;
  SUBCASE("steady and met") {
    CHECK(lab.TimeAtMost("t", "ns", 8, 10, 0.05));
    CHECK(lab.last().verdict == Verdict::kPass);
  }
  SUBCASE("steady and missed") {
    CHECK_FALSE(lab.TimeAtMost("t", "ns", 12, 10, 0.05));
    CHECK(lab.last().verdict == Verdict::kFail);
  }
  SUBCASE("noisy and nearly met") {
    CHECK_FALSE(lab.TimeAtMost("t", "ns", 10.1, 10, 0.05));
    CHECK(lab.last().verdict == Verdict::kUndecided);
    CHECK(lab.last().reason.find("control loop") != std::string::npos);
  }
  SUBCASE("met, and nobody knows how noisy") {
    CHECK_FALSE(lab.TimeAtMost("t", "ns", 8, 10, std::nan("")));
    CHECK(lab.last().verdict == Verdict::kUndecided);
  }
  SUBCASE("noisy and nearly missed is not a pass either") {
    CHECK_FALSE(lab.TimeAtLeast("t", "ns", 10.1, 10, 0.05));
    CHECK(lab.last().verdict == Verdict::kUndecided);
  }
  CHECK(lab.last().criterion_class == Class::kTime);
  CHECK(lab.strict_failures() == 0);
}

TEST_CASE("a failing strict criterion gives exit status 1, every other verdict 0") {
  std::string text;
  CHECK(Run({&kPassing}, OutputFormat::kText, &text) == kLabPassed);
  CHECK(Run({&kPassing, &kFailing}, OutputFormat::kText, &text) == kLabFailed);
  CHECK(Run({&kLateTime}, OutputFormat::kText, &text) == kLabPassed);
  CHECK(Run({&kShapeless}, OutputFormat::kText, &text) == kLabPassed);
}

TEST_CASE("in text a criterion's line starts with its verdict and the last line counts them") {
  std::string text;
  Run({&kPassing, &kFailing, &kShapeless}, OutputFormat::kText, &text);
  const std::vector<std::string> lines = Lines(text);
  const auto has = [&](const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  CHECK(has("pass      T1 X  answer: 42 units  == 42  (source 42)"));
  CHECK(has("FAIL      T2 X  answer: 41 units  == 42"));
  CHECK(has("report    T2 R  remark: 1.5 ns"));
  CHECK(has("FAIL      T4 S  falls: falls"));
  CHECK(has("  name   n"));
  CHECK(has("  bcd   22"));
  CHECK(has("  A finding."));
  CHECK(lines.back().rfind("1 pass, 2 FAIL (1 of them strict), 0 undecided, 1 report", 0) == 0);
}

TEST_CASE("long sentences are wrapped at blanks") {
  CHECK(WrapText("one two three", 9, "  ") == "  one two\n  three\n");
  CHECK(WrapText("unbreakable", 4, "") == "unbreakable\n");
  CHECK(WrapText("", 10, "  ") == "");
}

TEST_CASE("a JSON row has exactly the promised keys, in order") {
  Begun lab;
  lab.Exact("a \"quoted\"\n\\name", "objects", 1.5, 2, {.source = "2", .reason = "why"});
  std::ostringstream out;
  WriteJson(lab, out);
  CHECK(out.str() ==
        "{\"experiment\":\"T1\",\"row\":1,\"quantity\":\"a \\\"quoted\\\"\\u000a\\\\name\","
        "\"unit\":\"objects\",\"ours\":1.5,\"source\":\"2\",\"class\":\"X\",\"criterion\":\"== 2\","
        "\"verdict\":\"FAIL\",\"reason\":\"why\"}\n");
}

TEST_CASE("JSON has one line per row and null for what is not a number") {
  std::string text;
  Run({&kPassing, &kFailing}, OutputFormat::kJson, &text);
  CHECK(Lines(text).size() == 3);
  Begun lab;
  lab.Observe("a", "", std::numeric_limits<double>::infinity());
  std::ostringstream out;
  WriteJson(lab, out);
  CHECK(out.str().find("\"ours\":null") != std::string::npos);
}

TEST_CASE("numbers in JSON read back as the same double") {
  for (const double value : {0.1, 1e-9, 6838860443.0, 68389346017.0, 1.0 / 3, 6.02e23, -0.5}) {
    CHECK(std::stod(ShortestNumber(value)) == value);
  }
  CHECK(ShortestNumber(68389346017.0) == "68389346017");
}

TEST_CASE("readable numbers have about four digits and no exponent in everyday ranges") {
  CHECK(ReadableNumber(0.012345) == "0.01235");
  CHECK(ReadableNumber(123456.7) == "123457");
  CHECK(ReadableNumber(7.2) == "7.2");
  CHECK(ReadableNumber(20516788286.0) == "20516788286");
  CHECK(ReadableNumber(-3.5) == "-3.5");
}

TEST_CASE("gobench output is what benchstat reads") {
  std::string text;
  CHECK(Run({&kTimed}, OutputFormat::kGobench, &text) == kLabPassed);
  const std::vector<std::string> lines = Lines(text);
  CHECK(lines[0] == "goos: linux");
  CHECK(lines[2] == "pkg: neap/lab");
  const std::string expected =
      "BenchmarkPool-2\t166666666\t         7.202 ns/op\t         0.0000006 %miss\t    4096 B/op\t"
      "       0 allocs/op";
  CHECK(std::find(lines.begin(), lines.end(), expected) != lines.end());
  CHECK(lines[lines.size() - 2] == "PASS");
  CHECK(lines.back().rfind("ok  \tneap/lab\t", 0) == 0);
  CHECK(Run({&kFailing}, OutputFormat::kGobench, &text) == kLabFailed);
  CHECK(Lines(text)[Lines(text).size() - 2] == "FAIL");
}

TEST_CASE("gobench numbers keep four significant digits") {
  const auto figure = [](double ns) {
    const std::string line = GobenchLine({.name = "A", .iterations = 1, .ns_per_op = ns});
    const size_t tab = line.rfind('\t');
    return line.substr(tab + 1, line.size() - tab - 1 - 6);
  };
  CHECK(figure(12345) == "     12345");
  CHECK(figure(999.96) == "      1000");
  CHECK(figure(999.94) == "       999.9");
  CHECK(figure(12.34) == "        12.34");
  CHECK(figure(7.202) == "         7.202");
  CHECK(figure(0.2303) == "         0.2303");
}

TEST_CASE("an isolated cell's output comes back, a failing cell gives nothing") {
  static const Cell echo("lab-test-echo", [](const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) std::printf("[%s]", argument.c_str());
    return 0;
  });
  static const Cell fail("lab-test-fail", [](const std::vector<std::string>&) {
    std::printf("half a result");
    return 1;
  });
  Begun lab;
  CHECK(RunIsolated(lab, "lab-test-echo", {"a", "b c"}) == "[a][b c]");
  CHECK(RunIsolated(lab, "lab-test-fail", {}) == "");
  CHECK(RunIsolated(lab, "lab-test-unknown", {}) == "");
}

TEST_CASE("an isolated cell in a program that does not exist gives nothing") {
  Settings settings = Quiet();
  settings.isolate = true;
  settings.program = "/nonexistent/neap";
  Lab lab(settings);
  CHECK(RunIsolated(lab, "lab-test-echo", {"a"}) == "");
}

TEST_CASE("an isolated cell runs in another process and gets its arguments as words") {
  Settings settings = Quiet();
  settings.isolate = true;
  settings.program = "/bin/echo";
  Lab lab(settings);
  CHECK(RunIsolated(lab, "cell", {"two words", "x"}) == "lab-cell cell two words x\n");
}

TEST_CASE("a child process gives its output and its status") {
  const ChildProcess run = RunToEnd({"sh", "-c", "echo $WORD; cat"}, {"WORD=found"});
  CHECK(run.ok);
  CHECK(run.output == "found\n");  // and cat read an empty standard input
  const ChildProcess failed = RunToEnd({"sh", "-c", "echo half; exit 3"});
  CHECK_FALSE(failed.ok);
  CHECK(failed.output == "half\n");
  CHECK_FALSE(RunToEnd({"no-such-program"}).ok);
}

TEST_CASE("the own peak is at least what was touched") {
  constexpr size_t kBytes = size_t{32} << 20;
  const std::vector<char> touched(kBytes, 'x');
  CHECK(touched.back() == 'x');
  CHECK(OwnPeakBytes() >= kBytes);
}

TEST_CASE("columns of numbers are set to the right, of words to the left") {
  const Table table = {.columns = {"n", "word", "gap", "mixed"},
                       .rows = {{"7", "a", "n/a", "1"}, {"10", "long", "~0.5", "one"}, {"8"}}};
  CHECK(NumericColumns(table) == std::vector<bool>{true, false, true, false});
  CHECK(TableText(table) ==
        "   n  word   gap  mixed\n"
        "  --  ----  ----  -----\n"
        "   7  a      n/a  1\n"
        "  10  long  ~0.5  one\n"
        "   8\n");
  // The first column names the rows.
  CHECK(NumericColumns({.rows = {{"7 frames", "1 in 9"}}}) == std::vector<bool>{false, true});
  CHECK(NumericColumns({.rows = {{"", "n/a"}}}) == std::vector<bool>{false, false});
}

TEST_CASE("repetitions follow the scale and never fall under their floor") {
  Settings settings = Quiet();
  settings.scale = 0.1;
  const Lab lab(settings);
  CHECK(lab.Repetitions(1000, 10) == 100);
  CHECK(lab.Repetitions(50, 10) == 10);
}

}  // namespace neap::lab
