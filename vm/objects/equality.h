// SPDX-License-Identifier: MIT
//
// Lua's primitive equality (reference manual, section 3.4.4): numbers by mathematical value, exactly;
// strings by text; light userdata by pointer; everything else by identity.
#ifndef NEAP_VM_OBJECTS_EQUALITY_H_
#define NEAP_VM_OBJECTS_EQUALITY_H_

#include "value.h"

namespace neap::vm {

bool RawEqualSlow(Value a, Value b);

// (no safepoint)
inline bool RawEqual(Value a, Value b) {
  if (a == b) return !a.is_double() || a.as_double() == a.as_double();  // NaN differs from itself
  if (BothInline(a, b)) return false;
  return RawEqualSlow(a, b);
}

// `d` has no fraction and an int64_t holds it.
inline bool DoubleFitsInteger(double d, int64_t* i) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63, exactly
  if (!(d >= -kLimit && d < kLimit)) return false;
  *i = static_cast<int64_t>(d);
  return static_cast<double>(*i) == d;
}

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_EQUALITY_H_
