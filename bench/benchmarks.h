// SPDX-License-Identifier: MIT
//
// The benchmarks of neap_bench and the cells they run in processes of their own.
#ifndef NEAP_BENCH_BENCHMARKS_H_
#define NEAP_BENCH_BENCHMARKS_H_

#include <string>
#include <vector>

#include "harness.h"

namespace neap::bench {

using Arguments = std::vector<std::string>;

// bench/gc
void BenchAlloc(Board& board);
void BenchCopy(Board& board);
void BenchMark(Board& board);
void BenchTrees(Board& board);
void BenchBullets(Board& board);
void BenchRing(Board& board);
void BenchBarrier(Board& board);
int AllocCell(const Arguments& arguments);    // BYTES COUNT
int TreesCell(const Arguments& arguments);    // DEPTH
int BulletsCell(const Arguments& arguments);  // SPAWN FRAMES
int RingCell(const Arguments& arguments);     // SLOTS PUSHES
int StoresCell(const Arguments& arguments);   // field|indexed plain|logged|young COUNT

// bench/pool
void BenchPool(Board& board);
int PairsCell(const Arguments& arguments);  // COUNT

// Argument `index` as a number; `otherwise` when it is missing.
uint64_t NumberAt(const Arguments& arguments, size_t index, uint64_t otherwise);

}  // namespace neap::bench

#endif  // NEAP_BENCH_BENCHMARKS_H_
