// SPDX-License-Identifier: MIT
//
// The knobs of the synthetic workload, read.
#ifndef NEAP_BENCH_WORKLOAD_SYNTHETIC_OPTIONS_H_
#define NEAP_BENCH_WORKLOAD_SYNTHETIC_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "distribution.h"
#include "neap/pool/retention.h"
#include "workload.h"

namespace neap::workload {

inline constexpr int kMaxReferences = 32;

struct SyntheticOptions {
  Distribution size;
  Distribution lifetime;
  int64_t rate = 0;        // objects a frame
  int64_t references = 0;  // per object
  int64_t mutations = 0;   // a frame
  int64_t reads = 0;       // a frame
  int64_t threads = 1;
  double immortal = 0;                  // part of the objects that never die
  std::optional<pool::Retention> pool;  // none: dead objects are garbage
};

absl::StatusOr<SyntheticOptions> ReadSyntheticOptions(const Knobs& knobs);

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_SYNTHETIC_OPTIONS_H_
