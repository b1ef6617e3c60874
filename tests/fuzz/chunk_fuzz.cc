// SPDX-License-Identifier: MIT
//
// libFuzzer on binary chunks: one that is damaged, or forged with a right checksum, is refused, or
// it runs until its budget ends (V1 to V7 of code_checker.h). It never crashes, and the heap is
// sound afterwards. chunk_mutator.cc makes the chunks.
//
//   input   | stress (1 byte) | chunk |
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_vm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  neap::fuzz::FuzzVm vm({.stress = data[0], .instructions = 10'000, .allocation_bytes = 1 << 20});
  vm.Run({reinterpret_cast<const char*>(data + 1), size - 1}, neap::lua::ChunkKind::kBinary);
  vm.CheckHeap();
  return 0;
}
