// SPDX-License-Identifier: MIT
//
// Rules V7 and V8 of code_checker.h: no way through a function leaves variables open, which would
// refer to a stack that others use by then.
#ifndef NEAP_VM_COMPILER_CLOSING_CHECKER_H_
#define NEAP_VM_COMPILER_CLOSING_CHECKER_H_

#include <cstddef>

#include "code_unit.h"

namespace neap::vm {

// Of a unit, without its children, that V1 to V6 hold for. Null when the rules do; otherwise the
// rule, and `*at` is the instruction.
const char* CheckClosing(const CodeUnit& unit, size_t* at);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_CLOSING_CHECKER_H_
