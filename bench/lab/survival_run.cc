// SPDX-License-Identifier: MIT
#include "survival_run.h"

#include "frame_times.h"
#include "lab_heap.h"
#include "managed_bullet.h"
#include "managed_list.h"

namespace neap::lab {
namespace {

using Bullet = ManagedBullet<6>;
constexpr uint64_t kSkippedMinors = 2;
// Objects between two looks at the minor count; a few of them live one minor longer than said.
constexpr size_t kLookEvery = 64;

void AllocateUntil(LabHeap& lab_heap, ManagedList& kept, uint32_t eighths, uint64_t last_minor) {
  gc::Mutator& m = lab_heap.mutator();
  uint64_t seen = lab_heap.heap().minors();
  for (size_t i = 0; lab_heap.heap().minors() < last_minor; ++i) {
    if (i % kLookEvery == 0 && lab_heap.heap().minors() != seen) {
      seen = lab_heap.heap().minors();
      kept.Truncate(m, 0);
    }
    kept.MakeRoom(m);
    Bullet* const bullet = m.New<Bullet>(Bullet::Type(), Shot{});
    if (i % 8 < eighths) kept.Append(m, bullet);
  }
}

}  // namespace

SurvivalRun RunSurvival(const gc::Options& options, uint32_t eighths, uint64_t minors) {
  LabHeap lab_heap(options);
  gc::HandleScope scope(lab_heap.mutator());
  CollectionLog log(lab_heap.heap());
  ManagedList kept(lab_heap.mutator(), scope, options.nursery_bytes / sizeof(Bullet) + kLookEvery);
  AllocateUntil(lab_heap, kept, eighths, lab_heap.heap().minors() + minors + kSkippedMinors);
  log.Drain();
  std::vector<double> copied, pauses, eden;
  for (size_t i = kSkippedMinors; i < log.minors().size(); ++i) {
    const MinorRecord& minor = log.minors()[i];
    copied.push_back(static_cast<double>(minor.copied_bytes + minor.promoted_bytes));
    pauses.push_back(static_cast<double>(minor.cpu_ns));
    eden.push_back(static_cast<double>(minor.eden_bytes));
  }
  return {.copied_bytes = Median(copied), .pause_ns = Median(pauses), .eden_bytes = Median(eden)};
}

}  // namespace neap::lab
