// SPDX-License-Identifier: MIT
//
// What a pool is made with, and the optional features that need no state of their own. Each is off
// by default; with any of them on there is no fast path (fast_size_ stays 0).
#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "checker.h"
#include "neap/pool/word_pool.h"
#include "registry.h"
#include "victims.h"

namespace neap::pool {

using internal::Shard;

namespace {

std::atomic<uint64_t> g_pools_made{0};

// Events carry the name as a pointer and are read after the pool may be gone.
const char* InternForever(const std::string& name) {
  static std::mutex* mutex = new std::mutex;
  static std::set<std::string>* names = new std::set<std::string>;
  std::lock_guard lock(*mutex);
  return names->insert(name).first->c_str();
}

bool AnyChaos(const Chaos& chaos) {
  return chaos.miss_one_in != 0 || chaos.drop_one_in != 0 || chaos.shuffle;
}

bool NeedsAccount(const WordOptions& options) {
  return options.account_bytes || options.max_items != kUnlimited ||
         options.max_bytes != kUnlimited || options.retention.kind == Retention::Kind::kBytes;
}

bool HasFeatures(const WordOptions& options) {
  return NeedsAccount(options) || options.reset != nullptr || options.checked ||
         options.max_item_bytes != kUnlimited || options.recorder != nullptr ||
         options.idle_cycles != 0 || AnyChaos(options.chaos);
}

// The finalizer of splitmix64: a good hash of a counter.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

absl::Status ValidateOptions(const WordOptions& options) {
  const Retention& retention = options.retention;
  auto invalid = [](const std::string& text) { return absl::InvalidArgumentError(text); };
  if (retention.kind == Retention::Kind::kVictim &&
      (retention.generations == 0 || retention.generations > Retention::kMaxGenerations)) {
    return invalid(absl::StrCat("retention victim(", retention.generations, "): allowed are 1 to ",
                                Retention::kMaxGenerations));
  }
  if (retention.kind == Retention::Kind::kTime && retention.ttl == 0) {
    return invalid("retention time(0): the time to live must be positive");
  }
  if (retention.kind == Retention::Kind::kBytes && retention.bytes == 0) {
    return invalid("retention bytes(0): the budget must be positive");
  }
  if (options.max_item_bytes == 0) return invalid("max_item_bytes=0: it must be positive");
  if (options.max_items == 0) return invalid("max_items=0: it must be positive");
  if (options.max_bytes == 0) return invalid("max_bytes=0: it must be positive");
  if (!options.managed && options.destroy == nullptr) {
    return invalid("destroy: a pool of values needs one");
  }
  return absl::OkStatus();
}

WordPool::WordPool(gc::Heap& heap, WordOptions options)
    : heap_(heap),
      victims_(std::make_unique<internal::Victims>()),
      retention_(options.retention),
      features_(HasFeatures(options)),
      accounted_(NeedsAccount(options)),
      drained_(!options.managed || options.on_evict != nullptr || options.checked),
      uses_lists_(options.managed && heap.options().nursery != gc::Options::Nursery::kOff),
      options_(std::move(options)),
      number_(g_pools_made.fetch_add(1, std::memory_order_relaxed) + 1),
      event_name_(InternForever(options_.name)) {
  const absl::Status status = ValidateOptions(options_);
  NEAP_CHECK(status.ok(), "pool options are valid", "%s", std::string(status.message()).c_str());
  if (options_.checked) checker_ = std::make_unique<internal::Checker>(options_);
  registry_ = Registry::For(heap);
  registry_->Add(this);
}

// A function of the seed, the P and the number of draws on it: independent of other Ps' timing.
uint64_t WordPool::ChaosDraw(Shard& own, int proc) {
  const uint64_t seed = options_.chaos.seed != 0 ? options_.chaos.seed : heap_.options().debug.seed;
  return Mix(seed + 0x9e3779b97f4a7c15ull * (++own.chaos_draws) +
             Mix(static_cast<uint64_t>(proc) + 1));
}

bool WordPool::ChaosStrikes(Shard& own, int proc, uint32_t one_in) {
  return one_in != 0 && ChaosDraw(own, proc) % one_in == 0;
}

uint64_t WordPool::IdentityOf(gc::Mutator& m, Word item) const {
  if (item == 0) return 0;
  return options_.managed ? m.Identity(gc::ToObject(item)) : item;
}

void WordPool::RecordOp(gc::Mutator& m, Op op, Place place, int proc, Word item) {
  OpRecord record;
  record.op = op;
  record.place = place;
  record.proc = static_cast<uint16_t>(proc);
  record.procs = static_cast<uint16_t>(std::max(heap_.scheduler().procs(), proc + 1));
  record.object = IdentityOf(m, item);
  record.cycle = heap_.majors();
  options_.recorder->Add(record);
  if (!heap_.HasListeners()) return;
  gc::PoolOpEvent event;
  event.pool = number_;
  event.op = static_cast<uint64_t>(op);
  event.object = record.object;
  event.place = static_cast<uint64_t>(place);
  event.cycle = record.cycle;
  heap_.Emit(m, gc::EventKind::kPoolOp, event);
}

void WordPool::NoteMade(gc::Mutator& m, Word item, CallPlace here) {
  if (checker_ != nullptr) checker_->NoteMade(m, IdentityOf(m, item), item, here);
}

std::optional<Violation> WordPool::FindBadPut(gc::Mutator& m, Word item, CallPlace here) const {
  if (checker_ == nullptr) return std::nullopt;
  return checker_->FindBadPut(IdentityOf(m, item), here);
}

std::vector<Unreturned> WordPool::FindUnreturned(gc::Mutator&) const {
  return checker_ == nullptr ? std::vector<Unreturned>() : checker_->FindUnreturned();
}

void WordPool::Report(const Violation& violation) const {
  if (options_.on_violation) {
    options_.on_violation(violation);
  } else {
    internal::FailOn(violation);
  }
}

}  // namespace neap::pool
