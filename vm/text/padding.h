// SPDX-License-Identifier: MIT
//
// The last step of each conversion: sign or prefix, zeros and blanks around the digits.
//
//   | blanks | prefix | zeros | body | blanks |        width counts all of them
#ifndef NEAP_VM_TEXT_PADDING_H_
#define NEAP_VM_TEXT_PADDING_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "text/format_spec.h"

namespace neap::vm {

enum class Fill : uint8_t {
  kBlanks,
  kZeros,  // between prefix and body, unless the text is to stand left
};

// `zeros` go before the body in any case.
inline void AppendPadded(const FormatSpec& spec, std::string_view prefix, size_t zeros,
                         std::string_view body, Fill fill, std::string* out) {
  const size_t width = static_cast<size_t>(spec.width);
  size_t blanks = width - std::min(width, prefix.size() + zeros + body.size());
  if (fill == Fill::kZeros && !spec.left) {
    zeros += blanks;
    blanks = 0;
  }
  if (!spec.left) out->append(blanks, ' ');
  out->append(prefix);
  out->append(zeros, '0');
  out->append(body);
  if (spec.left) out->append(blanks, ' ');
}

// What stands before a number that shows its sign.
inline std::string_view SignOf(const FormatSpec& spec, bool negative) {
  if (negative) return "-";
  if (spec.plus) return "+";
  return spec.blank ? " " : "";
}

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_PADDING_H_
