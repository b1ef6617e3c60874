// SPDX-License-Identifier: MIT
#include "report_gobench.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "number_text.h"

namespace neap::lab {
namespace {

// Go's names of what uname says; other machines keep their own.
std::string GoArchitecture() {
  utsname name{};
  uname(&name);
  const std::string machine = name.machine;
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return machine;
}

std::string ProcessorModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return "";
}

// About four significant digits, the decimal points of a column in one place: ten places before the
// point, and one decimal more for each power of ten under 1,000. The thresholds lie half a unit
// under the powers, where rounding would give a fifth digit.
std::string GobenchNumber(double value) {
  int decimals = 0;
  for (double limit = 999.95; decimals < 7 && value != 0 && std::fabs(value) < limit; ++decimals) {
    limit = (decimals == 0 ? 99.995 : limit / 10);
  }
  const int width = decimals == 0 ? 10 : 11 + decimals;
  std::string text = FixedNumber(value, decimals);
  if (text.size() < static_cast<size_t>(width))
    text.insert(0, static_cast<size_t>(width) - text.size(), ' ');
  return text;
}

int UnitOrder(const std::string& unit) {
  if (unit == "MB/s") return 0;
  if (unit == "B/op") return 2;
  if (unit == "allocs/op") return 3;
  return 1;
}

}  // namespace

std::string GobenchLine(const BenchLine& line) {
  char head[32];
  std::snprintf(head, sizeof(head), "\t%8llu", static_cast<unsigned long long>(line.iterations));
  std::string text = "Benchmark" + line.name + head;
  if (line.ns_per_op != 0) text += "\t" + GobenchNumber(line.ns_per_op) + " ns/op";
  auto metrics = line.metrics;
  std::stable_sort(metrics.begin(), metrics.end(), [](const auto& a, const auto& b) {
    return UnitOrder(a.first) != UnitOrder(b.first) ? UnitOrder(a.first) < UnitOrder(b.first)
                                                    : a.first < b.first;
  });
  for (const auto& [unit, value] : metrics) {
    const bool whole = UnitOrder(unit) >= 2;
    char figure[32];
    std::snprintf(figure, sizeof(figure), "%8.0f", value);
    text += "\t" + (whole ? std::string(figure) : GobenchNumber(value)) + " " + unit;
  }
  return text;
}

void WriteGobenchHead(std::ostream& out) {
  out << "goos: linux\ngoarch: " << GoArchitecture() << "\npkg: neap/lab\n";
  const std::string model = ProcessorModel();
  if (!model.empty()) out << "cpu: " << model << "\n";
}

void WriteGobench(const Lab& lab, std::ostream& out) {
  for (const BenchLine& line : lab.bench_lines()) out << GobenchLine(line) << "\n";
}

void WriteGobenchTail(bool failed, double seconds, std::ostream& out) {
  out << (failed ? "FAIL\nFAIL" : "PASS\nok  ") << "\tneap/lab\t" << FixedNumber(seconds, 3)
      << "s\n";
}

}  // namespace neap::lab
