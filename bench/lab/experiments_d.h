// SPDX-License-Identifier: MIT
//
// The experiments of family D, by file:
//
//   experiments_d_dirty.cc   D1-D3, D8, D11, D14   what a reused buffer carries
//   experiments_d_held.cc    D6, D7, D9, D10       what a pool keeps, and what it forgets
//   experiments_d_costs.cc   D4, D5, D12, D13      what pooling saves
#ifndef NEAP_BENCH_LAB_EXPERIMENTS_D_H_
#define NEAP_BENCH_LAB_EXPERIMENTS_D_H_

#include "lab.h"

namespace neap::lab {

void RunD1(Lab& lab);
void RunD2(Lab& lab);
void RunD3(Lab& lab);
void RunD4(Lab& lab);
void RunD5(Lab& lab);
void RunD6(Lab& lab);
void RunD7(Lab& lab);
void RunD8(Lab& lab);
void RunD9(Lab& lab);
void RunD10(Lab& lab);
void RunD11(Lab& lab);
void RunD12(Lab& lab);
void RunD13(Lab& lab);
void RunD14(Lab& lab);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPERIMENTS_D_H_
