// SPDX-License-Identifier: MIT
#include "trace_run.h"

#include <algorithm>

namespace neap::trace {
namespace {

template <typename T>
std::vector<T> OfHeap(const std::vector<T>& events, uint32_t heap) {
  std::vector<T> out;
  std::copy_if(events.begin(), events.end(), std::back_inserter(out),
               [heap](const T& event) { return event.heap == heap; });
  for (T& event : out) event.heap = 0;
  return out;
}

}  // namespace

std::string HeapFacts::Fact(const std::string& path) const {
  for (const auto& [name, value] : facts) {
    if (name == path) return value;
  }
  return {};
}

const std::string& Run::Text(uint64_t name) const {
  static const std::string& unknown = *new std::string("?");
  return name < names.size() ? names[name] : unknown;
}

double Run::Seconds(uint32_t heap, uint64_t at_ns) const {
  const uint64_t epoch_ns = heap < heaps.size() ? heaps[heap].epoch_ns : 0;
  return (static_cast<double>(at_ns) - static_cast<double>(epoch_ns)) / 1e9;
}

Run Run::OnlyHeap(uint32_t heap) const {
  Run run;
  run.path = path;
  run.source = source;
  run.heaps = {heaps[heap]};
  run.minors = OfHeap(minors, heap);
  run.majors = OfHeap(majors, heap);
  run.hooks = OfHeap(hooks, heap);
  run.pools = OfHeap(pools, heap);
  run.limits = OfHeap(limits, heap);
  run.nursery_changes = OfHeap(nursery_changes, heap);
  run.profiles = OfHeap(profiles, heap);
  run.profile_types = OfHeap(profile_types, heap);
  run.profile_sites = OfHeap(profile_sites, heap);
  for (const Minor& minor : run.minors) {
    if (minor.pause_ns != 0) run.pauses.push_back({minor.start_ns, minor.pause_ns});
  }
  for (const Major& major : run.majors) run.pauses.push_back({major.start_ns, major.pause_ns});
  for (const Pause& pause : run.pauses) run.end_ns = std::max(run.end_ns, pause.end_ns());
  run.names = names;
  run.events = run.minors.size() + run.majors.size() + run.hooks.size() + run.pools.size() +
               run.limits.size() + run.nursery_changes.size();
  for (const Minor& minor : run.minors) run.lost = std::max(run.lost, minor.lost_events);
  for (const Major& major : run.majors) run.lost = std::max(run.lost, major.lost_events);
  run.has_end = has_end;
  run.cut_line = cut_line;
  return run;
}

uint32_t Run::BusiestHeap() const {
  std::vector<uint64_t> counts(heaps.size(), 0);
  for (const Minor& minor : minors) ++counts[minor.heap];
  for (const Major& major : majors) ++counts[major.heap];
  return static_cast<uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace neap::trace
