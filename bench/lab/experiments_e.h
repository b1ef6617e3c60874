// SPDX-License-Identifier: MIT
//
// The experiments of family E, by file:
//
//   experiments_e_frames.cc   E1-E6, E10   what stays on a frame, natively
//   experiments_e_values.cc   E8, E9, E11  boxes, closures, survivors
//   experiments_e_report.cc   E7           the report on a Lua file
#ifndef NEAP_BENCH_LAB_EXPERIMENTS_E_H_
#define NEAP_BENCH_LAB_EXPERIMENTS_E_H_

#include "lab.h"

namespace neap::lab {

void RunE1(Lab& lab);
void RunE2(Lab& lab);
void RunE3(Lab& lab);
void RunE4(Lab& lab);
void RunE5(Lab& lab);
void RunE6(Lab& lab);
void RunE7(Lab& lab);
void RunE8(Lab& lab);
void RunE9(Lab& lab);
void RunE10(Lab& lab);
void RunE11(Lab& lab);

// The text of bench/lua/escape.lua, as it was when the program was built.
extern const char* const kEscapeScript;

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPERIMENTS_E_H_
