// SPDX-License-Identifier: MIT
//
// profile_files.h. The snapshot is written first: it shows the heap without what the reports need.
#include "profile_files.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gzip.h"
#include "heap_traces.h"
#include "interpreter/state.h"
#include "profile/allocation_profile.h"
#include "profile/heap_snapshot.h"
#include "profile/pprof_writer.h"
#include "profile/trace_records.h"
#include "write_file.h"

namespace neap::cli {
namespace {

// Makes the file, empty. No path: nothing.
absl::Status Create(const char* flag, const std::string& path) {
  return path.empty() ? absl::OkStatus() : WriteFile(flag, path, "");
}

}  // namespace

ProfileFiles::ProfileFiles(const ProfileOptions& options) : options_(options) {}
ProfileFiles::~ProfileFiles() = default;

absl::Status ProfileFiles::Start(vm::State& state, uint64_t traced_heap) {
  state_ = &state;
  traced_heap_ = traced_heap;
  absl::Status status = Create("--alloc-profile", options_.allocation_file);
  status.Update(Create("--pprof", options_.pprof_file));
  status.Update(Create("--heap-snapshot", options_.heap_snapshot_file));
  if (status.ok() && options_.watches_allocations()) {
    watch_ = std::make_unique<vm::AllocationWatch>(
        state, gc::AllocationProfilerOptions{.sample_bytes = options_.sample_bytes});
  }
  return status;
}

absl::Status ProfileFiles::Finish() {
  if (state_ == nullptr) return absl::OkStatus();
  vm::State& state = *state_;
  state_ = nullptr;
  absl::Status status;
  const std::string& snapshot = options_.heap_snapshot_file;
  if (!snapshot.empty()) {
    status = vm::WriteHeapSnapshot(state, snapshot);
    if (!status.ok()) {
      status = absl::Status(status.code(), absl::StrCat("--heap-snapshot: ", status.message()));
    }
  }
  if (watch_ == nullptr) return status;
  vm::AllocationProfile profile = watch_->Read();
  profile.program = options_.program;
  watch_ = nullptr;
  if (traced_heap_ != 0) {
    state.heap().DrainEvents();  // the records come behind the collections they tell of
    lab::WriteRecords(traced_heap_, vm::TraceRecords(profile));
  }
  if (!options_.pprof_file.empty()) {
    status.Update(WriteFile("--pprof", options_.pprof_file, Gzip(vm::PprofBytes(profile))));
  }
  if (!options_.allocations) return status;
  if (options_.allocation_file.empty()) {
    std::fflush(stdout);
    std::fputs(vm::AllocationTable(profile).c_str(), stderr);
    return status;
  }
  const bool is_json = absl::EndsWith(options_.allocation_file, ".json");
  status.Update(WriteFile("--alloc-profile", options_.allocation_file,
                          is_json ? vm::AllocationJson(profile) : vm::AllocationTable(profile)));
  return status;
}

}  // namespace neap::cli
