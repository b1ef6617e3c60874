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
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "neap/gc/flight_recorder.h"
#include "neap/gc/trace.h"
#include "neap/runtime/clock.h"

namespace neap::lab {
namespace {

// For readers that follow the file (gc/trace_json.cc does the same).
constexpr uint64_t kFlushNs = 100'000'000;

// SIGUSR1 asks for the flight recorder's file.
std::atomic<bool> flight_is_wanted = false;
void OnFlightSignal(int) { flight_is_wanted.store(true, std::memory_order_relaxed); }

// Never destroyed: a listener of a heap with static storage may still write at exit.
struct Traces {
  std::mutex mutex;  // guards what follows once heaps are attached
  bool text = false;
  std::FILE* json = nullptr;
  std::string path;
  gc::JsonTraceInfo info;  // of every heap's schema line
  gc::FlightRecorderOptions flight;
  std::weak_ptr<gc::FlightRecorder> recorder;  // of the heap that holds it now
  uint64_t recorders = 0;
  uint64_t flushed_ns = 0;
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
    const uint64_t now_ns = MonotonicNanos();
    if (json == nullptr || now_ns - flushed_ns < kFlushNs) return;
    flushed_ns = now_ns;
    failed |= std::fflush(json) != 0;
  }
};

Traces& TheTraces() {
  static Traces& traces = *new Traces;
  return traces;
}

// A later heap's files do not overwrite those of an earlier one: flight.jsonl, flight.heap2.jsonl.
std::string FlightPath(const std::string& path, uint64_t recorder) {
  if (recorder == 1) return path;
  std::filesystem::path file = path;
  const std::string extension = file.extension().string();
  return file.replace_extension(absl::StrCat(".heap", recorder, extension)).string();
}

void AttachFlightRecorder(Traces& traces, gc::Heap& heap) {
  if (traces.flight.path.empty() || traces.recorder.lock() != nullptr) return;
  gc::FlightRecorderOptions options = traces.flight;
  options.path = FlightPath(options.path, ++traces.recorders);
  gc::JsonTraceInfo info = traces.info;
  if (info.allocation_profile != "off") info.allocation_profile.clear();  // not in these files
  auto made = std::make_shared<gc::FlightRecorder>(heap.options(), options, std::move(info));
  traces.recorder = made;
  heap.AddEventListener([recorder = std::move(made)](const Event& event) {
    recorder->OnEvent(event);
    if (!flight_is_wanted.exchange(false, std::memory_order_relaxed)) return;
    const absl::StatusOr<std::string> path = recorder->Write("SIGUSR1");
    std::fprintf(stderr, "neap: flight recorder: %s\n",
                 path.ok() ? path->c_str() : std::string(path.status().message()).c_str());
  });
}

}  // namespace

absl::Status StartTraces(const Settings& settings) {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  traces.info = {.command = settings.command,
                 .epoch_ns = MonotonicNanos(),
                 .arguments = settings.arguments,
                 .environment = gc::TraceEnvironment(),
                 .program_seed = settings.seed,
                 .allocation_profile = settings.allocation_profile};
  traces.flight = settings.flight;
  if (!traces.flight.path.empty()) std::signal(SIGUSR1, OnFlightSignal);
  traces.text = settings.heap.debug.gctrace != 0;
  if (settings.trace_file.empty()) return absl::OkStatus();
  traces.path = settings.trace_file;
  traces.json = std::fopen(traces.path.c_str(), "w");
  if (traces.json != nullptr) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot write '", traces.path, "': ", std::strerror(errno)));
}

uint64_t AttachTraces(gc::Heap& heap) {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  AttachFlightRecorder(traces, heap);
  if (!traces.text && traces.json == nullptr) return 0;
  const uint64_t number = ++traces.heaps;
  traces.WriteObject(number, gc::JsonTrace::SchemaJson(heap.options(), traces.info));
  heap.AddEventListener([&traces, number, text = gc::TextTrace(stderr, traces.info.epoch_ns),
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
  return traces.json == nullptr ? 0 : number;
}

void WriteRecords(uint64_t heap, const std::vector<std::string>& records) {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  if (heap == 0 || traces.json == nullptr) return;
  traces.records += records.size();
  for (const std::string& record : records) traces.WriteObject(heap, record);
}

absl::Status FinishTraces() {
  Traces& traces = TheTraces();
  const std::lock_guard<std::mutex> lock(traces.mutex);
  if (traces.json == nullptr) return absl::OkStatus();
  traces.WriteLine(absl::StrCat("{\"event\":\"end\",\"heaps\":", traces.heaps,
                                ",\"records\":", traces.records, ",\"lost\":", traces.lost,
                                ",\"end_ns\":", MonotonicNanos(), "}\n"));
  traces.failed |= std::fclose(traces.json) != 0;
  traces.json = nullptr;
  if (!traces.failed) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("'", traces.path, "' could not be written to the end"));
}

}  // namespace neap::lab
