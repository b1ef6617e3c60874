// SPDX-License-Identifier: MIT
//
// allocation_profile.h: how a profile is taken, and how its samples become rows.
#include "profile/allocation_profile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "interpreter/state.h"
#include "neap/gc/type.h"
#include "neap/runtime/clock.h"

namespace neap::vm {
namespace {

int64_t UnixNanos() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// The innermost Lua frame; null: there is none.
const CallFrame* PlaceOf(const AllocationProfile& profile, const AllocationSample& sample) {
  for (const CallFrame& frame : sample.stack) {
    if (!profile.functions[frame.function].is_native) return &frame;
  }
  return nullptr;
}

AllocationRow RowFor(const AllocationProfile& profile, const CallFrame* place,
                     const std::string& type) {
  AllocationRow row;
  row.type = type;
  row.function = "(host)";
  if (place == nullptr) return row;
  const SiteFunction& function = profile.functions[place->function];
  row.function = function.name;
  row.file = function.file;
  row.line = place->line;
  return row;
}

template <typename Key>
std::vector<AllocationRow> Sorted(std::map<Key, AllocationRow>& rows_by_key) {
  std::vector<AllocationRow> rows;
  rows.reserve(rows_by_key.size());
  for (auto& [key, row] : rows_by_key) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const AllocationRow& a, const AllocationRow& b) {
    return a.record.allocated.bytes > b.record.allocated.bytes;
  });
  return rows;
}

void AddTo(AllocationRow& row, const AllocationSample& sample) {
  row.record.Add(sample.record);
  row.live.Add(sample.at_end.live());
}

}  // namespace

AllocationWatch::AllocationWatch(State& state, const gc::AllocationProfilerOptions& options)
    : state_(state),
      sites_(state),
      profiler_(state.mutator(), options,
                [this](gc::Mutator& m, gc::TypeId, size_t) {
                  // Other threads of the heap, or VMs of this one, are the host to this VM.
                  return &m == &state_.mutator() ? sites_.Here() : 0;
                }),
      minors_before_(state.heap().minors()),
      majors_before_(state.heap().majors()),
      start_unix_ns_(UnixNanos()),
      start_ns_(MonotonicNanos()) {}

AllocationProfile AllocationWatch::Read() {
  AllocationProfile profile = {
      .sample_bytes = profiler_.options().sample_bytes,
      .minors = state_.heap().minors() - minors_before_,
      .majors = state_.heap().majors() - majors_before_,
      .start_unix_ns = start_unix_ns_,
      .duration_ns = static_cast<int64_t>(MonotonicNanos() - start_ns_),
  };
  const std::vector<gc::AllocationRecord> records = profiler_.Read();
  state_.heap().Collect(state_.mutator());
  const std::vector<gc::AllocationRecord> at_end = profiler_.Read();
  for (size_t i = 0; i < records.size(); ++i) {
    profile.samples.push_back({.stack = sites_.StackOf(records[i].site),
                               .type = gc::GetType(records[i].type).name,
                               .record = records[i],
                               .at_end = at_end[i]});
  }
  for (uint32_t id = 0; id < sites_.function_count(); ++id) {
    profile.functions.push_back(sites_.function(id));
  }
  return profile;
}

std::vector<AllocationRow> RowsBySite(const AllocationProfile& profile) {
  std::map<std::tuple<uint32_t, uint32_t, std::string>, AllocationRow> rows;
  for (const AllocationSample& sample : profile.samples) {
    const CallFrame* place = PlaceOf(profile, sample);
    const uint32_t function = place == nullptr ? UINT32_MAX : place->function;
    const uint32_t line = place == nullptr ? 0 : place->line;
    const auto [it, inserted] = rows.try_emplace({function, line, sample.type});
    if (inserted) it->second = RowFor(profile, place, sample.type);
    AddTo(it->second, sample);
  }
  return Sorted(rows);
}

std::vector<AllocationRow> RowsByType(const AllocationProfile& profile) {
  std::map<std::string, AllocationRow> rows;
  for (const AllocationSample& sample : profile.samples) {
    AllocationRow& row = rows[sample.type];
    row.type = sample.type;
    AddTo(row, sample);
  }
  return Sorted(rows);
}

int LifeBucket(const gc::AllocationRecord& record, double share) {
  double dead = 0;
  for (const double objects : record.lifetimes) dead += objects;
  double seen = 0;
  for (int i = 0; dead > 0 && i < gc::AllocationRecord::kLifetimes; ++i) {
    seen += record.lifetimes[static_cast<size_t>(i)];
    if (seen >= share * dead) return i;
  }
  return -1;
}

}  // namespace neap::vm
