// SPDX-License-Identifier: MIT
//
// The operators of Lua 5.4 (manual 3.4.7): enumerator, spelling, and how tightly each binds to its
// left and to its right. An operator takes the operand between two others when its side is the
// larger number; right associative ones are weaker on their right.
#ifndef NEAP_VM_SYNTAX_OPERATORS_H_
#define NEAP_VM_SYNTAX_OPERATORS_H_

#include <cstdint>

namespace neap::vm {

#define NEAP_VM_BINARY_OPERATORS(X) \
  X(kOr, "or", 1, 1)                \
  X(kAnd, "and", 2, 2)              \
  X(kLess, "<", 3, 3)               \
  X(kLessEqual, "<=", 3, 3)         \
  X(kGreater, ">", 3, 3)            \
  X(kGreaterEqual, ">=", 3, 3)      \
  X(kEqual, "==", 3, 3)             \
  X(kNotEqual, "~=", 3, 3)          \
  X(kBitOr, "|", 4, 4)              \
  X(kBitXor, "~", 5, 5)             \
  X(kBitAnd, "&", 6, 6)             \
  X(kShiftLeft, "<<", 7, 7)         \
  X(kShiftRight, ">>", 7, 7)        \
  X(kConcat, "..", 9, 8)            \
  X(kAdd, "+", 10, 10)              \
  X(kSubtract, "-", 10, 10)         \
  X(kMultiply, "*", 11, 11)         \
  X(kDivide, "/", 11, 11)           \
  X(kIntegerDivide, "//", 11, 11)   \
  X(kModulo, "%", 11, 11)           \
  X(kPower, "^", 14, 13)

inline constexpr int kUnaryPriority = 12;

#define NEAP_VM_UNARY_OPERATORS(X) \
  X(kNegate, "neg")                \
  X(kNot, "not")                   \
  X(kLength, "len")                \
  X(kBitNot, "bnot")

enum class BinaryOp : uint8_t {
#define NEAP_VM_DEFINE(name, text, left, right) name,
  NEAP_VM_BINARY_OPERATORS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};

inline bool IsComparison(BinaryOp op) { return op >= BinaryOp::kLess && op <= BinaryOp::kNotEqual; }

enum class UnaryOp : uint8_t {
#define NEAP_VM_DEFINE(name, text) name,
  NEAP_VM_UNARY_OPERATORS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_OPERATORS_H_
