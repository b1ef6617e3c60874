// SPDX-License-Identifier: MIT
//
// How many fields a new table will get from the statements behind its constructor:
//
//   local point = {}
//   point.x = 1
//   if deep then point.z = 0 end        -- 2
//
// The table is then made with room for them in place. A guess that costs nothing when it is wrong
// but some bytes: only the text of the following statements counts, not whether they are reached.
#ifndef NEAP_VM_COMPILER_FIELD_FORECAST_H_
#define NEAP_VM_COMPILER_FIELD_FORECAST_H_

#include <span>

#include "ast.h"

namespace neap::vm {

// Fields with constant names that are not in the constructor. `following` are the statements behind
// the definition of the local, in its block.
int ForecastFields(const Local& local, const TableConstructor& table,
                   std::span<Stat* const> following);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_FIELD_FORECAST_H_
