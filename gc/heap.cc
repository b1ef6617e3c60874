// SPDX-License-Identifier: MIT
#include "neap/gc/heap.h"

#include <utility>

#include "collector.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/check.h"
#include "verifier.h"

namespace neap::gc {

absl::StatusOr<std::unique_ptr<Heap>> Heap::Create(const Options& options) {
  absl::StatusOr<std::unique_ptr<Collector>> collector = Collector::Create(options);
  if (!collector.ok()) return collector.status();
  return std::unique_ptr<Heap>(new Heap(*std::move(collector)));
}

namespace {

std::unique_ptr<Collector> CreateOrDie(const Options& options) {
  absl::StatusOr<std::unique_ptr<Collector>> collector = Collector::Create(options);
  NEAP_CHECK(collector.ok(), "H0: Heap's constructor takes valid options (use Heap::Create)", "%s",
             std::string(collector.status().message()).c_str());
  return *std::move(collector);
}

}  // namespace

Heap::Heap(const Options& options) : Heap(CreateOrDie(options)) {}
Heap::Heap(std::unique_ptr<Collector> collector) : collector_(std::move(collector)) {}
Heap::~Heap() = default;

void Heap::Collect(Mutator& m) { collector_->Collect(m, Cause::kForced); }
void Heap::CollectMinor(Mutator& m) { collector_->CollectMinor(m, Cause::kForced); }
bool Heap::Fits(uint64_t bytes) const { return collector_->Fits(bytes); }
bool Heap::HasRoom(Mutator& m) { return collector_->HasRoom(m); }
bool Heap::Idle(Mutator& m, uint64_t deadline_ns) { return collector_->Idle(m, deadline_ns); }

uint64_t Heap::SetGogc(uint64_t percent) { return collector_->SetGogc(percent); }
uint64_t Heap::SetMemoryLimit(uint64_t bytes) { return collector_->SetMemoryLimit(bytes); }
uint64_t Heap::SetHardLimit(uint64_t bytes) { return collector_->SetHardLimit(bytes); }
uint32_t Heap::SetTenure(uint32_t tenure) {
  NEAP_CHECK(tenure >= 1 && tenure <= Object::kMaxAge, "H6: tenure is 1..15", "tenure=%u", tenure);
  return collector_->SetTenure(tenure);
}

absl::Status Heap::SetNurseryBytes(Mutator& m, size_t bytes) {
  if (collector_->nursery_off()) {
    return absl::FailedPreconditionError("the heap was made with nursery=off");
  }
  Options wanted = options();
  if (bytes != 0) {
    wanted.nursery = Options::Nursery::kFixed;
    wanted.nursery_bytes = bytes;
    if (absl::Status status = ValidateOptions(wanted); !status.ok()) return status;
  }
  collector_->SetNurseryBytes(m, bytes);
  return absl::OkStatus();
}

absl::Status Heap::SetProcs(Mutator& m, int procs) {
  if (absl::Status status = Scheduler::ValidateProcs(procs); !status.ok()) return status;
  collector_->SetProcs(m, procs);
  return absl::OkStatus();
}

int Heap::AddCleanupHook(const char* name, CleanupHook hook, void* context) {
  return collector_->AddHook(name, hook, context);
}
void Heap::RemoveCleanupHook(int id) { collector_->RemoveHook(id); }
void Heap::AddRootProvider(RootProvider* provider) { collector_->roots().Add(provider); }
void Heap::RemoveRootProvider(RootProvider* provider) { collector_->roots().Remove(provider); }
void Heap::AddWeakTable(WeakTable* table) { collector_->roots().Add(table); }
void Heap::RemoveWeakTable(WeakTable* table) { collector_->roots().Remove(table); }
void Heap::SetOutOfMemoryFunction(OutOfMemoryFunction function, void* context) {
  collector_->SetOutOfMemory(function, context);
}
int Heap::AddEventListener(EventListener listener) {
  return collector_->AddListener(std::move(listener));
}
void Heap::RemoveEventListener(int id) { collector_->RemoveListener(id); }
void Heap::DrainEvents() { collector_->DrainEvents(); }
bool Heap::HasListeners() const { return collector_->HasListeners(); }

Stats Heap::Snapshot() const { return collector_->Snapshot(); }
uint64_t Heap::majors() const { return collector_->majors(); }
uint64_t Heap::minors() const { return collector_->minors(); }
uint64_t Heap::LiveEstimateBytes() const { return collector_->LiveEstimateBytes(); }
PauseHistogram& Heap::pauses() { return collector_->pauses(); }
Clock& Heap::clock() { return collector_->clock(); }
Scheduler& Heap::scheduler() { return collector_->scheduler(); }
const Options& Heap::options() const { return collector_->options(); }
Options Heap::CurrentOptions() const { return collector_->CurrentOptions(); }

bool Heap::IsYoung(const Object* object) const { return collector_->IsYoung(object); }
bool Heap::IsLarge(const Object* object) const {
  return collector_->range().BlockOf(object).kind == BlockKind::kLarge;
}
bool Heap::Contains(const void* address) const {
  return collector_->range().Contains(reinterpret_cast<Word>(address));
}

absl::Status Heap::Verify(Mutator& m) {
  absl::Status status;
  collector_->WhileStopped(m, [&] { status = VerifyWhileStopped(*collector_); });
  return status;
}

void Heap::WalkReachable(Mutator& m, const std::function<void(Object*)>& visit) {
  collector_->WhileStopped(m, [&] { WalkReachableWhileStopped(*collector_, visit); });
}

void Heap::EmitWords(Mutator& m, EventKind kind, const uint64_t* words, size_t count) {
  collector_->Emit(m.processor(), kind, words, count);
}
void Heap::EmitWordsWhileStopped(EventKind kind, const uint64_t* words, size_t count) {
  collector_->EmitWhileStopped(kind, words, count);
}

}  // namespace neap::gc
