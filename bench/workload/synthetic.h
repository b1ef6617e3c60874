// SPDX-License-Identifier: MIT
//
// The synthetic workload: objects with drawn sizes and lifetimes, references and threads, set by
// knobs. It answers "what would a heap like mine do under that nursery?" without a line of code.
//
// A lifetime is counted in bytes that its thread allocates, as the literature on generational
// collection does: an object dies when that many bytes were allocated after it. Dead objects drop
// their references first, so that what is reachable is what is alive, and what living objects
// refer to directly; without that a chain of references would keep every object for ever.
#ifndef NEAP_BENCH_WORKLOAD_SYNTHETIC_H_
#define NEAP_BENCH_WORKLOAD_SYNTHETIC_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "workload.h"

namespace neap::workload {

const std::vector<KnobMeaning>& SyntheticKnobs();
// InvalidArgument names the knob and the value.
absl::Status CheckSynthetic(const SortedKnobs& knobs);
absl::StatusOr<Run> RunSynthetic(const SortedKnobs& knobs);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_SYNTHETIC_H_
