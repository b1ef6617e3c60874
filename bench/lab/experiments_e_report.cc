// SPDX-License-Identifier: MIT
//
// E7: the nine lines of the source's compiler against the report on the same functions in Lua
// (bench/lua/escape.lua).
#include <algorithm>
#include <string>
#include <vector>

#include "compiler/code_generator.h"
#include "compiler/escape_report.h"
#include "experiments_e.h"
#include "neap/runtime/check.h"
#include "syntax/parser.h"

namespace neap::lab {
namespace {

using vm::EscapeReason;
using vm::EscapeSite;
using vm::FunctionEscapes;

std::vector<FunctionEscapes> Report() {
  const auto chunk = vm::Parse(kEscapeScript, "@escape.lua", {});
  NEAP_CHECK(chunk.ok(), "the script of E7 parses");
  const auto unit = vm::GenerateCode(**chunk);
  NEAP_CHECK(unit.ok(), "the script of E7 compiles");
  return vm::FindEscapes(**unit);
}

// The sites of a function; none: there is no such function.
std::vector<EscapeSite> SitesOf(const std::vector<FunctionEscapes>& report,
                                const std::string& function) {
  for (const FunctionEscapes& one : report) {
    if (one.name == function) return one.sites;
  }
  return {};
}

bool AllStay(const std::vector<EscapeSite>& sites, size_t count) {
  const auto leaves = [](const EscapeSite& site) { return site.leaves; };
  return sites.size() == count && std::none_of(sites.begin(), sites.end(), leaves);
}

bool LeavesBy(const std::vector<EscapeSite>& sites, EscapeReason reason) {
  return sites.size() == 1 && sites[0].leaves && sites[0].reason == reason;
}

struct Line {
  const char* source;
  const char* ours;
  bool holds;
};

}  // namespace

void RunE7(Lab& lab) {
  const std::vector<FunctionEscapes> report = Report();
  const auto sites = [&](const char* function) { return SitesOf(report, function); };
  const Line lines[] = {
      {"moved to heap: p", "the table p of new_point leaves: returned",
       LeavesBy(sites("new_point"), EscapeReason::kReturned)},
      {"make([]byte, 1024) does not escape", "the table of fixed_buffer stays",
       AllStay(sites("fixed_buffer"), 1)},
      {"make([]byte, n) does not escape", "the table of var_buffer stays",
       AllStay(sites("var_buffer"), 1)},
      {"make([]byte, 65536) does not escape", "the table of small_fixed stays",
       AllStay(sites("small_fixed"), 1)},
      {"[]*Point{...} does not escape", "the list and the three points of sum_all stay",
       AllStay(sites("sum_all"), 4)},
      {"func literal does not escape (called)", "the closure of call_literal stays",
       AllStay(sites("call_literal"), 1)},
      {"func literal escapes (given to go)", "the closure of spawn_literal leaves: passed",
       LeavesBy(sites("spawn_literal"), EscapeReason::kPassed)},
  };
  Table table{.title = "neap dump --escape bench/lua/escape.lua",
              .columns = {"the source's line", "ours"},
              .rows = {}};
  for (const Line& line : lines) {
    table.rows.push_back({line.source, line.ours});
    lab.Holds(line.ours, line.holds, "as the source's line says",
              {.source = line.source, .criterion_class = Class::kExact});
  }
  lab.Holds("the table of sum stays", AllStay(sites("sum"), 1), "nothing of it leaves",
            {.criterion_class = Class::kExact});
  table.rows.push_back(
      {"x escapes (int passed as variadic any)", "no meaning: numbers are values"});
  table.rows.push_back(
      {"make([]byte, 65537) escapes", "no meaning: a table is made without a size"});
  lab.Add(std::move(table));
  lab.Say(
      "Uses the Lua report. Two of the nine lines have no meaning in Lua: a number that is "
      "passed is not boxed, and no size of a table is known or decides when it is made (the "
      "frame allocator has that limit: E5).");
  lab.Say(
      "The report is conservative and changes nothing: every table and closure of a script is "
      "an object of the heap. Keeping those that stay off it comes later.");
}

}  // namespace neap::lab
