// SPDX-License-Identifier: MIT
//
// libFuzzer on the whole interpreter: any bytes are a chunk of source text. It is refused or runs
// in a sandbox until a budget ends; neither crashes, and the heap is sound afterwards. The first
// byte also says how the collector is stressed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_vm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  neap::fuzz::FuzzVmOptions options;
  options.stress = size > 0 ? data[0] : 0;
  // With a collection at every allocation a run must not take a second.
  const bool is_slow = options.stress % neap::fuzz::kStressModes != 0;
  options.instructions = is_slow ? 10'000 : 50'000;
  options.allocation_bytes = is_slow ? 1 << 20 : 8 << 20;
  neap::fuzz::FuzzVm vm(options);
  vm.Run({reinterpret_cast<const char*>(data), size});
  vm.CheckHeap();
  return 0;
}
