// SPDX-License-Identifier: MIT
//
// Grids, result files and reports of sweeps. No process is started: what is run again is seen from
// the file that RunSweep is given.
#include "sweep.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace neap::workload {
namespace {

using Values = std::vector<std::string>;

Values ValuesOf(const std::string& text) {
  const auto axis = ParseAxis(text);
  INFO(text);
  REQUIRE(axis.ok());
  return axis->values;
}

TEST_CASE("axes: lists and ranges") {
  CHECK(ValuesOf("spawn=1000,3000") == Values{"1000", "3000"});
  CHECK(ValuesOf("spawn=1..7+3") == Values{"1", "4", "7"});
  CHECK(ValuesOf("spawn=1..6+3") == Values{"1", "4"});
  CHECK(ValuesOf("nursery=256KiB..1MiB*2,off") == Values{"256KiB", "512KiB", "1MiB", "off"});
  CHECK(ValuesOf("n=1..18446744073709551615*4294967296").size() == 2);
  CHECK(ParseAxis("size=choice:1/2")->name == "size");
}

TEST_CASE("axes that are none are refused by their text") {
  for (const char* text : {"spawn", "=3", "spawn=", "spawn=1,,2", "spawn=1..", "spawn=5..1+1",
                           "spawn=1..5+0", "spawn=0..5*2", "spawn=1..5*1", "spawn=1..5"}) {
    INFO(text);
    const auto axis = ParseAxis(text);
    REQUIRE_FALSE(axis.ok());
    CHECK(std::string(axis.status().message()).find(text) != std::string::npos);
  }
}

Sweep ASweep() {
  return {.workload = "bullets",
          .axes = {{"spawn", {"10", "20"}}, {"storage", {"fresh", "pool"}}},
          .repeat = 2,
          .command = "neap sweep bullets"};
}

TEST_CASE("cells: every combination, the last axis fastest") {
  const auto cells = CellsOf(ASweep());
  REQUIRE(cells.ok());
  Values texts;
  for (const Knobs& knobs : *cells) texts.push_back(CellText(knobs));
  CHECK(texts == Values{"spawn=10 storage=fresh", "spawn=10 storage=pool", "spawn=20 storage=fresh",
                        "spawn=20 storage=pool"});
  Sweep large = ASweep();
  for (int i = 0; i < 20; ++i) large.axes.push_back({"k" + std::to_string(i), {"1", "2"}});
  CHECK_FALSE(CellsOf(large).ok());
}

TEST_CASE("a sweep with a bad cell starts nothing") {
  Sweep sweep = ASweep();
  sweep.axes[1].values.push_back("heap");
  CHECK_FALSE(CheckSweep(sweep).ok());
  sweep = ASweep();
  sweep.axes.push_back({"spawn", {"1"}});
  CHECK(std::string(CheckSweep(sweep).message()).find("spawn: given twice") != std::string::npos);
}

class ResultFiles {
 public:
  ResultFiles()
      : path_((std::filesystem::temp_directory_path() /
               ("neap_sweep_" + std::to_string(getpid()) + ".jsonl"))
                  .string()) {}
  ~ResultFiles() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  void Write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string Read() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const std::string path_;
};

// All runs of ASweep, p50_ms = 1, 2, 3, ... in the order of the cells and repetitions.
SweepResult AResult() {
  SweepResult result;
  result.workload = "bullets";
  const auto cells = CellsOf(ASweep());
  double p50 = 0;
  for (const Knobs& knobs : *cells) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      Figures figures;
      figures.p50_ms = ++p50;
      result.Add(CellText(knobs), repetition, figures);
    }
  }
  return result;
}

TEST_CASE("a result file comes back, and a line that was cut is not counted as a run") {
  ResultFiles files;
  const std::string text = ToJsonLines(AResult(), "neap sweep bullets");
  files.Write(text.substr(0, text.size() - 30));
  SweepResult result;
  int cut = 0;
  REQUIRE(ReadResults(files.path(), &result, &cut).ok());
  CHECK(cut == 1);
  CHECK(result.workload == "bullets");
  REQUIRE(result.cells.size() == 4);
  CHECK(result.cells[3].runs.size() == 1);
  CHECK(result.Find("spawn=10 storage=pool", 1)->p50_ms == 4);
  CHECK(result.Find("spawn=20 storage=pool", 1) == nullptr);
}

TEST_CASE("a sweep whose runs are all in the file runs nothing and keeps the file") {
  ResultFiles files;
  files.Write(ToJsonLines(AResult(), "neap sweep bullets"));
  const std::string before = files.Read();
  // The program does not exist: a run would fail.
  const auto result = RunSweep(ASweep(), files.path(), "/nonexistent/neap", nullptr);
  REQUIRE(result.ok());
  CHECK(result->cells.size() == 4);
  CHECK(files.Read() == before);
}

TEST_CASE("a run that fails names its cell; what was there before stays") {
  ResultFiles files;
  std::string text = ToJsonLines(AResult(), "neap sweep bullets");
  text.resize(text.size() - 30);
  files.Write(text);
  const auto result = RunSweep(ASweep(), files.path(), "/nonexistent/neap", nullptr);
  REQUIRE_FALSE(result.ok());
  CHECK(std::string(result.status().message()).find("spawn=20 storage=pool") != std::string::npos);
  CHECK(files.Read() == text + "\n");
}

TEST_CASE("files that are no results of this workload are refused with file and line") {
  ResultFiles files;
  for (const char* text :
       {"{\"schema\":\"neap-sweep\",\"version\":2,\"workload\":\"bullets\"}\n",
        "{\"schema\":\"neap-trace\",\"version\":1}\n", "spawn,storage\n1,2\n",
        "{\"schema\":\"neap-sweep\",\"version\":1,\"workload\":\"synthetic\"}\n"}) {
    INFO(text);
    files.Write(text);
    const auto result = RunSweep(ASweep(), files.path(), "/nonexistent/neap", nullptr);
    REQUIRE_FALSE(result.ok());
    const std::string message(result.status().message());
    CHECK(message.find(files.path()) != std::string::npos);
    CHECK(message.find("line 1") != std::string::npos);
    CHECK(files.Read() == text);
  }
}

TEST_CASE("CSV: a line a cell, medians with their intervals") {
  const std::string csv = ToCsv(AResult());
  CHECK(csv.rfind("spawn,storage,runs,confidence,p50_ms,p50_ms_low,p50_ms_high,", 0) == 0);
  CHECK(csv.find("\n10,fresh,2,0.5,1.5,1,2,") != std::string::npos);
  CHECK(csv.find("\n20,pool,2,0.5,7.5,7,8,") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
}

TEST_CASE("the table names what varies in columns, the rest above") {
  SweepResult result;
  result.workload = "bullets";
  Figures figures;
  result.Add("frames=10 spawn=1", 0, figures);
  result.Add("frames=10 spawn=2", 0, figures);
  const std::string table = ToTable(result);
  CHECK(table.find("bullets frames=10\n") != std::string::npos);
  CHECK(table.find("  spawn ") != std::string::npos);
}

TEST_CASE("the job list has a line a cell, quoted for a shell") {
  Sweep sweep = ASweep();
  sweep.workload = "it's mine.lua";
  const std::string jobs = JobList(sweep, "neap", "parts");
  CHECK(std::count(jobs.begin(), jobs.end(), '\n') == 4);
  CHECK(jobs.rfind("'neap' sweep 'it'\\''s mine.lua' 'spawn=10' 'storage=fresh' --repeat=2 --quiet "
                   "--out='parts/cell-1.jsonl'\n",
                   0) == 0);
}

}  // namespace
}  // namespace neap::workload
