// SPDX-License-Identifier: MIT
//
// The profiles that a run of a script leaves behind: allocation profile (text or JSON), pprof file,
// heap snapshot. An allocation profile of a run that is traced is also the end of its trace
// (neap/gc/profile_event.h).
//
//   ProfileFiles profiles(options);
//   absl::Status status = profiles.Start(state, heap);   // before the first script
//   ... run ...
//   status = profiles.Finish();                          // while the state can still be read
//
// Files are created at Start, so that a path that cannot be written is found before the run.
#ifndef NEAP_VM_CLI_PROFILE_FILES_H_
#define NEAP_VM_CLI_PROFILE_FILES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace neap::vm {
class AllocationWatch;
class State;
}  // namespace neap::vm

namespace neap::cli {

struct ProfileOptions {
  bool allocations = false;        // --alloc-profile: a table on standard error, ...
  std::string allocation_file;     // ... or in this file; JSON when it ends with ".json"
  uint64_t sample_bytes = 0;       // --alloc-sample; 0: every allocation
  std::string pprof_file;          // --pprof: profile.proto, gzip
  std::string heap_snapshot_file;  // --heap-snapshot: what is reachable when the script has ended
  std::string program;             // what the profiles call the program: the script

  bool watches_allocations() const { return allocations || !pprof_file.empty(); }
};

class ProfileFiles {
 public:
  explicit ProfileFiles(const ProfileOptions& options);
  ~ProfileFiles();
  ProfileFiles(const ProfileFiles&) = delete;
  ProfileFiles& operator=(const ProfileFiles&) = delete;

  // `traced_heap`: what AttachTraces returned. The error names flag and path.
  absl::Status Start(vm::State& state, uint64_t traced_heap);
  // Writes what was asked for; the second call does nothing.
  absl::Status Finish();

 private:
  const ProfileOptions options_;
  vm::State* state_ = nullptr;
  uint64_t traced_heap_ = 0;
  std::unique_ptr<vm::AllocationWatch> watch_;
};

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_PROFILE_FILES_H_
