// SPDX-License-Identifier: MIT
#include "fuzz_vm.h"

#include <cstdio>
#include <cstdlib>

namespace neap::fuzz {
namespace {

// Not every allocation: the libraries open in each run, and that is a thousand of them.
DebugSwitches StressMode(uint8_t mode) {
  DebugSwitches debug;
  debug.poison = 1;
  switch (mode % kStressModes) {
    case 0:
      break;
    case 1:
      debug.stress_alloc = 3;
      break;
    case 2:
      debug.stress_alloc = 5;
      debug.rotate = 4;
      break;
    case 3:
      debug.stress_safepoint = 5;
      break;
    case 4:
      debug.stress_alloc = 23;
      debug.stress_major = 2;
      break;
    case 5:
      debug.stress_alloc = 11;
      debug.no_room = 3;
      break;
    case 6:
      debug.stress_alloc = 197;
      debug.stress_major = 5;
      debug.verify = 1;
      break;
    default:
      debug.stress_alloc = 101;
      debug.stress_major = 1;
      break;
  }
  return debug;
}

lua::VmOptions Options(const FuzzVmOptions& options) {
  lua::VmOptions made;
  made.libraries = options.libraries;
  made.instruction_budget = options.instructions;
  made.allocation_budget = options.allocation_bytes;
  made.hash_seed = 1;
  made.heap.nursery = gc::Options::Nursery::kFixed;
  made.heap.nursery_bytes = 4 << 10;
  made.heap.min_heap_bytes = 64 << 10;
  made.heap.reserve_bytes = size_t{1} << 30;
  made.heap.hard_limit_bytes = options.limit_bytes;
  made.heap.huge_pages = false;
  made.heap.procs = 1;
  made.heap.debug = StressMode(options.stress);
  return made;
}

bool IsCutOff(const lua::Error& error) {
  return error.kind == lua::ErrorKind::kStop || error.kind == lua::ErrorKind::kMemory;
}

}  // namespace

FuzzVm::FuzzVm(const FuzzVmOptions& options) : vm_(Options(options)) {
  constexpr size_t kMostPrinted = 1 << 20;
  vm_.SetFunction("print", lua::Native([this](lua::Call& call) {
                    for (int i = 1; i <= call.count(); ++i) {
                      const lua::Result<std::string> text = call.Get(i).ToDisplay();
                      if (!text.ok()) return call.Fail(text.error());
                      if (printed_.size() < kMostPrinted) printed_ += *text;
                    }
                    printed_ += '\n';
                    return true;
                  }))
      .Check();
}

FuzzVm::Outcome FuzzVm::Run(std::string_view chunk, lua::ChunkKind kind) {
  Outcome outcome;
  const lua::Result<lua::Any> function = vm_.Load(chunk, "=program", kind);
  outcome.is_loaded = function.ok();
  if (!function.ok()) {
    outcome.error = function.error().message;
    outcome.is_cut_off = IsCutOff(function.error());
    return outcome;
  }
  const auto results = function->CallAll(1, "two", nullptr, 4.5);
  if (!results.ok()) {
    outcome.error = results.error().message;
    outcome.is_cut_off = IsCutOff(results.error());
  }
  outcome.printed = printed_;
  return outcome;
}

void FuzzVm::CheckHeap() {
  const absl::Status status = vm_.heap().Verify(vm_.mutator());
  if (!status.ok()) Fail(std::string(status.message()), "");
  vm_.Collect();
}

void Fail(std::string_view what, std::string_view program) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(program.size()), program.data());
  std::abort();
}

}  // namespace neap::fuzz
