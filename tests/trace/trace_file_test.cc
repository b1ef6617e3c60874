// SPDX-License-Identifier: MIT
//
// The reader: what it reads back, what it forgives, what it refuses and how it says so.
#include "trace_file.h"

#include <doctest/doctest.h>

#include "gctrace_line.h"
#include "perfetto_export.h"
#include "summary_text.h"
#include "support/random.h"
#include "trace_builder.h"
#include "trace_page.h"

namespace neap::testing {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Schema() { return TraceBuilder().text(); }

constexpr const char* kGoLine =
    "gc 7 @0.512s 3%: 0.031+4.2+0.018 ms clock, 0.062+0.1/8.5/2+0.036 ms cpu, 8->9->5 MB, 8 MB "
    "goal, 3 MB stacks, 0 MB globals, 2 P";

TEST_SUITE("trace/file") {
  TEST_CASE("every field of every event is read back as it was written") {
    TraceBuilder trace;
    gc::MinorEvent minor;
    gc::MajorEvent major;
    uint64_t value = 1000;
#define NEAP_SET(name) minor.name = ++value;
    NEAP_MINOR_EVENT_FIELDS(NEAP_SET)
#undef NEAP_SET
#define NEAP_SET(name) major.name = ++value;
    NEAP_MAJOR_EVENT_FIELDS(NEAP_SET)
#undef NEAP_SET
    minor.cause = static_cast<uint64_t>(gc::Cause::kStress);
    major.cause = static_cast<uint64_t>(gc::Cause::kIdle);
    major.next_clamp = 2;
    major.gogc = UINT64_MAX;
    minor.number = UINT64_MAX - 1;
    trace.Minor(0, 0, [&](gc::MinorEvent& e) { e = minor; });
    trace.Major(0, 0, [&](gc::MajorEvent& e) { e = major; });
    const trace::Run run = trace.Read();
    REQUIRE(run.minors.size() == 1);
    REQUIRE(run.majors.size() == 1);
    CHECK(run.Text(run.minors[0].cause) == "stress");
    CHECK(run.Text(run.majors[0].cause) == "idle");
    CHECK(run.Text(run.majors[0].next_clamp) == "limit");
#define NEAP_COMPARE(name) \
  if (std::string(#name) != "cause") CHECK(run.minors[0].name == minor.name);
    NEAP_MINOR_EVENT_FIELDS(NEAP_COMPARE)
#undef NEAP_COMPARE
#define NEAP_COMPARE(name)                                                 \
  if (std::string(#name) != "cause" && std::string(#name) != "next_clamp") \
    CHECK(run.majors[0].name == major.name);
    NEAP_MAJOR_EVENT_FIELDS(NEAP_COMPARE)
#undef NEAP_COMPARE
  }

  TEST_CASE("the schema line becomes facts, the end line the end") {
    gc::Options options;
    options.gogc = 50;
    TraceBuilder trace(options, "neap \"x\" \xC3\xA9");
    trace.Minor(100, 10);
    trace.End(2000, 3);
    const trace::Run run = trace.Read();
    REQUIRE(run.heaps.size() == 1);
    CHECK(run.heaps[0].command == "neap \"x\" \xC3\xA9");
    CHECK(run.heaps[0].Fact("options.gogc") == "50");
    CHECK(run.heaps[0].Fact("options.memory_limit_bytes") == "none");
    CHECK(run.heaps[0].Fact("options.debug.poison") == "0");
    CHECK(run.heaps[0].Fact("events.minor") == "");
    CHECK(run.has_end);
    CHECK(run.lost == 3);
    CHECK(run.duration_ns() == 2'000'000);
    CHECK(run.Seconds(0, run.minors[0].start_ns) == doctest::Approx(100e-6));
  }

  TEST_CASE("a file comes in pieces of any size") {
    TraceBuilder trace;
    for (int i = 0; i < 20; ++i) trace.Minor(100 * i, 10);
    trace.End(5000);
    Random random;
    trace::TraceReader reader("t");
    for (size_t at = 0; at < trace.text().size();) {
      const size_t size = 1 + random.Below(300);
      REQUIRE(reader.Feed(std::string_view(trace.text()).substr(at, size)).ok());
      at += size;
    }
    CHECK(reader.run().has_end);
    CHECK(reader.run().minors.size() == 20);
  }

  TEST_CASE("a file cut anywhere behind its schema line is read up to there, and says so") {
    TraceBuilder trace;
    trace.Minor(100, 10);
    const size_t whole = trace.text().size();
    trace.Minor(300, 10);
    const size_t first = Schema().size();
    for (size_t size = first + 1; size < trace.text().size(); ++size) {
      CAPTURE(size);
      const trace::Run run = ReadText(trace.text().substr(0, size));
      CHECK_FALSE(run.has_end);
      // Without its line feed the last line is still whole.
      CHECK(run.minors.size() == (size + 1 < whole ? 0 : size + 1 < trace.text().size() ? 1 : 2));
      const bool is_whole = size == whole || size == whole - 1 || size + 1 == trace.text().size();
      CHECK(run.cut_line == (is_whole ? 0 : size < whole ? 2 : 3));
    }
  }

  TEST_CASE("a schema line that is cut is refused: nothing is known") {
    const std::string schema = Schema();
    const std::string error = ReadError(schema.substr(0, schema.size() / 2));
    CHECK(Has(error, "t.jsonl:1: "));
  }

  TEST_CASE("a line in the middle that is no record is refused with its number") {
    TraceBuilder trace;
    trace.Minor(100, 10);
    trace.Line("{\"event\":\"minor\",\"num");
    trace.Minor(200, 10);
    const std::string error = ReadError(trace.text());
    CHECK(Has(error, "t.jsonl:3: no record"));
    CHECK(Has(error, "column"));
    CHECK(Has(ReadError(Schema() + "[1,2]\n"), "t.jsonl:2: no record: \"[1,2]\""));
    CHECK(Has(ReadError(Schema() + "17\n"), "t.jsonl:2: "));
    CHECK(Has(ReadError(Schema() + "{\"x\":1}\n"), "has no \"event\""));
    CHECK(Has(ReadError(Schema() + "{\"event\":7}\n"), "has no \"event\""));
    CHECK(Has(ReadError(Schema() + std::string("{\"event\":\"x\"}\0{}\n", 17)), "value 0"));
  }

  TEST_CASE("bytes that are not UTF-8 are read, and leave as U+FFFD") {
    const trace::Run run = ReadText(Schema() + "{\"event\":\"major\",\"cause\":\"a\xFFz\"}\n");
    CHECK(Has(trace::SummaryJson(run), "\"a\xEF\xBF\xBDz\":1"));
  }

  TEST_CASE("damaged traces are read or refused, never more") {
    TraceBuilder builder;
    builder.Minor(100, 10);
    builder.Pool("p", {.cycle = 1, .pool = 1, .gets = 3});
    builder.Major(300, 10);
    builder.Profile(2, 1);
    builder.ProfileType("table", 7, 99);
    builder.ProfileSite("table", "f", "x.lua", 3);
    builder.End(1000);
    Random random;
    int read = 0;
    for (int round = 0; round < 3000; ++round) {
      std::string text = builder.text();
      for (uint64_t n = 1 + random.Below(4); n > 0; --n) {
        const size_t at = random.Below(text.size());
        switch (random.Below(4)) {
          case 0:
            text[at] = static_cast<char>(random.Below(256));
            break;
          case 1:
            text.erase(at, random.Below(30));
            break;
          case 2:
            text.insert(at, text.substr(random.Below(text.size()), random.Below(40)));
            break;
          default:
            text[at] = "{}[],:\"0-.\\\n"[random.Below(12)];
        }
        if (text.empty()) text = "{";
      }
      trace::TraceReader reader("t");
      absl::Status status = reader.Feed(text);
      if (status.ok()) status = reader.Finish();
      if (!status.ok()) continue;
      ++read;
      CHECK(trace::SummaryText(reader.run()) != "");
      CHECK(trace::SummaryJson(reader.run()) != "");
      CHECK(trace::RenderPage(reader.run()) != "");
      CHECK(trace::PerfettoTrace(reader.run()) != "");
    }
    CHECK(read > 100);
  }

  TEST_CASE("another version and other programs' files are refused and named") {
    std::string other = Schema();
    other.replace(other.find("\"version\":1"), 11, "\"version\":2");
    CHECK(ReadError(other) == "t.jsonl:1: version 2 of neap.trace; this program reads version 1");
    CHECK(Has(ReadError("{\"schema\":\"v8.gc\",\"version\":1}\n"), "the schema is \"v8.gc\""));
    CHECK(Has(ReadError("{\"schema\":\"neap.trace\"}\n"), "version ?"));
    CHECK(Has(ReadError("{\"traceEvents\":[]}\n"), "t.jsonl:1: no trace of neap: found"));
    CHECK(Has(ReadError("root:x:0:0\nbin:x:1:1\n"), "t.jsonl:1: no trace"));
    CHECK(ReadError("") == "t.jsonl:1: the file is empty");
    CHECK(ReadError("\n\n") == "t.jsonl:1: the file is empty");
    CHECK(Has(ReadError(std::string(5 << 20, 'x')), "a line of more than 4 MiB"));
    CHECK(Has(ReadError("gcm 12 @0.034s nursery-full: 0.12 ms clock, 0.11 ms cpu\n"), "--trace"));
  }

  TEST_CASE("a line of a million brackets is an error, not a crash") {
    CHECK(Has(ReadError(Schema() + "{\"a\":" + std::string(1 << 20, '[') + "\n"), "t.jsonl:2: "));
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    CHECK(Has(ReadError(Schema() + objects + "\n"), "t.jsonl:2: "));
  }

  TEST_CASE("a number where a name should be, and the reverse, are refused") {
    CHECK(Has(ReadError(Schema() + "{\"event\":\"minor\",\"cause\":7}\n"),
              "t.jsonl:2: field \"cause\" is 7, not a name"));
    CHECK(Has(ReadError(Schema() + "{\"event\":\"minor\",\"pause_ns\":\"x\"}\n"),
              "field \"pause_ns\" is x, not a number"));
    CHECK(Has(ReadError(Schema() + "{\"event\":\"minor\",\"pause_ns\":-1}\n"), "pause_ns"));
    CHECK(Has(ReadError(Schema() + "{\"event\":\"minor\",\"pause_ns\":1.5}\n"), "pause_ns"));
    CHECK(Has(ReadError(Schema() + "{\"event\":\"minor\",\"pause_ns\":true}\n"), "pause_ns"));
  }

  TEST_CASE("missing fields are 0, unknown fields and events are passed over and counted") {
    const trace::Run run = ReadText(Schema() +
                                    "{\"event\":\"major\",\"later\":[1,{\"x\":2}],\"mark_ns\":5,"
                                    "\"cause\":\"new-cause\"}\n"
                                    "{\"event\":\"barrier\",\"x\":1}\n"
                                    "{\"event\":\"unknown\",\"kind\":99,\"words\":[1,2]}\n");
    REQUIRE(run.majors.size() == 1);
    CHECK(run.majors[0].mark_ns == 5);
    CHECK(run.majors[0].number == 0);
    CHECK(run.Text(run.majors[0].cause) == "new-cause");
    CHECK(run.unknown == 2);
    CHECK(run.events == 3);
  }

  TEST_CASE("every field of a profile's records is read back as it was written") {
    gc::ProfileTypeEvent type;
    gc::ProfileSiteEvent site;
    uint64_t value = 1000;
#define NEAP_SET(name) type.name = site.name = ++value;
    NEAP_PROFILE_ROW_FIELDS(NEAP_SET)
#undef NEAP_SET
    type.life_p99_bytes = UINT64_MAX;
    TraceBuilder trace;
    trace.Profile(1, 1, 4096);
    trace.ProfileType("table", 0, 0, [&](gc::ProfileTypeEvent& e) { e = type; });
    trace.ProfileSite("string", "f \"q\" \n", "a.lua", 17, [&](gc::ProfileSiteEvent& e) {
      e = site;
      e.line = 17;
    });
    const trace::Run run = trace.Read();
    REQUIRE(run.profiles.size() == 1);
    CHECK(run.profiles[0].sample_bytes == 4096);
    REQUIRE(run.profile_types.size() == 1);
    REQUIRE(run.profile_sites.size() == 1);
    CHECK(run.Text(run.profile_types[0].type) == "table");
    CHECK(run.Text(run.profile_sites[0].function) == "f \"q\" \n");
    CHECK(run.Text(run.profile_sites[0].file) == "a.lua");
    CHECK(run.profile_sites[0].line == 17);
#define NEAP_COMPARE(name)                       \
  CHECK(run.profile_types[0].name == type.name); \
  CHECK(run.profile_sites[0].name == site.name);
    NEAP_PROFILE_ROW_FIELDS(NEAP_COMPARE)
#undef NEAP_COMPARE
    CHECK(run.events == 0);
    CHECK(run.OnlyHeap(0).profile_sites.size() == 1);
  }

  TEST_CASE("a profile of a later version is passed over, the collections are not") {
    TraceBuilder trace;
    trace.Minor(100, 10);
    trace.Line("{\"event\":\"profile\",\"version\":2,\"types\":1}");
    trace.Line("{\"event\":\"profile_type\",\"type\":7}");
    const trace::Run run = trace.Read();
    CHECK(run.minors.size() == 1);
    CHECK(run.profiles.empty());
    CHECK(run.profile_types.empty());
    CHECK(run.unknown == 2);
  }

  TEST_CASE("heaps of one file are told apart by number") {
    const std::string schema = Schema();
    const auto with_heap = [](int heap, const std::string& line) {
      return "{\"heap\":" + std::to_string(heap) + "," + line.substr(1);
    };
    const std::string text = with_heap(1, schema) + with_heap(2, schema) +
                             "{\"heap\":2,\"event\":\"minor\",\"pause_ns\":5,\"lost_events\":2}\n" +
                             "{\"heap\":1,\"event\":\"minor\",\"pause_ns\":7,\"lost_events\":1}\n" +
                             "{\"heap\":2,\"event\":\"minor\",\"pause_ns\":6,\"lost_events\":2}\n";
    const trace::Run run = ReadText(text);
    REQUIRE(run.heaps.size() == 2);
    CHECK(run.minors.size() == 3);
    CHECK(run.lost == 3);
    CHECK(run.BusiestHeap() == 1);
    const trace::Run second = run.OnlyHeap(1);
    REQUIRE(second.minors.size() == 2);
    CHECK(second.minors[1].pause_ns == 6);
    CHECK(second.pauses.size() == 2);
    CHECK(second.lost == 2);
    CHECK(Has(ReadError(text + "{\"heap\":3,\"event\":\"minor\"}\n"),
              "t.jsonl:6: an event of heap 3, which has no schema line before it"));
  }
}

TEST_SUITE("trace/go") {
  TEST_CASE("a line of gctrace is taken apart") {
    const auto line = trace::ParseGctraceLine(kGoLine);
    REQUIRE(line.has_value());
    CHECK(line->number == 7);
    CHECK(line->start_ns == 512'000'000);
    CHECK(line->cpu_percent == 3);
    CHECK(line->clock_ns[0] == 31'000);
    CHECK(line->clock_ns[1] == 4'200'000);
    CHECK(line->clock_ns[2] == 18'000);
    CHECK(line->cpu_ns[2] == 8'500'000);
    CHECK(line->heap_mb[1] == 9);
    CHECK(line->goal_mb == 8);
    CHECK(line->procs == 2);
    CHECK_FALSE(line->is_forced);
    CHECK(trace::ParseGctraceLine(std::string("12:00 app gc off; ") + kGoLine + " (forced)")
              ->is_forced);
    // Before Go 1.18.
    CHECK(trace::ParseGctraceLine("gc 1 @0.1s 0%: 0+1+0 ms clock, 0+0/1/0+0 ms cpu, 4->4->1 MB, "
                                  "5 MB goal, 8 P")
              ->procs == 8);
  }

  TEST_CASE("what only resembles one is not") {
    for (std::string cut = kGoLine; cut.size() > 1; cut.pop_back()) {
      const bool whole = cut == kGoLine;
      CAPTURE(cut);
      CHECK(trace::ParseGctraceLine(cut).has_value() == whole);
    }
    CHECK_FALSE(trace::ParseGctraceLine("gc 7 @-1s 3%: "));
    CHECK_FALSE(trace::ParseGctraceLine("gc 99999999999999999999999 @1s 3%: "));
    CHECK_FALSE(trace::ParseGctraceLine("gc nan @nans 3%: "));
    CHECK_FALSE(trace::ParseGctraceLine(""));
  }

  TEST_CASE("a Go program's output becomes majors with two pauses each") {
    const trace::Run run =
        ReadText(std::string("starting\n") + kGoLine + "\nscvg: something\n" + kGoLine + "\n");
    CHECK(run.source == trace::Source::kGo);
    CHECK(run.other_lines == 2);
    REQUIRE(run.majors.size() == 2);
    CHECK(run.majors[0].pause_ns == 49'000);
    CHECK(run.majors[0].cpu_ns == 62'000 + 100'000 + 8'500'000 + 36'000);
    CHECK(run.majors[0].marked_bytes == 5 << 20);
    REQUIRE(run.pauses.size() == 4);
    CHECK(run.pauses[1].start_ns == 512'000'000 + 31'000 + 4'200'000);
    // The number did not grow: a second program, behind the first.
    CHECK(run.heaps.size() == 2);
    CHECK(run.pauses[2].start_ns >= run.pauses[1].end_ns());
  }
}

}  // namespace
}  // namespace neap::testing
