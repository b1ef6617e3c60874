// SPDX-License-Identifier: MIT
//
// Decisions read from bytes: what a fuzzer gives, or a seed. When the bytes are used up every
// decision is 0, so that generators whose alternative 0 is the simplest one come to an end. A
// changed byte changes one decision, mostly.
#ifndef NEAP_TESTS_PROGRAMS_CHOICES_H_
#define NEAP_TESTS_PROGRAMS_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/random.h"

namespace neap::testing {

class Choices {
 public:
  // The bytes must outlive it.
  explicit Choices(std::string_view bytes) : rest_(bytes) {}

  bool is_over() const { return rest_.empty(); }
  // 0 .. limit-1, limit at most 65,536; one byte, or two for a limit over 256.
  size_t Below(size_t limit) {
    size_t value = Byte();
    if (limit > 256) value = value << 8 | Byte();
    return value % limit;
  }
  // True once in `n`; false when the bytes are used up.
  bool OneIn(size_t n) { return Below(n) == n - 1; }

 private:
  size_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string_view rest_;
};

// The bytes of a seed: 64 to 2,111 of them.
inline std::string BytesOfSeed(uint64_t seed) {
  Random random(seed);
  std::string bytes(64 + random.Below(2048), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  return bytes;
}

}  // namespace neap::testing

#endif  // NEAP_TESTS_PROGRAMS_CHOICES_H_
