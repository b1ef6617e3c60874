// SPDX-License-Identifier: MIT
#include "profile_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/figure_text.h"
#include "report_text.h"
#include "text/utf8_text.h"

namespace neap::trace {
namespace {

using vm::BytesText;
using vm::CountText;
using vm::IsContinuation;
using vm::ShareText;

constexpr size_t kColumns = 100;
constexpr size_t kMostTypes = 12, kMostSites = 20;  // rows of the text
constexpr size_t kMostName = 36;                    // columns of a place: what is left of the line

std::string Bytes(uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

template <typename Event>
ProfileRow RowOf(const Event& event) {
  ProfileRow row;
#define NEAP_COPY(name) row.name = event.name;
  NEAP_PROFILE_ROW_FIELDS(NEAP_COPY)
#undef NEAP_COPY
  return row;
}

// Cut at the end, or at the beginning; never in the middle of a character.
std::string Beginning(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && IsContinuation(text[end])) --end;
  return absl::StrCat(text.substr(0, end), "...");
}
std::string End(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t at = text.size() - most + 3;
  while (at < text.size() && IsContinuation(text[at])) ++at;
  return absl::StrCat("...", text.substr(at));
}

// Names come from scripts; a line of the table stays a line.
std::string OneLine(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return name;
}

// Of a long path its end is kept, which tells file and line.
std::string PlaceText(const ProfileRow& row) {
  constexpr size_t kLeastPath = 14;
  const std::string name = OneLine(row.Name());
  if (name.size() <= kMostName || row.file.empty()) return Beginning(name, kMostName);
  const std::string what = OneLine(absl::StrCat(row.type, "  ", row.function));
  const std::string path = name.substr(what.size() + 2);
  const size_t room = kMostName - 2;  // two blanks between the two
  const std::string end = End(path, room - std::min(what.size(), room - kLeastPath));
  return absl::StrCat(Beginning(what, room - end.size()), "  ", end);
}

std::string TypesText(const ProfileTables& profile) {
  lab::Table table;
  table.columns = {"type",     "bytes", "share",     "objects",   "survived",
                   "promoted", "age",   "life 50 %", "life 90 %", "live"};
  const size_t shown = std::min(kMostTypes, profile.types.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileRow& row = profile.types[i];
    table.rows.push_back({Beginning(OneLine(row.Name()), 14), Bytes(row.bytes),
                          RowShareText(Share(row.bytes, profile.bytes)), CountText(row.objects),
                          RowShareText(row.survived_share()), RowShareText(row.promoted_share()),
                          AgeText(row.mean_age()), LifeText(row.life_p50_bytes, row.dead_objects),
                          LifeText(row.life_p90_bytes, row.dead_objects), Bytes(row.live_bytes)});
  }
  std::string out =
      absl::StrCat("\nAllocations by type (", profile.how, ")\n", lab::TableText(table));
  if (shown < profile.types.size()) {
    absl::StrAppend(&out, "  and ", profile.types.size() - shown, " more (--json has all)\n");
  }
  return out;
}

std::string SitesText(const ProfileTables& profile) {
  lab::Table table;
  table.columns = {
      "type, function, place", "bytes", "share", "objects", "survived", "promoted", "life 50 %"};
  const size_t shown = std::min(kMostSites, profile.sites.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileRow& row = profile.sites[i];
    table.rows.push_back({PlaceText(row), Bytes(row.bytes),
                          RowShareText(Share(row.bytes, profile.bytes)), CountText(row.objects),
                          RowShareText(row.survived_share()), RowShareText(row.promoted_share()),
                          LifeText(row.life_p50_bytes, row.dead_objects)});
  }
  std::string out = absl::StrCat("\nAllocations by place\n", lab::TableText(table));
  if (shown < profile.sites.size()) {
    absl::StrAppend(&out, "  and ", profile.sites.size() - shown, " more (--json has all)\n");
  }
  return out;
}

}  // namespace

double ProfileRow::survived_share() const { return Share(survived_objects, met_objects); }
double ProfileRow::promoted_share() const { return Share(promoted_objects, settled_objects); }
double ProfileRow::mean_age() const { return Share(survivals, objects); }

std::string ProfileRow::Name() const {
  if (is_rest()) return absl::StrCat(rows, " more");
  std::string name = type;
  if (!function.empty()) absl::StrAppend(&name, "  ", function);
  if (!file.empty()) absl::StrAppend(&name, "  ", file);
  if (line != 0) absl::StrAppend(&name, ":", line);
  return name;
}

ProfileTables ProfileOf(const Run& run) {
  ProfileTables tables;
  for (const ProfileType& event : run.profile_types) {
    ProfileRow row = RowOf(event);
    row.type = run.Text(event.type);
    tables.bytes += row.bytes;
    tables.types.push_back(std::move(row));
  }
  for (const ProfileSite& event : run.profile_sites) {
    ProfileRow row = RowOf(event);
    row.type = run.Text(event.type);
    row.function = run.Text(event.function);
    row.file = run.Text(event.file);
    row.line = event.line;
    tables.sites.push_back(std::move(row));
  }
  uint64_t promised = 0, all_bytes = 0, samples = 0, sample_bytes = 0;
  for (const ProfileHead& head : run.profiles) {
    promised += head.types + head.sites;
    all_bytes += head.bytes;
    samples += head.samples;
    sample_bytes = head.sample_bytes;
  }
  const uint64_t seen = tables.types.size() + tables.sites.size();
  tables.bytes = std::max(tables.bytes, all_bytes);  // rows may be missing
  tables.missing_rows = promised > seen ? promised - seen : 0;
  tables.how = sample_bytes == 0 ? "each one counted"
                                 : absl::StrCat("estimated from ", CountText(samples),
                                                " samples, one in ", Bytes(sample_bytes));
  return tables;
}

std::string MissingProfile(const Run& run) {
  const uint64_t missing = ProfileOf(run).missing_rows;
  if (missing != 0) {
    return absl::StrCat("The allocation profile is cut: ", CountText(missing),
                        " of its rows are missing at the end of the file.");
  }
  if (!run.profiles.empty() || run.heaps.empty()) return "";
  const std::string asked = run.heaps.front().Fact("allocation_profile");
  if (asked != "all" && asked != "sampled") return "";
  return "The run took an allocation profile, which ends its trace; this file does not reach that "
         "far.";
}

std::string ProfileHint(const Run& run, const std::vector<Problem>& problems) {
  if (run.heaps.empty() || run.heaps.front().Fact("allocation_profile") != "off") return "";
  for (const Problem& problem : problems) {
    for (const char* rule : {"nursery-survival", "early-promotion", "gc-cpu"}) {
      if (problem.rule != rule) continue;
      return "Which types and lines that are: record with --alloc-profile beside --trace.";
    }
  }
  return "";
}

std::string LifeText(uint64_t bytes, uint64_t dead_objects) {
  if (dead_objects == 0 || bytes == 0) return "-";
  return bytes == UINT64_MAX ? "longer" : Bytes(bytes);
}

std::string RowShareText(double share) { return std::isnan(share) ? "-" : ShareText(share); }

std::string AgeText(double age) { return std::isnan(age) ? "-" : absl::StrFormat("%.2f", age); }

std::string ProfileText(const Run& run) {
  const ProfileTables profile = ProfileOf(run);
  const std::string missing = MissingProfile(run);
  std::string out;
  if (!profile.is_empty()) {
    absl::StrAppend(&out, TypesText(profile), SitesText(profile),
                    lab::WrapText(kProfileLegend, kColumns, "  "));
  }
  if (!missing.empty()) absl::StrAppend(&out, "\n", lab::WrapText(missing, kColumns, ""));
  return out;
}

std::string ProfileComparisonText(const Run& a, const Run& b) {
  const ProfileTables of_a = ProfileOf(a), of_b = ProfileOf(b);
  if (of_a.types.empty() || of_b.types.empty()) return "";
  std::map<std::string, ProfileRow> in_b;
  for (const ProfileRow& row : of_b.types) {
    if (!row.is_rest()) in_b.emplace(row.type, row);
  }
  lab::Table table;
  table.columns = {"type",       "bytes A",    "bytes B", "B / A",
                   "survived A", "survived B", "life A",  "life B"};
  const auto add = [&](const std::string& type, const ProfileRow& row_a, const ProfileRow& row_b) {
    if (table.rows.size() >= kMostTypes) return;
    const double ratio = Share(row_b.bytes, row_a.bytes);
    table.rows.push_back({Beginning(OneLine(type), 20), Bytes(row_a.bytes), Bytes(row_b.bytes),
                          std::isnan(ratio) ? "-" : absl::StrFormat("%.2f", ratio),
                          RowShareText(row_a.survived_share()),
                          RowShareText(row_b.survived_share()),
                          LifeText(row_a.life_p50_bytes, row_a.dead_objects),
                          LifeText(row_b.life_p50_bytes, row_b.dead_objects)});
  };
  for (const ProfileRow& row : of_a.types) {
    if (row.is_rest()) continue;
    const auto found = in_b.find(row.type);
    add(row.type, row, found == in_b.end() ? ProfileRow{} : found->second);
    if (found != in_b.end()) in_b.erase(found);
  }
  for (const auto& [type, row] : in_b) add(type, ProfileRow{}, row);
  return absl::StrCat("\nAllocations by type\n", lab::TableText(table));
}

}  // namespace neap::trace
