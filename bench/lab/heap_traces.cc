// SPDX-License-Identifier: MIT
//
// One file for many heaps. An experiment may make hundreds of heaps, with different options, one
// after another or at the same time; their records share the file and are told apart by a number:
//
//   {"heap":1,"schema":"neap.trace",...}      configuration of heap 1 (gc/trace_json.cc)
//   {"heap":1,"event":"minor",...}
//   {"heap":2,"schema":"neap.trace",...}
//   ...
//   {"event":"end","heaps":2,"records":1234,"lost":0}
//
// A reader of single-heap traces needs to know nothing but the extra key. A file without the last
// line was cut off.
#include "heap_traces.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "neap/gc/trace.h"
#include "neap/runtime/clock.h"

namespace neap::lab {
namespace {

// Never destroyed: a listener of a heap with static storage may still write at exit.
struct Traces {
  std::mutex mutex;  // guards what follows once heaps are attached
  bool text = false;
  std::FILE* json = nullptr;
  std::string path;
  std::string command;
  uint64_t epoch_ns = 0;
  uint64_t heaps = 0;
  uint64_t records = 0;
  uint64_t lost = 0;  // as far as the events say
  bool failed = false;

  void WriteLine(const std::string& line) {
    if (json == nullptr) return;
    failed |= std::fwrite(line.data(), 1, line.size(), json) != line.size();
  }
  // `object` is a JSON object; the heap's number becomes its first key.
  void WriteObject(uint64_t heap, const std::string& object) {
    WriteLine(absl::StrCat("{\"heap\":", heap, ",", object.substr(1), "\n"));
  }
};

Traces& TheTraces() {
  static Traces& traces = *new Traces;
  return traces;
}

}  // namespace

absl::Status StartTraces(const Settings& settings) {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  traces.epoch_ns = MonotonicNanos();
  traces.text = settings.heap.debug.gctrace != 0;
  if (settings.trace_file.empty()) return absl::OkStatus();
  traces.path = settings.trace_file;
  traces.command = settings.command;
  traces.json = std::fopen(traces.path.c_str(), "w");
  if (traces.json != nullptr) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot write '", traces.path, "': ", std::strerror(errno)));
}

void AttachTraces(gc::Heap& heap) {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  if (!traces.text && traces.json == nullptr) return;
  const uint64_t number = ++traces.heaps;
  const gc::JsonTraceInfo info = {.command = traces.command, .epoch_ns = traces.epoch_ns};
  traces.WriteObject(number, gc::JsonTrace::SchemaJson(heap.options(), info));
  heap.AddEventListener([&traces, number, text = gc::TextTrace(stderr, traces.epoch_ns),
                         lost = uint64_t{0}](const Event& event) mutable {
    const std::lock_guard<std::mutex> event_lock(traces.mutex);
    if (traces.text) text.OnEvent(event);
    if (traces.json == nullptr) return;
    ++traces.records;
    traces.WriteObject(number, gc::JsonTrace::EventJson(event));
    const uint64_t now_lost = std::max(lost, gc::LostEventsIn(event));
    traces.lost += now_lost - lost;
    lost = now_lost;
  });
}

absl::Status FinishTraces() {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  if (traces.json == nullptr) return absl::OkStatus();
  traces.WriteLine(absl::StrCat("{\"event\":\"end\",\"heaps\":", traces.heaps,
                                ",\"records\":", traces.records, ",\"lost\":", traces.lost, "}\n"));
  traces.failed |= std::fclose(traces.json) != 0;
  traces.json = nullptr;
  if (!traces.failed) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("'", traces.path, "' could not be written to the end"));
}

}  // namespace neap::lab
