// SPDX-License-Identifier: MIT
//
// C1 of opcode.h, proven for a piece of code: an analysis of which registers are read later finds
// none at or above the limit of an instruction that makes an object. A variable in scope counts as
// read later, since a closure may have captured it.
#ifndef NEAP_TESTS_COMPILER_LIVENESS_H_
#define NEAP_TESTS_COMPILER_LIVENESS_H_

#include <string>

#include "code_unit.h"

namespace neap::testing {

// What breaks C1 in the unit or in a unit inside, or "".
std::string FindLiveAboveLimit(const vm::CodeUnit& unit);

}  // namespace neap::testing

#endif  // NEAP_TESTS_COMPILER_LIVENESS_H_
