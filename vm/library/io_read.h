// SPDX-License-Identifier: MIT
//
// Reading one item from a FILE into memory outside the heap, so that it may block.
#ifndef NEAP_VM_LIBRARY_IO_READ_H_
#define NEAP_VM_LIBRARY_IO_READ_H_

#include <cstdint>
#include <cstdio>
#include <string>

namespace neap::vm {

struct ReadFormat {
  enum class Kind : uint8_t {
    kLine,         // "l": without its end
    kLineWithEnd,  // "L"
    kNumber,       // "n": the longest text that may begin a numeral
    kAll,          // "a": never fails
    kBytes,        // up to `count`, at least one; 0: whether there is more
  };
  Kind kind = Kind::kLine;
  uint64_t count = 0;
};

// False: end of file (or an error: ferror says). A numeral is only a candidate: the caller parses.
[[nodiscard]] bool ReadItem(FILE* file, const ReadFormat& format, std::string* item);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_IO_READ_H_
