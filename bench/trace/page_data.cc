// SPDX-License-Identifier: MIT
#include "page_data.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/trace.h"

namespace neap::trace {
namespace {

constexpr size_t kMostPools = 6;  // as many colours as can be told apart beside each other

#define NEAP_NAME(name) #name,
constexpr const char* kMinorNames[] = {NEAP_MINOR_EVENT_FIELDS(NEAP_NAME)};
constexpr const char* kMajorNames[] = {NEAP_MAJOR_EVENT_FIELDS(NEAP_NAME)};
#undef NEAP_NAME

std::string ScriptString(const std::string& text) {
  std::string json, out;
  gc::AppendJsonString(json, text);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// Indices of at most `most` events: of each stretch of equal length the one with the longest pause.
template <typename Event>
std::vector<size_t> Thin(const std::vector<Event>& events, size_t most) {
  std::vector<size_t> kept;
  const size_t stretches = std::min(events.size(), std::max<size_t>(most, 1));
  for (size_t i = 0; i < stretches; ++i) {
    const size_t begin = i * events.size() / stretches, end = (i + 1) * events.size() / stretches;
    size_t longest = begin;
    for (size_t at = begin; at < end; ++at) {
      if (events[at].pause_ns > events[longest].pause_ns) longest = at;
    }
    kept.push_back(longest);
  }
  return kept;
}

template <typename Event>
const uint64_t* WordsOf(const Event& event) {
  return reinterpret_cast<const uint64_t*>(&event);
}

class ColumnWriter {
 public:
  ColumnWriter(const Run& run, std::string* out) : run_(run), out_(*out) {}

  template <typename Event, size_t kFields>
  void WriteSet(const char* key, const char* const (&names)[kFields],
                const std::vector<Event>& events, size_t most) {
    const std::vector<size_t> rows = Thin(events, most);
    absl::StrAppend(&out_, "\"", key, "\":{\"all\":", events.size(), ",\"rows\":", rows.size(),
                    ",\"columns\":{");
    for (size_t field = 0; field < kFields; ++field) {
      absl::StrAppend(&out_, field == 0 ? "\"" : ",\"", names[field], "\":");
      WriteColumn(names[field], field, events, rows);
    }
    out_ += "}}";
  }

 private:
  template <typename Event>
  void WriteColumn(std::string_view name, size_t field, const std::vector<Event>& events,
                   const std::vector<size_t>& rows) {
    const auto word = [&](size_t row) { return WordsOf(events[row])[field]; };
    const bool is_time = name == "start_ns";
    const bool is_constant = !is_time && std::all_of(rows.begin(), rows.end(), [&](size_t row) {
      return word(row) == word(rows[0]);
    });
    const bool is_text = name == "cause" || name == "next_clamp";
    if (!is_constant) out_ += '[';
    for (size_t i = 0; i < (is_constant ? std::min<size_t>(rows.size(), 1) : rows.size()); ++i) {
      if (i != 0) out_ += ',';
      const Event& event = events[rows[i]];
      WriteValue(is_time ? SinceStart(event) : word(rows[i]), is_text);
    }
    if (rows.empty()) out_ += is_constant ? "0" : "";
    if (!is_constant) out_ += ']';
  }

  // A minor collection inside a major cycle has no start of its own: its event's time.
  template <typename Event>
  uint64_t SinceStart(const Event& event) const {
    const uint64_t at_ns = event.start_ns != 0 ? event.start_ns : event.time;
    const uint64_t epoch_ns = run_.heaps[event.heap].epoch_ns;
    return at_ns > epoch_ns ? at_ns - epoch_ns : 0;
  }

  void WriteValue(uint64_t word, bool is_text) {
    if (is_text) {
      out_ += ScriptString(run_.Text(word));
    } else if (word == UINT64_MAX) {
      out_ += "null";
    } else {
      absl::StrAppend(&out_, word);
    }
  }

  const Run& run_;
  std::string& out_;
};

// --- Pools ---------------------------------------------------------------------------------------

struct PoolLine {
  std::string name;
  uint64_t gets = 0;
  std::vector<const PoolCycle*> cycles;
};

std::vector<PoolLine> BusiestPools(const Run& run) {
  std::map<std::pair<uint32_t, uint64_t>, PoolLine> pools;
  for (const PoolCycle& cycle : run.pools) {
    PoolLine& pool = pools[{cycle.heap, cycle.pool}];
    pool.name = absl::StrCat(run.Text(cycle.name), " #", cycle.pool);
    pool.gets += cycle.gets;
    pool.cycles.push_back(&cycle);
  }
  std::vector<PoolLine> lines;
  for (auto& [key, pool] : pools) lines.push_back(std::move(pool));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const PoolLine& a, const PoolLine& b) { return a.gets > b.gets; });
  if (lines.size() > kMostPools) lines.resize(kMostPools);
  return lines;
}

template <typename Value>
void WriteList(std::string* out, const char* key, const PoolLine& pool, size_t most, Value value) {
  absl::StrAppend(out, ",\"", key, "\":[");
  const size_t step = pool.cycles.size() / std::max<size_t>(most, 1) + 1;
  for (size_t i = 0; i < pool.cycles.size(); i += step) {
    absl::StrAppend(out, i == 0 ? "" : ",", value(*pool.cycles[i]));
  }
  *out += ']';
}

void WritePools(const Run& run, size_t most, std::string* out) {
  // A pool's event is written in its major cycle, whose start is on the clock of the page.
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> starts;
  for (const Major& major : run.majors) starts[{major.heap, major.number}] = major.start_ns;
  *out += ",\"pools\":[";
  bool is_first = true;
  for (const PoolLine& pool : BusiestPools(run)) {
    absl::StrAppend(out, is_first ? "" : ",", "{\"name\":", ScriptString(pool.name));
    is_first = false;
    WriteList(out, "t", pool, most, [&](const PoolCycle& cycle) {
      const auto start = starts.find({cycle.heap, cycle.cycle});
      const double s =
          start == starts.end() ? 0 : std::max(0.0, run.Seconds(cycle.heap, start->second));
      return absl::StrFormat("%.6f", s);
    });
    WriteList(out, "gets", pool, most, [](const PoolCycle& cycle) { return cycle.gets; });
    WriteList(out, "misses", pool, most, [](const PoolCycle& cycle) { return cycle.misses; });
    WriteList(out, "evicted", pool, most, [](const PoolCycle& cycle) { return cycle.evicted; });
    *out += '}';
  }
  *out += ']';
}

}  // namespace

std::string PageData(const Run& run, size_t most_collections) {
  std::string out = absl::StrFormat("{\"source\":\"%s\",\"seconds\":%.6f,",
                                    run.source == Source::kGo ? "go" : "neap",
                                    static_cast<double>(run.duration_ns()) / 1e9);
  ColumnWriter columns(run, &out);
  columns.WriteSet("minor", kMinorNames, run.minors, most_collections);
  out += ',';
  columns.WriteSet("major", kMajorNames, run.majors, most_collections);
  WritePools(run, most_collections, &out);
  return out + "}";
}

}  // namespace neap::trace
