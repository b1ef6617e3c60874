// SPDX-License-Identifier: MIT
//
// perfetto_export.h. The numbers of messages and fields are those of Perfetto's published schema
// (protos/perfetto/trace/: trace_packet, track_event/, interned_data/). One sequence of packets:
// the first clears the incremental state and interns the names, which all others refer to by
// number.
#include "perfetto_export.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/proto_message.h"

namespace neap::trace {
namespace {

using vm::ProtoMessage;

// Trace
constexpr uint32_t kTracePacket = 1;
// TracePacket
constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
// TrackDescriptor, ProcessDescriptor, CounterDescriptor
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kParentUuid = 5, kCounter = 8;
constexpr uint32_t kPid = 1, kProcessName = 6;
constexpr uint32_t kUnit = 3;
constexpr uint64_t kUnitBytes = 3;
// TrackEvent
constexpr uint32_t kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                   kCounterValue = 30;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterType = 4;
// DebugAnnotation
constexpr uint32_t kAnnotationNameIid = 1, kUintValue = 3, kStringValue = 6;
// InternedData and what is interned
constexpr uint32_t kEventCategories = 1, kEventNames = 2, kAnnotationNames = 3;
constexpr uint32_t kIid = 1, kInternedName = 2;

constexpr uint64_t kSequence = 1;
constexpr uint64_t kCategory = 1;  // "gc"

// Tracks of one heap; their uuids follow each other.
enum Track : uint64_t {
  kHeapTrack,  // the process
  kCollections,
  kPools,
  kHeapBytes,
  kGoalBytes,
  kTriggerBytes,
  kLiveBytes,
  kOffHeapBytes,
  kNurseryBytes,
  kTracks,
};
constexpr const char* kTrackNames[kTracks] = {"heap", "collections", "pools",
                                              "heap", "next goal",   "next trigger",
                                              "live", "off-heap",    "nursery"};

#define NEAP_NAME(name) #name,
constexpr const char* kMinorNames[] = {NEAP_MINOR_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kMajorNames[] = {NEAP_MAJOR_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kPoolNames[] = {NEAP_POOL_EVENT_FIELDS(NEAP_NAME)};
#undef NEAP_NAME

class Exporter {
 public:
  explicit Exporter(const Run& run) : run_(run) {}

  std::string Export() {
    for (uint32_t heap = 0; heap < run_.heaps.size(); ++heap) DescribeHeap(heap);
    // Minors inside a major stand before it in the file, and are drawn with it.
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> major_starts;
    size_t minor = 0;
    for (const Major& major : run_.majors) {
      major_starts[{major.heap, major.number}] = major.start_ns;
      const Minor* inner = nullptr;
      for (; minor < run_.minors.size() && run_.minors[minor].time <= major.time; ++minor) {
        const Minor& event = run_.minors[minor];
        if (event.pause_ns == 0 && event.heap == major.heap) {
          inner = &event;
        } else {
          AddMinor(event);
        }
      }
      AddMajor(major, inner);
    }
    for (; minor < run_.minors.size(); ++minor) AddMinor(run_.minors[minor]);
    for (const PoolCycle& pool : run_.pools) {
      AddPool(pool, major_starts[{pool.heap, pool.cycle}]);
    }
    return FirstPacket() + packets_;
  }

 private:
  static uint64_t UuidOf(uint32_t heap, uint64_t track) { return (heap + 1) * 100 + track; }

  void AddPacket(ProtoMessage* packet, uint64_t flags) {
    packet->Number(kSequenceId, kSequence);
    packet->Number(kSequenceFlags, flags);
    ProtoMessage file;
    file.Nested(kTracePacket, *packet);
    packets_ += file.bytes();
  }

  // The names are known only at the end, and must stand at the start.
  std::string FirstPacket() {
    ProtoMessage data;
    const auto intern = [&data](uint32_t field, const std::map<std::string, uint64_t>& names) {
      for (const auto& [name, iid] : names) {
        ProtoMessage entry;
        entry.Number(kIid, iid);
        entry.Text(kInternedName, name);
        data.Nested(field, entry);
      }
    };
    intern(kEventCategories, {{"gc", kCategory}});
    intern(kEventNames, event_names_);
    intern(kAnnotationNames, annotation_names_);
    ProtoMessage packet;
    packet.Nested(kInternedData, data);
    packet.Number(kSequenceId, kSequence);
    packet.Number(kSequenceFlags, kStateCleared);
    ProtoMessage file;
    file.Nested(kTracePacket, packet);
    return file.bytes();
  }

  static uint64_t Intern(std::map<std::string, uint64_t>* names, const std::string& name) {
    return names->try_emplace(name, names->size() + 1).first->second;
  }

  void DescribeHeap(uint32_t heap) {
    for (uint64_t track = kHeapTrack; track < kTracks; ++track) {
      ProtoMessage descriptor;
      descriptor.Number(kUuid, UuidOf(heap, track));
      if (track == kHeapTrack) {
        ProtoMessage process;
        process.Number(kPid, heap + 1);
        process.Text(kProcessName, run_.heaps[heap].command);
        descriptor.Nested(kProcess, process);
      } else {
        descriptor.Text(kName, kTrackNames[track]);
        descriptor.Number(kParentUuid, UuidOf(heap, kHeapTrack));
      }
      if (track >= kHeapBytes) {
        ProtoMessage counter;
        counter.Number(kUnit, kUnitBytes);
        descriptor.Nested(kCounter, counter);
      }
      ProtoMessage packet;
      packet.Nested(kTrackDescriptor, descriptor);
      AddPacket(&packet, 0);
    }
  }

  // --- Events ------------------------------------------------------------------------------------

  void AddEvent(uint64_t at_ns, uint64_t track, ProtoMessage* event) {
    event->Number(kTrackUuid, track);
    ProtoMessage packet;
    packet.Number(kTimestamp, at_ns);
    packet.Nested(kTrackEvent, *event);
    AddPacket(&packet, kNeedsState);
  }

  ProtoMessage Named(uint64_t type, const std::string& name) {
    ProtoMessage event;
    event.Number(kType, type);
    event.Number(kCategoryIid, kCategory);
    event.Number(kNameIid, Intern(&event_names_, name));
    return event;
  }

  template <size_t kFields, typename Event>
  void Annotate(ProtoMessage* out, const char* const (&names)[kFields], const Event& event) {
    const uint64_t* words = reinterpret_cast<const uint64_t*>(&event);
    for (size_t i = 0; i < kFields; ++i) {
      const std::string name = names[i];
      const bool is_text = name == "cause" || name == "next_clamp" || name == "name";
      if (words[i] == 0 && !is_text) continue;
      ProtoMessage annotation;
      annotation.Number(kAnnotationNameIid, Intern(&annotation_names_, name));
      if (is_text) {
        annotation.Text(kStringValue, run_.Text(words[i]));
      } else if (words[i] == UINT64_MAX) {
        annotation.Text(kStringValue, "none");
      } else {
        annotation.Number(kUintValue, words[i]);
      }
      out->Nested(kAnnotation, annotation);
    }
  }

  void Begin(uint64_t at_ns, uint64_t track, ProtoMessage event) { AddEvent(at_ns, track, &event); }
  void End(uint64_t at_ns, uint64_t track) {
    ProtoMessage event;
    event.Number(kType, kSliceEnd);
    AddEvent(at_ns, track, &event);
  }
  void Count(uint64_t at_ns, uint32_t heap, Track track, uint64_t value) {
    if (value == UINT64_MAX) return;  // a goal that is never reached
    ProtoMessage event;
    event.Number(kType, kCounterType);
    event.Number(kCounterValue, value);
    AddEvent(at_ns, UuidOf(heap, track), &event);
  }

  struct Phase {
    const char* name;
    uint64_t ns;
  };
  static std::vector<Phase> PhasesOf(const Minor& e) {
    return {{"stopping", e.time_to_safepoint_ns},    {"roots", e.roots_ns},
            {"remembered objects", e.remembered_ns}, {"copying", e.copy_ns},
            {"weak references", e.weak_ns},          {"finishing", e.finish_ns}};
  }
  static std::vector<Phase> PhasesOf(const Major& e) {
    return {{"stopping", e.time_to_safepoint_ns},
            {"finishing the last sweep", e.sweep_finish_ns},
            {"hooks", e.hooks_ns},
            {"minor collection", e.minor_ns},
            {"marking", e.mark_ns},
            {"weak references", e.weak_ns},
            {"finishing", e.finish_ns}};
  }

  // Slices one after the other from `at_ns`, none beyond `end_ns` (clocks are read a moment apart).
  void AddPhases(const std::vector<Phase>& phases, uint64_t at_ns, uint64_t end_ns, uint64_t track,
                 const Minor* inner) {
    for (const Phase& phase : phases) {
      const uint64_t until_ns = std::min(at_ns + phase.ns, end_ns);
      if (until_ns <= at_ns) continue;
      ProtoMessage event = Named(kSliceBegin, phase.name);
      const bool is_inner = inner != nullptr && phase.name == std::string_view("minor collection");
      if (is_inner) Annotate(&event, kMinorNames, *inner);
      Begin(at_ns, track, std::move(event));
      if (is_inner) AddPhases(PhasesOf(*inner), at_ns, until_ns, track, nullptr);
      End(until_ns, track);
      at_ns = until_ns;
    }
  }

  void AddMinor(const Minor& minor) {
    if (minor.pause_ns == 0) return;
    const uint64_t track = UuidOf(minor.heap, kCollections);
    const uint64_t end_ns = minor.start_ns + minor.pause_ns;
    ProtoMessage event = Named(kSliceBegin, absl::StrCat("minor: ", run_.Text(minor.cause)));
    Annotate(&event, kMinorNames, minor);
    Begin(minor.start_ns, track, std::move(event));
    AddPhases(PhasesOf(minor), minor.start_ns, end_ns, track, nullptr);
    End(end_ns, track);
    Count(end_ns, minor.heap, kNurseryBytes, minor.eden_limit_bytes);
  }

  void AddMajor(const Major& major, const Minor* inner) {
    const uint64_t track = UuidOf(major.heap, kCollections);
    const bool is_go = run_.source == Source::kGo;
    // Go's pauses lie at both ends of the cycle; it is shown whole.
    const uint64_t end_ns = major.start_ns + major.pause_ns + (is_go ? major.mark_ns : 0);
    ProtoMessage event = Named(kSliceBegin, absl::StrCat("major: ", run_.Text(major.cause)));
    Annotate(&event, kMajorNames, major);
    Begin(major.start_ns, track, std::move(event));
    if (!is_go) AddPhases(PhasesOf(major), major.start_ns, end_ns, track, inner);
    End(end_ns, track);
    Count(major.start_ns, major.heap, kHeapBytes, major.heap_before_bytes);
    Count(end_ns, major.heap, kHeapBytes, major.marked_bytes);
    Count(end_ns, major.heap, kLiveBytes, major.marked_bytes);
    Count(end_ns, major.heap, kOffHeapBytes, major.off_heap_bytes);
    Count(end_ns, major.heap, kGoalBytes, is_go ? major.goal_bytes : major.next_goal_bytes);
    Count(end_ns, major.heap, kTriggerBytes,
          is_go ? major.trigger_bytes : major.next_trigger_bytes);
  }

  void AddPool(const PoolCycle& pool, uint64_t start_ns) {
    ProtoMessage event = Named(kInstant, absl::StrCat("pool ", run_.Text(pool.name)));
    Annotate(&event, kPoolNames, pool);
    AddEvent(start_ns != 0 ? start_ns : pool.time, UuidOf(pool.heap, kPools), &event);
  }

  const Run& run_;
  std::string packets_;
  std::map<std::string, uint64_t> event_names_, annotation_names_;  // name -> iid
};

}  // namespace

std::string PerfettoTrace(const Run& run) { return Exporter(run).Export(); }

}  // namespace neap::trace
