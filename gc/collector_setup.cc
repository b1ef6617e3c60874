// SPDX-License-Identifier: MIT
//
// How a collector comes into being, and how it ends.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "collector.h"
#include "neap/runtime/check.h"

namespace neap::gc {
namespace {

// A heap with less address space than this is not worth starting.
constexpr size_t kMinReserveBytes = size_t{256} << 20;

EvacuatorParts Parts(HeapRange& range, OldSpace& old_space, LargeSpace& large_space,
                     Nursery& nursery, RememberedSet& remembered, RootSet& roots,
                     Finalizers& finalizers, IdentityTable& identities, WorkerThreads& threads,
                     const DebugSwitches& debug) {
  return {range, old_space,  large_space, nursery, remembered,
          roots, finalizers, identities,  threads, debug};
}

// A fixed nursery has one size, of which the sizer only learns what survives.
NurserySizer::Config SizerConfig(const Options& options, int procs) {
  const auto n = static_cast<uint64_t>(procs);
  const bool fixed = options.nursery == Options::Nursery::kFixed;
  const size_t most_bytes =
      fixed ? options.nursery_bytes : std::max(options.nursery_max_bytes, options.nursery_bytes);
  return {.min_bytes = options.nursery_bytes * n, .max_bytes = most_bytes * n};
}

}  // namespace

Collector::Collector(const Options& options)
    : options_(options),
      clock_(options.clock),
      scheduler_({.procs = options.procs}),
      old_space_(range_, options.debug.poison != 0),
      large_space_(range_, options.debug.poison != 0),
      nursery_(range_, options.debug.rotate),
      evacuator_(Parts(range_, old_space_, large_space_, nursery_, remembered_, roots_, finalizers_,
                       identities_, threads_, options_.debug)),
      marker_(range_, roots_, finalizers_, identities_),
      sizer_(SizerConfig(options, scheduler_.procs())),
      fixed_nursery_bytes_(options.nursery_bytes),
      limiter_(scheduler_.procs()),
      gogc_(options.gogc),
      memory_limit_bytes_(options.memory_limit_bytes),
      hard_limit_bytes_(options.hard_limit_bytes),
      tenure_(options.tenure) {
  const DebugSwitches& debug = options_.debug;
  slow_mode_ = debug.stress_alloc != 0 || debug.fail_alloc != 0;
  range_.set_poison(debug.poison != 0);
  start_ns_ = last_pause_end_ns_ = MonotonicNanos();
  last_major_ns_.store(start_ns_);
  start_cpu_ns_ = ProcessCpuNanos();
}

Collector::~Collector() {
  NEAP_CHECK(roots_.mutators() == 0, "M5: every Mutator is destroyed before its heap",
             "mutators=%zu", roots_.mutators());
  DrainEvents();
  // What is left dies now: owners of off-heap memory are told.
  old_space_.FinishSweep(clock_.Now());
  large_space_.FinishSweep(clock_.Now());
  old_space_.DropAll();
  large_space_.DropAll();
}

absl::StatusOr<std::unique_ptr<Collector>> Collector::Create(const Options& options) {
  if (absl::Status status = ValidateOptions(options); !status.ok()) return status;
  auto collector = std::unique_ptr<Collector>(new Collector(options));
  if (!collector->Reserve()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system refused ", options.reserve_bytes, " bytes of address space"));
  }
  return collector;
}

// Address space is asked for generously; where it is limited (ulimit -v, a debugger) half will do.
bool Collector::ReserveSpace() {
  for (size_t bytes = options_.reserve_bytes;; bytes /= 2) {
    if (range_.Reserve(bytes, options_.huge_pages) && marker_.Reserve() && evacuator_.Reserve()) {
      return true;
    }
    if (bytes / 2 < kMinReserveBytes) return false;
  }
}

bool Collector::Reserve() {
  if (!ReserveSpace()) return false;
  scheduler_.SetNewProcessorFunction(&Collector::NewProcessor, this);
  for (int id = 0; id < scheduler_.created(); ++id) NewProcessor(scheduler_.processor(id), this);
  if (clock_.is_virtual()) {
    clock_.SetSource([](void* self) { return static_cast<Collector*>(self)->AllocatedBytes(); },
                     this);
  }
  nursery_.SetLimit(nursery_off() ? 0 : NurseryTotalBytes(options_.nursery_bytes),
                    scheduler_.procs());
  MeasureMapped();
  PaceNow();
  return true;
}

// Called for each P: for those that exist from Reserve, for later ones by the scheduler.
void Collector::NewProcessor(Processor& p, void* context) {
  auto* self = static_cast<Collector*>(context);
  auto& local = self->locals_[p.id];
  if (local == nullptr) {
    local = std::make_unique<Local>(self->old_space_);
    local->hash_state =
        self->options_.debug.seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(p.id);
    self->StartSampling(*local, p.id);
  }
  p.gc = local.get();
  if (self->options_.blocking_events) {
    p.events.set_full_function([self] { self->DrainEvents(); });
  }
}

}  // namespace neap::gc
