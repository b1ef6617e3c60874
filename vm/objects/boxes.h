// SPDX-License-Identifier: MIT
//
// Values that do not fit into a word: integers of more than 50 bits and light userdata. Boxes are
// immutable and compared by content; weak tables hold them strongly (they are values).
#ifndef NEAP_VM_OBJECTS_BOXES_H_
#define NEAP_VM_OBJECTS_BOXES_H_

#include <cstdint>

#include "types.h"
#include "value.h"

namespace neap::vm {

struct BoxedInteger : Object {
  int64_t value;
};
struct LightUserdata : Object {
  void* pointer;
};

inline bool IsInteger(Value v) { return v.is_inline_integer() || IsBoxedInteger(v); }
inline bool IsNumber(Value v) { return v.is_inline_number() || IsBoxedInteger(v); }
// The value is an integer.
inline int64_t IntegerOf(Value v) {
  return v.is_inline_integer() ? v.inline_integer()
                               : static_cast<const BoxedInteger*>(v.object())->value;
}
// The value is a number.
inline double NumberOf(Value v) {
  return v.is_double() ? v.as_double() : static_cast<double>(IntegerOf(v));
}

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_BOXES_H_
