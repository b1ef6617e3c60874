// SPDX-License-Identifier: MIT
//
// What a pool's cleanups demoted and have not dropped yet: at most kMaxGenerations arrays, newest
// first. Changed only while the world is stopped; mutators take items out of the arrays.
#ifndef NEAP_POOL_VICTIMS_H_
#define NEAP_POOL_VICTIMS_H_

#include <array>
#include <cstdint>

#include "neap/pool/retention.h"
#include "neap/runtime/check.h"
#include "shard_array.h"

namespace neap::pool::internal {

class Victims {
 public:
  struct Generation {
    ShardArray* array = nullptr;
    uint64_t demoted_cycle = 0;
    uint64_t demoted_at = 0;
  };

  uint32_t count() const { return count_; }
  const Generation& at(uint32_t index) const { return generations_[index]; }
  bool ever_demoted() const { return ever_demoted_; }
  uint64_t last_demoted_at() const { return last_demoted_at_; }

  void AddWhileStopped(const Generation& generation) {
    NEAP_CHECK(count_ < Retention::kMaxGenerations, "P3: victim generations are bounded");
    for (uint32_t i = count_; i > 0; --i) generations_[i] = generations_[i - 1];
    generations_[0] = generation;
    ++count_;
    ever_demoted_ = true;
    last_demoted_at_ = generation.demoted_at;
  }
  void RemoveWhileStopped(uint32_t index) {
    --count_;
    for (uint32_t i = index; i < count_; ++i) generations_[i] = generations_[i + 1];
  }

 private:
  uint32_t count_ = 0;
  bool ever_demoted_ = false;
  uint64_t last_demoted_at_ = 0;
  std::array<Generation, Retention::kMaxGenerations> generations_;
};

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_VICTIMS_H_
