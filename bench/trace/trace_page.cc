// SPDX-License-Identifier: MIT
//
// The page, in the order in which a reader asks:
//
//   1. how bad is it?      the figures that matter, as tiles; likely problems with what to do
//   2. when?               charts over one shared stretch of time
//   3. why that one?       the chosen collection: cause, what it did, phases, every field
//   4. how long at worst?  the MMU curve, the longest pauses
//   5. the rest            tables; what ran, to run it again
//
// Figures, problems and tables are HTML: they are there without the script, for screen readers and
// for paper. The script draws the charts from the data at the end of the page (page_data.h). Style
// sheet and plots are those of the lab's report.
#include "trace_page.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "mmu.h"
#include "page_assets.h"
#include "page_data.h"
#include "profile/figure_text.h"
#include "profile_tables.h"
#include "report_html.h"
#include "report_html_assets.h"
#include "trace_problems.h"
#include "trace_summary.h"

namespace neap::trace {
namespace {

using vm::BytesText;
using vm::CountText;
using vm::ShareText;
using vm::TimeText;

using lab::EscapeHtml;

constexpr size_t kLongestPauses = 20;

std::string Time(uint64_t ns) { return TimeText(static_cast<double>(ns)); }
std::string Bytes(uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }
double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Cells are HTML. The first column is text, the others are figures.
std::string TableHtml(const std::string& caption, const std::vector<std::string>& columns,
                      const std::vector<std::vector<std::string>>& rows) {
  std::string out = absl::StrCat(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"free\">"
      "<caption>",
      caption, "</caption><thead><tr>");
  for (size_t i = 0; i < columns.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "<th>" : "<th class=\"num\">", columns[i], "</th>");
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&out, i == 0 ? "<td>" : "<td class=\"num\">", row[i], "</td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

// --- 1: figures and problems ---------------------------------------------------------------------

std::string TilesHtml(const Summary& s) {
  std::string out = "<ul class=\"tiles\">";
  const auto tile = [&out](const std::string& figure, const char* name) {
    absl::StrAppend(&out, "<li><b>", EscapeHtml(figure), "</b><span>", name, "</span></li>");
  };
  tile(TimeText(s.seconds * 1e9), "length of the run");
  tile(CountText(s.minor_pauses.count + s.minors_in_majors), "minor collections");
  tile(CountText(s.major_pauses.count), "major cycles");
  tile(Time(s.pauses.p50), "median pause");
  tile(Time(s.pauses.p99), "99 % of pauses within");
  tile(Time(s.pauses.max), "longest pause");
  tile(s.seconds > 0 ? ShareText(static_cast<double>(s.paused_ns) / 1e9 / s.seconds) : "-",
       "of the time paused");
  tile(ShareText(s.mmu[3]), "of a 16.7 ms frame left at worst");
  tile(Bytes(s.live_bytes), "live at the end");
  tile(ShareText(Share(s.survived_bytes[0], s.born_bytes())), "of the young survive once");
  return out + "</ul>\n";
}

std::string ProblemsHtml(const Run& run, const std::vector<Problem>& problems) {
  std::string out = "<section>\n<h2>Likely problems</h2>\n";
  if (problems.empty()) return out + "<p>None found.</p>\n</section>\n";
  out += "<ol class=\"problems\">\n";
  for (const Problem& problem : problems) {
    absl::StrAppend(&out, "<li>", EscapeHtml(problem.what), "<span class=\"remedy\">",
                    EscapeHtml(problem.remedy), "</span></li>\n");
  }
  out += "</ol>\n";
  const std::string hint = ProfileHint(run, problems);
  if (!hint.empty()) absl::StrAppend(&out, "<p>", EscapeHtml(hint), "</p>\n");
  return out + "</section>\n";
}

// --- 2: charts -----------------------------------------------------------------------------------

struct LegendItem {
  std::string name;
  int colour;
};

std::string ChartHtml(const char* id, const char* title, const std::vector<LegendItem>& legend) {
  std::string out = absl::StrCat("<figure class=\"time\"><figcaption id=\"c-", id, "\">", title,
                                 "</figcaption>\n<ul class=\"legend\">");
  for (const LegendItem& item : legend) {
    absl::StrAppend(&out, "<li><i class=\"swatch s", item.colour, "\"></i><span>",
                    EscapeHtml(item.name), "</span></li>");
  }
  return absl::StrCat(out, "</ul>\n<div class=\"canvas\" data-chart=\"", id,
                      "\"><canvas tabindex=\"0\" role=\"img\" aria-labelledby=\"c-", id,
                      "\" aria-describedby=\"keys\"></canvas></div></figure>\n");
}

std::vector<LegendItem> PoolLegend(const Summary& s) {
  constexpr size_t kMostPools = 6;  // as page_data
  std::vector<LegendItem> legend;
  for (size_t i = 0; i < std::min(kMostPools, s.pools.size()); ++i) {
    legend.push_back({absl::StrCat(s.pools[i].name, " #", s.pools[i].pool), static_cast<int>(i)});
  }
  return legend;
}

constexpr const char* kBar =
    "<div class=\"bar\" role=\"group\" aria-label=\"Stretch of time\">"
    "<button data-action=\"in\" aria-label=\"Closer\">+</button>"
    "<button data-action=\"out\" aria-label=\"Farther\">&minus;</button>"
    "<button data-action=\"left\" aria-label=\"Earlier\">&larr;</button>"
    "<button data-action=\"right\" aria-label=\"Later\">&rarr;</button>"
    "<button data-action=\"all\">All</button><output></output>"
    "<button data-action=\"why\" hidden>Why?</button><output></output></div>\n";

std::string ChartsHtml(const Run& run, const Summary& s) {
  std::string out = absl::StrCat(
      "<section>\n<h2>Over time</h2>\n<p class=\"explains\" id=\"keys\">Tap a chart to see why a "
      "collection ran; drag to look closer. With keys: arrows choose, + and &minus; zoom, 0 shows "
      "all. Many collections on one column are drawn from the smallest to the largest.</p>\n",
      kBar);
  if (!run.majors.empty()) {
    out += ChartHtml("heap", "Heap against goal and trigger",
                     {{"counted by the pacer, before and after each cycle", 0},
                      {"whole heap before it", 7},
                      {"next trigger", 3},
                      {"next goal (dashed)", 1}});
  }
  std::vector<LegendItem> pauses = {{"major cycle", 1}};
  if (!run.minors.empty()) pauses.insert(pauses.begin(), {"minor collection", 0});
  out += ChartHtml("pauses", "Pauses (logarithmic)", pauses);
  if (!run.minors.empty()) {
    out += ChartHtml("survivors", "What minor collections found",
                     {{"eden used", 7},
                      {"copied within the nursery", 0},
                      {"promoted", 1},
                      {"kept in place", 2}});
  }
  if (!run.pools.empty()) {
    out += ChartHtml("hits", "Pools: share of Gets that found an object, per cycle", PoolLegend(s));
    out += ChartHtml("evictions", "Pools: objects evicted per cycle", PoolLegend(s));
  }
  return out +
         "<noscript><p>The charts need scripts; the figures below do not.</p></noscript>\n"
         "</section>\n";
}

// --- 4: MMU and the longest pauses ---------------------------------------------------------------

std::string MmuHtml(const Run& run) {
  const MutatorUtilization utilization(run.pauses, run.start_ns(), run.end_ns);
  lab::Series curve{.name = "least share", .points = {}, .style = lab::Series::Style::kLine};
  constexpr double kFromMs = 0.1, kToMs = 10'000, kPerDecade = 12;
  const double run_ms = static_cast<double>(run.duration_ns()) / 1e6;
  const double to_ms = std::min(kToMs, std::max(run_ms, kFromMs * 10));
  for (double ms = kFromMs; ms <= to_ms * 1.0001; ms *= std::pow(10, 1 / kPerDecade)) {
    const auto window_ns = static_cast<uint64_t>(std::max(ms * 1e6, 1.0));
    curve.points.emplace_back(ms, 100 * utilization.Minimum(window_ns).utilization);
  }
  lab::Plot plot;
  plot.title = "Minimum mutator utilization: the least share of a window that the program had";
  plot.x_label = "length of the window, ms";
  plot.y_label = "share for the program, %";
  plot.log_x = true;
  plot.series = {std::move(curve)};
  return absl::StrCat("<section>\n<h2>At the worst moment</h2>\n", lab::RenderPlotHtml(plot, 1));
}

struct LongPause {
  const char* kind;
  uint64_t number, start_ns, pause_ns;
  uint32_t heap;
  const std::string* cause;
};

std::string LongestHtml(const Run& run) {
  std::vector<LongPause> pauses;
  for (const Minor& m : run.minors) {
    pauses.push_back({"minor", m.number, m.start_ns, m.pause_ns, m.heap, &run.Text(m.cause)});
  }
  for (const Major& m : run.majors) {
    pauses.push_back({"major", m.number, m.start_ns, m.pause_ns, m.heap, &run.Text(m.cause)});
  }
  const size_t shown = std::min(kLongestPauses, pauses.size());
  std::partial_sort(pauses.begin(), pauses.begin() + static_cast<ptrdiff_t>(shown), pauses.end(),
                    [](const LongPause& a, const LongPause& b) { return a.pause_ns > b.pause_ns; });
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < shown; ++i) {
    const LongPause& p = pauses[i];
    if (p.pause_ns == 0) break;
    rows.push_back({absl::StrFormat("<a href=\"#%s=%d\">%s %s</a>", p.kind, p.number, p.kind,
                                    CountText(p.number)),
                    Time(p.pause_ns), absl::StrFormat("%.3f s", run.Seconds(p.heap, p.start_ns)),
                    EscapeHtml(*p.cause)});
  }
  return TableHtml("The longest pauses", {"collection", "pause", "at", "why"}, rows) +
         "</section>\n";
}

// --- 5: the rest ---------------------------------------------------------------------------------

std::vector<std::string> DistributionRow(const char* name, const Distribution& d) {
  return {name,        CountText(d.count), Time(d.total), TimeText(d.mean()), Time(d.p50),
          Time(d.p90), Time(d.p99),        Time(d.p999),  Time(d.max)};
}

std::string CausesOf(const std::vector<std::pair<std::string, uint64_t>>& causes) {
  std::string out;
  for (const auto& [cause, count] : causes) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", EscapeHtml(cause), " ", CountText(count));
  }
  return out.empty() ? "none" : out;
}

std::string FiguresHtml(const Run& run, const Summary& s) {
  std::string out = "<section>\n<h2>Figures</h2>\n";
  out += TableHtml(
      "Pauses", {"", "count", "total", "mean", "50 %", "90 %", "99 %", "99.9 %", "longest"},
      {DistributionRow("minor", s.minor_pauses), DistributionRow("major", s.major_pauses),
       DistributionRow("all stops", s.pauses),
       DistributionRow("time to safepoint", s.time_to_safepoint)});
  absl::StrAppend(&out, "<p>Causes of minor collections: ", CausesOf(s.minor_causes),
                  ". Of major cycles: ", CausesOf(s.major_causes), ".</p>\n");
  if (!run.minors.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"born in the nursery", Bytes(s.born_bytes()), ""}};
    constexpr const char* kAges[] = {"survived once", "twice", "three times", "more often"};
    for (size_t i = 0; i < std::size(kAges); ++i) {
      rows.push_back({kAges[i], Bytes(s.survived_bytes[i]),
                      ShareText(Share(s.survived_bytes[i], s.born_bytes()))});
    }
    rows.push_back(
        {"promoted", Bytes(s.promoted_bytes), ShareText(Share(s.promoted_bytes, s.born_bytes()))});
    out += TableHtml("Survival", {"", "bytes", "of what was born"}, rows);
  }
  if (!s.pools.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const PoolSummary& p : s.pools) {
      rows.push_back({EscapeHtml(absl::StrCat(p.name, " #", p.pool)), CountText(p.gets),
                      p.gets == 0 ? "-" : ShareText(p.hit_share()), CountText(p.private_hits),
                      CountText(p.shared_hits), CountText(p.steals), CountText(p.victim_hits),
                      CountText(p.misses), CountText(p.puts), CountText(p.drops),
                      CountText(p.evicted),
                      p.gap_cycles == 0 ? "-" : absl::StrFormat("%.1f", p.gap_cycles)});
    }
    out += TableHtml("Pools (gap: major cycles from one use to the next)",
                     {"pool", "gets", "hits", "private", "shared", "stolen", "victim", "misses",
                      "puts", "dropped", "evicted", "gap"},
                     rows);
  }
  return out + "</section>\n";
}

std::string ProfileTableHtml(const char* caption, const std::vector<ProfileRow>& all,
                             uint64_t all_bytes) {
  std::vector<std::vector<std::string>> rows;
  for (const ProfileRow& row : all) {
    rows.push_back({EscapeHtml(row.Name()), Bytes(row.bytes),
                    ShareText(Share(row.bytes, all_bytes)), CountText(row.objects),
                    RowShareText(row.survived_share()), RowShareText(row.promoted_share()),
                    AgeText(row.mean_age()), LifeText(row.life_p50_bytes, row.dead_objects),
                    LifeText(row.life_p90_bytes, row.dead_objects),
                    LifeText(row.life_p99_bytes, row.dead_objects), Bytes(row.live_bytes)});
  }
  return TableHtml(caption,
                   {"", "bytes", "share", "objects", "survived", "promoted", "age", "life 50 %",
                    "90 %", "99 %", "live"},
                   rows);
}

std::string ProfileHtml(const Run& run) {
  const ProfileTables profile = ProfileOf(run);
  const std::string missing = MissingProfile(run);
  if (profile.is_empty() && missing.empty()) return "";
  std::string out = "<section id=\"allocations\">\n<h2>Allocations</h2>\n";
  if (!missing.empty()) absl::StrAppend(&out, "<p>", EscapeHtml(missing), "</p>\n");
  if (profile.is_empty()) return out + "</section>\n";
  absl::StrAppend(&out, "<p class=\"explains\">", EscapeHtml(profile.how), "; ", kProfileLegend,
                  ".</p>\n", ProfileTableHtml("By type", profile.types, profile.bytes),
                  ProfileTableHtml("By place", profile.sites, profile.bytes));
  return out + "</section>\n";
}

std::string RunHtml(const Run& run) {
  std::string out =
      "<section>\n<h2>What ran</h2>\n<details><summary>Everything the trace says "
      "about the run</summary><div class=\"facts\"><dl>";
  for (const auto& [path, value] : run.heaps.front().facts) {
    absl::StrAppend(&out, "<dt>", EscapeHtml(path), "</dt><dd>", EscapeHtml(value), "</dd>");
  }
  return out + "</dl></div></details>\n</section>\n";
}

std::string HeadHtml(const Run& run, const Summary& s, const PageOptions& options) {
  std::string out = absl::StrCat(
      "<header>\n<h1>Garbage collection trace</h1>\n<p class=\"lead\">"
      "<code>",
      EscapeHtml(run.heaps.front().command), "</code> (", EscapeHtml(run.path), ")</p>\n");
  const auto note = [&out](const std::string& text) {
    absl::StrAppend(&out, "<p class=\"lead\">", EscapeHtml(text), "</p>\n");
  };
  const std::string why = run.heaps.front().Fact("note");
  if (!why.empty()) note(absl::StrCat("Written because: ", why, "."));
  if (!options.remark.empty()) note(options.remark);
  if (run.cut_line != 0 || !run.has_end) {
    note("The trace has no end: the program still ran, or did not end well.");
  }
  if (run.minors.size() > options.most_collections ||
      run.majors.size() > options.most_collections) {
    note(absl::StrCat("Charts show ", CountText(options.most_collections), " of ",
                      CountText(std::max(run.minors.size(), run.majors.size())),
                      " collections, the longest of each stretch; figures are of all."));
  }
  return absl::StrCat(out, TilesHtml(s), "</header>\n");
}

}  // namespace

std::string RenderPage(const Run& run, const PageOptions& options) {
  const Summary s = Summarize(run);
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Trace of ",
      EscapeHtml(run.heaps.front().command), "</title>\n<style>", std::string(lab::kReportStyle),
      std::string(kPageStyle), "</style>\n</head>\n<body>\n", HeadHtml(run, s, options),
      "<main>\n");
  absl::StrAppend(
      &out, ProblemsHtml(run, FindProblems(run, s)), ChartsHtml(run, s),
      "<section id=\"why\">\n<h2>Why did this collection run?</h2>\n<div id=\"why-body\" "
      "aria-live=\"polite\"><p>Choose one in a chart.</p></div>\n</section>\n",
      MmuHtml(run), LongestHtml(run), FiguresHtml(run, s), ProfileHtml(run), RunHtml(run));
  absl::StrAppend(&out, "</main>\n<script type=\"application/json\" id=\"data\">",
                  PageData(run, options.most_collections), "</script>\n<script>",
                  std::string(lab::kReportScript), "</script>\n<script type=\"module\">",
                  std::string(kPageCharts), std::string(kPageScript),
                  "</script>\n</body>\n</html>\n");
  return out;
}

}  // namespace neap::trace
