// SPDX-License-Identifier: MIT
//
// Figures of runs whose figures are known, and every rule about likely problems with a run that has
// the problem and one that just has not.
#include "trace_summary.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "profile/figure_text.h"
#include "summary_text.h"
#include "trace_builder.h"
#include "trace_problems.h"

namespace neap::testing {
namespace {

using trace::Run;
using trace::Summary;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const trace::Problem* Find(const std::vector<trace::Problem>& problems, const std::string& rule) {
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [&rule](const auto& problem) { return problem.rule == rule; });
  return found == problems.end() ? nullptr : &*found;
}
// The sentence of the rule, or "".
std::string Fires(const TraceBuilder& trace, const std::string& rule) {
  const Run run = trace.Read();
  const auto problems = trace::FindProblems(run, trace::Summarize(run));
  const trace::Problem* problem = Find(problems, rule);
  if (problem == nullptr) return "";
  CHECK(problem->remedy != "");
  const auto rules = trace::ProblemRules();
  CHECK(std::find(rules.begin(), rules.end(), rule) != rules.end());
  return problem->what;
}

using FillMinor = std::function<void(gc::MinorEvent&)>;
using FillMajor = std::function<void(gc::MajorEvent&)>;

// `count` minors of 0.2 ms every 10 ms.
TraceBuilder Minors(int count, const FillMinor& fill) {
  TraceBuilder trace;
  for (int i = 0; i < count; ++i) {
    trace.Minor(10'000u * static_cast<uint64_t>(i + 1), 200, [&](gc::MinorEvent& e) {
      e.eden_bytes = e.eden_limit_bytes = 1 << 20;
      fill(e);
    });
  }
  trace.End(10'000u * static_cast<uint64_t>(count + 1));
  return trace;
}

// `count` majors of 1 ms, `every_us` apart.
TraceBuilder Majors(int count, const FillMajor& fill, uint64_t every_us = 500'000) {
  TraceBuilder trace;
  for (int i = 0; i < count; ++i) {
    trace.Major(every_us * static_cast<uint64_t>(i + 1), 1000, [&](gc::MajorEvent& e) {
      e.marked_bytes = 4 << 20;
      fill(e);
    });
  }
  trace.End(every_us * static_cast<uint64_t>(count + 1));
  return trace;
}

// A pool that is used in one of `gap` cycles.
TraceBuilder PoolUsed(int gap, const gc::PoolEvent& use, int cycles = 40) {
  TraceBuilder trace;
  for (int i = 1; i <= cycles; ++i) {
    gc::PoolEvent event = i % gap == 0 ? use : gc::PoolEvent{};
    event.cycle = static_cast<uint64_t>(i);
    event.pool = 3;
    trace.Pool("boxes", event);
    trace.Major(500'000u * static_cast<uint64_t>(i), 1000);
  }
  return trace;
}

TEST_SUITE("trace/summary") {
  TEST_CASE("percentiles are the nearest rank") {
    std::vector<uint64_t> values;
    for (uint64_t i = 1000; i > 0; --i) values.push_back(i);
    const trace::Distribution d = trace::DistributionOf(values);
    CHECK(d.count == 1000);
    CHECK(d.total == 500'500);
    CHECK(d.p50 == 500);
    CHECK(d.p90 == 900);
    CHECK(d.p99 == 990);
    CHECK(d.p999 == 999);
    CHECK(d.max == 1000);
    CHECK(trace::DistributionOf({7}).p50 == 7);
    CHECK(trace::DistributionOf({}).mean() == 0);
  }

  TEST_CASE("counts, causes, survival and utilization of a small run") {
    TraceBuilder trace;
    trace.Minor(1000, 1000, [](gc::MinorEvent& e) {
      e.eden_bytes = 1000;
      e.survived_age1_bytes = 300;
      e.copied_bytes = 300;
      e.time_to_safepoint_ns = 50;
    });
    trace.Minor(0, 0,
                [](gc::MinorEvent& e) { e.cause = static_cast<uint64_t>(gc::Cause::kMajor); });
    trace.Major(5000, 3000, [](gc::MajorEvent& e) {
      e.forced = 1;
      e.cause = static_cast<uint64_t>(gc::Cause::kForced);
      e.marked_bytes = 777;
    });
    trace.End(20'000);
    const Summary s = trace::Summarize(trace.Read());
    CHECK(s.seconds == doctest::Approx(0.02));
    CHECK(s.minor_pauses.count == 1);
    CHECK(s.minors_in_majors == 1);
    CHECK(s.major_pauses.count == 1);
    CHECK(s.pauses.total == 4'000'000);
    CHECK(s.paused_ns == 4'000'000);
    CHECK(s.forced_majors == 1);
    CHECK(s.live_bytes == 777);
    CHECK(s.survived_bytes[0] == 300);
    CHECK(s.time_to_safepoint.max == 50);
    CHECK(s.mmu[0] == 0);                              // 1 ms
    CHECK(s.mmu[1] == doctest::Approx(0.4));           // 5 ms hold the major
    CHECK(s.mmu[2] == doctest::Approx(0.6));           // 10 ms hold both
    CHECK(s.mmu[4] == doctest::Approx(1 - 4.0 / 20));  // longer than the run
    REQUIRE(s.minor_causes.size() == 2);
  }

  TEST_CASE("a pool's gap is the mean number of cycles between two uses") {
    const gc::PoolEvent use = {
        .gets = 10, .private_hits = 4, .misses = 6, .puts = 10, .evicted = 6};
    for (const int gap : {1, 2, 5}) {
      const Summary s = trace::Summarize(PoolUsed(gap, use).Read());
      REQUIRE(s.pools.size() == 1);
      CHECK(s.pools[0].gap_cycles == gap);
      CHECK(s.pools[0].hit_share() == doctest::Approx(0.4));
    }
    CHECK(trace::Summarize(PoolUsed(30, use).Read()).pools[0].gap_cycles == 0);
  }

  TEST_CASE("figures have three digits and their unit") {
    CHECK(vm::TimeText(0) == "0");
    CHECK(vm::TimeText(999) == "999 ns");
    CHECK(vm::TimeText(1234) == "1.23 us");
    CHECK(vm::TimeText(99.96e6) == "100 ms");
    CHECK(vm::TimeText(61e9) == "61.0 s");
    CHECK(vm::BytesText(1023) == "1023 B");
    CHECK(vm::BytesText(1536) == "1.50 KiB");
    CHECK(vm::BytesText(3.5 * (1 << 30)) == "3.50 GiB");
    CHECK(vm::ShareText(0) == "0.0 %");
    CHECK(vm::ShareText(1e-9) == "<0.1 %");
    CHECK(vm::ShareText(0.99999) == ">99.9 %");
    CHECK(vm::ShareText(1) == "100.0 %");
    CHECK(vm::CountText(1234567) == "1,234,567");
    CHECK(vm::CountText(123) == "123");
  }

  TEST_CASE("the text has every part, in lines of at most 100 columns") {
    const Run run = ReadText(HourTrace(3000));
    const std::string text = trace::SummaryText(run);
    for (const char* part :
         {"neap run server.lua", "Pauses", "Why they ran", "nursery-full", "(MMU)", "16.7 ms",
          "Survival", "promoted", "Heap", "Pools", "buffers", "particles", "Likely problems",
          "pool-evicted", "Allocations by type (each one counted)", "Allocations by place",
          "table  handle  server.lua:42", "10.0 %", "64.0 KiB"}) {
      CAPTURE(part);
      CHECK(Has(text, part));
    }
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      CHECK(end - at <= 100);
      at = end + 1;
    }
  }

  TEST_CASE("a profile is shown by type and place, with what survived and how long it lived") {
    TraceBuilder trace;
    trace.Major(1000, 100);
    trace.Profile(2, 30, 512 << 10);
    trace.ProfileType("table", 4000, 3000, [](gc::ProfileTypeEvent& e) {
      e.met_objects = 2000;
      e.survived_objects = 500;
      e.settled_objects = 1000;
      e.promoted_objects = 20;
      e.survivals = 6000;
      e.dead_objects = 3990;
      e.life_p50_bytes = 128 << 10;
      e.life_p90_bytes = UINT64_MAX;
      e.live_bytes = 2048;
    });
    trace.ProfileType("", 100, 1000, [](gc::ProfileTypeEvent& e) { e.rows = 17; });
    for (uint64_t line = 1; line <= 30; ++line) {
      trace.ProfileSite("table", "a_function_with_a_long_name", "a/long/path/to/file.lua", line);
    }
    trace.End(5000);
    const std::string text = trace::SummaryText(trace.Read());
    CAPTURE(text);
    CHECK(Has(text, "estimated from 4,711 samples, one in 512 KiB"));
    const size_t at = text.find("  table ");
    REQUIRE(at != std::string::npos);
    const std::string row = text.substr(at, text.find('\n', at) - at);
    for (const char* figure : {"2.93 KiB", "75.0 %", "4,000", "25.0 %", "2.0 %", "1.50", "128 KiB",
                               "longer", "2.00 KiB"}) {
      CHECK_MESSAGE(Has(row, figure), figure);
    }
    CHECK(Has(text, "  17 more "));
    CHECK(Has(text, "file.lua:1 "));
    CHECK(Has(text, "  and 10 more (--json has all)"));
    const std::string json = trace::SummaryJson(trace.Read());
    CHECK(Has(json, "\"complete\":true,\"by_type\":[{\"type\":\"table\",\"rows\":1,"));
    CHECK(Has(json, "\"life_p90_bytes\":null,"));
    CHECK(Has(json, "\"survived_share\":0.25,\"promoted_share\":0.02,\"mean_age\":1.5}"));
    CHECK(Has(json, "\"file\":\"a/long/path/to/file.lua\",\"line\":30,"));
    CHECK(Has(trace::SummaryJson(Majors(1, [](gc::MajorEvent&) {}).Read()), "\"profile\":null"));
  }

  TEST_CASE("a profile that a cut file has lost, in whole or in part, is said to be missing") {
    const auto text = [](const std::string& asked, int rows) {
      TraceBuilder trace({}, "test", asked);
      trace.Major(1000, 100);
      if (rows >= 0) trace.Profile(1, 2, 0, 960);
      if (rows >= 1) trace.ProfileType("table", 10, 480);
      for (int i = 1; i < rows; ++i) trace.ProfileSite("table", "f", "x.lua", 1);
      return trace::SummaryText(trace.Read());
    };
    CHECK(Has(text("all", -1), "this file does not reach that far"));
    CHECK(Has(text("sampled", 2), "The allocation profile is cut: 1 of its rows are missing"));
    CHECK(Has(text("all", 1), "480 B  50.0 %"));  // the shares are of all that there was
    CHECK_FALSE(Has(text("all", 3), "missing"));
    for (const char* none : {"off", ""}) CHECK_FALSE(Has(text(none, -1), "profile"));
  }

  TEST_CASE("how to get a profile is said where a problem asks for it, and nowhere else") {
    const auto text = [](const std::string& asked, uint64_t promoted_bytes) {
      TraceBuilder trace({}, "test", asked);
      for (uint64_t i = 1; i <= 20; ++i) {
        trace.Minor(10'000 * i, 200, [&](gc::MinorEvent& e) {
          e.eden_bytes = e.eden_limit_bytes = 1 << 20;
          e.promoted_bytes = promoted_bytes;
        });
      }
      return trace::SummaryText(trace.Read());
    };
    CHECK(Has(text("off", 300'000), "record with --alloc-profile beside --trace."));
    CHECK_FALSE(Has(text("off", 0), "--alloc-profile"));
    CHECK_FALSE(Has(text("", 300'000), "--alloc-profile"));  // no script
  }

  TEST_CASE("types of two runs stand side by side where both have a profile") {
    const auto run = [](uint64_t bytes, const char* other) {
      TraceBuilder trace;
      trace.Major(1000, 100);
      trace.Profile(2, 0);
      trace.ProfileType("table", 10, bytes, [](auto& e) { e.survived_objects = 5; });
      trace.ProfileType(other, 1, 16);
      return trace.Read();
    };
    const std::string text = trace::ComparisonText(run(1000, "string"), run(4000, "function"));
    const size_t at = text.find("Allocations by type\n");
    REQUIRE(at != std::string::npos);
    for (const char* part : {"1000 B", "3.91 KiB", "4.00", "50.0 %", "string", "function"}) {
      CHECK_MESSAGE(Has(text.substr(at), part), part);
    }
    TraceBuilder none;
    none.Major(1000, 100);
    CHECK_FALSE(Has(trace::ComparisonText(run(1, "x"), none.Read()), "Allocations"));
  }

  TEST_CASE("a run without a collection, and a comparison with itself") {
    TraceBuilder none;
    none.End(1000);
    CHECK(Has(trace::SummaryText(none.Read()), "No collection ran."));
    const Run run = ReadText(HourTrace(500));
    const std::string text = trace::ComparisonText(run, run);
    CHECK(Has(text, "pause, 99 %"));
    CHECK_FALSE(Has(text, "0.99"));
    CHECK_FALSE(Has(text, "1.01"));
  }

  TEST_CASE("a Go trace compared with ours has a dash for what it cannot have") {
    const Run go = ReadText(
        "gc 1 @0.5s 3%: 0.5+4+0.5 ms clock, 0+0/1/0+0 ms cpu, 8->9->5 MB, 8 MB goal, 2 P\n");
    const std::string text = trace::ComparisonText(go, ReadText(HourTrace(100)));
    const size_t at = text.find("minor collections");
    REQUIRE(at != std::string::npos);
    CHECK(Has(text.substr(at, text.find('\n', at) - at), " - "));
    CHECK(Has(text, "pause, 99 %"));
  }
}

TEST_SUITE("trace/problems") {
  TEST_CASE("nursery-survival: a fifth of what is born is promoted") {
    const auto promoting = [](uint64_t bytes) {
      return Minors(20, [bytes](gc::MinorEvent& e) { e.promoted_bytes = bytes; });
    };
    const std::string what = Fires(promoting(300'000), "nursery-survival");
    CHECK(Has(what, "28.6 %"));
    CHECK(Has(what, "about 20.0 ms"));  // two collections, 10 ms apart
    CHECK(Has(what, "1.00 MiB"));
    CHECK(Fires(promoting(200'000), "nursery-survival") == "");
    CHECK(Fires(Minors(9, [](gc::MinorEvent& e) { e.promoted_bytes = 1 << 20; }),
                "nursery-survival") == "");
  }

  TEST_CASE("early-promotion: what is promoted dies by the next major cycle") {
    const auto run = [](uint64_t kept_per_cycle) {
      TraceBuilder trace;
      for (uint64_t i = 0; i < 10; ++i) {
        trace.Minor(100'000 * i + 1000, 200, [](gc::MinorEvent& e) {
          e.eden_bytes = 4 << 20;
          e.promoted_bytes = 1 << 20;
        });
        trace.Major(100'000 * i + 50'000, 1000, [&](gc::MajorEvent& e) {
          e.counter_bytes = 1 << 20;
          e.marked_bytes = (8 << 20) + i * kept_per_cycle;
        });
      }
      return trace;
    };
    CHECK(Has(Fires(run(0), "early-promotion"), "100.0 % was dead"));
    CHECK(Fires(run(900'000), "early-promotion") == "");
  }

  TEST_CASE("old-writes: minor collections look at old objects") {
    const auto run = [](uint64_t objects, uint64_t roots_ns) {
      return Minors(20, [=](gc::MinorEvent& e) {
        e.remembered_objects = objects;
        e.roots_ns = roots_ns;
      });
    };
    CHECK(Has(Fires(run(60'000, 150'000), "old-writes"), "60,000"));
    CHECK(Fires(run(100, 150'000), "old-writes") == "");
    CHECK(Fires(run(60'000, 50'000), "old-writes") == "");
  }

  TEST_CASE("no-room and lost-events: one is enough") {
    CHECK(Fires(Minors(1, [](gc::MinorEvent& e) { e.no_room_objects = 1; }), "no-room") != "");
    CHECK(Fires(Minors(1, [](gc::MinorEvent&) {}), "no-room") == "");
    CHECK(Has(Fires(Minors(1, [](gc::MinorEvent& e) { e.lost_events = 5; }), "lost-events"), "5"));
    CHECK(Fires(Minors(1, [](gc::MinorEvent&) {}), "lost-events") == "");
  }

  TEST_CASE("pool-evicted: the gap is longer than a pool keeps objects") {
    const gc::PoolEvent use = {.gets = 10, .misses = 10, .puts = 10, .evicted = 10};
    const std::string what = Fires(PoolUsed(3, use), "pool-evicted");
    CHECK(Has(what, "pool boxes (#3) is evicted between uses: its gap is 3.0 GC periods"));
    CHECK(Fires(PoolUsed(1, use), "pool-evicted") == "");
    const gc::PoolEvent hits = {.gets = 10, .victim_hits = 9, .misses = 1, .puts = 10};
    CHECK(Fires(PoolUsed(2, hits), "pool-evicted") == "");
  }

  TEST_CASE("pool-not-returned, pool-full, pool-stolen") {
    CHECK(Fires(PoolUsed(1, {.gets = 10, .misses = 8, .puts = 2}), "pool-not-returned") != "");
    CHECK(Fires(PoolUsed(1, {.gets = 10, .misses = 8, .puts = 9}), "pool-not-returned") == "");
    CHECK(Fires(PoolUsed(1, {.gets = 10, .puts = 8, .drops = 2}), "pool-full") != "");
    CHECK(Fires(PoolUsed(1, {.gets = 10, .puts = 10}), "pool-full") == "");
    CHECK(Fires(PoolUsed(1, {.gets = 10, .steals = 3, .puts = 10}), "pool-stolen") != "");
    CHECK(Fires(PoolUsed(1, {.gets = 10, .steals = 1, .puts = 10}), "pool-stolen") == "");
    // Nobody uses it.
    CHECK(Fires(PoolUsed(20, {.gets = 1, .steals = 1}), "pool-stolen") == "");
  }

  TEST_CASE("of many pools with one trouble three are named and the rest counted") {
    TraceBuilder trace;
    for (uint64_t pool = 1; pool <= 9; ++pool) {
      trace.Pool("p", {.cycle = 1, .pool = pool, .gets = 100, .puts = 50, .drops = 50});
    }
    trace.Major(1000, 10);
    const Run run = trace.Read();
    const auto problems = trace::FindProblems(run, trace::Summarize(run));
    CHECK(std::count_if(problems.begin(), problems.end(),
                        [](const auto& p) { return p.rule == "pool-full"; }) == 3);
    CHECK(Has(problems[2].what, "6 more"));
  }

  TEST_CASE("memory-limit: the limit decides a quarter of the cycles") {
    const auto run = [](int limited) {
      int i = 0;
      return Majors(20, [&i, limited](gc::MajorEvent& e) {
        e.memory_limit_bytes = 32 << 20;
        if (i++ < limited) e.cause = static_cast<uint64_t>(gc::Cause::kLimit);
      });
    };
    CHECK(Has(Fires(run(5), "memory-limit"), "under a limit of 32.0 MiB"));
    CHECK(Fires(run(4), "memory-limit") == "");
  }

  TEST_CASE("out-of-memory: a request failed") {
    TraceBuilder trace;
    trace.Major(1000, 10);
    CHECK(Fires(trace, "out-of-memory") == "");
    trace.Limit(3);
    CHECK(Has(Fires(trace, "out-of-memory"), "1 requests"));
  }

  TEST_CASE("forced: the program collects itself") {
    const auto run = [](int forced) {
      int i = 0;
      return Majors(40, [&i, forced](gc::MajorEvent& e) { e.forced = i++ < forced; });
    };
    CHECK(Has(Fires(run(40), "forced"), "40 of 40 major cycles itself, one every 500 ms"));
    CHECK(Fires(run(3), "forced") == "");
  }

  TEST_CASE("slow-hooks: one slow run, or a tenth of the pauses") {
    TraceBuilder trace = Majors(5, [](gc::MajorEvent& e) { e.hooks_ns = 50'000; });
    CHECK(Fires(trace, "slow-hooks") == "");
    trace.Hook("cache", 900, true);
    CHECK(Has(Fires(trace, "slow-hooks"), "the longest of cache with 900 us"));
    TraceBuilder often = Majors(5, [](gc::MajorEvent& e) { e.hooks_ns = 200'000; });
    often.Hook("cache", 90, false);
    CHECK(Has(Fires(often, "slow-hooks"), "20.0 %"));
  }

  TEST_CASE("safepoint: stops take a millisecond, or a fifth of the paused time") {
    const auto run = [](uint64_t ns) {
      return Majors(10, [ns](gc::MajorEvent& e) { e.time_to_safepoint_ns = ns; });
    };
    CHECK(Fires(run(1'500'000), "safepoint") != "");
    CHECK(Fires(run(250'000), "safepoint") != "");
    CHECK(Fires(run(50'000), "safepoint") == "");
  }

  TEST_CASE("page-faults: a tenth of the paused time at half a microsecond each") {
    const auto run = [](uint64_t faults) {
      return Majors(10, [faults](gc::MajorEvent& e) { e.page_faults = faults; });
    };
    CHECK(Has(Fires(run(400), "page-faults"), "4,000 page faults"));
    CHECK(Fires(run(150), "page-faults") == "");  // 7.5 %
    CHECK(Fires(run(50), "page-faults") == "");   // few
  }

  TEST_CASE("gc-cpu: a quarter of the time") {
    CHECK(Has(Fires(Majors(
                        20, [](gc::MajorEvent&) {}, 3000),
                    "gc-cpu"),
              "mostly major"));
    CHECK(Fires(Majors(
                    20, [](gc::MajorEvent&) {}, 5000),
                "gc-cpu") == "");
    CHECK(Fires(Majors(20, [](gc::MajorEvent& e) { e.gc_cpu_percent_x100 = 3000; }), "gc-cpu") !=
          "");
  }

  TEST_CASE("small-heap: the minimum decides and cycles are close") {
    const auto clamped = [](gc::MajorEvent& e) { e.next_clamp = 1; };
    CHECK(Has(Fires(Majors(20, clamped, 50'000), "small-heap"), "every 50.0 ms"));
    CHECK(Fires(Majors(20, clamped, 500'000), "small-heap") == "");
    CHECK(Fires(Majors(
                    20, [](gc::MajorEvent&) {}, 50'000),
                "small-heap") == "");
  }

  TEST_CASE("frame: less than half of 16.7 ms is left at the worst moment") {
    const auto run = [](uint64_t pause_us) {
      TraceBuilder trace;
      trace.Major(100'000, pause_us);
      trace.End(300'000);
      return trace;
    };
    CHECK(Has(Fires(run(9'000), "frame"), "a major cycle's, 9.00 ms"));
    CHECK(Fires(run(8'000), "frame") == "");
  }
}

}  // namespace
}  // namespace neap::testing
