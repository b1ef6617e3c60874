// SPDX-License-Identifier: MIT
#include "summary_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/figure_text.h"
#include "profile_tables.h"
#include "report_text.h"
#include "trace_problems.h"
#include "trace_summary.h"

namespace neap::trace {
namespace {

using vm::BytesText;
using vm::CountText;
using vm::DigitsText;
using vm::ShareText;
using vm::TimeText;

constexpr size_t kColumns = 100;
constexpr size_t kMostPools = 20;  // rows of the table

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
std::string Time(uint64_t ns) { return TimeText(static_cast<double>(ns)); }
std::string Bytes(uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }

// Words in lines of kColumns, each with `indent` in front; `first`, as wide, in front of the first.
std::string Wrap(const std::string& text, const std::string& first, const std::string& indent) {
  return lab::WrapText(text, kColumns, indent).replace(0, first.size(), first);
}

// The first row is the head.
std::string TableText(const std::vector<std::vector<std::string>>& rows) {
  return lab::TableText({.columns = rows.front(), .rows = {rows.begin() + 1, rows.end()}});
}

std::string MetricText(const Metric& metric) {
  switch (metric.unit) {
    case Metric::Unit::kCount:
      return CountText(static_cast<uint64_t>(metric.value));
    case Metric::Unit::kNs:
      return TimeText(metric.value);
    case Metric::Unit::kBytes:
      return BytesText(metric.value);
    case Metric::Unit::kShare:
      return ShareText(metric.value);
    case Metric::Unit::kSeconds:
      return TimeText(metric.value * 1e9);
    case Metric::Unit::kPerSecond:
      return absl::StrCat(DigitsText(metric.value), "/s");
  }
  return "?";
}

// --- The parts of a summary ----------------------------------------------------------------------

std::string OptionsText(const HeapFacts& heap) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&out, out.empty() ? "" : ", ", name, " ", value);
  };
  const auto fact = [&heap](const std::string& name) {
    return heap.Fact(absl::StrCat("options.", name));
  };
  const auto bytes = [&fact](const std::string& name) {
    const std::string text = fact(name);
    double value = 0;
    return absl::SimpleAtod(text, &value) ? BytesText(value) : text;
  };
  const std::string nursery = fact("nursery");
  add("nursery", nursery == "adaptive" ? absl::StrCat("adaptive ", bytes("nursery_bytes"), " to ",
                                                      bytes("nursery_max_bytes"))
                 : nursery == "fixed"  ? bytes("nursery_bytes")
                                       : nursery);
  add("tenure", fact("tenure"));
  add("gogc", fact("gogc") == "none" ? "off" : fact("gogc"));
  add("memlimit", bytes("memory_limit_bytes"));
  add("procs", fact("procs"));
  add("workers", fact("workers"));
  return out;
}

std::string HeaderText(const Run& run, const Summary& s) {
  std::string out = absl::StrCat(run.path, ": ", run.heaps.front().command, "\n");
  std::string line =
      absl::StrCat(TimeText(s.seconds * 1e9), ", ", CountText(run.events), " events");
  if (run.heaps.size() > 1) absl::StrAppend(&line, ", ", run.heaps.size(), " heaps together");
  if (run.source == Source::kGo) {
    line = absl::StrCat(TimeText(s.seconds * 1e9), ", ", CountText(run.majors.size()),
                        " lines of Go's gctrace (sizes in whole MiB, starts in whole ms)");
  }
  absl::StrAppend(&out, "  ", line, "\n");
  const HeapFacts& heap = run.heaps.front();
  const std::string options = OptionsText(heap);
  if (!options.empty() && run.heaps.size() == 1) out += Wrap(options, "  ", "  ");
  const std::string cpu = heap.Fact("machine.cpu");
  if (!cpu.empty()) {
    out += Wrap(absl::StrCat("on ", heap.Fact("machine.cores"), " cores of ", cpu, ", ",
                             heap.Fact("machine.system"), " ", heap.Fact("machine.release")),
                "  ", "  ");
  }
  return out;
}

std::vector<std::string> PauseRow(const char* name, const Distribution& d, double seconds) {
  return {name,
          CountText(d.count),
          seconds > 0 ? absl::StrFormat("%.1f", static_cast<double>(d.count) / seconds) : "-",
          Time(d.total),
          seconds > 0 ? ShareText(static_cast<double>(d.total) / 1e9 / seconds) : "-",
          Time(d.p50),
          Time(d.p90),
          Time(d.p99),
          Time(d.p999),
          Time(d.max)};
}

std::string PausesText(const Run& run, const Summary& s) {
  std::vector<std::vector<std::string>> rows = {
      {"", "count", "per s", "total", "share", "50 %", "90 %", "99 %", "99.9 %", "longest"}};
  if (run.source == Source::kNeap) rows.push_back(PauseRow("minor", s.minor_pauses, s.seconds));
  rows.push_back(PauseRow("major", s.major_pauses, s.seconds));
  rows.push_back(PauseRow("all stops", s.pauses, s.seconds));
  if (s.time_to_safepoint.count != 0) {
    rows.push_back(PauseRow("to safepoint", s.time_to_safepoint, s.seconds));
  }
  std::string out = absl::StrCat("\nPauses\n", TableText(rows));
  if (s.minors_in_majors != 0) {
    absl::StrAppend(&out, "  (", CountText(s.minors_in_majors),
                    " more minor collections are part of a major cycle's pause)\n");
  }
  return out;
}

std::string CausesText(const Summary& s) {
  std::string out = "\nWhy they ran\n";
  const auto add = [&out](const char* kind, const auto& causes) {
    if (causes.empty()) return;
    std::string line;
    for (const auto& [cause, count] : causes) {
      absl::StrAppend(&line, line.empty() ? "" : ", ", cause, " ", CountText(count));
    }
    out += Wrap(line, absl::StrCat("  ", kind, "  "), "         ");
  };
  add("minor", s.minor_causes);
  add("major", s.major_causes);
  return out;
}

std::string MmuText(const Summary& s) {
  std::string out =
      "\nLeast share of the time that the program had, by length of the window (MMU)\n";
  std::vector<std::string> windows = {"window"}, shares = {"share"};
  for (size_t i = 0; i < std::size(kMmuWindowsNs); ++i) {
    windows.push_back(absl::StrFormat("%g ms", static_cast<double>(kMmuWindowsNs[i]) / 1e6));
    shares.push_back(ShareText(s.mmu[i]));
  }
  return out + TableText({windows, shares});
}

std::string SurvivalText(const Run& run, const Summary& s) {
  if (run.minors.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"survivals", "bytes", "of what was born", "of the age before"},
      {"born", Bytes(s.born_bytes()), "", ""}};
  constexpr const char* kAges[] = {"1", "2", "3", "more"};
  uint64_t before = s.born_bytes();
  for (size_t i = 0; i < std::size(kAges); ++i) {
    const uint64_t bytes = s.survived_bytes[i];
    if (bytes == 0) continue;
    rows.push_back({kAges[i], Bytes(bytes), ShareText(Share(bytes, s.born_bytes())),
                    i + 1 < std::size(kAges) ? ShareText(Share(bytes, before)) : ""});
    before = bytes;
  }
  std::string out = absl::StrCat("\nSurvival in the nursery\n", TableText(rows));
  out += Wrap(absl::StrCat("promoted ", Bytes(s.promoted_bytes), " (",
                           ShareText(Share(s.promoted_bytes, s.born_bytes())),
                           " of what was born), copied within the nursery ", Bytes(s.copied_bytes),
                           ", kept in place ", Bytes(s.in_place_bytes), ", off-heap ",
                           Bytes(s.young_off_heap_bytes), "; a minor collection every ",
                           Time(s.minor_interval_ns), " (median)"),
              "  ", "  ");
  return out;
}

std::string OldSpaceText(const Run& run, const Summary& s) {
  if (run.majors.empty()) return "";
  std::string line = absl::StrCat("live after the last cycle ", Bytes(s.live_bytes), " (most ",
                                  Bytes(s.most_live_bytes), "), largest heap ",
                                  Bytes(s.most_heap_bytes), ", next goal ", Bytes(s.goal_bytes));
  if (run.source == Source::kNeap) {
    absl::StrAppend(&line, ", off-heap ", Bytes(s.off_heap_bytes), ", from the system ",
                    Bytes(s.most_mapped_bytes), " at most, ", CountText(s.page_faults),
                    " page faults in pauses, ", CountText(s.forced_majors), " cycles forced");
  }
  if (s.gc_cpu_percent > 0) {
    absl::StrAppend(&line, "; collections took ", ShareText(s.gc_cpu_percent / 100),
                    " of the CPU time");
  }
  return absl::StrCat("\nHeap\n", Wrap(line, "  ", "  "));
}

std::string PoolsText(const Summary& s) {
  if (s.pools.empty()) return "";
  const bool drops = std::any_of(s.pools.begin(), s.pools.end(),
                                 [](const PoolSummary& pool) { return pool.drops != 0; });
  std::vector<std::vector<std::string>> rows = {{"pool", "gets", "hits", "private", "shared",
                                                 "stolen", "victim", "misses", "puts", "evicted",
                                                 "gap"}};
  if (drops) rows[0].push_back("dropped");
  const size_t shown = std::min(kMostPools, s.pools.size());
  for (size_t i = 0; i < shown; ++i) {
    const PoolSummary& pool = s.pools[i];
    rows.push_back({absl::StrCat(pool.name, " #", pool.pool), CountText(pool.gets),
                    pool.gets == 0 ? "-" : ShareText(pool.hit_share()),
                    CountText(pool.private_hits), CountText(pool.shared_hits),
                    CountText(pool.steals), CountText(pool.victim_hits), CountText(pool.misses),
                    CountText(pool.puts), CountText(pool.evicted),
                    pool.gap_cycles == 0 ? "-" : absl::StrFormat("%.1f", pool.gap_cycles)});
    if (drops) rows.back().push_back(CountText(pool.drops));
  }
  std::string out =
      absl::StrCat("\nPools (gap: major cycles from one use to the next)\n", TableText(rows));
  if (shown < s.pools.size()) {
    absl::StrAppend(&out, "  and ", s.pools.size() - shown, " with fewer gets (--json has all)\n");
  }
  return out;
}

std::string ProblemsText(const Run& run, const Summary& s) {
  const std::vector<Problem> problems = FindProblems(run, s);
  if (problems.empty()) return "\nLikely problems: none found\n";
  std::string out = "\nLikely problems\n";
  int number = 0;
  for (const Problem& problem : problems) {
    out += Wrap(absl::StrCat(problem.what, " [", problem.rule, "]"),
                absl::StrFormat("%3d. ", ++number), "     ");
    out += Wrap(problem.remedy, "     ", "     ");
  }
  const std::string hint = ProfileHint(run, problems);
  if (!hint.empty()) absl::StrAppend(&out, "  ", hint, "\n");
  return out;
}

// True when a trace of this source can have the metric.
bool Has(const Run& run, const Metric& metric) {
  if (run.source == Source::kNeap) return true;
  for (const char* prefix : {"minor.", "safepoint.", "nursery.", "faults.", "memory.", "trace."}) {
    if (metric.id.starts_with(prefix)) return false;
  }
  return true;
}

std::string RatioText(double a, double b) {
  if (a == 0) return b == 0 ? "1.00" : "-";
  const double ratio = b / a;
  return ratio >= 1000 ? ">1000" : absl::StrFormat(ratio >= 9.995 ? "%.1f" : "%.2f", ratio);
}

}  // namespace

std::string SummaryText(const Run& run) {
  const Summary s = Summarize(run);
  std::string out = HeaderText(run, s);
  if (run.minors.empty() && run.majors.empty()) return out + "\nNo collection ran.\n";
  absl::StrAppend(&out, PausesText(run, s), CausesText(s), MmuText(s), SurvivalText(run, s),
                  OldSpaceText(run, s), PoolsText(s), ProfileText(run));
  if (s.lost != 0) absl::StrAppend(&out, "\nLost events: ", CountText(s.lost), "\n");
  if (run.unknown != 0) {
    absl::StrAppend(
        &out, "\nEvents of kinds that this version does not know: ", CountText(run.unknown), "\n");
  }
  return out + ProblemsText(run, s);
}

std::string ComparisonText(const Run& a, const Run& b) {
  const std::vector<Metric> of_a = MetricsOf(Summarize(a)), of_b = MetricsOf(Summarize(b));
  std::vector<std::vector<std::string>> rows = {{"", "A", "B", "B / A"}};
  for (size_t i = 0; i < of_a.size(); ++i) {
    const bool has_a = Has(a, of_a[i]), has_b = Has(b, of_b[i]);
    if ((!has_a || of_a[i].value == 0) && (!has_b || of_b[i].value == 0)) continue;
    rows.push_back({of_a[i].name, has_a ? MetricText(of_a[i]) : "-",
                    has_b ? MetricText(of_b[i]) : "-",
                    has_a && has_b ? RatioText(of_a[i].value, of_b[i].value) : "-"});
  }
  return absl::StrCat("A  ", a.path, ": ", a.heaps.front().command, "\nB  ", b.path, ": ",
                      b.heaps.front().command, "\n\n", TableText(rows),
                      ProfileComparisonText(a, b));
}

}  // namespace neap::trace
