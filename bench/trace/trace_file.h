// SPDX-License-Identifier: MIT
//
// Reads traces: JSON lines of neap (gc/trace_json.cc; one heap or, from the lab, many), and the
// lines that a Go program prints with GODEBUG=gctrace=1, among whatever else it prints.
//
//   absl::StatusOr<trace::Run> run = trace::ReadTraceFile("run.jsonl");
//   if (!run.ok()) ...                      // "run.jsonl:17: ...": file, line, what was found
//   if (run->cut_line != 0) ...             // the file ends in the middle of that line
//
// A file that grows is fed piece by piece:
//
//   trace::TraceReader reader("run.jsonl");
//   reader.Feed(bytes);                     // any number of times, any pieces
//   reader.run();                           // what is known by now
//
// Forgiven: a last line without its line feed that does not parse (the program died, or writes
// still), fields and events that this build does not know, fields that are missing. Refused: a file
// of something else, another version, a line in the middle that is no record, a number where a name
// should be. Not for a trace that is still compressed.
//
// Thread safety: none.
#ifndef NEAP_BENCH_TRACE_TRACE_FILE_H_
#define NEAP_BENCH_TRACE_TRACE_FILE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "json_line.h"
#include "trace_run.h"

namespace neap::trace {

class TraceReader {
 public:
  // `path` is for messages.
  explicit TraceReader(std::string path) {
    run_.path = std::move(path);
    (void)Intern("");  // what a text field that is missing says
  }

  // InvalidArgument: "PATH:LINE: what was found". The reader is not to be fed again then.
  absl::Status Feed(std::string_view bytes);
  // The rest of the file is there: reads what stands after the last line feed. InvalidArgument also
  // for a file without any record.
  absl::Status Finish();

  const Run& run() const { return run_; }
  Run TakeRun() { return std::move(run_); }

 private:
  absl::Status TakeLine(std::string& line);
  absl::Status TakeJsonLine(std::string& line);
  void TakeGctrace(const struct GctraceLine& go);
  absl::Status TakeSchema();
  absl::Status TakeEvent(std::string_view event);
  absl::Status TakeProfile(std::string_view event);
  absl::Status TakeEnd();
  absl::Status HeapOf(uint32_t* index) const;
  template <typename Fields, size_t kSlots>
  absl::Status TakeFields(const struct FieldSlot (&slots)[kSlots],
                          std::vector<Recorded<Fields>>* events);
  absl::Status Refuse(const std::string& problem) const;
  uint64_t Intern(std::string_view name);
  void NotePause(uint64_t start_ns, uint64_t duration_ns);
  void NoteLost(uint32_t heap, uint64_t lost);

  Run run_;
  std::string pending_;        // after the last line feed
  std::string beginning_;      // of the line that is taken, for messages
  uint64_t line_ = 0;          // number of the line that was taken last
  bool is_json_ = false;       // decided by the first line that is not empty
  bool is_decided_ = false;    //
  uint64_t go_offset_ns_ = 0;  // of the present Go program
  bool knows_profile_ = true;  // its version
  uint64_t lost_lines_ = 0;    // sum of "lost" lines of single-heap traces
  JsonLine json_;
  std::map<std::string, uint64_t, std::less<>> name_index_;
  std::map<uint64_t, uint32_t> heap_index_;  // number in the file -> index
  std::vector<uint64_t> lost_by_heap_;
};

// NotFound, PermissionDenied, ...: the file cannot be read. "-" is standard input.
absl::StatusOr<Run> ReadTraceFile(const std::string& path);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_FILE_H_
