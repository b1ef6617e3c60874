// SPDX-License-Identifier: MIT
//
// The events of metatables (manual 2.4).
#ifndef NEAP_VM_INTERPRETER_EVENT_NAMES_H_
#define NEAP_VM_INTERPRETER_EVENT_NAMES_H_

#include <cstdint>

namespace neap::vm {

#define NEAP_VM_EVENTS(X)      \
  X(kIndex, "__index")         \
  X(kNewIndex, "__newindex")   \
  X(kCall, "__call")           \
  X(kEqual, "__eq")            \
  X(kLess, "__lt")             \
  X(kLessEqual, "__le")        \
  X(kLength, "__len")          \
  X(kConcat, "__concat")       \
  X(kClose, "__close")         \
  X(kGc, "__gc")               \
  X(kMode, "__mode")           \
  X(kName, "__name")           \
  X(kTostring, "__tostring")   \
  X(kMetatable, "__metatable") \
  X(kPairs, "__pairs")         \
  X(kAdd, "__add")             \
  X(kSubtract, "__sub")        \
  X(kMultiply, "__mul")        \
  X(kModulo, "__mod")          \
  X(kPower, "__pow")           \
  X(kDivide, "__div")          \
  X(kIntegerDivide, "__idiv")  \
  X(kBitAnd, "__band")         \
  X(kBitOr, "__bor")           \
  X(kBitXor, "__bxor")         \
  X(kShiftLeft, "__shl")       \
  X(kShiftRight, "__shr")      \
  X(kNegate, "__unm")          \
  X(kBitNot, "__bnot")

enum class Event : uint8_t {
#define NEAP_VM_DEFINE(name, text) name,
  NEAP_VM_EVENTS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};
inline constexpr int kEvents = static_cast<int>(Event::kBitNot) + 1;

const char* EventText(Event event);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_EVENT_NAMES_H_
