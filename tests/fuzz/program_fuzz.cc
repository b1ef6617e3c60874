// SPDX-License-Identifier: MIT
//
// libFuzzer on valid programs: the bytes steer their writer. A program runs twice, once with the
// collector under stress: it prints the same, and the heap is sound.
//
//   input   | stress (1 byte) | choices |
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_vm.h"
#include "programs/program_writer.h"

namespace neap::fuzz {
namespace {

FuzzVm::Outcome RunProgram(std::string_view program, uint8_t stress) {
  FuzzVm vm({.stress = stress,
             .libraries = lua::Libraries::kAll,
             .instructions = 2'000'000,
             .allocation_bytes = 64 << 20,
             .limit_bytes = 64 << 20});
  FuzzVm::Outcome outcome = vm.Run(program);
  vm.CheckHeap();
  return outcome;
}

}  // namespace
}  // namespace neap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using neap::fuzz::Fail;
  if (size == 0) return 0;
  neap::testing::Choices choices({reinterpret_cast<const char*>(data + 1), size - 1});
  const std::string program = neap::testing::ProgramWriter(choices).Program();
  const auto quiet = neap::fuzz::RunProgram(program, 0);
  if (!quiet.is_loaded) Fail("a written program is not valid: " + quiet.error, program);
  const auto stressed = neap::fuzz::RunProgram(program, data[0]);
  if (quiet.is_cut_off || stressed.is_cut_off) return 0;
  if (quiet.printed != stressed.printed || quiet.error != stressed.error) {
    Fail("without stress:\n" + quiet.printed + quiet.error + "\nwith stress:\n" + stressed.printed +
             stressed.error,
         program);
  }
  return 0;
}
