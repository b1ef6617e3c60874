// SPDX-License-Identifier: MIT
//
// What a follower says of a trace that grows.
#include "trace_follow.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "profile/figure_text.h"
#include "support/random.h"
#include "trace_builder.h"
#include "trace_file.h"
#include "trace_summary.h"

namespace neap::testing {
namespace {

using trace::LiveLine;
using trace::Run;

// The line from the figures of the whole run.
std::string LineOf(const Run& run, size_t minors_before, size_t majors_before) {
  const trace::Summary s = trace::Summarize(run);
  const auto time = [](uint64_t ns) { return vm::TimeText(static_cast<double>(ns)); };
  const auto bytes = [](uint64_t count) { return vm::BytesText(static_cast<double>(count)); };
  return absl::StrCat(vm::TimeText(s.seconds * 1e9), ": minor ", vm::CountText(run.minors.size()),
                      " (+", run.minors.size() - minors_before, "), major ",
                      vm::CountText(run.majors.size()), " (+", run.majors.size() - majors_before,
                      "), pauses 99 % ", time(s.pauses.p99), ", longest ", time(s.pauses.max),
                      ", live ", bytes(s.live_bytes), " of ", bytes(s.goal_bytes), " goal\n");
}

TEST_SUITE("trace/follow") {
  TEST_CASE("at each of many looks the line says what a summary of the whole run says") {
    Random random;
    TraceBuilder trace;
    trace::TraceReader reader("t");
    LiveLine line;
    size_t fed = 0, minors = 0, majors = 0;
    uint64_t at_us = 1000;
    for (int look = 0; look < 1500; ++look) {
      for (uint64_t n = random.Below(4); n > 0; --n) {
        const uint64_t pause_us =
            random.Below(10) == 0 ? 0 : 1 + random.Below(1 << random.Below(14));
        at_us += 20'000;
        if (random.Below(5) != 0) {
          trace.Minor(at_us, pause_us);
        } else {
          trace.Major(at_us, pause_us, [&](gc::MajorEvent& e) {
            e.marked_bytes = random.Below(1 << 24);
            e.next_goal_bytes = random.Below(3) == 0 ? 0 : 1 << 20;
            e.goal_bytes = 2 << 20;
          });
        }
      }
      REQUIRE(reader.Feed(std::string_view(trace.text()).substr(fed)).ok());
      fed = trace.text().size();
      const Run& run = reader.run();
      REQUIRE(line.Next(run) == LineOf(run, minors, majors));
      minors = run.minors.size();
      majors = run.majors.size();
    }
    CHECK(minors > 1000);
    CHECK(majors > 200);
  }

  TEST_CASE("a file that was begun anew is counted anew") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::string path = folder / absl::StrCat("neap-follow-", getpid(), ".jsonl");
    const std::string shown = folder / absl::StrCat("neap-follow-", getpid(), ".txt");
    TraceBuilder first, second;
    for (uint64_t i = 1; i <= 5; ++i) first.Minor(1000 * i, 100);
    for (uint64_t i = 1; i <= 2; ++i) second.Minor(1000 * i, 100);
    second.End(3000);
    REQUIRE(second.text().size() < first.text().size());
    { std::ofstream(path) << first.text(); }
    std::FILE* out = std::fopen(shown.c_str(), "w");
    REQUIRE(out != nullptr);
    std::thread writer([&] {
      while (std::filesystem::file_size(shown) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::ofstream(path) << second.text();
    });
    const absl::Status status =
        trace::FollowTrace({.path = path, .out = out, .is_terminal = false, .interval_ms = 5});
    writer.join();
    std::fclose(out);
    CHECK(status.ok());
    std::ostringstream lines;
    lines << std::ifstream(shown).rdbuf();
    CHECK(lines.str().find("minor 5 (+5)") != std::string::npos);
    CHECK(lines.str().find("minor 2 (+") != std::string::npos);
    CHECK(lines.str().find("minor 7") == std::string::npos);
    std::filesystem::remove(path);
    std::filesystem::remove(shown);
  }

  TEST_CASE("a line about nothing yet, and one about a first collection") {
    TraceBuilder trace;
    LiveLine line;
    CHECK(line.Next(trace.Read()) == LineOf(trace.Read(), 0, 0));
    trace.Minor(1000, 100);
    CHECK(line.Next(trace.Read()) == LineOf(trace.Read(), 0, 0));
    CHECK(line.Next(trace.Read()) == LineOf(trace.Read(), 1, 0));
  }
}

}  // namespace
}  // namespace neap::testing
