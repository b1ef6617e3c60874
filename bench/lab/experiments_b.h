// SPDX-License-Identifier: MIT
//
// The experiments of family B, by file:
//
//   experiments_b_tables.cc   B1-B8, B23   checksums, counts, medians and tails over the rates
//   experiments_b_costs.cc    B9, B10, B16, B17, B24, B26   where the time of a frame goes
//   experiments_b_gc.cc       B11-B14, B22, B25   what collections do to it
//   experiments_b_memory.cc   B15, B18, B19   where bullets lie and what pools hold
//   experiments_b_pierce.cc   B20, B21   the bug that pools invite
#ifndef NEAP_BENCH_LAB_EXPERIMENTS_B_H_
#define NEAP_BENCH_LAB_EXPERIMENTS_B_H_

#include "lab.h"

namespace neap::lab {

void RunB1(Lab& lab);
void RunB2(Lab& lab);
void RunB3(Lab& lab);
void RunB4(Lab& lab);
void RunB5(Lab& lab);
void RunB6(Lab& lab);
void RunB7(Lab& lab);
void RunB8(Lab& lab);
void RunB9(Lab& lab);
void RunB10(Lab& lab);
void RunB11(Lab& lab);
void RunB12(Lab& lab);
void RunB13(Lab& lab);
void RunB14(Lab& lab);
void RunB15(Lab& lab);
void RunB16(Lab& lab);
void RunB17(Lab& lab);
void RunB18(Lab& lab);
void RunB19(Lab& lab);
void RunB20(Lab& lab);
void RunB21(Lab& lab);
void RunB22(Lab& lab);
void RunB23(Lab& lab);
void RunB24(Lab& lab);
void RunB25(Lab& lab);
void RunB26(Lab& lab);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPERIMENTS_B_H_
