// SPDX-License-Identifier: MIT
#include "trace_follow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/figure_text.h"
#include "trace_file.h"
#include "trace_problems.h"
#include "trace_summary.h"

namespace neap::trace {
namespace {

using vm::BytesText;
using vm::CountText;
using vm::ShareText;
using vm::TimeText;

constexpr uint64_t kLatelyNs = 10'000'000'000;
constexpr size_t kMostPools = 5, kMostProblems = 4;

std::string Bytes(uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }
std::string Time(uint64_t ns) { return TimeText(static_cast<double>(ns)); }

// "#######......" : `part` of `whole`.
std::string Bar(uint64_t part, uint64_t whole) {
  constexpr size_t kCells = 40;
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  const size_t full = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * kCells + 0.5);
  return absl::StrCat(std::string(full, '#'), std::string(kCells - full, '.'));
}

Distribution PausesSince(const Run& run, uint64_t since_ns) {
  std::vector<uint64_t> pauses;
  for (size_t i = run.pauses.size(); i-- > 0 && run.pauses[i].end_ns() >= since_ns;) {
    pauses.push_back(run.pauses[i].duration_ns);
  }
  return DistributionOf(std::move(pauses));
}

std::string PauseLine(const char* name, const Distribution& d, double seconds) {
  const double share = seconds > 0 ? static_cast<double>(d.total) / 1e9 / seconds : 0;
  return absl::StrFormat("  %-12s %10s %10s %10s %10s %10s %10s\n", name, CountText(d.count),
                         Time(d.p50), Time(d.p90), Time(d.p99), Time(d.max), ShareText(share));
}

// The file, read on from where the last look ended.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  ~GrowingFile() {
    if (file_ >= 0) close(file_);
  }
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Feeds what is new. A file that shrank gets a new reader, `*is_new`.
  absl::Status Read(std::unique_ptr<TraceReader>* reader, bool* is_new) {
    *is_new = false;
    if (file_ < 0) file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts = {};
    if (file_ < 0 || fstat(file_, &facts) != 0) return CannotRead();
    if (*reader == nullptr || (S_ISREG(facts.st_mode) && facts.st_size < read_)) {
      *reader = std::make_unique<TraceReader>(path_);
      *is_new = true;
      read_ = 0;
      (void)lseek(file_, 0, SEEK_SET);
    }
    char buffer[1 << 16];
    ssize_t bytes;
    while ((bytes = read(file_, buffer, sizeof(buffer))) > 0) {
      read_ += bytes;
      const absl::Status status = (*reader)->Feed({buffer, static_cast<size_t>(bytes)});
      if (!status.ok()) return status;
    }
    return bytes < 0 && errno != EINTR && errno != EAGAIN ? CannotRead() : absl::OkStatus();
  }

 private:
  absl::Status CannotRead() const {
    return absl::NotFoundError(absl::StrCat("cannot read '", path_, "': ", std::strerror(errno)));
  }

  const std::string path_;
  int file_ = -1;
  off_t read_ = 0;
};

// The view, or the next line when something happened. `*collections`: how many were shown.
void Show(const FollowOptions& options, const Run& run, LiveLine* line, size_t* collections) {
  if (run.heaps.empty()) return;
  const size_t before = std::exchange(*collections, run.minors.size() + run.majors.size());
  if (options.is_terminal) {
    // To the corner, the view, the rest of the screen erased (ECMA-48: CUP, ED).
    std::fprintf(options.out, "\x1b[H%s\x1b[J", LiveText(run, kLatelyNs).c_str());
  } else if (*collections != before) {
    std::fputs(line->Next(run).c_str(), options.out);
  }
  std::fflush(options.out);
}

}  // namespace

std::string LiveText(const Run& run, uint64_t window_ns) {
  const Summary s = Summarize(run);
  std::string out = absl::StrCat(run.path, ": ", run.heaps.front().command.substr(0, 60), "\n  ",
                                 TimeText(s.seconds * 1e9), ", ", CountText(s.minor_pauses.count),
                                 " minor collections, ", CountText(s.major_pauses.count),
                                 " major cycles", run.has_end ? ", ended" : "", "\n\n");
  absl::StrAppendFormat(&out, "  %-12s %10s %10s %10s %10s %10s %10s\n", "pauses", "count", "50 %",
                        "90 %", "99 %", "longest", "share");
  const uint64_t since_ns = run.end_ns > window_ns ? run.end_ns - window_ns : 0;
  const double lately = std::min(s.seconds, static_cast<double>(window_ns) / 1e9);
  out +=
      PauseLine(absl::StrFormat("last %.0f s", lately).c_str(), PausesSince(run, since_ns), lately);
  out += PauseLine("whole run", s.pauses, s.seconds);
  absl::StrAppend(&out, "\n  live   ", Bar(s.live_bytes, s.goal_bytes), "  ", Bytes(s.live_bytes),
                  " of ", Bytes(s.goal_bytes), " goal\n");
  absl::StrAppend(&out, "  frame  ", Bar(static_cast<uint64_t>(s.mmu[3] * 1000), 1000), "  ",
                  ShareText(s.mmu[3]), " of 16.7 ms at worst\n");
  if (!s.pools.empty()) out += "\n";
  for (size_t i = 0; i < std::min(kMostPools, s.pools.size()); ++i) {
    const PoolSummary& pool = s.pools[i];
    absl::StrAppendFormat(&out, "  pool %-20s %12s gets  %8s hits  %10s evicted\n",
                          pool.name.substr(0, 20), CountText(pool.gets),
                          pool.gets == 0 ? "-" : ShareText(pool.hit_share()),
                          CountText(pool.evicted));
  }
  const std::vector<Problem> problems = FindProblems(run, s);
  out += problems.empty() ? "" : "\n";
  for (size_t i = 0; i < std::min(kMostProblems, problems.size()); ++i) {
    absl::StrAppend(&out, "  ! ", problems[i].what.substr(0, 95), "\n");
  }
  return out;
}

// The nearest rank of trace_summary.h, kept up: `most_` holds the ceil(99 % of all) shortest.
void LiveLine::Add(uint64_t pause_ns) {
  longest_ns_ = std::max(longest_ns_, pause_ns);
  most_.push(pause_ns);
  rest_.push(most_.top());
  most_.pop();
  const size_t all = most_.size() + rest_.size();
  while (most_.size() < (all * 99 + 99) / 100) {
    most_.push(rest_.top());
    rest_.pop();
  }
}

std::string LiveLine::Next(const Run& run) {
  for (; pauses_ < run.pauses.size(); ++pauses_) Add(run.pauses[pauses_].duration_ns);
  uint64_t live_bytes = 0, goal_bytes = 0;
  if (!run.majors.empty()) {
    live_bytes = run.majors.back().marked_bytes;
    goal_bytes = GoalAfter(run.majors.back());
  }
  const size_t minors = std::exchange(minors_, run.minors.size());
  const size_t majors = std::exchange(majors_, run.majors.size());
  return absl::StrCat(TimeText(static_cast<double>(run.duration_ns())), ": minor ",
                      CountText(minors_), " (+", minors_ - minors, "), major ", CountText(majors_),
                      " (+", majors_ - majors, "), pauses 99 % ",
                      Time(most_.empty() ? 0 : most_.top()), ", longest ", Time(longest_ns_),
                      ", live ", Bytes(live_bytes), " of ", Bytes(goal_bytes), " goal\n");
}

absl::Status FollowTrace(const FollowOptions& options) {
  GrowingFile file(options.path);
  std::unique_ptr<TraceReader> reader;
  LiveLine line;
  size_t collections = 0;
  if (options.is_terminal) std::fputs("\x1b[2J", options.out);
  while (true) {
    bool is_new = false;
    const absl::Status status = file.Read(&reader, &is_new);
    if (!status.ok()) return status;
    if (is_new) {
      line = LiveLine();
      collections = 0;
    }
    const Run& run = reader->run();
    Show(options, run, &line, &collections);
    // A Go trace has no end line; it is followed until the reader is stopped.
    if (run.has_end && run.source == Source::kNeap) return absl::OkStatus();
    std::this_thread::sleep_for(std::chrono::milliseconds(options.interval_ms));
  }
}

}  // namespace neap::trace
