// SPDX-License-Identifier: MIT
//
// A Vm for fuzz targets: a tiny nursery, collections as a byte of the input says, budgets, a hard
// limit; what scripts print is kept. Whatever a script does, the heap must be sound afterwards.
//
//   FuzzVm vm({.stress = data[0], .libraries = lua::Libraries::kSandbox});
//   vm.Run(source);
//   vm.CheckHeap();
#ifndef NEAP_TESTS_FUZZ_FUZZ_VM_H_
#define NEAP_TESTS_FUZZ_FUZZ_VM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "neap/vm/vm.h"

namespace neap::fuzz {

struct FuzzVmOptions {
  uint8_t stress = 0;  // modulo kStressModes; 0: collections when they are due
  lua::Libraries libraries = lua::Libraries::kSandbox;
  uint64_t instructions = 100'000;
  uint64_t allocation_bytes = 8 << 20;
  uint64_t limit_bytes = 8 << 20;  // of the heap
};

inline constexpr uint8_t kStressModes = 8;

class FuzzVm {
 public:
  explicit FuzzVm(const FuzzVmOptions& options);

  // What the chunk printed, and the error that ended it.
  struct Outcome {
    std::string printed;
    std::string error;
    bool is_cut_off = false;  // by a budget or the heap's limit
    bool is_loaded = false;
  };
  Outcome Run(std::string_view chunk, lua::ChunkKind kind = lua::ChunkKind::kText);
  // Verifies the heap, then collects; what is unsound ends the process.
  void CheckHeap();

 private:
  std::string printed_;
  lua::Vm vm_;
};

// Says so on stderr, with the program, and aborts.
[[noreturn]] void Fail(std::string_view what, std::string_view program);

}  // namespace neap::fuzz

#endif  // NEAP_TESTS_FUZZ_FUZZ_VM_H_
