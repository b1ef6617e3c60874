// SPDX-License-Identifier: MIT
//
// A workload in a Lua file, for people who want to know what pooling or another layout would do for
// their own program:
//
//   local workload = {
//     storages = {"fresh", "pool"},           -- optional: what `neap lab FILE.lua` compares
//     params = {spawn = 1000},                -- optional: knobs and their initial values
//   }
//   function workload.setup(params)           -- optional; params.storage is one of the storages
//     return {bullets = {}}                   -- the state that the others get
//   end
//   function workload.step(state, frame)      -- one frame; counts from 1, 0 and below warm up
//     return 1                                -- optional number, summed over the frames: storages
//   end                                       -- that do the same work give the same sum
//   function workload.teardown(state) end     -- optional
//   return workload
//
// A file that returns nothing may define the three as globals. Parameters become numbers, booleans
// or strings, as their initial values are. The script sees params.seed, and `arg` is not set.
//
// Errors: InvalidArgument names the file and what is missing or has the wrong type; Aborted is an
// error of the script, with the function, the frame and the traceback.
#ifndef NEAP_BENCH_WORKLOAD_SCRIPT_WORKLOAD_H_
#define NEAP_BENCH_WORKLOAD_SCRIPT_WORKLOAD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "workload.h"

namespace neap::workload {

// What the file says about itself. Runs its main chunk, nothing else, with the libraries.
struct ScriptFacts {
  std::vector<std::string> storages;  // at least one: "" when the file names none
  Knobs parameters;                   // initial values
};
absl::StatusOr<ScriptFacts> ReadScriptFacts(const std::string& path);

absl::StatusOr<Run> RunScript(const std::string& path, const SortedKnobs& knobs);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_SCRIPT_WORKLOAD_H_
