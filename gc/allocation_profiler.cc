// SPDX-License-Identifier: MIT
//
// The ledger of noted objects: a weak table of the heap (heap.h), so that collections tell it where
// each object went, and an allocation watcher (allocation_watcher.h).
//
//   young_   objects that a minor may move: each minor asks for all of them
//   old_     the others; only a major asks for them
//
// The figures of a record are added up when an object dies, and for living ones when it is read.
//
//   Weights. An object of s bytes is noted with probability p = 1 - exp(-s / mean) and counts as
//   1 / p objects: the estimate of a sum over all objects is then unbiased, for any sizes
//   (Horvitz and Thompson, 1952). Go's and V8's heap profilers scale in the same way.
#include "neap/gc/allocation_profiler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "allocation_watcher.h"
#include "collector.h"

namespace neap::gc {

class AllocationLedger final : public AllocationWatcher, public WeakTable {
 public:
  AllocationLedger(Collector& collector, uint64_t mean_bytes, SiteFunction site)
      : collector_(collector), mean_bytes_(mean_bytes), site_(std::move(site)) {}

  void Born(Mutator& m, Object* memory, TypeId type, size_t bytes) override;
  void SettleYoung(Fates& fates) override;
  void SettleAll(Fates& fates) override;
  void ForEach(const std::function<void(Word word, bool listed_young)>& visit) override;

  std::vector<AllocationRecord> Read() const;
  size_t followed() const {
    std::lock_guard lock(mutex_);
    return young_.size() + old_.size();
  }

 private:
  struct Noted {
    Word word;
    uint64_t born_at;  // bytes allocated by the whole heap
    uint64_t bytes;
    uint32_t record;
    uint8_t age;
  };

  double WeightOf(uint64_t bytes) const {
    if (mean_bytes_ == 0) return 1;
    return 1 / -std::expm1(-static_cast<double>(bytes) / static_cast<double>(mean_bytes_));
  }
  void Count(AllocationRecord& record, const Noted& noted, Fate fate) const {
    const double weight = WeightOf(noted.bytes);
    record.fates[static_cast<size_t>(fate)][noted.age].Add(
        weight, weight * static_cast<double>(noted.bytes));
  }
  void Died(const Noted& noted, Fate fate, uint64_t now);

  Collector& collector_;
  const uint64_t mean_bytes_;
  const SiteFunction site_;
  mutable std::mutex mutex_;  // guards what follows; not needed while stopped
  std::vector<AllocationRecord> records_;
  absl::flat_hash_map<uint64_t, uint32_t> record_of_;  // site and type -> index
  std::vector<Noted> young_;
  std::vector<Noted> old_;
};

void AllocationLedger::Born(Mutator& m, Object* memory, TypeId type, size_t bytes) {
  const uint32_t site = site_ ? site_(m, type, bytes) : 0;
  const uint64_t now = collector_.AllocatedBytes();
  const bool young = collector_.IsYoung(memory);
  std::lock_guard lock(mutex_);
  const auto [it, inserted] = record_of_.try_emplace(uint64_t{site} << 16 | type, records_.size());
  if (inserted) {
    records_.push_back({});
    records_.back().site = site;
    records_.back().type = type;
  }
  AllocationRecord& record = records_[it->second];
  const double weight = WeightOf(bytes);
  ++record.samples;
  record.allocated.Add(weight, weight * static_cast<double>(bytes));
  (young ? young_ : old_)
      .push_back({.word = ToWord(memory), .born_at = now, .bytes = bytes, .record = it->second});
}

void AllocationLedger::Died(const Noted& noted, Fate fate, uint64_t now) {
  AllocationRecord& record = records_[noted.record];
  Count(record, noted, fate);
  const uint64_t kib = (now - noted.born_at + 1023) / 1024;
  const int bucket = kib <= 1 ? 0 : std::bit_width(kib - 1);
  record.lifetimes[static_cast<size_t>(std::min(bucket, AllocationRecord::kLifetimes - 1))] +=
      WeightOf(noted.bytes);
}

void AllocationLedger::SettleYoung(Fates& fates) {
  const uint64_t now = collector_.AllocatedBytes();
  size_t kept = 0;
  for (Noted noted : young_) {
    noted.word = fates.After(noted.word);
    if (noted.word == 0) {
      Died(noted, Fate::kDiedYoung, now);
      continue;
    }
    if (noted.age < Object::kMaxAge) ++noted.age;
    if (fates.IsYoung(noted.word)) {
      young_[kept++] = noted;
    } else {
      old_.push_back(noted);
    }
  }
  young_.resize(kept);
}

void AllocationLedger::SettleAll(Fates& fates) {
  const uint64_t now = collector_.AllocatedBytes();
  const auto settle = [&](std::vector<Noted>& list, Fate fate) {
    std::erase_if(list, [&](const Noted& noted) {
      if (fates.After(noted.word) != 0) return false;
      Died(noted, fate, now);
      return true;
    });
  };
  settle(young_, Fate::kDiedYoung);
  settle(old_, Fate::kDiedOld);
}

void AllocationLedger::ForEach(const std::function<void(Word word, bool listed_young)>& visit) {
  for (const Noted& noted : young_) visit(noted.word, true);
  for (const Noted& noted : old_) visit(noted.word, false);
}

std::vector<AllocationRecord> AllocationLedger::Read() const {
  std::lock_guard lock(mutex_);
  std::vector<AllocationRecord> records = records_;
  for (const Noted& noted : young_) Count(records[noted.record], noted, Fate::kYoung);
  for (const Noted& noted : old_) Count(records[noted.record], noted, Fate::kOld);
  return records;
}

// --- Records -------------------------------------------------------------------------------------

namespace {

AllocationCount Sum(const AllocationRecord& record, std::initializer_list<Fate> fates,
                    int from_age) {
  AllocationCount sum;
  for (const Fate fate : fates) {
    for (int age = from_age; age < AllocationRecord::kAges; ++age) {
      sum.Add(record.fates[static_cast<size_t>(fate)][static_cast<size_t>(age)]);
    }
  }
  return sum;
}

}  // namespace

void AllocationRecord::Add(const AllocationRecord& other) {
  samples += other.samples;
  allocated.Add(other.allocated);
  for (size_t fate = 0; fate < kFates; ++fate) {
    for (size_t age = 0; age < kAges; ++age) fates[fate][age].Add(other.fates[fate][age]);
  }
  for (size_t i = 0; i < kLifetimes; ++i) lifetimes[i] += other.lifetimes[i];
}

AllocationCount AllocationRecord::live() const { return Sum(*this, {Fate::kYoung, Fate::kOld}, 0); }

AllocationCount AllocationRecord::survived_a_minor() const {
  return Sum(*this, {Fate::kYoung, Fate::kOld, Fate::kDiedYoung, Fate::kDiedOld}, 1);
}

AllocationCount AllocationRecord::met_a_minor() const {
  AllocationCount met = survived_a_minor();
  met.Add(fates[static_cast<size_t>(Fate::kDiedYoung)][0]);
  return met;
}

AllocationCount AllocationRecord::promoted() const {
  return Sum(*this, {Fate::kOld, Fate::kDiedOld}, 1);
}

AllocationCount AllocationRecord::left_youth() const {
  AllocationCount left = promoted();
  left.Add(Sum(*this, {Fate::kDiedYoung}, 0));
  return left;
}

// --- The profiler --------------------------------------------------------------------------------

AllocationProfiler::AllocationProfiler(Mutator& m, const AllocationProfilerOptions& options,
                                       SiteFunction site)
    : mutator_(m), options_(options) {
  Collector& collector = m.heap().collector();
  ledger_ = std::make_unique<AllocationLedger>(collector, options.sample_bytes, std::move(site));
  m.heap().AddWeakTable(ledger_.get());
  collector.WatchAllocations(m, ledger_.get(), options.sample_bytes, options.seed);
}

AllocationProfiler::~AllocationProfiler() {
  mutator_.heap().collector().WatchAllocations(mutator_, nullptr, 0, 0);
  mutator_.heap().RemoveWeakTable(ledger_.get());
}

std::vector<AllocationRecord> AllocationProfiler::Read() const { return ledger_->Read(); }
size_t AllocationProfiler::followed() const { return ledger_->followed(); }

}  // namespace neap::gc
