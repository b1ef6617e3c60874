// SPDX-License-Identifier: MIT
#include "neap/gc/flight_recorder.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/event.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/log.h"

namespace neap::gc {
namespace {

constexpr bool IsCollection(uint16_t kind) {
  return kind == static_cast<uint16_t>(EventKind::kMinor) ||
         kind == static_cast<uint16_t>(EventKind::kMajor);
}

// When the stop was asked for; 0 for events that are no stop.
uint64_t StartOf(uint16_t kind, std::span<const uint64_t> words) {
  static_assert(offsetof(MinorEvent, start_ns) == offsetof(MajorEvent, start_ns));
  constexpr size_t kWord = offsetof(MinorEvent, start_ns) / sizeof(uint64_t);
  return IsCollection(kind) && words.size() > kWord ? words[kWord] : 0;
}

// How long the event held the program up; 0 for events that are no pause.
uint64_t PauseOf(const Event& event) {
  static_assert(offsetof(MinorEvent, pause_ns) == offsetof(MajorEvent, pause_ns));
  constexpr size_t kWord = offsetof(MinorEvent, pause_ns) / sizeof(uint64_t);
  return IsCollection(event.kind) && event.payload.size() > kWord ? event.payload[kWord] : 0;
}

}  // namespace

FlightRecorder::FlightRecorder(const Options& heap_options, FlightRecorderOptions options,
                               JsonTraceInfo info)
    : heap_options_(heap_options), options_(std::move(options)), info_(std::move(info)) {}

uint64_t FlightRecorder::events() const {
  std::lock_guard lock(mutex_);
  return kept_.size();
}

uint32_t FlightRecorder::files_written() const {
  std::lock_guard lock(mutex_);
  return files_;
}

void FlightRecorder::ForgetOld(uint64_t now_ns) {
  const uint64_t oldest_ns = now_ns > options_.keep_ns ? now_ns - options_.keep_ns : 0;
  while (!kept_.empty() && (kept_.front().seen_ns < oldest_ns || bytes_ > options_.most_bytes)) {
    bytes_ -= kept_.front().bytes();
    kept_.pop_front();
  }
}

void FlightRecorder::OnEvent(const Event& event) {
  std::lock_guard lock(mutex_);
  const uint64_t now_ns = MonotonicNanos();
  kept_.push_back({.seen_ns = now_ns,
                   .kind = event.kind,
                   .proc = event.proc,
                   .time = event.time,
                   .words = {event.payload.begin(), event.payload.end()}});
  bytes_ += kept_.back().bytes();
  lost_ = std::max(lost_, LostEventsIn(event));
  ForgetOld(now_ns);
  const uint64_t pause_ns = PauseOf(event);
  if (options_.pause_ns == 0 || pause_ns <= options_.pause_ns) return;
  const bool too_soon = last_pause_ns_ != 0 && now_ns - last_pause_ns_ < options_.keep_ns;
  if (too_soon || tried_ >= options_.most_files) return;
  last_pause_ns_ = now_ns;
  ++tried_;
  const absl::StatusOr<std::string> path =
      WriteLocked(absl::StrFormat("a pause of %.3f ms", static_cast<double>(pause_ns) / 1e6));
  if (!path.ok()) Log(LogLevel::kError, std::string(path.status().message()));
}

std::string FlightRecorder::NextPath() const {
  if (files_ == 0) return options_.path;
  const size_t slash = options_.path.rfind('/');
  const size_t dot = options_.path.rfind('.');
  const bool has_extension =
      dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
  const size_t end = has_extension ? dot : options_.path.size();
  return absl::StrCat(options_.path.substr(0, end), ".", files_ + 1, options_.path.substr(end));
}

absl::StatusOr<std::string> FlightRecorder::Write(const std::string& reason) {
  std::lock_guard lock(mutex_);
  ForgetOld(MonotonicNanos());
  return WriteLocked(reason);
}

absl::StatusOr<std::string> FlightRecorder::WriteLocked(const std::string& reason) {
  const std::string path = NextPath();
  JsonTraceInfo info = info_;
  info.note = reason;
  // Second 0 is the beginning of the file: readers take rates over what it covers.
  if (!kept_.empty()) info.epoch_ns = kept_.front().seen_ns;
  for (const Kept& event : kept_) {
    const uint64_t start_ns = StartOf(event.kind, event.words);
    if (start_ns != 0) info.epoch_ns = std::min(info.epoch_ns, start_ns);
  }
  absl::StatusOr<std::unique_ptr<JsonTrace>> trace = JsonTrace::Open(path, heap_options_, info);
  if (!trace.ok()) return trace.status();
  for (const Kept& event : kept_) {
    (*trace)->OnEvent({event.kind, event.proc, event.time, event.words});
  }
  const absl::Status status = (*trace)->Close(lost_);
  if (!status.ok()) return status;
  ++files_;
  return path;
}

}  // namespace neap::gc
