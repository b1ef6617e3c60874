// SPDX-License-Identifier: MIT
//
// Which columns of a table are columns of numbers: they are set to the right, in every report.
#ifndef NEAP_BENCH_LAB_TABLE_COLUMNS_H_
#define NEAP_BENCH_LAB_TABLE_COLUMNS_H_

#include <vector>

#include "lab.h"

namespace neap::lab {

// One value per column of `table` (of its head or its longest row): true when every cell that is
// not empty begins like a number ("1 in 500", "0.97 (computed)") or says that there is none
// ("n/a"), and one is a number. The first column names its rows: "7 frames" is a name there.
std::vector<bool> NumericColumns(const Table& table);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_TABLE_COLUMNS_H_
