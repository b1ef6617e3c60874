// SPDX-License-Identifier: MIT
#include "heap_command.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "profile/heap_report.h"
#include "read_flags.h"

namespace neap::cli {
namespace {

constexpr int kExitNotFound = 1;
constexpr size_t kDefaultTop = 25;

struct HeapWords {
  std::vector<std::string> files;
  size_t top = kDefaultTop;
  bool shows_retained = false;
  std::optional<std::string> path;
  std::optional<uint64_t> path_id;  // the same as a number
  bool json = false;
};

// Decimal, or hexadecimal after 0x.
bool ParseNumber(const std::string& text, uint64_t* number) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const start = text.c_str() + (is_hex ? 2 : 0);
  char* end = nullptr;
  errno = 0;
  *number = std::strtoull(start, &end, is_hex ? 16 : 10);
  return errno == 0 && end != start && *end == '\0' && std::isxdigit(*start) != 0;
}

void AddHeapOptions(CLI::App& app, HeapWords& words) {
  app.add_option("FILES", words.files, "a heap snapshot, or two to compare");
  app.add_option("--top", words.top, "rows of each table, up to 1000000 (25)")
      ->option_text("N")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--path", words.path, "why that object lives: an id as tostring() shows it")
      ->option_text("ID");
  app.add_flag("--retained", words.shows_retained, "the objects that retain most");
  app.add_flag("--json", words.json, "for programs");
}

// What is wrong with the words; empty: nothing.
std::string Contradiction(HeapWords& words) {
  if (words.files.empty() || words.files.size() > 2) {
    return "which snapshot? neap heap FILE, or two files to compare";
  }
  uint64_t id = 0;
  if (words.path) {
    if (!ParseNumber(*words.path, &id)) {
      return absl::StrCat("--path: \"", *words.path, "\" is no number");
    }
    words.path_id = id;
  }
  const bool asks_about_one = words.shows_retained || words.path_id;
  if (words.files.size() == 2 && asks_about_one)
    return "--retained and --path look at one snapshot";
  return "";
}

int Misuse(const std::string& line) {
  std::fprintf(stderr, "neap heap: %s\n", line.c_str());
  return kExitMisuse;
}

int Refuse(const absl::Status& status) {
  std::fprintf(stderr, "neap: %s\n", std::string(status.message()).c_str());
  return kExitMisuse;
}

int ShowDifference(const vm::HeapGraph& before, const vm::HeapGraph& after,
                   const HeapWords& words) {
  const vm::HeapDifference difference = vm::Compare(before, after);
  std::fputs(
      (words.json ? vm::DifferenceJson(difference) : vm::DifferenceText(difference, words.top))
          .c_str(),
      stdout);
  return 0;
}

int ShowOne(vm::HeapGraph graph, const HeapWords& words) {
  const vm::HeapReport report(std::move(graph));
  if (words.path_id) {
    const absl::StatusOr<std::string> text = report.PathText(*words.path_id);
    if (!text.ok()) {
      (void)Refuse(text.status());
      return kExitNotFound;
    }
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  const std::string text = words.json             ? report.Json(words.top)
                           : words.shows_retained ? report.RetainedText(words.top)
                                                  : report.SummaryText(words.top);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

int RunHeapCommand(const std::vector<std::string>& arguments) {
  CLI::App app("What a heap snapshot holds, and who holds it.", "neap heap");
  HeapWords words;
  AddHeapOptions(app, words);
  if (const std::optional<int> status = ReadFlags(app, arguments)) return *status;
  if (const std::string problem = Contradiction(words); !problem.empty()) return Misuse(problem);
  absl::StatusOr<vm::HeapGraph> graph = vm::ReadHeapSnapshot(words.files[0]);
  if (!graph.ok()) return Refuse(graph.status());
  if (words.files.size() == 1) return ShowOne(*std::move(graph), words);
  const absl::StatusOr<vm::HeapGraph> second = vm::ReadHeapSnapshot(words.files[1]);
  if (!second.ok()) return Refuse(second.status());
  return ShowDifference(*graph, *second, words);
}

}  // namespace neap::cli
