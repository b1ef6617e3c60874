// SPDX-License-Identifier: MIT
//
// A trace of the last seconds only: a program that runs for weeks keeps its recent events in memory
// and writes them when something went wrong, or when it is asked to.
//
//   auto recorder = std::make_unique<gc::FlightRecorder>(
//       heap.options(), gc::FlightRecorderOptions{.path = "flight.jsonl", .pause_ns = 20'000'000});
//   int id = heap.AddEventListener([&](const Event& event) { recorder->OnEvent(event); });
//   ... a pause of more than 20 ms writes flight.jsonl, the next one flight.2.jsonl ...
//   absl::StatusOr<std::string> path = recorder->Write("the player complained");
//   heap.RemoveEventListener(id);                  // before the recorder goes
//
// The files are ordinary traces (gc/trace_json.cc): a schema line whose "note" says why the file
// was written, the events, an end line.
//
// Cost: a copy of each event, some 300 bytes; formatting happens only for a file, on the thread
// that drained the event or asked, outside pauses. After a file for a pause the next such file
// waits until keep_ns have passed, so that a bad minute does not fill the disk.
//
// Thread safety: OnEvent as the heap calls listeners (one at a time); Write from any thread.
#ifndef NEAP_GC_FLIGHT_RECORDER_H_
#define NEAP_GC_FLIGHT_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "neap/gc/options.h"
#include "neap/gc/trace.h"
#include "neap/runtime/event_ring.h"

namespace neap::gc {

struct FlightRecorderOptions {
  std::string path;  // of the first file; later ones have their number before the extension
  uint64_t keep_ns = 30'000'000'000;  // events older than this are forgotten
  uint64_t pause_ns = 0;              // write when a pause is longer; 0: only on request
  size_t most_bytes = 32 << 20;       // of kept events; beyond it the oldest are forgotten sooner
  uint32_t most_files = 20;           // written for pauses; requests always write
};

class FlightRecorder {
 public:
  FlightRecorder(const Options& heap_options, FlightRecorderOptions options,
                 JsonTraceInfo info = {});

  void OnEvent(const Event& event);

  // Writes what is kept; `reason` becomes the file's "note". Returns the path. Errors as of
  // JsonTrace::Open and Close; the events stay.
  absl::StatusOr<std::string> Write(const std::string& reason);

  uint64_t events() const;         // kept now
  uint32_t files_written() const;  // those that failed not counted

 private:
  struct Kept {
    uint64_t seen_ns;  // MonotonicNanos of OnEvent
    uint16_t kind;
    uint16_t proc;
    uint64_t time;
    std::vector<uint64_t> words;
    size_t bytes() const { return sizeof(Kept) + words.size() * sizeof(uint64_t); }
  };
  void ForgetOld(uint64_t now_ns);
  std::string NextPath() const;
  absl::StatusOr<std::string> WriteLocked(const std::string& reason);

  const Options heap_options_;
  const FlightRecorderOptions options_;
  const JsonTraceInfo info_;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<Kept> kept_;     // oldest first
  size_t bytes_ = 0;
  uint64_t lost_ = 0;           // as far as the events say
  uint64_t last_pause_ns_ = 0;  // MonotonicNanos when a pause wrote last
  uint32_t files_ = 0, tried_ = 0;
};

}  // namespace neap::gc

#endif  // NEAP_GC_FLIGHT_RECORDER_H_
