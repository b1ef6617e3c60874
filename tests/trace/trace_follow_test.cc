// SPDX-License-Identifier: MIT
//
// What a follower says of a trace that grows.
#include "trace_follow.h"

#include <doctest/doctest.h>

#include <string>

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
