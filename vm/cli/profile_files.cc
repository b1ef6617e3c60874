// SPDX-License-Identifier: MIT
//
// profile_files.h. The snapshot is written first: it shows the heap without what the reports need.
#include "profile_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gzip.h"
#include "heap_traces.h"
#include "interpreter/state.h"
#include "profile/allocation_profile.h"
#include "profile/heap_snapshot.h"
#include "profile/pprof_writer.h"
#include "profile/trace_records.h"

namespace neap::cli {
namespace {

absl::Status CannotWrite(const char* flag, const std::string& path) {
  return absl::PermissionDeniedError(
      absl::StrCat(flag, ": cannot write ", path, ": ", std::strerror(errno)));
}

// Makes the file, empty. No path: nothing.
absl::Status Create(const char* flag, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return CannotWrite(flag, path);
  std::fclose(file);
  return absl::OkStatus();
}

absl::Status Write(const char* flag, const std::string& path, const std::string& bytes) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return CannotWrite(flag, path);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? absl::OkStatus() : CannotWrite(flag, path);
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
    status.Update(Write("--pprof", options_.pprof_file, Gzip(vm::PprofBytes(profile))));
  }
  if (!options_.allocations) return status;
  if (options_.allocation_file.empty()) {
    std::fflush(stdout);
    std::fputs(vm::AllocationTable(profile).c_str(), stderr);
    return status;
  }
  const bool is_json = absl::EndsWith(options_.allocation_file, ".json");
  status.Update(Write("--alloc-profile", options_.allocation_file,
                      is_json ? vm::AllocationJson(profile) : vm::AllocationTable(profile)));
  return status;
}

}  // namespace neap::cli
