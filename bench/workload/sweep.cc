// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "neap/runtime/clock.h"
#include "rapidjson/document.h"
#include "report_json.h"

namespace neap::workload {
namespace {

std::string SchemaLine(const std::string& workload, const std::string& command) {
  return absl::StrCat("{\"schema\":\"neap-sweep\",\"version\":", kSweepVersion,
                      ",\"workload\":", lab::JsonString(workload),
                      ",\"command\":", lab::JsonString(command), "}\n");
}

std::string RunLine(const std::string& cell, int repetition, const Figures& figures) {
  return absl::StrCat("{\"cell\":", lab::JsonString(cell), ",\"repetition\":", repetition,
                      ",\"figures\":", ToJson(figures), "}\n");
}

const char* TextMember(const rapidjson::Document& document, const char* name) {
  const auto member = document.FindMember(name);
  const bool is_text = member != document.MemberEnd() && member->value.IsString();
  return is_text ? member->value.GetString() : nullptr;
}

std::string WithoutEnd(const std::string& line) {
  return std::string(line.substr(0, std::min<size_t>(line.size(), 60)));
}

// Why the line is not a schema line of ours, or nothing.
std::string SchemaProblem(const std::string& line, SweepResult* result) {
  rapidjson::Document document;
  document.Parse(line.c_str());
  if (document.HasParseError() || !document.IsObject()) return "not a JSON object";
  const char* schema = TextMember(document, "schema");
  if (schema == nullptr || std::string_view(schema) != "neap-sweep") {
    return absl::StrCat("schema \"", schema == nullptr ? "" : schema, "\"");
  }
  const auto version = document.FindMember("version");
  if (version == document.MemberEnd() || !version->value.IsInt()) return "no version";
  if (version->value.GetInt() != kSweepVersion) {
    return absl::StrCat("version ", version->value.GetInt(), ", this program reads ",
                        kSweepVersion);
  }
  const char* workload = TextMember(document, "workload");
  if (workload == nullptr) return "no workload";
  if (result->workload.empty()) result->workload = workload;
  if (result->workload == workload) return "";
  return absl::StrCat("workload \"", workload, "\", not \"", result->workload, "\"");
}

bool ReadRun(const std::string& line, SweepResult* result) {
  rapidjson::Document document;
  document.Parse(line.c_str());
  if (document.HasParseError() || !document.IsObject()) return false;
  const char* cell = TextMember(document, "cell");
  const auto repetition = document.FindMember("repetition");
  const size_t figures_at = line.find(",\"figures\":");
  if (cell == nullptr || repetition == document.MemberEnd() || !repetition->value.IsInt() ||
      figures_at == line.npos) {
    return false;
  }
  const size_t begin = figures_at + std::string_view(",\"figures\":").size();
  const auto figures = FiguresFromJson(line.substr(begin, line.size() - begin - 1));
  if (!figures.ok()) return false;
  result->Add(cell, repetition->value.GetInt(), *figures);
  return true;
}

// "1:02:03", "4:05" or "12 s".
std::string DurationText(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrFormat("%d:%02d min", whole / 60, whole % 60);
  return absl::StrFormat("%d:%02d h", whole / 3600, whole / 60 % 60);
}

// Says how far a sweep is: a line each time a run ends, rewritten on a terminal.
class ProgressLines {
 public:
  ProgressLines(std::ostream* out, size_t total, size_t done)
      : out_(out), total_(total), done_(done), first_(done), start_ns_(MonotonicNanos()) {
    if (out_ != nullptr && done_ > 0) {
      *out_ << "neap sweep: " << done_ << " of " << total_ << " runs are in the file already\n";
    }
  }
  void Next(const std::string& cell) {
    ++done_;
    if (out_ == nullptr) return;
    const double seconds = static_cast<double>(MonotonicNanos() - start_ns_) * 1e-9;
    const double left =
        seconds / static_cast<double>(done_ - first_) * static_cast<double>(total_ - done_);
    *out_ << "neap sweep: " << done_ << "/" << total_ << "  " << cell << "  " << DurationText(left)
          << " left" << std::endl;
  }

 private:
  std::ostream* const out_;
  const size_t total_;
  size_t done_;
  const size_t first_;
  const uint64_t start_ns_;
};

// A result file that grows by whole lines.
class ResultFile {
 public:
  ~ResultFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  // Appends to what is there; a schema line comes first when nothing is.
  absl::Status Open(const std::string& path, bool is_new, bool ends_cut, const Sweep& sweep) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "a");
    if (file_ == nullptr) {
      return absl::PermissionDeniedError(
          absl::StrCat("cannot write '", path, "': ", std::strerror(errno)));
    }
    if (is_new) return Write(SchemaLine(sweep.workload, sweep.command));
    return ends_cut ? Write("\n") : absl::OkStatus();
  }
  absl::Status Write(const std::string& line) {
    if (file_ == nullptr) return absl::OkStatus();
    const bool is_written = std::fwrite(line.data(), 1, line.size(), file_) == line.size();
    if (is_written && std::fflush(file_) == 0) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("cannot write all of '", path_, "': ", std::strerror(errno)));
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

bool EndsCut(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0) return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

}  // namespace

const Figures* SweepResult::Find(const std::string& cell, int repetition) const {
  const auto at = by_text_.find(cell);
  if (at == by_text_.end()) return nullptr;
  const auto run = cells[at->second].runs.find(repetition);
  return run == cells[at->second].runs.end() ? nullptr : &run->second;
}

void SweepResult::Add(const std::string& cell, int repetition, const Figures& figures) {
  const auto [at, is_new] = by_text_.try_emplace(cell, cells.size());
  if (is_new) {
    Knobs knobs;
    for (const std::string& word :
         std::vector<std::string>(absl::StrSplit(cell, ' ', absl::SkipEmpty()))) {
      if (absl::StatusOr<Knob> knob = ParseKnob(word); knob.ok()) knobs.push_back(*knob);
    }
    cells.push_back({.knobs = std::move(knobs), .runs = {}});
  }
  cells[at->second].runs.insert_or_assign(repetition, figures);
}

absl::Status ReadResults(const std::string& path, SweepResult* result, int* cut) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number > 1) {
      if (!ReadRun(line, result) && !line.empty()) ++*cut;
      continue;
    }
    const std::string problem = SchemaProblem(line, result);
    if (problem.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("'", path,
                                                   "' line 1 is no schema line of a "
                                                   "sweep (",
                                                   problem, "): ", WithoutEnd(line)));
  }
  return absl::OkStatus();
}

absl::StatusOr<SweepResult> RunSweep(const Sweep& sweep, const std::string& path,
                                     const std::string& program, std::ostream* progress) {
  absl::Status status = CheckSweep(sweep);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<Knobs>> cells = CellsOf(sweep);
  if (!cells.ok()) return cells.status();
  SweepResult found;
  found.workload = sweep.workload;
  ResultFile file;
  if (!path.empty()) {
    int cut = 0;
    std::ifstream old(path, std::ios::binary | std::ios::ate);
    const bool is_new = !old || old.tellg() == 0;
    if (!is_new) status = ReadResults(path, &found, &cut);
    if (status.ok()) status = file.Open(path, is_new, EndsCut(path), sweep);
    if (!status.ok()) return status;
  }
  SweepResult result;  // in the order of the grid
  result.workload = sweep.workload;
  size_t done = 0;
  for (const Knobs& knobs : *cells) {
    const std::string cell = CellText(knobs);
    for (int repetition = 0; repetition < sweep.repeat; ++repetition) {
      const Figures* figures = found.Find(cell, repetition);
      if (figures == nullptr) continue;
      result.Add(cell, repetition, *figures);
      ++done;
    }
  }
  ProgressLines lines(progress, cells->size() * static_cast<size_t>(sweep.repeat), done);
  for (int repetition = 0; repetition < sweep.repeat; ++repetition) {
    for (const Knobs& knobs : *cells) {
      const std::string cell = CellText(knobs);
      if (found.Find(cell, repetition) != nullptr) continue;
      const absl::StatusOr<Figures> figures =
          RunApart({.workload = sweep.workload, .knobs = knobs}, program);
      if (!figures.ok()) {
        return absl::AbortedError(absl::StrCat("the cell \"", cell, "\" of ", sweep.workload, ": ",
                                               figures.status().message()));
      }
      status = file.Write(RunLine(cell, repetition, *figures));
      if (!status.ok()) return status;
      result.Add(cell, repetition, *figures);
      lines.Next(cell);
    }
  }
  return result;
}

std::string ToJsonLines(const SweepResult& result, const std::string& command) {
  std::string text = SchemaLine(result.workload, command);
  for (const SweepResult::Cell& cell : result.cells) {
    for (const auto& [repetition, figures] : cell.runs) {
      text += RunLine(CellText(cell.knobs), repetition, figures);
    }
  }
  return text;
}

}  // namespace neap::workload
