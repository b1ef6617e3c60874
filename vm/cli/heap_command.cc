// SPDX-License-Identifier: MIT
#include "heap_command.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "command_line.h"
#include "heap_flags.h"
#include "profile/heap_report.h"

namespace neap::cli {
namespace {

constexpr int kExitNotFound = 1;
constexpr size_t kDefaultTop = 25;

struct HeapWords {
  std::vector<std::string> files;
  size_t top = kDefaultTop;
  bool shows_retained = false;
  std::optional<uint64_t> path_id;
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

absl::StatusOr<HeapWords> ParseHeap(const std::vector<std::string>& words) {
  HeapWords parsed;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    uint64_t number = 0;
    if (!word.starts_with("--")) {
      parsed.files.push_back(word);
    } else if (word == "--json") {
      parsed.json = true;
    } else if (word == "--retained") {
      parsed.shows_retained = true;
    } else if (name == "--path" || name == "--top") {
      const std::string text = equals != word.npos    ? word.substr(equals + 1)
                               : i + 1 < words.size() ? words[++i]
                                                      : "";
      if (!ParseNumber(text, &number)) {
        return Misuse(absl::StrCat("heap: ", name, ": \"", text, "\" is no number"));
      }
      if (name == "--top") parsed.top = number;
      if (name == "--path") parsed.path_id = number;
    } else {
      return Misuse(absl::StrCat("heap: unknown flag ", word,
                                 "; there are --top=N, --retained, --path=ID, --json"));
    }
  }
  const bool asks_about_one = parsed.shows_retained || parsed.path_id;
  if (parsed.files.empty() || parsed.files.size() > 2) {
    return Misuse("heap: which snapshot? neap heap FILE, or two files to compare");
  }
  if (parsed.files.size() == 2 && asks_about_one) {
    return Misuse("heap: --retained and --path look at one snapshot");
  }
  return parsed;
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

int RunHeapCommand(const std::vector<std::string>& words) {
  const absl::StatusOr<HeapWords> parsed = ParseHeap(words);
  if (!parsed.ok()) {
    std::fprintf(stderr, "%s\n", std::string(parsed.status().message()).c_str());
    return kExitMisuse;
  }
  absl::StatusOr<vm::HeapGraph> graph = vm::ReadHeapSnapshot(parsed->files[0]);
  if (!graph.ok()) return Refuse(graph.status());
  if (parsed->files.size() == 1) return ShowOne(*std::move(graph), *parsed);
  const absl::StatusOr<vm::HeapGraph> second = vm::ReadHeapSnapshot(parsed->files[1]);
  if (!second.ok()) return Refuse(second.status());
  return ShowDifference(*graph, *second, *parsed);
}

}  // namespace neap::cli
