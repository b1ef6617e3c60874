// SPDX-License-Identifier: MIT
#include "profile/trace_records.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "neap/gc/profile_event.h"

namespace neap::vm {
namespace {

using gc::AllocationRecord;

// A field's name may be any string of the script.
constexpr size_t kMostNameBytes = 200;

std::string NameText(const std::string& name) {
  if (name.size() <= kMostNameBytes) return name;
  return absl::StrCat(name.substr(0, kMostNameBytes), "...");
}

uint64_t Whole(double count) { return static_cast<uint64_t>(std::llround(count)); }

uint64_t LifeBytes(const AllocationRecord& record, double share) {
  const int bucket = LifeBucket(record, share);
  if (bucket < 0) return 0;
  if (bucket == AllocationRecord::kLifetimes - 1) return UINT64_MAX;
  return uint64_t{1024} << bucket;
}

// Fills what types and sites have in common.
template <typename Event>
void FillFigures(const AllocationRow& row, uint64_t rows, Event* event) {
  const AllocationRecord& record = row.record;
  event->rows = rows;
  event->samples = record.samples;
  event->objects = Whole(record.allocated.objects);
  event->bytes = Whole(record.allocated.bytes);
  event->met_objects = Whole(record.met_a_minor().objects);
  event->survived_objects = Whole(record.survived_a_minor().objects);
  double survivals = 0;
  for (const auto& ages : record.fates) {
    for (size_t age = 0; age < ages.size(); ++age) {
      survivals += static_cast<double>(age) * ages[age].objects;
    }
  }
  event->survivals = Whole(survivals);
  event->settled_objects = Whole(record.left_youth().objects);
  event->promoted_objects = Whole(record.promoted().objects);
  double dead = 0;
  for (const double objects : record.lifetimes) dead += objects;
  event->dead_objects = Whole(dead);
  event->life_p50_bytes = LifeBytes(record, 0.5);
  event->life_p90_bytes = LifeBytes(record, 0.9);
  event->life_p99_bytes = LifeBytes(record, 0.99);
  event->live_objects = Whole(row.live.objects);
  event->live_bytes = Whole(row.live.bytes);
}

// `rows`, the last of them the sum of what is beyond `most`; `*summed`: how many that are, or 1.
std::vector<AllocationRow> Bounded(std::vector<AllocationRow> rows, size_t most, uint64_t* summed) {
  *summed = 1;
  if (rows.size() <= most) return rows;
  AllocationRow rest;
  *summed = rows.size() - most + 1;
  for (size_t i = most - 1; i < rows.size(); ++i) {
    rest.record.Add(rows[i].record);
    rest.live.Add(rows[i].live);
  }
  rows.resize(most - 1);
  rows.push_back(std::move(rest));
  return rows;
}

std::string Head(const AllocationProfile& profile, size_t types, size_t sites) {
  AllocationRecord total;
  for (const AllocationSample& sample : profile.samples) total.Add(sample.record);
  return gc::ProfileJson(
      {.version = gc::kProfileEventVersion,
       .sample_bytes = profile.sample_bytes,
       .minors = profile.minors,
       .majors = profile.majors,
       .duration_ns = static_cast<uint64_t>(std::max<int64_t>(profile.duration_ns, 0)),
       .samples = total.samples,
       .objects = Whole(total.allocated.objects),
       .bytes = Whole(total.allocated.bytes),
       .types = types,
       .sites = sites});
}

}  // namespace

std::vector<std::string> TraceRecords(const AllocationProfile& profile, size_t most_types,
                                      size_t most_sites) {
  uint64_t summed_types = 1, summed_sites = 1;
  const std::vector<AllocationRow> types =
      Bounded(RowsByType(profile), std::max<size_t>(most_types, 1), &summed_types);
  const std::vector<AllocationRow> sites =
      Bounded(RowsBySite(profile), std::max<size_t>(most_sites, 1), &summed_sites);
  std::vector<std::string> records = {Head(profile, types.size(), sites.size())};
  for (const AllocationRow& row : types) {
    gc::ProfileTypeEvent event;
    FillFigures(row, &row == &types.back() ? summed_types : 1, &event);
    records.push_back(gc::ProfileTypeJson(event, NameText(row.type)));
  }
  for (const AllocationRow& row : sites) {
    gc::ProfileSiteEvent event;
    event.line = row.line;
    FillFigures(row, &row == &sites.back() ? summed_sites : 1, &event);
    records.push_back(
        gc::ProfileSiteJson(event, NameText(row.type), NameText(row.function), NameText(row.file)));
  }
  return records;
}

}  // namespace neap::vm
