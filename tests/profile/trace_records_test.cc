// SPDX-License-Identifier: MIT
//
// A profile as the records that end a trace: figures, the bound on their number, names.
#include "profile/trace_records.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

using vm::AllocationProfile;
using vm::AllocationWatch;
using vm::TraceRecords;

AllocationProfile ProfileOf(std::string_view script) {
  ScriptState lua;
  AllocationWatch watch(lua.state, {});
  CHECK(lua.Run(script) == "");
  return watch.Read();
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The number behind the key.
uint64_t Figure(const std::string& record, const std::string& key) {
  const size_t at = record.find("\"" + key + "\":");
  REQUIRE_MESSAGE(at != std::string::npos, key << " in " << record);
  return std::stoull(record.substr(at + key.size() + 3));
}

uint64_t Sum(const std::vector<std::string>& records, const std::string& event,
             const std::string& key) {
  uint64_t sum = 0;
  for (const std::string& record : records) {
    if (record.starts_with("{\"event\":\"" + event + "\"")) sum += Figure(record, key);
  }
  return sum;
}

// 30 lines that each allocate a table; half of them live on.
AllocationProfile ThirtyLines() {
  std::string script = "keep = {}\n";
  for (int i = 0; i < 30; ++i) script += i % 2 == 0 ? "keep[#keep + 1] = {}\n" : "_ = {}\n";
  return ProfileOf(script);
}

TEST_SUITE("profile/trace_records") {
  TEST_CASE("head, types and sites agree, and every object is in one of each") {
    const AllocationProfile profile = ThirtyLines();
    const std::vector<std::string> records = TraceRecords(profile);
    REQUIRE(records.size() > 30);
    CHECK(records[0].starts_with("{\"event\":\"profile\",\"version\":1,\"sample_bytes\":0,"));
    const uint64_t types = Figure(records[0], "types"), sites = Figure(records[0], "sites");
    CHECK(1 + types + sites == records.size());
    for (const char* key : {"objects", "bytes", "samples"}) {
      CHECK(Sum(records, "profile_type", key) == Figure(records[0], key));
      CHECK(Sum(records, "profile_site", key) == Figure(records[0], key));
    }
    CHECK(Sum(records, "profile_site", "live_objects") ==
          Sum(records, "profile_type", "live_objects"));
    CHECK(Sum(records, "profile_type", "rows") == types);
  }

  TEST_CASE("rows beyond the bound are summed up in the last one, and nothing is lost") {
    const AllocationProfile profile = ThirtyLines();
    const std::vector<std::string> all = TraceRecords(profile);
    const std::vector<std::string> few = TraceRecords(profile, 1, 5);
    CHECK(Figure(few[0], "types") == 1);
    CHECK(Figure(few[0], "sites") == 5);
    CHECK(few.size() == 7);
    CHECK(few[1].starts_with("{\"event\":\"profile_type\",\"type\":\"\","));
    CHECK(Has(few.back(), "\"type\":\"\",\"function\":\"\",\"file\":\"\",\"line\":0,"));
    CHECK(Figure(few.back(), "rows") == Figure(all[0], "sites") - 4);
    for (const char* key : {"objects", "bytes", "live_objects", "dead_objects", "met_objects"}) {
      CHECK(Sum(few, "profile_site", key) == Sum(all, "profile_site", key));
      CHECK(Sum(few, "profile_type", key) == Sum(all, "profile_type", key));
    }
  }

  TEST_CASE("what lives, what dies and for how long") {
    const std::vector<std::string> records =
        TraceRecords(ProfileOf("keep = {}\n"
                               "for i = 1, 100 do keep[i] = {} end\n"
                               "for i = 1, 300 do _ = {} end\n"
                               "_ = nil collectgarbage()\n"));
    int seen = 0;
    for (const std::string& record : records) {
      if (!Has(record, "\"event\":\"profile_site\",\"type\":\"table\"")) continue;
      const uint64_t line = Figure(record, "line");
      if (line != 2 && line != 3) continue;
      ++seen;
      CHECK(Figure(record, "objects") == (line == 2 ? 100 : 300));
      CHECK(Figure(record, "live_objects") == (line == 2 ? 100 : 0));
      CHECK(Figure(record, "dead_objects") == (line == 2 ? 0 : 300));
      CHECK((Figure(record, "life_p50_bytes") > 0) == (line == 3));
      CHECK(Figure(record, "life_p50_bytes") <= Figure(record, "life_p90_bytes"));
      CHECK(Figure(record, "life_p90_bytes") <= Figure(record, "life_p99_bytes"));
      CHECK(Figure(record, "survived_objects") <= Figure(record, "met_objects"));
      CHECK(Figure(record, "promoted_objects") <= Figure(record, "settled_objects"));
      if (line == 2) CHECK(Figure(record, "survived_objects") == Figure(record, "met_objects"));
      if (line == 2) CHECK(Figure(record, "survivals") >= Figure(record, "survived_objects"));
    }
    CHECK(seen == 2);
  }

  TEST_CASE("names of any bytes and any length stay short strings of JSON") {
    AllocationProfile profile;
    profile.functions = {{.name = "a\"b\\\n\x01\xFF<", .file = std::string(5000, 'f')}};
    vm::AllocationSample sample;
    sample.stack = {{.function = 0, .line = 7}};
    sample.type = "t\t";
    sample.record.samples = 1;
    sample.record.allocated = {.objects = 1, .bytes = 16};
    profile.samples = {sample};
    const std::vector<std::string> records = TraceRecords(profile);
    REQUIRE(records.size() == 3);
    CHECK(Has(records[2], "\"function\":\"a\\\"b\\\\\\n\\u0001\xEF\xBF\xBD<\""));
    CHECK(Has(records[2], "\"type\":\"t\\t\""));
    CHECK(Has(records[2], "ff...\""));
    CHECK(records[2].size() < 1000);
  }
}

}  // namespace
}  // namespace neap::testing
