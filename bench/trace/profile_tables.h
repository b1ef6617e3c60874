// SPDX-License-Identifier: MIT
//
// The allocation profile at the end of a trace (neap/gc/profile_event.h), as rows with the figures
// that people ask for, and as text. The page and the JSON take the rows.
#ifndef NEAP_BENCH_TRACE_PROFILE_TABLES_H_
#define NEAP_BENCH_TRACE_PROFILE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "neap/gc/profile_event.h"
#include "trace_problems.h"
#include "trace_run.h"

namespace neap::trace {

struct ProfileRow {
  std::string type, function, file;  // all empty: several rows in one
  uint64_t line = 0;
#define NEAP_ROW_FIELD(name) uint64_t name = 0;
  NEAP_PROFILE_ROW_FIELDS(NEAP_ROW_FIELD)
#undef NEAP_ROW_FIELD

  bool is_rest() const { return rows > 1; }
  // NaN: of nothing.
  double survived_share() const;
  double promoted_share() const;
  double mean_age() const;  // minor collections survived while young
  // "table", "table  make  game.lua:3", "17 more".
  std::string Name() const;
};

struct ProfileTables {
  std::vector<ProfileRow> types, sites;  // as the file has them: most bytes first
  uint64_t bytes = 0;                    // allocated in all, as shares are counted
  uint64_t missing_rows = 0;             // that the profile's first record promises
  std::string how;                       // "each one counted", "estimated from ..."
  bool is_empty() const { return types.empty() && sites.empty(); }
};
ProfileTables ProfileOf(const Run& run);

// What the file ought to hold of a profile and does not, in a sentence; "": nothing.
std::string MissingProfile(const Run& run);
// How to learn which objects a problem is about; "": known, or no script, or no such problem.
std::string ProfileHint(const Run& run, const std::vector<Problem>& problems);

// Figures as they are shown.
std::string LifeText(uint64_t bytes, uint64_t dead_objects);  // "64.0 KiB", "longer", "-"
std::string RowShareText(double share);                       // "-" for NaN
std::string AgeText(double age);

inline constexpr const char* kProfileLegend =
    "survived: found alive by the first minor collection they met; promoted: of those that died "
    "young or grew old; age: minor collections survived while young, mean; life: what the program "
    "allocated until they were found dead, an upper bound to a power of two; live: after the last "
    "collection";

// Two tables, most bytes first, in lines of at most 100 columns; "" when there is no profile.
std::string ProfileText(const Run& run);
// Types of two runs side by side; "" unless both have a profile.
std::string ProfileComparisonText(const Run& a, const Run& b);

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_PROFILE_TABLES_H_
