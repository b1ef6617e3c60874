// SPDX-License-Identifier: MIT
//
// Conversion specifications of string.format (manual 6.4): cutting a format into them, and writing
// one value by one of them. No locale, no printf.
//
//   FormatScanner scanner(format);
//   while (scanner.NextDirective(&out)) {      // text before it, and each %%, is in `out` now
//     ... "no value" if the arguments are used up ...
//     FormatSpec spec;
//     TextStatus status = scanner.TakeSpec(&spec);      // "invalid conversion '%y' to 'format'"
//     ... get the argument that spec.conversion wants ...
//     status = CheckModifiers(spec);           // "invalid conversion specification: '%#d'"
//     FormatInteger(spec, value, &out);
//   }
//
// Scripts can tell the order of these steps by which of two errors they get; it is the reference
// interpreter's: %d %i %o %u %x %X, the floats and %s want the argument before the modifiers are
// checked, %c and %p after that.
#ifndef NEAP_VM_TEXT_FORMAT_SPEC_H_
#define NEAP_VM_TEXT_FORMAT_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "text/number.h"
#include "text/text_status.h"

namespace neap::vm {

//   %  -+ #0   99      .99         d
//      flags   width   precision   conversion
struct FormatSpec {
  std::string_view text;  // the whole of it, from '%' on
  char conversion = '\0';
  bool left = false;         // '-'
  bool plus = false;         // '+'
  bool blank = false;        // ' '
  bool alternate = false;    // '#'
  bool zero = false;         // '0'
  bool well_formed = false;  // flags, width and precision are in order and allowed for conversion
  int width = 0;
  int precision = -1;  // -1: none given; "." alone means 0
};

class FormatScanner {
 public:
  explicit FormatScanner(std::string_view format) : rest_(format) {}

  // Appends the text up to the next directive. False: that was all.
  bool NextDirective(std::string* out);
  // The directive that NextDirective found.
  TextStatus TakeSpec(FormatSpec* spec);

 private:
  std::string_view rest_;  // after NextDirective: begins with the directive
};

// Not for %q, which TakeSpec has checked, and %s, which FormatString checks.
TextStatus CheckModifiers(const FormatSpec& spec);

// %d %i %o %u %x %X. The last four see the value as unsigned.
void FormatInteger(const FormatSpec& spec, int64_t value, std::string* out);
// %c: the byte, which may be zero.
void FormatChar(const FormatSpec& spec, char value, std::string* out);
// %a %A %e %E %f %g %G.
void FormatFloat(const FormatSpec& spec, double value, std::string* out);
// %p: `identity` 0 stands for values without one.
void FormatPointer(const FormatSpec& spec, uint64_t identity, std::string* out);
// %s, given the result of tostring. Fails if there are modifiers and `value` contains a zero byte,
// and then if the modifiers are not allowed.
TextStatus FormatString(const FormatSpec& spec, std::string_view value, std::string* out);

// %q: the value as a literal that the parser reads back as the same value.
void QuoteString(std::string_view value, std::string* out);
void QuoteNumber(const Number& value, std::string* out);
// Of what is no string, number, boolean or nil: an argument error.
inline constexpr char kNoLiteralForm[] = "value has no literal form";

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_FORMAT_SPEC_H_
