// SPDX-License-Identifier: MIT
//
// What operators do beyond the loop's fast paths: mixed numbers, boxes, strings, metamethods.
//
// Two layers. The Raw... functions compute without calling anything and say whether they could.
// The others know metamethods, for an instruction of the Lua frame on top (Step, state.h).
#ifndef NEAP_VM_INTERPRETER_OPERATIONS_H_
#define NEAP_VM_INTERPRETER_OPERATIONS_H_

#include <cstdint>

#include "compiler/opcode.h"
#include "interpreter/state.h"

namespace neap::vm {

// kAdd .. kShiftRight of the opcodes are in the order of Event::kAdd .. kShiftRight.
constexpr Event EventOf(Op op) {
  return static_cast<Event>(static_cast<int>(Event::kAdd) + static_cast<int>(op) -
                            static_cast<int>(Op::kAdd));
}

enum class Computed : uint8_t {
  kYes,
  kNo,      // the operands are not for this operator: a metamethod, or an error
  kFailed,  // the error is set (division by zero, no memory)
};
// `op` is one of kAdd .. kShiftRight. A safepoint for results that need a box.
Computed RawArithmetic(State& s, Op op, Value a, Value b, Value* result);
// kNegate, kBitNot.
Computed RawUnary(State& s, Op op, Value a, Value* result);
// kYes or kNo; of numbers and of strings. (no safepoint)
Computed RawLess(Value a, Value b, bool* result);
Computed RawLessEqual(Value a, Value b, bool* result);

// The metamethod of a binary operator: of the first operand, otherwise of the second; nil: none.
Value BinaryMetamethod(State& s, Event event, Value a, Value b);

// --- For instructions ----------------------------------------------------------------------------

// kDone with *result != 0: the result, not stored yet. kDone with 0: a metamethod has finished the
// instruction.
Step Arithmetic(State& s, Op op, Value a, Value b, int register_a, int register_b, Word* result);
// On kDone R[a] was set.
Step Unary(State& s, Op op, Value a, int register_a);
// On kDone *outcome says what the comparison gave, or that a metamethod has finished the
// instruction, jump included.
enum class Outcome : uint8_t { kFalse, kTrue, kFinished };
Step Compare(State& s, Event event, Value a, Value b, Outcome* outcome);
Step EqualValues(State& s, Value a, Value b, Outcome* outcome);
// On kDone R[a] was set.
Step Length(State& s, Value v, int register_index);
// R[a] .. R[a+count-1] into R[a].
Step Concat(State& s, uint32_t first, uint32_t count);

// --- Tables --------------------------------------------------------------------------------------

struct Lookup {
  enum Kind : uint8_t {
    kValue,  // `value` is the result (or, for stores: `holder` takes the value raw)
    kCall,   // `value` is to be called with `holder` and the key (and the value)
    kFail,   // `holder` cannot be indexed
    kLoop,   // the chain is too long
  };
  Kind kind;
  Value value;
  Value holder;
};
// (no safepoint)
Lookup FindIndex(State& s, Value object, Value key);
Lookup FindStore(State& s, Value object, Value key);

Step Index(State& s, Value object, Value key, int object_register);
Step Store(State& s, Value object, Value key, Value value, int object_register);
// The key of a store may not be nil or NaN. False: error set.
bool CheckKey(State& s, Value key);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_OPERATIONS_H_
