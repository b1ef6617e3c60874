// SPDX-License-Identifier: MIT
#include "neap/vm/profile.h"

#include "core.h"
#include "profile/allocation_profile.h"
#include "profile/heap_snapshot.h"
#include "profile/pprof_writer.h"

namespace neap::lua {

AllocationRecorder::AllocationRecorder(Vm& vm, const RecorderOptions& options) {
  watch_ = std::make_unique<vm::AllocationWatch>(
      Core::StateOf(vm),
      gc::AllocationProfilerOptions{.sample_bytes = options.sample_bytes, .seed = options.seed});
}

AllocationRecorder::~AllocationRecorder() = default;

std::string AllocationRecorder::Text(size_t rows) {
  return vm::AllocationTable(watch_->Read(), rows);
}
std::string AllocationRecorder::Json() { return vm::AllocationJson(watch_->Read()); }
std::string AllocationRecorder::Pprof() { return vm::PprofBytes(watch_->Read()); }

absl::Status WriteHeapSnapshot(Vm& vm, const std::string& path) {
  return vm::WriteHeapSnapshot(Core::StateOf(vm), path);
}

}  // namespace neap::lua
