// SPDX-License-Identifier: MIT
//
// The bytecode: register instructions of 64 bits.
//
//     0    8    16       32       48      63
//    +----+----+--------+--------+---------+
//    | op | a  |   b    |   c    |    d    |
//    +----+----+--------+--------+---------+
//                       |  x (unsigned), sx (signed)
//                       +------------------+
//
// R[i] is a register of the frame, K[i] a constant, U[i] an upvalue. Jump distances are counted in
// instructions from the one behind the jump. "cache" is the index of the instruction's first word
// in the function's inline caches.
//
//   C1  An instruction that makes an object finds every live register below the limit in the third
//       column (what lies above is dead, and the collector clears it). kWhole: no such claim, all
//       registers of the frame are taken for live.
//   C2  A constant operand of arithmetic and comparison is a number; of kEqualK nil, a boolean, a
//       number or a string; of field instructions an atom.
//   C3  Arithmetic with a constant: d is 1 when the constant stood on the left (commutative
//       operators only): the order of the operands of a metamethod.
#ifndef NEAP_VM_COMPILER_OPCODE_H_
#define NEAP_VM_COMPILER_OPCODE_H_

#include <cstdint>

namespace neap::vm {

// X(name, operands, live limit)
#define NEAP_VM_OPCODES(X)                                                                       \
  X(kMove, "a b", kWhole)                /* R[a] = R[b] */                                       \
  X(kLoadInteger, "a sx", kWhole)        /* R[a] = sx */                                         \
  X(kLoadConstant, "a Kx", kWhole)       /* R[a] = K[x] */                                       \
  X(kLoadNil, "a n", kWhole)             /* R[a] .. R[a+b-1] = nil */                            \
  X(kLoadFalse, "a", kWhole)             /* R[a] = false */                                      \
  X(kLoadFalseSkip, "a", kWhole)         /* R[a] = false; skip one instruction */                \
  X(kLoadTrue, "a", kWhole)              /* R[a] = true */                                       \
  X(kGetUpvalue, "a Ub", kWhole)         /* R[a] = U[b] */                                       \
  X(kSetUpvalue, "a Ub", kWhole)         /* U[b] = R[a] */                                       \
  X(kGetGlobal, "a Ub Kc cache", kWhole) /* R[a] = U[b][K[c]] */                                 \
  X(kSetGlobal, "a Ub Kc cache", kWhole) /* U[b][K[c]] = R[a] */                                 \
  X(kGetTable, "a b c", kWhole)          /* R[a] = R[b][R[c]] */                                 \
  X(kGetInteger, "a b n", kWhole)        /* R[a] = R[b][c] */                                    \
  X(kGetField, "a b Kc cache", kWhole)   /* R[a] = R[b][K[c]] */                                 \
  X(kSetTable, "a b c", kWhole)          /* R[a][R[b]] = R[c] */                                 \
  X(kSetInteger, "a n c", kWhole)        /* R[a][b] = R[c] */                                    \
  X(kSetField, "a Kb c cache", kWhole)   /* R[a][K[b]] = R[c] */                                 \
  X(kSelf, "a b Kc cache", kWhole)       /* R[a+1] = R[b]; R[a] = R[b][K[c]] */                  \
  X(kNewTable, "a n x", kA1)             /* R[a] = {}, b inline fields, x elements expected */   \
  X(kNewRecord, "a b Tx", kRecord)       /* R[a] = {T[x].keys = R[b], R[b+1], ...} */            \
  X(kSetList, "a n x", kList)            /* R[a][x+i] = R[a+1+i], i < b; b = 0: up to the top */ \
  X(kAdd, "a b c", kWhole)               /* R[a] = R[b] + R[c], and so on */                     \
  X(kSubtract, "a b c", kWhole)                                                                  \
  X(kMultiply, "a b c", kWhole)                                                                  \
  X(kModulo, "a b c", kWhole)                                                                    \
  X(kPower, "a b c", kWhole)                                                                     \
  X(kDivide, "a b c", kWhole)                                                                    \
  X(kIntegerDivide, "a b c", kWhole)                                                             \
  X(kBitAnd, "a b c", kWhole)                                                                    \
  X(kBitOr, "a b c", kWhole)                                                                     \
  X(kBitXor, "a b c", kWhole)                                                                    \
  X(kShiftLeft, "a b c", kWhole)                                                                 \
  X(kShiftRight, "a b c", kWhole)                                                                \
  X(kAddK, "a b Kc d", kWhole) /* R[a] = R[b] + K[c], and so on */                               \
  X(kSubtractK, "a b Kc d", kWhole)                                                              \
  X(kMultiplyK, "a b Kc d", kWhole)                                                              \
  X(kModuloK, "a b Kc d", kWhole)                                                                \
  X(kPowerK, "a b Kc d", kWhole)                                                                 \
  X(kDivideK, "a b Kc d", kWhole)                                                                \
  X(kIntegerDivideK, "a b Kc d", kWhole)                                                         \
  X(kBitAndK, "a b Kc d", kWhole)                                                                \
  X(kBitOrK, "a b Kc d", kWhole)                                                                 \
  X(kBitXorK, "a b Kc d", kWhole)                                                                \
  X(kShiftLeftK, "a b Kc d", kWhole)                                                             \
  X(kShiftRightK, "a b Kc d", kWhole)                                                            \
  X(kNegate, "a b", kWhole)                                                                      \
  X(kNot, "a b", kWhole)                                                                         \
  X(kLength, "a b", kWhole)                                                                      \
  X(kBitNot, "a b", kWhole)                                                                      \
  X(kConcat, "a n", kConcat) /* R[a] = R[a] .. to .. R[a+b-1] */                                 \
  X(kJump, "sx", kWhole)                                                                         \
  X(kLoop, "a sx", kA)            /* jump back; a registers are live */                          \
  X(kJumpIfFalse, "a sx", kWhole) /* if not R[a] then jump */                                    \
  X(kJumpIfTrue, "a sx", kWhole)                                                                 \
  X(kJumpIfFalseKeep, "a b sx", kWhole) /* if not R[b] then R[a] = R[b]; jump */                 \
  X(kJumpIfTrueKeep, "a b sx", kWhole)                                                           \
  X(kEqual, "a b sx", kWhole)    /* if R[a] == R[b] then jump */                                 \
  X(kNotEqual, "a b sx", kWhole) /* if not (R[a] == R[b]) then jump, and so on */                \
  X(kEqualK, "a Kb sx", kWhole)                                                                  \
  X(kNotEqualK, "a Kb sx", kWhole)                                                               \
  X(kLess, "a b sx", kWhole)                                                                     \
  X(kNotLess, "a b sx", kWhole)                                                                  \
  X(kLessEqual, "a b sx", kWhole)                                                                \
  X(kNotLessEqual, "a b sx", kWhole)                                                             \
  X(kLessK, "a Kb sx", kWhole) /* if R[a] < K[b] then jump, and so on */                         \
  X(kNotLessK, "a Kb sx", kWhole)                                                                \
  X(kLessEqualK, "a Kb sx", kWhole)                                                              \
  X(kNotLessEqualK, "a Kb sx", kWhole)                                                           \
  X(kGreaterK, "a Kb sx", kWhole)                                                                \
  X(kNotGreaterK, "a Kb sx", kWhole)                                                             \
  X(kGreaterEqualK, "a Kb sx", kWhole)                                                           \
  X(kNotGreaterEqualK, "a Kb sx", kWhole)                                                        \
  X(kCall, "a n n", kWhole)           /* R[a], ... = R[a](R[a+1], ...): b-1 arguments (0: up  \
                                             to the top), c-1 results (0: all, sets the top) */  \
  X(kTailCall, "a n c", kWhole)       /* return R[a](R[a+1], ...); c = 1: captured variables  \
                                             have to be closed first. Native functions are called \
                                             as by kCall: a kReturn of all results follows */  \
  X(kReturn, "a n c", kWhole)         /* return R[a], ..., b-1 values (0: up to the top);     \
                                             c = 1: variables have to be closed first */  \
  X(kReturn0, "", kWhole)             /* return; nothing to close */                             \
  X(kReturn1, "a", kWhole)            /* return R[a]; nothing to close */                        \
  X(kForPrepare, "a sx", kWhole)      /* R[a], a+1, a+2: start, limit, step; R[a+3]: the      \
                                             variable. Jumps behind the loop when it is empty */  \
  X(kForLoop, "a sx", kA4)            /* next round: jump back to the body */                    \
  X(kGenericPrepare, "a sx", kWhole)  /* R[a+3] is to be closed; jump to the call */             \
  X(kGenericCall, "a n", kWhole)      /* R[a+4], ... = R[a](R[a+1], R[a+2]), b results */        \
  X(kGenericLoop, "a n sx", kGeneric) /* if R[a+4] ~= nil then R[a+2] = R[a+4]; jump */          \
  X(kVarargPrepare, "a", kWhole)      /* first in a vararg function of a parameters */           \
  X(kVararg, "a n", kWhole)           /* R[a], ... = ..., b-1 values (0: all, sets the top) */   \
  X(kClosure, "a x", kA1)             /* R[a] = closure of child x */                            \
  X(kClose, "a", kWhole)              /* close variables in R[a] and above */                    \
  X(kToBeClosed, "a", kWhole)         /* R[a] is to be closed */

enum class Op : uint8_t {
#define NEAP_VM_DEFINE(name, operands, live) name,
  NEAP_VM_OPCODES(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};
inline constexpr int kOpcodes = 0
#define NEAP_VM_COUNT(name, operands, live) +1
    NEAP_VM_OPCODES(NEAP_VM_COUNT)
#undef NEAP_VM_COUNT
    ;

struct Instruction {
  Op op;
  uint8_t a;
  uint16_t b;
  union {
    __extension__ struct {
      uint16_t c;
      uint16_t d;
    };
    uint32_t x;
    int32_t sx;
  };
};
static_assert(sizeof(Instruction) == 8);

inline constexpr int kMaxRegisters = 255;
// Fields that a constructor gives room in the table itself: kMaxInlineFields of the objects.
inline constexpr int kMaxRecordFields = 31;
// Words of inline cache of an instruction that has one.
inline constexpr int kCacheWords = 3;

const char* OpName(Op op);
// The operands as in the table above.
const char* OpOperands(Op op);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_OPCODE_H_
