// SPDX-License-Identifier: MIT
#include "lab_heap.h"

#include "heap_traces.h"
#include "neap/runtime/check.h"

namespace neap::lab {

LabHeap::LabHeap(const gc::Options& options) : heap_(options), mutator_(heap_) {
  AttachTraces(heap_);
}

void LabHeap::Collect(int times) {
  for (int i = 0; i < times; ++i) heap_.Collect(mutator_);
}

gc::Options GoPreset(const Lab& lab, int procs) {
  absl::StatusOr<gc::Options> preset = gc::Options::Preset("go");
  NEAP_CHECK(preset.ok(), "the preset \"go\" exists");
  gc::Options options = *preset;
  options.procs = procs;
  options.debug = lab.settings().heap.debug;
  return options;
}

gc::Options BesidePreset(const Lab& lab, int procs) {
  gc::Options options = lab.settings().heap;
  options.procs = procs;
  return options;
}

const char* BesideName(const Lab& lab) {
  return lab.settings().heap_is_default ? "defaults" : "given flags";
}

}  // namespace neap::lab
