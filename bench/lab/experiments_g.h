// SPDX-License-Identifier: MIT
//
// The experiments of family G, by file.
#ifndef NEAP_BENCH_LAB_EXPERIMENTS_G_H_
#define NEAP_BENCH_LAB_EXPERIMENTS_G_H_

#include "lab.h"

namespace neap::lab {

// experiments_g_evict.cc: what a collection does to a pool.
void RunG1(Lab& lab);
void RunG2(Lab& lab);
void RunG3(Lab& lab);
void RunG6(Lab& lab);
void RunG7(Lab& lab);
// experiments_g_time.cc: what pooling saves and what a miss costs.
void RunG4(Lab& lab);
void RunG5(Lab& lab);
void RunG8(Lab& lab);
void RunG9(Lab& lab);
// experiments_g_memory.cc: what a pool keeps alive.
void RunG10(Lab& lab);
void RunG11(Lab& lab);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPERIMENTS_G_H_
