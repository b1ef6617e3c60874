// SPDX-License-Identifier: MIT
#include "burst_pool.h"

#include <algorithm>

namespace neap::lab {

using gc::SlotArray;

BurstCounts& BurstCounts::operator+=(const BurstCounts& other) {
  bursts += other.bursts;
  hits += other.hits;
  misses += other.misses;
  for (int age = 0; age < 3; ++age) hits_by_age[age] += other.hits_by_age[age];
  fresh_parked += other.fresh_parked;
  fresh_lost += other.fresh_lost;
  named_lost += other.named_lost;
  disagreements += other.disagreements;
  return *this;
}

BurstPool::BurstPool(LabHeap& lab_heap, const BurstOptions& options)
    : lab_heap_(lab_heap),
      options_(options),
      block_type_(BlockType(options.buffer_bytes)),
      random_(options.seed),
      oracle_(
          {.go_exact = options.go_exact, .steal = options.steal, .retention = options.retention}),
      oracle_majors_(lab_heap.majors()) {
  gc::Mutator& m = lab_heap.mutator();
  held_ = gc::GlobalHandle(m, m.NewSlots(static_cast<uint64_t>(options.workers)));
  pool::Options<Block> pool_options;
  pool_options.name = "burst";
  pool_options.make = [this](gc::Mutator& mutator) {
    ++made_;
    Block* block = static_cast<Block*>(mutator.Allocate(block_type_));
    block->number = made_;
    return block;
  };
  pool_options.go_exact = options.go_exact;
  pool_options.steal = options.steal;
  pool_options.retention = options.retention;
  pool_options.account_bytes = options.account_bytes;
  if (options.record) pool_options.recorder = &recorder_;
  pool_ = std::make_unique<pool::Pool<Block>>(lab_heap.heap(), std::move(pool_options));
}

int BurstPool::Choose(const ProcChoice& choice, int worker) {
  if (choice) return choice(worker);
  return static_cast<int>(random_() % static_cast<uint64_t>(options_.procs));
}

// Tells the oracle of the major cycles that started since it was told last.
void BurstPool::AgeOracle() {
  for (; oracle_majors_ < lab_heap_.majors(); ++oracle_majors_) oracle_.Cleanup();
}

// Blocks that the rule "0 or 1 collections between Put and Get" would still hand out now.
uint64_t BurstPool::FreshParked() const {
  const uint64_t now = lab_heap_.majors();
  uint64_t fresh = 0;
  for (const auto& [cycle, blocks] : parked_) {
    if (now - cycle <= 1) fresh += blocks;
  }
  return fresh;
}

void BurstPool::TakeOne(int worker, BurstCounts& counts) {
  gc::Mutator& m = lab_heap_.mutator();
  lab_heap_.MoveTo(Choose(options_.get_proc, worker));
  const uint64_t cycle = lab_heap_.majors();
  pool::Oracle::Prediction prediction;
  if (options_.predict) {
    AgeOracle();
    prediction = oracle_.Get(m.proc(), lab_heap_.heap().scheduler().procs());
  }
  const uint64_t made_before = made_;
  const bool fresh_waits = FreshParked() > 0;
  Block* block = pool_->Get(m);  // may collect, but only after the pool was found empty
  const bool hit = made_ == made_before;
  if (hit) {
    ++counts.hits;
    ++counts.hits_by_age[std::min<uint64_t>(cycle - block->put_cycle, 2)];
    --parked_[block->put_cycle];
  } else {
    ++counts.misses;
    if (fresh_waits) ++counts.fresh_lost;
  }
  if (options_.predict) {
    if (prediction.object != (hit ? block->number : 0)) ++counts.disagreements;
    if (prediction.object == 0 && fresh_waits) ++counts.named_lost;
  }
  SlotArray* held = held_.as<SlotArray>();
  m.Store(held, &held->slots()[worker], block);
}

BurstCounts BurstPool::Take() {
  BurstCounts counts;
  counts.bursts = 1;
  counts.fresh_parked = FreshParked();
  for (int worker = 0; worker < options_.workers; ++worker) TakeOne(worker, counts);
  return counts;
}

void BurstPool::ReturnOne(int worker) {
  gc::Mutator& m = lab_heap_.mutator();
  lab_heap_.MoveTo(Choose(options_.put_proc, worker));
  SlotArray* held = held_.as<SlotArray>();
  Block* block = static_cast<Block*>(gc::ToObject(gc::LoadSlot(&held->slots()[worker])));
  m.Store(held, &held->slots()[worker], nullptr);
  block->put_cycle = lab_heap_.majors();
  if (options_.predict) {
    AgeOracle();
    oracle_.Put(m.proc(), lab_heap_.heap().scheduler().procs(), block->number);
  }
  ++parked_[block->put_cycle];
  pool_->Put(m, block);
}

void BurstPool::Return() {
  // What is two cycles old will never be handed out, nor counted.
  std::erase_if(parked_,
                [now = lab_heap_.majors()](const auto& parked) { return now - parked.first >= 2; });
  for (int worker = 0; worker < options_.workers; ++worker) ReturnOne(worker);
}

BurstCounts BurstPool::TakeAndReturn() {
  const BurstCounts counts = Take();
  Return();
  return counts;
}

pool::OracleReport BurstPool::Replay() const {
  pool::Oracle oracle(
      {.go_exact = options_.go_exact, .steal = options_.steal, .retention = options_.retention});
  return oracle.Replay(recorder_.records());
}

}  // namespace neap::lab
