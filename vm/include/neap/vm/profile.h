// SPDX-License-Identifier: MIT
//
// Who allocates what in the scripts of a Vm, and who holds what in its heap.
//
//   lua::AllocationRecorder recorder(vm, {.sample_bytes = 512 << 10});
//   ... run scripts ...
//   std::cout << recorder.Text();
//   WriteFile("run.pb", recorder.Pprof());                    // go tool pprof -http=: run.pb
//
//   absl::Status status = lua::WriteHeapSnapshot(vm, "game.heapsnapshot");   // neap heap FILE
//
// Cost: with sample_bytes = 0 every allocation takes the slow path and its call stack is noted,
// some hundred ns each; with 512 KiB it is a few of each million. Without a recorder: nothing.
//
// Thread safety: as the Vm's (rule E1 of vm.h).
#ifndef NEAP_VM_PROFILE_H_
#define NEAP_VM_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace neap::vm {
class AllocationWatch;
}  // namespace neap::vm

namespace neap::lua {

class Vm;

struct RecorderOptions {
  uint64_t sample_bytes = 512 << 10;  // mean distance of samples, in bytes; 0: every allocation
  uint64_t seed = 1;                  // of the sample points: with one thread, runs repeat
};

// One per heap at a time (checked); destroyed before the Vm.
class AllocationRecorder {
 public:
  explicit AllocationRecorder(Vm& vm, const RecorderOptions& options = {});
  ~AllocationRecorder();
  AllocationRecorder(const AllocationRecorder&) = delete;
  AllocationRecorder& operator=(const AllocationRecorder&) = delete;

  // Each collects, and reports what was allocated since the recorder was made; it goes on.
  // Two tables: by type, and by function, line and type; the `rows` first ones.
  std::string Text(size_t rows = 40);
  std::string Json();
  // A profile.proto message, not compressed, which `go tool pprof` takes as it is.
  std::string Pprof();

 private:
  std::unique_ptr<vm::AllocationWatch> watch_;
};

// Writes every object that is reachable in the Vm's heap, by all Vms and the host, in the format
// .heapsnapshot, which Chromium's developer tools open, too. Collects before. PermissionDenied and
// DataLoss name the path.
absl::Status WriteHeapSnapshot(Vm& vm, const std::string& path);

}  // namespace neap::lua

#endif  // NEAP_VM_PROFILE_H_
