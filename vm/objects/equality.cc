// SPDX-License-Identifier: MIT
//
// The cases of equality that a comparison of words does not settle. An integer and a float are
// equal when the float has no fraction and its value is that integer: converting the integer to a
// float instead would make 2^53 + 1 equal to 2^53.
#include "equality.h"

#include "boxes.h"
#include "lua_string.h"

namespace neap::vm {
namespace {

bool NumbersEqual(Value a, Value b) {
  if (a.is_double() && b.is_double()) return a.as_double() == b.as_double();  // 0.0 and -0.0
  if (a.is_double()) return NumbersEqual(b, a);
  if (!b.is_double()) return IntegerOf(a) == IntegerOf(b);
  int64_t i;
  return DoubleFitsInteger(b.as_double(), &i) && i == IntegerOf(a);
}

}  // namespace

bool RawEqualSlow(Value a, Value b) {
  if (IsNumber(a)) return IsNumber(b) && NumbersEqual(a, b);
  if (!a.is_object() || !b.is_object()) return false;  // nil and booleans are words
  if (IsString(a)) return IsString(b) && StringEqual(AsString(a), AsString(b));
  if (!IsLightUserdata(a) || !IsLightUserdata(b)) return false;
  return static_cast<const LightUserdata*>(a.object())->pointer ==
         static_cast<const LightUserdata*>(b.object())->pointer;
}

}  // namespace neap::vm
