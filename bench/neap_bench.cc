// SPDX-License-Identifier: MIT
//
// neap_bench: what neap must reach, measured beside what it is compared with (harness.h says how).
//
//   neap_bench list            the benchmarks
//   neap_bench all | NAMES     runs them
//   neap_bench cell NAME ...   one cell in this process; prints RESULT lines, for neap_bench itself
//
// Exit status: 0; 1 when an answer was wrong or a program failed; 2 for an unknown name.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "benchmarks.h"
#include "child_process.h"

namespace neap::bench {
namespace {

struct Benchmark {
  const char* name;
  const char* sentence;
  void (*run)(Board& board);
};
constexpr Benchmark kBenchmarks[] = {
    {"alloc", "objects that die young, collections included, against a malloc/free pair",
     BenchAlloc},
    {"pool", "a Get and Put pair against Go's, two threads, a collection each millisecond",
     BenchPool},
    {"copy", "evacuation of 64-byte objects, one thread", BenchCopy},
    {"mark", "marking 500 MB of small objects with random edges", BenchMark},
    {"bullets", "frames of short-lived objects against C++, Go and Node", BenchBullets},
    {"trees", "binary trees against C++ and Go", BenchTrees},
    {"ring", "a ring of 200,000 messages of 1 KiB: the worst push", BenchRing},
    {"barrier", "instructions of the write barrier, counted by valgrind", BenchBarrier},
};

struct Cell {
  const char* name;
  int (*run)(const Arguments& arguments);
};
constexpr Cell kCells[] = {
    {"alloc", AllocCell}, {"trees", TreesCell},   {"bullets", BulletsCell},
    {"ring", RingCell},   {"stores", StoresCell}, {"pairs", PairsCell},
};

int RunCellHere(const Arguments& arguments) {
  for (const Cell& cell : kCells) {
    if (!arguments.empty() && arguments[0] == cell.name) {
      const int status = cell.run({arguments.begin() + 1, arguments.end()});
      std::printf("RESULT peak_bytes=%llu\n", static_cast<unsigned long long>(lab::OwnPeakBytes()));
      return status;
    }
  }
  std::fprintf(stderr, "neap_bench: cell: \"%s\" is no cell\n",
               arguments.empty() ? "" : arguments[0].c_str());
  return 2;
}

const Benchmark* Find(const std::string& name) {
  for (const Benchmark& benchmark : kBenchmarks) {
    if (name == benchmark.name) return &benchmark;
  }
  return nullptr;
}

void List() {
  for (const Benchmark& benchmark : kBenchmarks) {
    std::printf("%-9s %s\n", benchmark.name, benchmark.sentence);
  }
}

int RunNamed(const Arguments& names) {
  std::vector<const Benchmark*> chosen;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Benchmark& benchmark : kBenchmarks) chosen.push_back(&benchmark);
    } else if (const Benchmark* benchmark = Find(name)) {
      chosen.push_back(benchmark);
    } else {
      std::fprintf(stderr, "neap_bench: \"%s\" is no benchmark; `neap_bench list` names them\n",
                   name.c_str());
      return 2;
    }
  }
  Board board;
  for (const Benchmark* benchmark : chosen) {
    board.Begin(benchmark->name, benchmark->sentence);
    benchmark->run(board);
  }
  std::printf("\n%d met, %d not met, %d skipped, %d broken\n", board.met(), board.not_met(),
              board.skipped(), board.broken());
  return board.broken() == 0 ? 0 : 1;
}

}  // namespace

uint64_t NumberAt(const Arguments& arguments, size_t index, uint64_t otherwise) {
  if (index >= arguments.size()) return otherwise;
  return std::strtoull(arguments[index].c_str(), nullptr, 10);
}

int Main(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "list") {
    List();
    return 0;
  }
  if (arguments[0] == "cell") return RunCellHere({arguments.begin() + 1, arguments.end()});
  return RunNamed(arguments);
}

}  // namespace neap::bench

int main(int argc, char** argv) { return neap::bench::Main({argv + 1, argv + argc}); }
