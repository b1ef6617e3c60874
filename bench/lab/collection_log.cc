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

}  // namespace neap::lab
