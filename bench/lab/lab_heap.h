// SPDX-License-Identifier: MIT
//
// A heap with its first mutator, traced as the settings ask, and the modes that the families G and
// K are judged under.
//
//   LabHeap lab_heap(GoPreset(lab, /*procs=*/1));
//   lab_heap.heap().Collect(lab_heap.mutator());
#ifndef NEAP_BENCH_LAB_LAB_HEAP_H_
#define NEAP_BENCH_LAB_LAB_HEAP_H_

#include "lab.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/gc/options.h"

namespace neap::lab {

class LabHeap {
 public:
  explicit LabHeap(const gc::Options& options);
  LabHeap(const LabHeap&) = delete;
  LabHeap& operator=(const LabHeap&) = delete;

  gc::Heap& heap() { return heap_; }
  gc::Mutator& mutator() { return mutator_; }
  // Majors started so far.
  uint64_t majors() const { return heap_.majors(); }
  void Collect(int times = 1);
  // Moves the mutator to the P `proc`; free when it is there already.
  void MoveTo(int proc) {
    if (mutator_.proc() != proc) mutator_.MoveToProc(proc);
  }

 private:
  gc::Heap heap_;
  gc::Mutator mutator_;
};

// The judged mode: preset "go" (no nursery, every allocated byte paces), with the debug switches of
// the settings.
gc::Options GoPreset(const Lab& lab, int procs);
// The mode reported beside it: what flags and environment say, by default the generational heap.
gc::Options BesidePreset(const Lab& lab, int procs);
// "defaults" or "given flags", for tables.
const char* BesideName(const Lab& lab);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_LAB_HEAP_H_
