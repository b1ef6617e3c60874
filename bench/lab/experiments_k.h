// SPDX-License-Identifier: MIT
//
// The experiments of family K, by file, and what they share.
#ifndef NEAP_BENCH_LAB_EXPERIMENTS_K_H_
#define NEAP_BENCH_LAB_EXPERIMENTS_K_H_

#include <string>

#include "burst_trials.h"
#include "lab.h"
#include "paced_program.h"

namespace neap::lab {

// experiments_k_forced.cc: collections at given places.
void RunK1(Lab& lab);
void RunK2(Lab& lab);
void RunK3(Lab& lab);
void RunK12(Lab& lab);
// experiments_k_line.cc: the program sets the pace; virtual clock.
void RunK4(Lab& lab);
void RunK5(Lab& lab);
void RunK11(Lab& lab);
// experiments_k_wall.cc: the same on the wall clock.
void RunK6(Lab& lab);
void RunK8(Lab& lab);
// experiments_k_knobs.cc: rate, limit and GOGC move the line.
void RunK7(Lab& lab);
void RunK9(Lab& lab);
void RunK10(Lab& lab);
// experiments_k_beyond.cc: what the source did not test.
void RunK13(Lab& lab);
void RunK14(Lab& lab);
void RunK15(Lab& lab);
void RunK16(Lab& lab);

// The source's paced program on the virtual clock, its sizes divided by `divisor`.
PacedOptions VirtualProgram(const gc::Options& heap, double rate_mb_s, uint64_t divisor);
inline constexpr double kSourceRates[] = {50, 200, 800};  // MB/s
inline constexpr double kSourceRatios[] = {0.25, 0.6, 0.9,  1.1, 1.25, 1.4,
                                           1.5,  1.6, 1.75, 1.9, 2.5};
inline constexpr int kSourceProcs = 12;
inline constexpr uint64_t kScaleDivisor = 16;

// "operations that differ from the oracle's replay == 0", when the settings ask for --record.
void JudgeReplay(Lab& lab, const std::string& what, const pool::OracleReport& report);

// One series of bursts with gap `gap_ms`, `trials` long.
TrialSeries RunSeries(Lab& lab, PacedProgram& program, double gap, double period, uint64_t trials,
                      int procs);
// goal - live, in bytes: what a program may allocate between two major cycles.
double RoomBytes(gc::Heap& heap);
// Sets a memory limit under which the goal settles at `goal_bytes`, and returns it. What the limit
// counts besides the heap is the collector's own affair, so the limit is found by looking at the
// goal, from above, and again after some cycles.
uint64_t LimitForGoal(PacedProgram& program, double goal_bytes);
// Says what was scaled, for the reports of virtual runs.
std::string ScaleSentence(uint64_t divisor);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPERIMENTS_K_H_
