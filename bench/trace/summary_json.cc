// SPDX-License-Identifier: MIT
//
// The JSON of summary_text.h.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "neap/gc/trace.h"
#include "profile_tables.h"
#include "summary_text.h"
#include "trace_problems.h"
#include "trace_summary.h"

namespace neap::trace {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

// Valid UTF-8 whatever `text` is: names and paths come from outside.
void String(Writer& out, std::string_view text) {
  std::string json;
  gc::AppendJsonString(json, text);
  out.RawValue(json.data(), json.size(), rapidjson::kStringType);
}
void Text(Writer& out, std::string_view key, std::string_view value) {
  String(out, key);
  String(out, value);
}
void Number(Writer& out, std::string_view key, uint64_t value) {
  String(out, key);
  out.Uint64(value);
}
// Whole numbers without a fraction.
void Figure(Writer& out, std::string_view key, double value) {
  String(out, key);
  if (!std::isfinite(value)) {
    out.Null();
  } else if (value == std::floor(value) && value >= 0 && value < 1e18) {
    out.Uint64(static_cast<uint64_t>(value));
  } else {
    out.Double(value);
  }
}

void WriteCauses(Writer& out, const char* key,
                 const std::vector<std::pair<std::string, uint64_t>>& causes) {
  out.Key(key);
  out.StartObject();
  for (const auto& [cause, count] : causes) {
    String(out, cause);
    out.Uint64(count);
  }
  out.EndObject();
}

void WritePools(Writer& out, const Summary& s) {
  out.Key("pools");
  out.StartArray();
  for (const PoolSummary& pool : s.pools) {
    out.StartObject();
    Text(out, "name", pool.name);
    Number(out, "pool", pool.pool);
    Number(out, "cycles", pool.cycles);
    Number(out, "gets", pool.gets);
    Number(out, "private_hits", pool.private_hits);
    Number(out, "shared_hits", pool.shared_hits);
    Number(out, "steals", pool.steals);
    Number(out, "victim_hits", pool.victim_hits);
    Number(out, "misses", pool.misses);
    Number(out, "puts", pool.puts);
    Number(out, "drops", pool.drops);
    Number(out, "evicted", pool.evicted);
    Number(out, "max_bytes_held", pool.most_bytes_held);
    Figure(out, "hit_share", pool.hit_share());
    Figure(out, "gap_cycles", pool.gap_cycles);
    out.EndObject();
  }
  out.EndArray();
}

void WriteProfileRow(Writer& out, const ProfileRow& row, bool is_site) {
  out.StartObject();
  Text(out, "type", row.type);
  if (is_site) {
    Text(out, "function", row.function);
    Text(out, "file", row.file);
    Number(out, "line", row.line);
  }
#define NEAP_NUMBER(name) \
  String(out, #name);     \
  row.name == UINT64_MAX ? out.Null() : out.Uint64(row.name);
  NEAP_PROFILE_ROW_FIELDS(NEAP_NUMBER)
#undef NEAP_NUMBER
  Figure(out, "survived_share", row.survived_share());
  Figure(out, "promoted_share", row.promoted_share());
  Figure(out, "mean_age", row.mean_age());
  out.EndObject();
}

void WriteProfile(Writer& out, const Run& run) {
  const ProfileTables profile = ProfileOf(run);
  out.Key("profile");
  if (profile.is_empty()) {
    out.Null();
    return;
  }
  out.StartObject();
  if (!run.profiles.empty()) {
    const ProfileHead& head = run.profiles.front();
#define NEAP_NUMBER(name) Number(out, #name, head.name);
    NEAP_PROFILE_EVENT_FIELDS(NEAP_NUMBER)
#undef NEAP_NUMBER
  }
  out.Key("complete");
  out.Bool(profile.missing_rows == 0);
  out.Key("by_type");
  out.StartArray();
  for (const ProfileRow& row : profile.types) WriteProfileRow(out, row, false);
  out.EndArray();
  out.Key("by_site");
  out.StartArray();
  for (const ProfileRow& row : profile.sites) WriteProfileRow(out, row, true);
  out.EndArray();
  out.EndObject();
}

void WriteProblems(Writer& out, const Run& run, const Summary& s) {
  out.Key("problems");
  out.StartArray();
  for (const Problem& problem : FindProblems(run, s)) {
    out.StartObject();
    Text(out, "rule", problem.rule);
    Text(out, "what", problem.what);
    Text(out, "remedy", problem.remedy);
    out.EndObject();
  }
  out.EndArray();
}

void WriteRun(Writer& out, const Run& run) {
  const Summary s = Summarize(run);
  out.StartObject();
  Text(out, "file", run.path);
  Text(out, "source", run.source == Source::kGo ? "go" : "neap");
  Text(out, "command", run.heaps.front().command);
  Number(out, "heaps", run.heaps.size());
  Number(out, "events", run.events);
  Number(out, "unknown_events", run.unknown);
  Number(out, "cut_line", run.cut_line);
  out.Key("complete");
  out.Bool(run.has_end && run.cut_line == 0);
  out.Key("facts");
  out.StartObject();
  for (const auto& [path, value] : run.heaps.front().facts) Text(out, path, value);
  out.EndObject();
  out.Key("metrics");
  out.StartObject();
  for (const Metric& metric : MetricsOf(s)) Figure(out, metric.id, metric.value);
  out.EndObject();
  WriteCauses(out, "minor_causes", s.minor_causes);
  WriteCauses(out, "major_causes", s.major_causes);
  out.Key("survived_bytes");
  out.StartArray();
  for (const uint64_t bytes : s.survived_bytes) out.Uint64(bytes);
  out.EndArray();
  WritePools(out, s);
  WriteProfile(out, run);
  WriteProblems(out, run, s);
  out.EndObject();
}

std::string Line(const rapidjson::StringBuffer& buffer) {
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace

std::string SummaryJson(const Run& run) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  WriteRun(out, run);
  return Line(buffer);
}

std::string ComparisonJson(const Run& a, const Run& b) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  out.Key("a");
  WriteRun(out, a);
  out.Key("b");
  WriteRun(out, b);
  out.Key("ratio");
  out.StartObject();
  const std::vector<Metric> of_a = MetricsOf(Summarize(a)), of_b = MetricsOf(Summarize(b));
  for (size_t i = 0; i < of_a.size(); ++i) {
    Figure(out, of_a[i].id, of_a[i].value == 0 ? std::nan("") : of_b[i].value / of_a[i].value);
  }
  out.EndObject();
  out.EndObject();
  return Line(buffer);
}

}  // namespace neap::trace
