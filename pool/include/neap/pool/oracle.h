// SPDX-License-Identifier: MIT
//
// A pool that is obviously right and does nothing: it replays a record of operations (Recorder) on
// plain lists and says, operation by operation, what a pool with the same rules must have done.
// Written from the description of sync.Pool, not from the pool: no ring, no atomics, no shards.
//
//   pool::Oracle oracle({.go_exact = true});
//   pool::OracleReport report = oracle.Replay(recorder.records());
//   if (!report.equal) std::puts(report.first_difference.c_str());
//
// The record must start with the pool's first operation, be made by one thread that moves from P to
// P, and come from a pool without bounds, guard, checked or chaos mode. Retention: Flush and
// Victim(k). It does not model a Close.
#ifndef NEAP_POOL_ORACLE_H_
#define NEAP_POOL_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "neap/pool/recorder.h"
#include "neap/pool/retention.h"

namespace neap::pool {

struct OracleOptions {
  bool go_exact = false;
  bool steal = true;
  Retention retention;
};

struct OracleReport {
  bool equal = true;
  size_t operations = 0;
  size_t first_different = 0;    // index into the record, when not equal
  std::string first_difference;  // what the record says and what the oracle says
  uint64_t gets = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t victim_marked_empty = 0;
  uint64_t stranded_private = 0;  // as Metrics::stranded_private
  uint64_t evictions = 0;         // items dropped by cleanups
  uint64_t swapped_out = 0;       // items lost because the number of Ps grew
  uint64_t held = 0;              // items in the pool after the last operation
};

class Oracle {
 public:
  explicit Oracle(const OracleOptions& options) : options_(options) {}

  // Replays `records` from an empty pool and compares each place and each object.
  OracleReport Replay(const std::vector<OpRecord>& records);

  // Step by step, for callers that predict before they act.
  struct Prediction {
    Place place = Place::kNone;
    uint64_t object = 0;
  };
  Prediction Get(int proc, int procs);
  Prediction Put(int proc, int procs, uint64_t object);
  void Cleanup();  // a major cycle started
  const OracleReport& report() const { return report_; }

 private:
  struct Slot {
    uint64_t private_object = 0;  // 0: empty
    std::deque<uint64_t> queue;   // front: oldest
  };
  using Slots = std::vector<Slot>;
  struct Generation {
    Slots slots;
    bool marked_empty = false;
  };

  void Require(int proc, int procs);  // what the first operation of a period does
  Prediction Find(int proc, int procs);
  Prediction FindInPrimary(size_t proc, size_t procs);
  Prediction FindInVictim(Generation& victim, size_t proc);
  void MarkVictimsEmpty();
  static uint64_t Count(const Slots& slots);

  const OracleOptions options_;
  Slots primary_;                   // empty: no operation since the last cleanup
  std::deque<Generation> victims_;  // front: newest
  OracleReport report_;
};

}  // namespace neap::pool

#endif  // NEAP_POOL_ORACLE_H_
