// SPDX-License-Identifier: MIT
#include "trace_builder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "trace_file.h"

namespace neap::testing {

TraceBuilder::TraceBuilder(const gc::Options& options, const std::string& command,
                           const std::string& allocation_profile) {
  gc::JsonTraceInfo info;
  info.command = command;
  info.epoch_ns = kEpochNs;
  info.allocation_profile = allocation_profile;
  Line(gc::JsonTrace::SchemaJson(options, info));
}

template <typename Fields>
void TraceBuilder::Write(gc::EventKind kind, const Fields& fields) {
  const uint64_t* words = reinterpret_cast<const uint64_t*>(&fields);
  Line(gc::JsonTrace::EventJson({.kind = static_cast<uint16_t>(kind),
                                 .proc = 0,
                                 .time = time_ns_,
                                 .payload = {words, sizeof(Fields) / sizeof(uint64_t)}}));
}

void TraceBuilder::Minor(uint64_t start_us, uint64_t pause_us,
                         const std::function<void(gc::MinorEvent&)>& fill) {
  gc::MinorEvent event;
  event.number = ++minors_;
  event.start_ns = kEpochNs + start_us * 1000;
  event.pause_ns = event.cpu_ns = pause_us * 1000;
  event.tenure = 2;
  event.workers = 1;
  if (fill) fill(event);
  time_ns_ = event.start_ns + event.pause_ns;
  Write(gc::EventKind::kMinor, event);
}

void TraceBuilder::Major(uint64_t start_us, uint64_t pause_us,
                         const std::function<void(gc::MajorEvent&)>& fill) {
  gc::MajorEvent event;
  event.number = ++majors_;
  event.cause = static_cast<uint64_t>(gc::Cause::kPacer);
  event.start_ns = kEpochNs + start_us * 1000;
  event.pause_ns = event.cpu_ns = pause_us * 1000;
  event.gogc = 100;
  event.memory_limit_bytes = UINT64_MAX;
  event.procs = 1;
  if (fill) fill(event);
  time_ns_ = event.start_ns + event.pause_ns;
  Write(gc::EventKind::kMajor, event);
}

void TraceBuilder::Pool(const char* name, const gc::PoolEvent& event) {
  gc::PoolEvent named = event;
  named.name = reinterpret_cast<uint64_t>(name);
  Write(gc::EventKind::kPool, named);
}

void TraceBuilder::Hook(const char* name, uint64_t duration_us, bool slow) {
  Write(gc::EventKind::kHook, gc::HookEvent{.cycle = majors_ + 1,
                                            .name = reinterpret_cast<uint64_t>(name),
                                            .duration_ns = duration_us * 1000,
                                            .slow = slow});
}

void TraceBuilder::Limit(uint64_t what) {
  Write(gc::EventKind::kLimit, gc::LimitEvent{.what = what});
}

void TraceBuilder::Profile(uint64_t types, uint64_t sites, uint64_t sample_bytes, uint64_t bytes) {
  Line(gc::ProfileJson({.version = gc::kProfileEventVersion,
                        .sample_bytes = sample_bytes,
                        .samples = 4711,
                        .bytes = bytes,
                        .types = types,
                        .sites = sites}));
}

void TraceBuilder::ProfileType(const char* type, uint64_t objects, uint64_t bytes,
                               const std::function<void(gc::ProfileTypeEvent&)>& fill) {
  gc::ProfileTypeEvent event;
  event.rows = 1;
  event.objects = event.met_objects = event.settled_objects = objects;
  event.bytes = bytes;
  if (fill) fill(event);
  Line(gc::ProfileTypeJson(event, type));
}

void TraceBuilder::ProfileSite(const char* type, const char* function, const char* file,
                               uint64_t line,
                               const std::function<void(gc::ProfileSiteEvent&)>& fill) {
  gc::ProfileSiteEvent event;
  event.line = line;
  event.rows = 1;
  event.objects = event.met_objects = event.settled_objects = 1000;
  event.bytes = 48'000;
  if (fill) fill(event);
  Line(gc::ProfileSiteJson(event, type, function, file));
}

void TraceBuilder::End(uint64_t at_us, uint64_t lost) {
  Line(absl::StrCat("{\"event\":\"end\",\"records\":0,\"lost\":", lost,
                    ",\"end_ns\":", kEpochNs + at_us * 1000, "}"));
}

trace::Run TraceBuilder::Read() const { return ReadText(text_); }

std::string ReadError(const std::string& text) {
  trace::TraceReader reader("t.jsonl");
  absl::Status status = reader.Feed(text);
  if (status.ok()) status = reader.Finish();
  return std::string(status.message());
}

trace::Run ReadText(const std::string& text) {
  trace::TraceReader reader("t.jsonl");
  absl::Status status = reader.Feed(text);
  if (status.ok()) status = reader.Finish();
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  return reader.TakeRun();
}

namespace {

// Something between 0 and 1 that looks random and depends on `n` only.
double Noise(uint64_t n) {
  uint64_t bits = (n + 1) * 0x9E3779B97F4A7C15u;
  bits ^= bits >> 29;
  bits *= 0xBF58476D1CE4E5B9u;
  return static_cast<double>(bits >> 40) / (1 << 24);
}

void AddMinor(TraceBuilder* trace, uint64_t i, uint64_t start_us) {
  const uint64_t pause_us = static_cast<uint64_t>(100 + 1500 * std::pow(Noise(i), 4));
  trace->Minor(start_us, pause_us, [i, pause_us](gc::MinorEvent& e) {
    e.time_to_safepoint_ns = static_cast<uint64_t>(2000 * Noise(i + 7));
    e.roots_ns = pause_us * 300;
    e.copy_ns = pause_us * 600;
    e.finish_ns = pause_us * 90;
    e.eden_bytes = e.eden_limit_bytes = 1 << 20;
    e.copied_bytes = static_cast<uint64_t>(1e5 * Noise(i + 1));
    e.promoted_bytes = static_cast<uint64_t>(5e4 * Noise(i + 2));
    e.survived_age1_bytes = e.copied_bytes;
    e.survived_age2_bytes = e.promoted_bytes;
    e.remembered_objects = static_cast<uint64_t>(300 * Noise(i + 3));
  });
}

void AddMajor(TraceBuilder* trace, uint64_t i, uint64_t start_us, bool is_worst) {
  const double live = 24e6 + 8e6 * std::sin(static_cast<double>(i) / 5e3);
  for (uint64_t pool = 1; pool <= 2; ++pool) {
    const uint64_t gets = pool == 1 || i % 30 == 0 ? 1000 : 0;
    const uint64_t misses = pool == 1 ? static_cast<uint64_t>(50 * Noise(i + 4)) : gets;
    trace->Pool(pool == 1 ? "buffers" : "particles", {.cycle = i / 10,
                                                      .pool = pool,
                                                      .gets = gets,
                                                      .private_hits = gets - misses,
                                                      .misses = misses,
                                                      .puts = gets,
                                                      .demoted = 400,
                                                      .evicted = pool == 1 ? 10u : gets,
                                                      .bytes_held = 64000});
  }
  const uint64_t pause_us = is_worst ? 80'000 : static_cast<uint64_t>(1500 + 2500 * Noise(i + 5));
  trace->Major(start_us, pause_us, [&](gc::MajorEvent& e) {
    e.marked_bytes = static_cast<uint64_t>(live);
    e.heap_before_bytes = static_cast<uint64_t>(live * 1.9);
    e.goal_bytes = e.trigger_bytes = static_cast<uint64_t>(live * 2);
    e.next_goal_bytes = e.next_trigger_bytes = e.goal_bytes;
    e.counter_bytes = static_cast<uint64_t>(live);
    e.mark_ns = pause_us * 900;
    e.minor_ns = pause_us * 80;
    e.mapped_bytes = 90 << 20;
  });
}

}  // namespace

std::string HourTrace(uint64_t collections) {
  TraceBuilder trace({}, "neap run server.lua", "all");
  constexpr uint64_t kHourUs = 3600ull * 1'000'000;
  const uint64_t step_us = kHourUs / (collections + 1);
  for (uint64_t i = 1; i <= collections; ++i) {
    const uint64_t start_us =
        i * step_us + static_cast<uint64_t>(static_cast<double>(step_us) * Noise(i) / 4);
    if (i % 10 == 0) {
      AddMajor(&trace, i, start_us, i == collections / 20 * 10);
    } else {
      AddMinor(&trace, i, start_us);
    }
  }
  trace.Profile(2, 2);
  trace.ProfileType("table", 90'000, 4'320'000, [](gc::ProfileTypeEvent& e) {
    e.survived_objects = 9000;
    e.promoted_objects = 3000;
    e.dead_objects = 87'000;
    e.life_p50_bytes = e.life_p90_bytes = 64 << 10;
    e.life_p99_bytes = UINT64_MAX;
  });
  trace.ProfileType("string", 1000, 64'000);
  trace.ProfileSite("table", "handle", "server.lua", 42, [](gc::ProfileSiteEvent& e) {
    e.objects = e.met_objects = 90'000;
    e.bytes = 4'320'000;
    e.survived_objects = 9000;
  });
  trace.ProfileSite("string", "<b>", "server.lua", 7);
  trace.End(kHourUs);
  return trace.text();
}

}  // namespace neap::testing
