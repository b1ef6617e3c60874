// SPDX-License-Identifier: MIT
//
// Is a CodeUnit sound? The interpreter trusts its code: registers, constants and jumps are not
// checked when it runs. Whatever comes from outside (a binary chunk) is checked here first, and in
// tests whatever the generator makes.
//
//   V1  Every operand is in range and of its kind (C2 of opcode.h), registers with all that the
//       instruction counts from them on.
//   V2  Control stays in the code: jumps and skips end inside, and the last instruction returns.
//   V3  Values up to the top are used by the instruction behind the one that made them, which
//       nothing jumps to.
//   V4  kVarargPrepare is the first instruction of a vararg function, and nothing else. Nothing
//       jumps to it.
//   V5  A for loop jumps between its instructions: kForPrepare to behind a kForLoop of the same
//       registers, kGenericPrepare to a kGenericCall, which a kGenericLoop follows.
//   V6  What a child captures, the function has.
//   V7  Whichever way a function is left: variables that were captured or are to be closed are
//       closed before or by the return; none is to be closed at a tail call.
//   V8  A variable that is to be closed stands above those that are already.
//   V9  No two instructions share a word of inline cache.
//
// Not checked: that a register has been written to, that a local's name is true, or that code does
// something sensible.
#ifndef NEAP_VM_COMPILER_CODE_CHECKER_H_
#define NEAP_VM_COMPILER_CODE_CHECKER_H_

#include "absl/status/status.h"
#include "code_unit.h"

namespace neap::vm {

// kInvalidArgument: which rule is broken, where. Takes any unit whose children are not null and
// not deeper than the caller's stack allows to destroy them. Thread safe.
absl::Status CheckCode(const CodeUnit& unit);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_CODE_CHECKER_H_
