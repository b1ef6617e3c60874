// SPDX-License-Identifier: MIT
//
// The burst of source K: 64 workers each take a buffer from one pool, hold it until all hold one,
// and put it back. The workers are virtual: one thread plays them in turn, each on the P that the
// schedule gives it, so that a run on P = 12 is the same on two cores and every time.
//
// What is counted, and where it comes from:
//   hits, misses   misses are calls of New; nothing else makes a block
//   hits_by_age    major cycles started between a block's Put and its Get (0, 1, 2 or more), read
//                  from the block itself
//   disagreements  operations whose outcome the oracle predicted otherwise. The oracle is told of
//                  operations and of major cycles, never of outcomes
//   fresh_lost     misses at a moment when the pool held a block of age 0 or 1: one that lay in the
//                  private slot of another P. named_lost is the oracle's count of the same
//
// Nothing here runs a cleanup: the pool's hook is called by the collector or not at all.
#ifndef NEAP_BENCH_LAB_BURST_POOL_H_
#define NEAP_BENCH_LAB_BURST_POOL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "block.h"
#include "lab_heap.h"
#include "neap/gc/handle.h"
#include "neap/pool/oracle.h"
#include "neap/pool/pool.h"

namespace neap::lab {

// The P that plays worker `worker` in the present half of the burst.
using ProcChoice = std::function<int(int worker)>;

struct BurstOptions {
  int workers = 64;
  int procs = 1;               // Ps in use, ids 0..procs-1
  size_t buffer_bytes = 4096;  // payload of a block
  uint64_t seed = 1;
  bool go_exact = true;
  bool steal = true;
  pool::Retention retention = {};
  bool account_bytes = false;
  bool record = false;       // keep every operation for Replay
  bool predict = false;      // ask the oracle before every operation
  ProcChoice get_proc = {};  // null: uniformly random over the Ps
  ProcChoice put_proc = {};
};

struct BurstCounts {
  uint64_t bursts = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t hits_by_age[3] = {0, 0, 0};
  uint64_t fresh_parked = 0;  // blocks of age 0 or 1 parked when the burst began
  uint64_t fresh_lost = 0;
  uint64_t named_lost = 0;  // the same as the oracle predicts it
  uint64_t disagreements = 0;
  BurstCounts& operator+=(const BurstCounts& other);
};

class BurstPool {
 public:
  BurstPool(LabHeap& lab_heap, const BurstOptions& options);
  BurstPool(const BurstPool&) = delete;
  BurstPool& operator=(const BurstPool&) = delete;

  // All workers take a buffer. Order of calls: Take, Return, Take, Return, ...
  BurstCounts Take();
  // All workers put theirs back.
  void Return();
  BurstCounts TakeAndReturn();

  pool::Metrics Snapshot() const { return pool_->Snapshot(); }
  pool::Pool<Block>& pool() { return *pool_; }
  // Replays the whole record through a fresh oracle. Needs options.record.
  pool::OracleReport Replay() const;
  uint64_t made() const { return made_; }

 private:
  void TakeOne(int worker, BurstCounts& counts);
  void ReturnOne(int worker);
  int Choose(const ProcChoice& choice, int worker);
  void AgeOracle();
  uint64_t FreshParked() const;

  LabHeap& lab_heap_;
  const BurstOptions options_;
  const gc::TypeId block_type_;
  std::mt19937_64 random_;
  pool::Recorder recorder_;
  pool::Oracle oracle_;
  uint64_t oracle_majors_ = 0;           // cycles that the oracle has been told of
  uint64_t made_ = 0;                    // calls of New
  std::map<uint64_t, uint64_t> parked_;  // cycle of the Put -> blocks not taken since
  gc::GlobalHandle held_;                // a SlotArray: what worker i holds
  std::unique_ptr<pool::Pool<Block>> pool_;
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BURST_POOL_H_
