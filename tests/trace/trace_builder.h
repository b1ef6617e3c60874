// SPDX-License-Identifier: MIT
//
// Traces for tests, written by the real writer (gc::JsonTrace's lines): a run of given collections
// at given times. Times are in microseconds from the start of the run.
//
//   TraceBuilder trace;
//   trace.Minor(1000, 200, [](gc::MinorEvent& e) { e.eden_bytes = 1 << 20; });
//   trace.Major(5000, 900);
//   const trace::Run run = trace.Read();
#ifndef NEAP_TESTS_TRACE_TRACE_BUILDER_H_
#define NEAP_TESTS_TRACE_TRACE_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "neap/gc/event.h"
#include "neap/gc/options.h"
#include "neap/gc/profile_event.h"
#include "neap/gc/trace.h"
#include "trace_run.h"

namespace neap::testing {

class TraceBuilder {
 public:
  static constexpr uint64_t kEpochNs = 5'000'000'000;

  // `allocation_profile`: what the schema line says of one.
  explicit TraceBuilder(const gc::Options& options = {}, const std::string& command = "test",
                        const std::string& allocation_profile = "");

  // A collection that stops the program at `start_us` for `pause_us`. `fill` sets other fields.
  void Minor(uint64_t start_us, uint64_t pause_us,
             const std::function<void(gc::MinorEvent&)>& fill = nullptr);
  void Major(uint64_t start_us, uint64_t pause_us,
             const std::function<void(gc::MajorEvent&)>& fill = nullptr);
  void Pool(const char* name, const gc::PoolEvent& event);
  void Hook(const char* name, uint64_t duration_us, bool slow);
  void Limit(uint64_t what);
  // Records of an allocation profile: its head, then rows. `fill` sets other figures.
  void Profile(uint64_t types, uint64_t sites, uint64_t sample_bytes = 0, uint64_t bytes = 0);
  void ProfileType(const char* type, uint64_t objects, uint64_t bytes,
                   const std::function<void(gc::ProfileTypeEvent&)>& fill = nullptr);
  void ProfileSite(const char* type, const char* function, const char* file, uint64_t line,
                   const std::function<void(gc::ProfileSiteEvent&)>& fill = nullptr);
  // Any line.
  void Line(const std::string& line) { text_ += line + "\n"; }
  // The end line; the run ends then.
  void End(uint64_t at_us, uint64_t lost = 0);

  const std::string& text() const { return text_; }
  // Through the reader; fails the test when it is refused.
  trace::Run Read() const;

 private:
  template <typename Fields>
  void Write(gc::EventKind kind, const Fields& fields);

  std::string text_;
  uint64_t time_ns_ = kEpochNs;
  uint64_t minors_ = 0, majors_ = 0;
};

// The error of reading `text` as the file "t.jsonl"; "" when there is none.
std::string ReadError(const std::string& text);
trace::Run ReadText(const std::string& text);

// A program of an hour: `collections` collections in it, one in ten a major cycle, with two pools,
// pauses of 0.1 to 4 ms and one of 80 ms. The same text for the same number.
std::string HourTrace(uint64_t collections);

}  // namespace neap::testing

#endif  // NEAP_TESTS_TRACE_TRACE_BUILDER_H_
