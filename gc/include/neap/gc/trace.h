// SPDX-License-Identifier: MIT
//
// The two listeners that turn the heap's events into lines: TextTrace for people (and for scripts
// that know Go's gctrace), JsonTrace for programs.
//
//   auto trace = gc::JsonTrace::Open("run.jsonl", heap.options(), {.command = "neap lab G1"});
//   if (!trace.ok()) ...                               // names the path
//   int id = heap.AddEventListener([&](const Event& event) { (*trace)->OnEvent(event); });
//   ... run ...
//   heap.DrainEvents();
//   heap.RemoveEventListener(id);
//   absl::Status written = (*trace)->Close();          // says whether everything reached the file
//
// To keep only the last seconds and write them when needed: neap/gc/flight_recorder.h.
//
// Thread safety: none of their own. The heap calls listeners one at a time, outside pauses; Close
// and the destructor come after the listener was removed.
//
// The formats are documented where they are written: gc/trace_text.cc and gc/trace_json.cc. The
// text format may grow at the end of a line; the JSON format is versioned (kJsonTraceVersion).
#ifndef NEAP_GC_TRACE_H_
#define NEAP_GC_TRACE_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "neap/gc/event.h"
#include "neap/gc/options.h"
#include "neap/runtime/event_ring.h"

namespace neap::gc {

// Counts up when a reader of the old format would misread the new one. New fields at the end of a
// record do not count: the schema line lists the fields of each event.
inline constexpr int kJsonTraceVersion = 1;

class TextTrace {
 public:
  // Writes to `out`, which stays the caller's. `epoch_ns` (MonotonicNanos) is the second 0 of the
  // lines: the start of the heap or of the program.
  TextTrace(std::FILE* out, uint64_t epoch_ns);
  void OnEvent(const Event& event);

  // The line for one event, with its line feed; empty for an event that has no line (a fast hook, a
  // recorded Get or Put).
  static std::string Line(const Event& event, uint64_t epoch_ns);

 private:
  std::FILE* const out_;
  const uint64_t epoch_ns_;
  uint64_t lost_ = 0;  // lost events reported so far
};

// What the schema line says beside options and machine.
struct JsonTraceInfo {
  std::string command;    // the command line or program, for people
  uint64_t epoch_ns = 0;  // MonotonicNanos of second 0; start_ns fields count on the same clock
  // What is needed to run it again; not written when empty.
  std::vector<std::string> arguments;                            // argv, word by word
  std::vector<std::pair<std::string, std::string>> environment;  // variables that matter
  std::optional<uint64_t> program_seed;  // of the program's own random numbers
  std::string note;                      // why there is a trace
  // Scripts: "off", "all" or "sampled": what neap/gc/profile_event.h says is to follow.
  std::string allocation_profile;
};

// The environment variables of this process that neap and its Lua read: NEAP_*, LUA_*. By name.
std::vector<std::pair<std::string, std::string>> TraceEnvironment();

class JsonTrace {
 public:
  // Creates (or truncates) the file and writes the schema line. PermissionDenied: the file may not
  // be written. InvalidArgument: no such directory, a directory, an empty path. ResourceExhausted:
  // no room or no descriptor. Each names the path.
  static absl::StatusOr<std::unique_ptr<JsonTrace>> Open(const std::string& path,
                                                         const Options& options,
                                                         const JsonTraceInfo& info = {});
  // Closes; a write error that Close would have returned goes to the log.
  ~JsonTrace();
  JsonTrace(const JsonTrace&) = delete;
  JsonTrace& operator=(const JsonTrace&) = delete;

  // What was written reaches the file when an event comes a tenth of a second after the last
  // flush, so that a reader may follow (`neap trace --follow`).
  void OnEvent(const Event& event);

  // Writes the end line (records written, events lost as far as known; `lost_events` is the heap's
  // count at the end, Stats::lost_events) and closes the file. DataLoss names the path when any
  // write failed. Once only; later calls return Ok.
  absl::Status Close(uint64_t lost_events = 0);

  uint64_t records() const { return records_; }
  const std::string& path() const { return path_; }

  // One event as a JSON object, without a line feed.
  static std::string EventJson(const Event& event);
  // The schema object, without a line feed.
  static std::string SchemaJson(const Options& options, const JsonTraceInfo& info);

 private:
  JsonTrace(std::string path, std::FILE* file);
  void WriteLine(std::string line);
  void NoteLost(uint64_t lost);

  const std::string path_;
  std::FILE* file_;       // null once closed
  uint64_t records_ = 0;  // events written, the schema and end lines not counted
  uint64_t lost_ = 0;     // highest count of lost events seen
  uint64_t flushed_ns_ = 0;
  bool failed_ = false;  // some write failed
};

// The count of lost events that a collection's record carries; 0 for the other kinds.
uint64_t LostEventsIn(const Event& event);

// LimitEvent::what in words.
const char* LimitWhatName(uint64_t what);

// Appends `text` to `out` as a JSON string with its quotes. Text that is not UTF-8 keeps its valid
// parts; other bytes become U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace neap::gc

#endif  // NEAP_GC_TRACE_H_
