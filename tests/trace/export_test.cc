// SPDX-License-Identifier: MIT
//
// What leaves as a file: the page's data, the Perfetto bytes, the reference page of the schema. The
// page in a browser and the bytes in independent decoders: page_in_browser.py, decode_perfetto.py.
#include <doctest/doctest.h>

#include <algorithm>

#include "page_data.h"
#include "perfetto_export.h"
#include "profile/proto_message.h"
#include "trace_builder.h"
#include "trace_page.h"
#include "trace_schema.h"

namespace neap::testing {
namespace {

using trace::Run;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_SUITE("trace/export") {
  TEST_CASE("varints, lengths and tags are those of the wire format") {
    vm::ProtoMessage inner;
    inner.Number(1, 150);
    vm::ProtoMessage message;
    message.Nested(3, inner);
    message.Text(2, "testing");
    message.Number(16, UINT64_MAX);
    CHECK(message.bytes() == std::string("\x1a\x03\x08\x96\x01\x12\x07testing\x80\x01"
                                         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  }

  TEST_CASE("no text of a trace can end the page's script or become markup") {
    const std::string evil = "</script><b>&\"'<!--";
    TraceBuilder builder({}, evil);
    builder.Pool("</script><i>", {.cycle = 1, .pool = 1, .gets = 5});
    builder.Major(1000, 100);
    builder.Line("{\"event\":\"major\",\"number\":2,\"cause\":\"</script><u>\"}");
    const std::string page = trace::RenderPage(builder.Read(), {.remark = evil});
    CHECK(Count(page, "<b>&") == 0);
    CHECK(Count(page, "<i>") == 0);
    CHECK(Count(page, "<u>") == 0);
    CHECK(Count(page, "</script>") == 3);
    CHECK(Count(page, "&lt;/script&gt;&lt;b&gt;&amp;&quot;&#39;") >= 2);
  }

  TEST_CASE("the page needs no network") {
    const std::string page = trace::RenderPage(ReadText(HourTrace(200)));
    CHECK(Count(page, "http://") == 0);
    CHECK(Count(page, "https://") == 0);
    CHECK(Count(page, " src=") == 0);
    CHECK(Count(page, "@import") == 0);
    for (const char* part : {"prefers-color-scheme", "width=device-width", "aria-live",
                             "<noscript>", "The longest pauses", "data-chart=\"hits\""}) {
      CAPTURE(part);
      CHECK(Count(page, part) >= 1);
    }
  }

  TEST_CASE("a page of a run without collections, and one of a Go trace, are pages") {
    TraceBuilder none;
    none.End(1000);
    CHECK(Count(trace::RenderPage(none.Read()), "</html>") == 1);
    const Run go = ReadText(
        "gc 1 @0.5s 3%: 0.5+4+0.5 ms clock, 0+0/1/0+0 ms cpu, 8->9->5 MB, 8 MB goal, 2 P\n");
    CHECK(Count(trace::RenderPage(go), "</html>") == 1);
  }

  TEST_CASE("a column that is the same everywhere is its value alone") {
    TraceBuilder builder;
    builder.Minor(1000, 100, [](gc::MinorEvent& e) { e.eden_bytes = 7; });
    builder.Minor(2000, 200, [](gc::MinorEvent& e) { e.eden_bytes = 7; });
    const std::string data = trace::PageData(builder.Read(), 100);
    CHECK(Count(data, "\"eden_bytes\":7,") == 1);
    CHECK(Count(data, "\"pause_ns\":[100000,200000]") == 1);
    CHECK(Count(data, "\"start_ns\":[1000000,2000000]") == 1);
    CHECK(Count(data, "\"cause\":\"nursery-full\"") == 1);
  }

  TEST_CASE("thinning keeps the longest pause of each stretch, and says so") {
    TraceBuilder builder;
    for (uint64_t i = 0; i < 1000; ++i) builder.Minor(i * 1000, i == 777 ? 900 : 10 + i % 7);
    const Run run = builder.Read();
    const std::string data = trace::PageData(run, 10);
    CHECK(Count(data, "\"all\":1000,\"rows\":10,") == 1);
    CHECK(Count(data, "900000") == 2);  // pause_ns and cpu_ns
    CHECK(Count(trace::RenderPage(run, {.most_collections = 10}), "Charts show 10 of 1,000") == 1);
  }

  TEST_CASE("every field of every event has a sentence, and the writer's list is the page's") {
    const std::string writers = TraceBuilder().text();
    for (const trace::EventDoc& event : trace::TraceSchema()) {
      CAPTURE(event.name);
      CHECK(event.meaning != "");
      std::string list = "\"" + event.name + "\":[";
      for (const trace::FieldDoc& field : event.fields) {
        CAPTURE(field.name);
        CHECK(field.meaning != "");
        list += (list.back() == '[' ? "\"" : ",\"") + field.name + "\"";
      }
      CHECK(Count(writers, list + "]") == 1);
    }
    CHECK(trace::TraceSchema().size() == 11);
    const std::string text = trace::TraceSchemaText();
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      CHECK(end - at <= 100);
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace neap::testing
