// SPDX-License-Identifier: MIT
//
// The slow paths of single instructions, for the Lua frame on top. The numbers are operands.
#ifndef NEAP_VM_INTERPRETER_INSTRUCTIONS_H_
#define NEAP_VM_INTERPRETER_INSTRUCTIONS_H_

#include <cstdint>

#include "interpreter/state.h"

namespace neap::vm {

// A field access that its inline cache did not answer; teaches the cache what it can.
Step GetFieldMiss(State& s, Value object, uint32_t constant, uint32_t cache);
Step SetFieldMiss(State& s, Value object, uint32_t constant, Value value, uint32_t cache);

// False: error set.
bool NewTableSlow(State& s, uint32_t a, uint32_t inline_fields, uint32_t elements);
bool AddArraySlow(State& s, uint32_t a, uint32_t elements);
bool NewRecordSlow(State& s, uint32_t a, uint32_t first, uint32_t record);
bool SetList(State& s, uint32_t a, uint32_t count, uint32_t first);
bool MakeClosure(State& s, uint32_t a, uint32_t child);
bool Vararg(State& s, uint32_t a, int32_t wanted);
// Checks start, limit and step in R[a] .. R[a+2]; *enters: the loop has a first round.
bool ForPrepare(State& s, uint32_t a, bool* enters);
// A round of a loop whose numbers are not all inline integers.
bool ForStep(State& s, uint32_t a, bool* goes_on);
// R[a] must be false, nil or have a __close metamethod.
bool MarkToBeClosed(State& s, uint32_t a);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_INSTRUCTIONS_H_
