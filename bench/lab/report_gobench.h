// SPDX-License-Identifier: MIT
//
// The timings of the lab in the text format of Go's benchmarks (golang.org/design/14313-benchmark-
// format), which benchstat reads:
//
//   goos: linux
//   goarch: amd64
//   pkg: neap/lab
//   BenchmarkPool-2   166666666           7.202 ns/op         0 B/op         0 allocs/op
//   PASS
//
// Order of the units: ns/op, MB/s, the others by name, B/op, allocs/op.
#ifndef NEAP_BENCH_LAB_REPORT_GOBENCH_H_
#define NEAP_BENCH_LAB_REPORT_GOBENCH_H_

#include <ostream>
#include <string>

#include "lab.h"

namespace neap::lab {

void WriteGobenchHead(std::ostream& out);
void WriteGobench(const Lab& lab, std::ostream& out);
void WriteGobenchTail(bool failed, double seconds, std::ostream& out);

// One benchmark's line, without the line break.
std::string GobenchLine(const BenchLine& line);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_REPORT_GOBENCH_H_
