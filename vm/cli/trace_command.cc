// SPDX-License-Identifier: MIT
#include "trace_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "perfetto_export.h"
#include "read_flags.h"
#include "report_html.h"
#include "summary_text.h"
#include "trace_file.h"
#include "trace_follow.h"
#include "trace_page.h"
#include "trace_run.h"
#include "trace_schema.h"

namespace neap::cli {
namespace {

constexpr int kIncomplete = 1;

struct TraceFlags {
  std::vector<std::string> files;
  bool json = false, follow = false;
  bool schema = false;
  std::optional<uint64_t> heap;
  std::string html, perfetto;
};

int Misuse(const std::string& line) {
  std::fprintf(stderr, "neap trace: %s\n", line.c_str());
  return kExitMisuse;
}
int Misuse(const absl::Status& status) { return Misuse(std::string(status.message())); }

void AddTraceOptions(CLI::App& app, TraceFlags& flags) {
  app.add_option("FILES", flags.files,
                 "a trace of neap (--trace FILE) or the output of a Go program with "
                 "GODEBUG=gctrace=1; two files are compared; - is standard input");
  app.add_flag("--json", flags.json, "figures as one JSON object");
  app.add_flag("--follow", flags.follow, "show a running program until its trace ends");
  app.add_option("--html", flags.html, "write a page with charts; needs no network")
      ->option_text("OUT");
  app.add_option("--perfetto", flags.perfetto, "write a trace for ui.perfetto.dev")
      ->option_text("OUT");
  app.add_flag("--schema", flags.schema, "what events and fields mean; no file is read");
  app.add_option("--heap", flags.heap, "only heap N of a file with several")->option_text("N");
}

// What is wrong with the combination; empty: nothing.
std::string Contradiction(const TraceFlags& flags) {
  if (flags.files.empty()) return "which file? `neap trace --help` lists the flags";
  if (flags.files.size() > 2) return absl::StrCat("two files at most, not ", flags.files.size());
  const bool two = flags.files.size() == 2;
  if (two && flags.files[0] == "-" && flags.files[1] == "-") return "standard input only once";
  const bool exports = !flags.html.empty() || !flags.perfetto.empty();
  if (exports && two) return "--html and --perfetto take one trace";
  if (flags.follow && (two || flags.json || exports)) return "--follow shows one file, as text";
  return "";
}

absl::StatusOr<trace::Run> ReadRun(const std::string& path, std::optional<uint64_t> heap) {
  absl::StatusOr<trace::Run> run = trace::ReadTraceFile(path);
  if (!run.ok() || !heap) return run;
  for (uint32_t i = 0; i < run->heaps.size(); ++i) {
    if (run->heaps[i].number == *heap) return run->OnlyHeap(i);
  }
  return absl::InvalidArgumentError(absl::StrCat("--heap: ", path, " has no heap ", *heap, ", but ",
                                                 run->heaps.front().number, " to ",
                                                 run->heaps.back().number));
}

// Says what is missing at the end; false when something is.
bool IsComplete(const trace::Run& run) {
  if (run.cut_line != 0) {
    std::fprintf(stderr,
                 "neap trace: %s:%llu: the file ends in the middle of this line; read up to "
                 "there\n",
                 run.path.c_str(), static_cast<unsigned long long>(run.cut_line));
  } else if (!run.has_end) {
    std::fprintf(stderr,
                 "neap trace: %s: no end line: the program still runs, or did not end well\n",
                 run.path.c_str());
  }
  return run.cut_line == 0 && run.has_end;
}

int Follow(const std::string& path) {
  const absl::Status status =
      trace::FollowTrace({.path = path, .out = stdout, .is_terminal = isatty(STDOUT_FILENO) != 0});
  return status.ok() ? 0 : Misuse(status);
}

// Of a file with several heaps a page shows one: curves of two heaps would cross each other.
absl::Status WritePage(const trace::Run& run, const std::string& path) {
  if (run.heaps.size() < 2) return lab::WriteHtmlFile(path, trace::RenderPage(run));
  const trace::Run busiest = run.OnlyHeap(run.BusiestHeap());
  return lab::WriteHtmlFile(
      path, trace::RenderPage(busiest,
                              {.remark = absl::StrCat(
                                   "Heap ", busiest.heaps.front().number, " of ", run.heaps.size(),
                                   ", the one with the most collections; --heap=N shows "
                                   "another.")}));
}

int Export(const TraceFlags& flags, const trace::Run& run) {
  absl::Status status;
  if (!flags.html.empty()) status = WritePage(run, flags.html);
  if (status.ok() && !flags.perfetto.empty()) {
    status = lab::WriteHtmlFile(flags.perfetto, trace::PerfettoTrace(run));
  }
  const bool complete = IsComplete(run);
  if (status.ok()) return complete ? 0 : kIncomplete;
  std::fprintf(stderr, "neap trace: %s\n", std::string(status.message()).c_str());
  return kIncomplete;
}

int Compare(const TraceFlags& flags, const trace::Run& a) {
  const absl::StatusOr<trace::Run> b = ReadRun(flags.files[1], flags.heap);
  if (!b.ok()) return Misuse(b.status());
  std::fputs((flags.json ? trace::ComparisonJson(a, *b) : trace::ComparisonText(a, *b)).c_str(),
             stdout);
  const bool complete[] = {IsComplete(a), IsComplete(*b)};
  return complete[0] && complete[1] ? 0 : kIncomplete;
}

int ShowTraces(const TraceFlags& flags) {
  if (flags.follow) return Follow(flags.files[0]);
  const absl::StatusOr<trace::Run> run = ReadRun(flags.files[0], flags.heap);
  if (!run.ok()) return Misuse(run.status());
  if (flags.files.size() == 2) return Compare(flags, *run);
  if (!flags.html.empty() || !flags.perfetto.empty()) return Export(flags, *run);
  std::fputs((flags.json ? trace::SummaryJson(*run) : trace::SummaryText(*run)).c_str(), stdout);
  return IsComplete(*run) ? 0 : kIncomplete;
}

}  // namespace

int RunTraceCommand(const std::vector<std::string>& arguments) {
  CLI::App app(
      "Summary of a trace, or the comparison of two. Exit status 1 when a file is cut off, 2 when "
      "it is no trace.",
      "neap trace");
  TraceFlags flags;
  AddTraceOptions(app, flags);
  if (const std::optional<int> status = ReadFlags(app, arguments)) return *status;
  if (flags.schema) {
    std::fputs(trace::TraceSchemaText().c_str(), stdout);
    return 0;
  }
  const std::string wrong = Contradiction(flags);
  if (!wrong.empty()) return Misuse(wrong);
  return ShowTraces(flags);
}

}  // namespace neap::cli
