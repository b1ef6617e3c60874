// SPDX-License-Identifier: MIT
//
// Allocation profiles as text and as JSON.
//
//   alloc    objects allocated; estimates when sampled, as all figures then are
//   survive  of those whose first minor has come: the share that it found alive
//   promote  of those that died young or grew old: the share that grew old
//   life     of those that died: the median of what the whole program allocated in the meantime, an
//            upper bound to a power of two; it has the grain of collections
//   live     what the last collection, after the run, found alive
//
// The JSON object. Numbers that cannot be known (a share of nothing) are null.
//
//   profile "allocations", version, sample_bytes (0: all), minors, majors, duration_ns
//   total   a row without type
//   types   rows: type, ...
//   sites   rows: function, file, line (0: unknown), type, ...
//   row     samples (objects noted), objects, bytes, mean_bytes, survived_percent,
//           promoted_percent, live_objects, live_bytes,
//           fates: objects by what became of them, then by minors survived while young ("young",
//                  "old", "died_young", "died_old"; arrays of 16, the last: so many or more),
//           lifetimes: objects that died after at most 1, 2, 4, ... KiB of allocation (24 numbers)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/trace.h"
#include "profile/allocation_profile.h"
#include "profile/figure_text.h"

namespace neap::vm {
namespace {

using gc::AllocationCount;
using gc::AllocationRecord;

// Counts of samples are estimates, with a fraction.
uint64_t Whole(double count) { return static_cast<uint64_t>(std::llround(count)); }

// NaN when there is nothing to have a share of.
double Percent(const AllocationCount& part, const AllocationCount& whole) {
  return whole.objects > 0 ? 100 * part.objects / whole.objects : std::nan("");
}
double SurvivedPercent(const AllocationRecord& record) {
  return Percent(record.survived_a_minor(), record.met_a_minor());
}
double PromotedPercent(const AllocationRecord& record) {
  return Percent(record.promoted(), record.left_youth());
}
std::string PercentText(double percent) {
  return std::isnan(percent) ? "-" : absl::StrFormat("%.1f", percent);
}

std::string LifeText(const AllocationRecord& record) {
  const int bucket = LifeBucket(record, 0.5);
  if (bucket < 0) return "-";
  if (bucket == AllocationRecord::kLifetimes - 1) return "longer";
  return BytesText(std::ldexp(1024, bucket));
}

constexpr const char* kColumns =
    "       bytes      %       alloc     mean  survive%  promote%      life         live  ";

std::string RowText(const AllocationRow& row, double all_bytes, const std::string& name) {
  const AllocationCount& allocated = row.record.allocated;
  const double mean = allocated.objects > 0 ? allocated.bytes / allocated.objects : 0;
  return absl::StrFormat(
      "%12s  %5.1f  %10s  %7.0f  %8s  %8s  %8s  %11s  %s\n", BytesText(allocated.bytes),
      all_bytes > 0 ? 100 * allocated.bytes / all_bytes : 0.0, CountText(Whole(allocated.objects)),
      mean, PercentText(SurvivedPercent(row.record)), PercentText(PromotedPercent(row.record)),
      LifeText(row.record), BytesText(row.live.bytes), name);
}

std::string SiteName(const AllocationRow& row) {
  std::string name = absl::StrCat(row.type, "  ", row.function);
  if (!row.file.empty()) absl::StrAppend(&name, "  ", row.file);
  if (row.line != 0) absl::StrAppend(&name, ":", row.line);
  return name;
}

AllocationRow TotalOf(const std::vector<AllocationRow>& rows) {
  AllocationRow total;
  for (const AllocationRow& row : rows) {
    total.record.Add(row.record);
    total.live.Add(row.live);
  }
  return total;
}

}  // namespace

std::string AllocationTable(const AllocationProfile& profile, size_t most) {
  const std::vector<AllocationRow> types = RowsByType(profile);
  const std::vector<AllocationRow> sites = RowsBySite(profile);
  const AllocationRow total = TotalOf(types);
  const double bytes = total.record.allocated.bytes;
  std::string text = absl::StrFormat(
      "allocations: %s objects, %s, in %d minor and %d major collections; %s\n\nBy type\n%stype\n",
      CountText(Whole(total.record.allocated.objects)), BytesText(bytes), profile.minors,
      profile.majors,
      profile.sample_bytes == 0
          ? std::string("each one counted")
          : absl::StrFormat("estimated from %s samples, one in %s", CountText(total.record.samples),
                            BytesText(static_cast<double>(profile.sample_bytes))),
      kColumns);
  for (const AllocationRow& row : types) text += RowText(row, bytes, row.type);
  absl::StrAppend(&text, RowText(total, bytes, "total"), "\nBy site\n", kColumns,
                  "type  function  place\n");
  AllocationRow rest;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (i < most) {
      text += RowText(sites[i], bytes, SiteName(sites[i]));
    } else {
      rest.record.Add(sites[i].record);
      rest.live.Add(sites[i].live);
    }
  }
  if (sites.size() > most) {
    text += RowText(rest, bytes, absl::StrCat(sites.size() - most, " more sites"));
  }
  return text + RowText(total, bytes, "total");
}

// --- JSON ----------------------------------------------------------------------------------------

namespace {

// As precise as a double is; integers without a point.
std::string Number(double number) {
  if (!std::isfinite(number)) return "null";
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    return absl::StrFormat("%.0f", number);
  }
  return absl::StrFormat("%.6g", number);
}

template <typename Range, typename Value>
std::string Array(const Range& range, Value value) {
  std::string text = "[";
  for (const auto& item : range) {
    if (text.size() > 1) text += ',';
    text += Number(value(item));
  }
  return text + "]";
}

std::string Figures(const AllocationRow& row) {
  const AllocationRecord& record = row.record;
  const AllocationCount& allocated = record.allocated;
  std::string text = absl::StrCat(
      "\"samples\":", record.samples, ",\"objects\":", Number(allocated.objects),
      ",\"bytes\":", Number(allocated.bytes),
      ",\"mean_bytes\":", Number(allocated.bytes / allocated.objects),
      ",\"survived_percent\":", Number(SurvivedPercent(record)),
      ",\"promoted_percent\":", Number(PromotedPercent(record)),
      ",\"live_objects\":", Number(row.live.objects), ",\"live_bytes\":", Number(row.live.bytes));
  static constexpr const char* kNames[] = {"young", "old", "died_young", "died_old"};
  static_assert(std::size(kNames) == gc::kFates);
  text += ",\"fates\":{";
  for (size_t fate = 0; fate < gc::kFates; ++fate) {
    absl::StrAppend(&text, fate == 0 ? "" : ",", "\"", kNames[fate],
                    "\":", Array(record.fates[fate], [](const AllocationCount& count) {
                      return count.objects;
                    }));
  }
  absl::StrAppend(
      &text, "},\"lifetimes\":", Array(record.lifetimes, [](double objects) { return objects; }));
  return text;
}

std::string RowJson(const AllocationRow& row) {
  std::string text = "{";
  if (!row.function.empty()) {
    text += "\"function\":";
    gc::AppendJsonString(text, row.function);
    text += ",\"file\":";
    gc::AppendJsonString(text, row.file);
    absl::StrAppend(&text, ",\"line\":", row.line, ",");
  }
  text += "\"type\":";
  gc::AppendJsonString(text, row.type);
  absl::StrAppend(&text, ",", Figures(row), "}");
  return text;
}

std::string RowsJson(const std::vector<AllocationRow>& rows) {
  std::string text = "[";
  for (const AllocationRow& row : rows) {
    absl::StrAppend(&text, text.size() > 1 ? ",\n" : "\n", RowJson(row));
  }
  return text + "]";
}

}  // namespace

std::string AllocationJson(const AllocationProfile& profile) {
  const std::vector<AllocationRow> types = RowsByType(profile);
  return absl::StrCat("{\"profile\":\"allocations\",\"version\":", kAllocationProfileVersion,
                      ",\"sample_bytes\":", profile.sample_bytes, ",\"minors\":", profile.minors,
                      ",\"majors\":", profile.majors, ",\"duration_ns\":", profile.duration_ns,
                      ",\n\"total\":{", Figures(TotalOf(types)), "},\n\"types\":", RowsJson(types),
                      ",\n\"sites\":", RowsJson(RowsBySite(profile)), "}\n");
}

}  // namespace neap::vm
