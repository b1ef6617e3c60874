// SPDX-License-Identifier: MIT
//
// From text to number, as Lua 5.4 reads numerals in source and as it converts strings (manual 3.1
// and 3.4.3): one grammar for both, so that tostring and tonumber agree with the compiler.
//
//   10  -7     an integer that fits 64 bits; a decimal one that does not becomes a float
//   0xff       an integer of any length, taken modulo 2^64
//   .5  3e-2   a float, correctly rounded
//   0x.8p4     a float with a binary exponent; the exponent is optional
//
// White space around the number is allowed. "inf" and "nan" are not numbers. The locale does not
// matter. Thread safe.
#ifndef NEAP_VM_SYNTAX_NUMERAL_H_
#define NEAP_VM_SYNTAX_NUMERAL_H_

#include <cstdint>
#include <string_view>

namespace neap::vm {

struct Numeral {
  enum class Kind : uint8_t {
    kMalformed,  // not a number; neither value holds anything
    kInteger,    // `integer` holds the value
    kFloat,      // `real` holds the value
  };
  Kind kind = Kind::kMalformed;
  int64_t integer = 0;
  double real = 0;
};

Numeral ParseNumeral(std::string_view text);

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_NUMERAL_H_
