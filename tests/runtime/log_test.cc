// SPDX-License-Identifier: MIT
#include "neap/runtime/log.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "crew.h"
#include "doctest/doctest.h"

namespace neap::testing {
namespace {

struct Line {
  LogLevel level;
  std::string message;
  bool operator==(const Line&) const = default;
};

// Takes the log lines of a scope.
class LogCapture {
 public:
  LogCapture() { SetLogSink(&LogCapture::Take, this); }
  ~LogCapture() { SetLogSink(nullptr, nullptr); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  const std::vector<Line>& lines() const { return lines_; }

 private:
  static void Take(LogLevel level, std::string_view message, void* context) {
    static_cast<LogCapture*>(context)->lines_.push_back({level, std::string(message)});
  }
  std::vector<Line> lines_;
};

// What `body` writes to the file descriptor of stderr (less than a pipe holds).
template <typename Body>
std::string StderrOf(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int saved = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  body();
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(ends[1]);
  std::string text;
  char chunk[4096];
  for (ssize_t n; (n = read(ends[0], chunk, sizeof(chunk))) > 0;) {
    text.append(chunk, static_cast<size_t>(n));
  }
  close(ends[0]);
  return text;
}

TEST_SUITE("runtime/log") {
  TEST_CASE("a line on stderr carries the program, the level and the message") {
    const std::string text = StderrOf([] {
      Log(LogLevel::kInfo, "one");
      Log(LogLevel::kWarning, "two");
      Log(LogLevel::kError, "three");
    });
    CHECK(text == "neap: info: one\nneap: warning: two\nneap: error: three\n");
  }

  TEST_CASE("braces and percent signs of a message are printed as they are") {
    const std::string text = StderrOf([] { Log(LogLevel::kError, "100 % of {} and {0:x}"); });
    CHECK(text == "neap: error: 100 % of {} and {0:x}\n");
  }

  TEST_CASE("a sink takes lines in place of stderr until it is removed") {
    std::vector<Line> taken;
    const std::string text = StderrOf([&] {
      {
        const LogCapture capture;
        Log(LogLevel::kWarning, "taken");
        taken = capture.lines();
      }
      Log(LogLevel::kInfo, "back");
    });
    CHECK(taken == std::vector<Line>{{LogLevel::kWarning, "taken"}});
    CHECK(text == "neap: info: back\n");
  }

  TEST_CASE("lines of several threads arrive whole and one at a time") {
    constexpr int kThreads = 4;
    constexpr int kLines = 200;
    const LogCapture capture;
    Crew crew;
    for (int i = 0; i < kThreads; ++i) {
      crew.Start([i] {
        for (int n = 0; n < kLines; ++n) Log(LogLevel::kInfo, "from " + std::to_string(i));
      });
    }
    crew.Join();
    CHECK(capture.lines().size() == kThreads * kLines);
    for (int i = 0; i < kThreads; ++i) {
      const Line line{LogLevel::kInfo, "from " + std::to_string(i)};
      CHECK(std::count(capture.lines().begin(), capture.lines().end(), line) == kLines);
    }
  }
}

}  // namespace
}  // namespace neap::testing
