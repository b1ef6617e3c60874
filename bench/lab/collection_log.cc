// SPDX-License-Identifier: MIT
#include "collection_log.h"

#include <algorithm>
#include <cstring>

namespace neap::lab {
namespace {

// An event's payload as its record. A shorter payload is an older writer: the rest stays zero.
template <typename Record>
Record Read(const Event& event) {
  Record record;
  const size_t bytes = std::min(sizeof(Record), event.payload.size_bytes());
  std::memcpy(static_cast<void*>(&record), event.payload.data(), bytes);
  return record;
}

}  // namespace

CollectionLog::CollectionLog(gc::Heap& heap) : heap_(heap) {
  minors_.reserve(4096);  // growing inside a timed frame would be charged to the collector
  majors_.reserve(1024);
  listener_ = heap_.AddEventListener([this](const Event& event) { Record(event); });
}

CollectionLog::~CollectionLog() { heap_.RemoveEventListener(listener_); }

void CollectionLog::Record(const Event& event) {
  if (event.kind == static_cast<uint16_t>(gc::EventKind::kMinor)) {
    const auto e = Read<gc::MinorEvent>(event);
    minors_.push_back({.frame = frame_,
                       .cause = e.cause,
                       .pause_ns = e.pause_ns,
                       .cpu_ns = e.cpu_ns,
                       .eden_bytes = e.eden_bytes,
                       .eden_limit_bytes = e.eden_limit_bytes,
                       .young_large_bytes = e.young_large_bytes,
                       .copied_bytes = e.copied_bytes,
                       .promoted_bytes = e.promoted_bytes});
    lost_ = e.lost_events;
  } else if (event.kind == static_cast<uint16_t>(gc::EventKind::kMajor)) {
    const auto e = Read<gc::MajorEvent>(event);
    majors_.push_back({.frame = frame_,
                       .pause_ns = e.pause_ns,
                       .cpu_ns = e.cpu_ns,
                       .mark_ns = e.mark_ns,
                       .marked_bytes = e.marked_bytes});
    lost_ = e.lost_events;
  }
}

uint64_t AttributeCollections(const std::vector<MinorRecord>& minors,
                              const std::vector<MajorRecord>& majors,
                              std::vector<FrameSample>* frames) {
  uint64_t longest_ns = 0;
  const auto frame_of = [frames](int64_t index) -> FrameSample* {
    const bool is_measured = index >= 0 && index < static_cast<int64_t>(frames->size());
    return is_measured ? &(*frames)[static_cast<size_t>(index)] : nullptr;
  };
  const auto add_pause = [&](FrameSample& frame, uint64_t cpu_ns, uint64_t pause_ns) {
    frame.gc_cpu_ns += cpu_ns;
    frame.gc_pause_ns += pause_ns;
    longest_ns = std::max(longest_ns, cpu_ns);
  };
  for (const MinorRecord& minor : minors) {
    FrameSample* const frame = frame_of(minor.frame);
    if (frame == nullptr) continue;
    ++frame->minors;
    // A minor inside a major cycle has no pause of its own: its cycle's event carries both.
    if (minor.pause_ns != 0) add_pause(*frame, minor.cpu_ns, minor.pause_ns);
  }
  for (const MajorRecord& major : majors) {
    FrameSample* const frame = frame_of(major.frame);
    if (frame == nullptr) continue;
    ++frame->majors;
    add_pause(*frame, major.cpu_ns, major.pause_ns);
  }
  return longest_ns;
}

}  // namespace neap::lab
