// SPDX-License-Identifier: MIT
//
// Where a script says that work on a string begins (manual 6.4): from 1, negative positions from
// the end. What lies before the start, 0 too, means the start. The utf8 library has other rules.
#ifndef NEAP_VM_TEXT_STRING_POSITION_H_
#define NEAP_VM_TEXT_STRING_POSITION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace neap::vm {

// As an offset, at most `length`; nothing when the position lies further behind the end.
inline std::optional<size_t> StartOffset(int64_t position, size_t length) {
  if (position > 0) {
    const uint64_t offset = static_cast<uint64_t>(position) - 1;
    if (offset > length) return std::nullopt;
    return static_cast<size_t>(offset);
  }
  const uint64_t from_end = 0 - static_cast<uint64_t>(position);
  if (position == 0 || from_end > length) return 0;
  return length - static_cast<size_t>(from_end);
}

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_STRING_POSITION_H_
