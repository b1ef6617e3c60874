// SPDX-License-Identifier: MIT
//
// How libFuzzer changes an input of the heap fuzzer: by whole operations.
//
// libFuzzer's own mutator inserts and erases single bytes, which shifts every operation behind the
// place, and grows an input by a few bytes a run: after a minute it had tried programs of one
// operation. Here runs of operations are appended, inserted, repeated and erased.
//
//   input   | mode (1 byte) | operation (8 bytes) | operation | ...
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "support/random.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace neap::fuzz {
namespace {

constexpr size_t kOpBytes = 8;

class Operations {
 public:
  Operations(uint8_t* first, size_t count, size_t most, uint64_t seed)
      : first_(first), count_(count), most_(most), random_(seed) {}

  size_t count() const { return count_; }

  void Mutate() {
    switch (count_ == 0 ? 0 : random_.Below(6)) {
      case 0:
        return Insert(count_, RunLength());
      case 1:
        return Insert(random_.Below(count_ + 1), RunLength());
      case 2:
        return Repeat();
      case 3:
        return Erase();
      case 4:
        return Fill(random_.Below(count_), 1);
      default:
        LLVMFuzzerMutate(At(random_.Below(count_)), kOpBytes, kOpBytes);
    }
  }

 private:
  uint8_t* At(size_t index) { return first_ + index * kOpBytes; }
  // 1 to 512: what overflows a small nursery is a few hundred operations.
  size_t RunLength() { return size_t{1} << random_.Below(10); }

  // Makes room for `length` operations, or as many as fit; returns how many.
  size_t Open(size_t at, size_t length) {
    length = std::min(length, most_ - count_);
    std::memmove(At(at + length), At(at), (count_ - at) * kOpBytes);
    count_ += length;
    return length;
  }

  void Fill(size_t at, size_t length) {
    for (size_t i = at; i < at + length; ++i) {
      const uint64_t op = random_.Next();
      std::memcpy(At(i), &op, kOpBytes);
    }
  }

  void Insert(size_t at, size_t length) { Fill(at, Open(at, length)); }

  void Repeat() {
    const size_t from = random_.Below(count_);
    const size_t length = Open(count_, std::min(RunLength(), count_ - from));
    std::memcpy(At(count_ - length), At(from), length * kOpBytes);
  }

  void Erase() {
    const size_t at = random_.Below(count_), length = std::min(RunLength(), count_ - at);
    std::memmove(At(at), At(at + length), (count_ - at - length) * kOpBytes);
    count_ -= length;
  }

  uint8_t* const first_;
  size_t count_;
  const size_t most_;
  testing::Random random_;
};

}  // namespace
}  // namespace neap::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  using neap::fuzz::kOpBytes;
  if (max_size < 1 + kOpBytes) return LLVMFuzzerMutate(data, size, max_size);
  const size_t count = size == 0 ? 0 : (size - 1) / kOpBytes;
  if (size == 0 || seed % 16 == 0) data[0] = static_cast<uint8_t>(seed >> 8);  // another mode
  neap::fuzz::Operations operations(data + 1, count, (max_size - 1) / kOpBytes, seed);
  operations.Mutate();
  return 1 + operations.count() * kOpBytes;
}
