// SPDX-License-Identifier: MIT
//
// Bullets: S objects made a frame, each alive for 20 to 39 frames, so about 30 S alive: the
// workload that makes people pool. Ours is the lab's (bench/lab/bullets.h), storage "fresh", all
// defaults.
//
// Each cell and each peer runs in a process of its own. Against C++ frames are judged by CPU time
// of their thread. Go and Node collect on other threads and make the frame wait for them, so
// against them both sides are judged by wall time.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks.h"
#include "bullet_run.h"
#include "child.h"

namespace neap::bench {
namespace {

constexpr int kPairs = 3;

constexpr int kRates[] = {300, 1000, 3000, 10000};  // spawns a frame, with a published checksum

// One side's runs of one rate.
struct Runs {
  std::string name;
  std::vector<std::string> argv;  // empty: not here
  std::vector<ChildRun> runs;

  std::vector<double> Of(const std::string& key) const {
    std::vector<double> values;
    for (const ChildRun& run : runs) values.push_back(run[key]);
    return values;
  }
};

struct Field {  // all sides at one rate
  Runs ours, cpp, go, node;
};

bool RunAll(Board& board, int spawn, Field& field) {
  for (int i = 0; i < kPairs; ++i) {
    for (Runs* side : {&field.ours, &field.cpp, &field.go, &field.node}) {
      if (side->argv.empty()) continue;
      std::vector<std::string> argv = side->argv;
      argv.push_back(std::to_string(spawn));
      ChildRun run = side == &field.ours ? RunCell("bullets", {argv.back()}) : RunChild(argv);
      if (!run.ok || run["chk"] != lab::PublishedChecksum(spawn)) {
        board.Broken(side->name, "the checksum at " + argv.back() + " is not the published one");
        return false;
      }
      side->runs.push_back(std::move(run));
    }
  }
  return true;
}

void CompareSide(Board& board, const std::string& at, const Field& field, const Runs& side,
                 const std::string& key, Requirement requirement) {
  const std::string what = key.rfind("cpu_", 0) == 0 ? key.substr(4) + " CPU" : key + " wall";
  if (side.runs.empty()) {
    if (requirement.kind != Requirement::Kind::kNone) {
      board.Skip(at + what + " against " + side.name, "no " + side.name + " here");
    }
    return;
  }
  board.Compare(at + what, "ms", PairUp(field.ours.Of(key), side.Of(key)), side.name, requirement);
}

void ReportRate(Board& board, int spawn, const Field& field) {
  const std::string at = "S=" + std::to_string(spawn) + " ";
  const bool main = spawn == 3000, top = spawn == 10000;
  CompareSide(board, at, field, field.cpp, "cpu_p50", main ? AtMost(1.3) : Requirement{});
  CompareSide(board, at, field, field.cpp, "cpu_p99", {});
  CompareSide(board, at, field, field.cpp, "cpu_max", {});
  CompareSide(board, at, field, field.go, "p50", top ? AtMost(1) : Requirement{});
  CompareSide(board, at, field, field.go, "p99", main || top ? AtMost(1) : Requirement{});
  CompareSide(board, at, field, field.node, "p99", main ? AtMost(1) : Requirement{});
  board.Compare(at + "p99 CPU, against the own p50", "ms",
                PairUp(field.ours.Of("cpu_p99"), field.ours.Of("cpu_p50")), "own p50",
                main ? AtMost(4) : Requirement{});
  board.Value(at + "worst pause, CPU", "ms", Summarize(field.ours.Of("worst_pause")),
              main ? AtMost(5) : Requirement{});
  const ChildRun& last = field.ours.runs.back();
  board.Note(at + Figure(last["minors"]) + " minor and " + Figure(last["majors"]) +
             " major collections, " + Figure(last["gc_ms"]) + " ms CPU in all; copied " +
             Figure(last["copied_mb"]) + " MB, in place " + Figure(last["in_place_mb"]) + " MB, " +
             Figure(last["faults"]) + " page faults");
}

}  // namespace

int BulletsCell(const Arguments& arguments) {
  lab::BulletSpec spec;
  spec.spawn = static_cast<int>(NumberAt(arguments, 0, 3000));
  spec.frames = static_cast<int>(NumberAt(arguments, 1, lab::kBulletFrames));
  const lab::BulletRun run = lab::RunBullets(spec);
  const auto wall = [&run](double fraction) {
    return lab::PercentileMs(run.frames, &lab::FrameSample::wall_ns, fraction);
  };
  uint64_t worst_pause_ns = 0;
  for (const auto& minor : run.minor_records) {
    worst_pause_ns = std::max(worst_pause_ns, minor.cpu_ns);
  }
  for (const auto& major : run.major_records) {
    worst_pause_ns = std::max(worst_pause_ns, major.cpu_ns);
  }
  std::printf("RESULT p50=%.5f p99=%.5f max=%.5f cpu_p50=%.5f cpu_p99=%.5f cpu_max=%.5f ",
              wall(0.5), wall(0.99), wall(1), run.p50_ms(), run.p99_ms(), run.max_ms());
  std::printf(
      "minors=%llu majors=%llu gc_ms=%.3f worst_pause=%.4f copied_mb=%.2f in_place_mb=%.2f "
      "faults=%llu chk=%.0f\n",
      static_cast<unsigned long long>(run.minors), static_cast<unsigned long long>(run.majors),
      static_cast<double>(run.gc_cpu_ns) * 1e-6, static_cast<double>(worst_pause_ns) * 1e-6,
      static_cast<double>(run.copied_bytes + run.promoted_bytes) * 1e-6,
      static_cast<double>(run.in_place_bytes) * 1e-6,
      static_cast<unsigned long long>(run.page_faults), run.checksum);
  return 0;
}

void BenchBullets(Board& board) {
  std::string no_go;
  const auto cpp = CppPeer("bullets");
  const auto go = GoPeer("bullets", &no_go);
  const auto node = NodePeer("bullets");
  for (const int spawn : kRates) {
    Field field;
    field.ours = {"neap", {"cell"}, {}};
    field.cpp.name = "C++ mimalloc";
    field.go.name = "Go";
    field.node.name = "Node";
    if (cpp) field.cpp.argv = {*cpp};
    if (go) field.go.argv = {*go};
    if (node) field.node.argv = *node;
    if (!RunAll(board, spawn, field)) return;
    ReportRate(board, spawn, field);
  }
  board.Note("the goal behind these: p99 of fresh allocation within 1.3 times its p50");
}

}  // namespace neap::bench
