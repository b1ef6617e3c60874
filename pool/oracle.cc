// SPDX-License-Identifier: MIT
#include "neap/pool/oracle.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "neap/runtime/check.h"

namespace neap::pool {

namespace {

std::string Describe(const OpRecord& record, const Oracle::Prediction& prediction) {
  return absl::StrCat(record.op == Op::kGet ? "Get" : "Put", " on P ", record.proc, " of ",
                      record.procs, " in cycle ", record.cycle, ": recorded ",
                      PlaceName(record.place), " ", record.object, ", expected ",
                      PlaceName(prediction.place), " ", prediction.object);
}

uint64_t TakeFront(std::deque<uint64_t>& queue) {
  const uint64_t object = queue.front();
  queue.pop_front();
  return object;
}

}  // namespace

OracleReport Oracle::Replay(const std::vector<OpRecord>& records) {
  primary_.clear();
  victims_.clear();
  report_ = {};
  uint64_t cycle = records.empty() ? 0 : records.front().cycle;
  for (size_t i = 0; i < records.size(); ++i) {
    const OpRecord& record = records[i];
    for (; cycle < record.cycle; ++cycle) Cleanup();
    const Prediction prediction = record.op == Op::kGet
                                      ? Get(record.proc, record.procs)
                                      : Put(record.proc, record.procs, record.object);
    ++report_.operations;
    if (prediction.place == record.place && prediction.object == record.object) continue;
    report_.equal = false;
    report_.first_different = i;
    report_.first_difference = Describe(record, prediction);
    break;
  }
  report_.held = Count(primary_);
  for (const Generation& victim : victims_) report_.held += Count(victim.slots);
  return report_;
}

uint64_t Oracle::Count(const Slots& slots) {
  uint64_t count = 0;
  for (const Slot& slot : slots) count += slot.queue.size() + (slot.private_object != 0 ? 1 : 0);
  return count;
}

void Oracle::Require(int proc, int procs) {
  const auto wanted = static_cast<size_t>(std::max(procs, proc + 1));
  if (primary_.empty()) {
    primary_.resize(wanted);
  } else if (static_cast<size_t>(proc) >= primary_.size()) {
    if (options_.go_exact) {
      report_.swapped_out += Count(primary_);
      primary_.clear();
    }
    primary_.resize(wanted);
  }
}

Oracle::Prediction Oracle::Get(int proc, int procs) {
  Require(proc, procs);
  const Prediction prediction = Find(proc, procs);
  ++report_.gets;
  ++(prediction.object != 0 ? report_.hits : report_.misses);
  return prediction;
}

Oracle::Prediction Oracle::Find(int proc, int procs) {
  const auto self = static_cast<size_t>(proc);
  Prediction found = FindInPrimary(self, static_cast<size_t>(procs));
  for (Generation& victim : victims_) {
    if (found.object != 0) break;
    if (!victim.marked_empty) found = FindInVictim(victim, self);
  }
  return found;
}

Oracle::Prediction Oracle::FindInPrimary(size_t proc, size_t procs) {
  Slot& own = primary_[proc];
  if (own.private_object != 0) return {Place::kPrivate, std::exchange(own.private_object, 0)};
  if (!own.queue.empty()) {
    const uint64_t newest = own.queue.back();
    own.queue.pop_back();
    return {Place::kShared, newest};
  }
  if (!options_.steal) return {};
  for (size_t i = 1; i < primary_.size(); ++i) {
    Slot& other = primary_[(proc + i) % primary_.size()];
    if (!other.queue.empty()) return {Place::kSteal, TakeFront(other.queue)};
  }
  for (size_t retired = procs; retired < primary_.size() && !options_.go_exact; ++retired) {
    uint64_t& object = primary_[retired].private_object;
    if (retired != proc && object != 0) return {Place::kRescue, std::exchange(object, 0)};
  }
  return {};
}

Oracle::Prediction Oracle::FindInVictim(Generation& victim, size_t proc) {
  Slots& slots = victim.slots;
  if (slots.empty()) return {};  // nothing was demoted in that cycle
  const bool known = proc < slots.size();
  if (!known && options_.go_exact) return {};
  if (known && slots[proc].private_object != 0) {
    return {Place::kVictimPrivate, std::exchange(slots[proc].private_object, 0)};
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[(proc + i) % slots.size()];
    const bool allowed = options_.steal || &slot == &slots[proc % slots.size()];
    if (allowed && (options_.steal || known) && !slot.queue.empty()) {
      return {Place::kVictimShared, TakeFront(slot.queue)};
    }
  }
  if (!options_.steal) return {};
  for (size_t i = 0; i < slots.size() && !options_.go_exact; ++i) {
    uint64_t& object = slots[(proc + i) % slots.size()].private_object;
    if (object != 0) return {Place::kRescue, std::exchange(object, 0)};
  }
  victim.marked_empty = true;
  ++report_.victim_marked_empty;
  report_.stranded_private += Count(slots);  // the queues are empty by now
  return {};
}

Oracle::Prediction Oracle::Put(int proc, int procs, uint64_t object) {
  Require(proc, procs);
  Slot& own = primary_[static_cast<size_t>(proc)];
  if (own.private_object == 0) {
    own.private_object = object;
    return {Place::kPrivate, object};
  }
  own.queue.push_back(object);
  return {Place::kShared, object};
}

void Oracle::Cleanup() {
  using Kind = Retention::Kind;
  NEAP_CHECK(options_.retention.kind == Kind::kFlush || options_.retention.kind == Kind::kVictim,
             "P10: the oracle knows the retentions that depend on cycles only");
  // A generation stands here for every cycle, empty or not, so that position is age.
  victims_.push_front({std::exchange(primary_, {}), false});
  while (victims_.size() > options_.retention.generations) {
    report_.evictions += Count(victims_.back().slots);
    victims_.pop_back();
  }
}

}  // namespace neap::pool
