// SPDX-License-Identifier: MIT
//
// Unique 64-bit numbers of objects that were asked for one (printing). A weak side table: an entry
// moves with its object and goes when the object dies.
#ifndef NEAP_GC_IDENTITY_TABLE_H_
#define NEAP_GC_IDENTITY_TABLE_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "neap/gc/object.h"

namespace neap::gc {

class IdentityTable {
 public:
  // The object's number, a new one on first request (1, 2, ...). `young`: it may still move.
  uint64_t Get(Object* object, bool young);

  // World stopped, end of a minor: `survivor(word)` is the new address of an object that was young,
  // or 0; `is_young(word)` whether it still is.
  template <typename Survivor, typename IsYoung>
  void UpdateYoung(Survivor survivor, IsYoung is_young) {
    std::vector<Word> still_young;
    std::vector<std::pair<Word, uint64_t>> moved;
    for (const Word old_address : young_) {
      const auto it = numbers_.find(old_address);
      moved.emplace_back(survivor(old_address), it->second);
      numbers_.erase(it);
    }
    for (const auto& [address, number] : moved) {
      if (address == 0) continue;
      numbers_[address] = number;
      if (is_young(address)) still_young.push_back(address);
    }
    young_.swap(still_young);
  }
  // After marking: forgets the dead.
  template <typename IsLive>
  void Purge(IsLive is_live) {
    std::erase_if(young_, [&](Word address) { return !is_live(address); });
    absl::erase_if(numbers_, [&](const auto& entry) { return !is_live(entry.first); });
  }
  size_t size() const { return numbers_.size(); }
  // World stopped. Address -> number; the addresses that a minor may change (N13).
  const absl::flat_hash_map<Word, uint64_t>& numbers() const { return numbers_; }
  const std::vector<Word>& young() const { return young_; }

 private:
  std::mutex mutex_;
  uint64_t last_ = 0;
  absl::flat_hash_map<Word, uint64_t> numbers_;
  std::vector<Word> young_;
};

inline uint64_t IdentityTable::Get(Object* object, bool young) {
  std::lock_guard lock(mutex_);
  const auto [it, inserted] = numbers_.try_emplace(ToWord(object), last_ + 1);
  if (inserted) {
    ++last_;
    if (young) young_.push_back(ToWord(object));
  }
  return it->second;
}

}  // namespace neap::gc

#endif  // NEAP_GC_IDENTITY_TABLE_H_
