// SPDX-License-Identifier: MIT
//
// No memory: every writer either does its work or leaves the table as it was.
#include <string>

#include "doctest/doctest.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

// A list of writes that meets every kind of growth. The keys and values are made beforehand, so
// that the allocations that fail are those of the writers.
class Writes {
 public:
  explicit Writes(QuietObjects& lua)
      : lua_(lua), table_(lua.NewTable(2)), metatable_(lua.NewTable()), weak_(lua.NewTable()) {
    for (int i = 0; i < 30; ++i) strings_.push_back(lua.Keep(lua.Str("s" + std::to_string(i))));
    lua.SetValue(weak_, "__mode", lua.Keep(lua.Str("kv")));
  }

  // Number of steps done before the first that failed; every failed step is checked.
  int Run() {
    int done = 0;
    for (int step = 0; step < 90; ++step) {
      const std::string before = State();
      if (Step(step)) {
        done = step + 1;
        continue;
      }
      REQUIRE(State() == before);
      return done;
    }
    return done;
  }
  std::string State() { return lua_.Pairs(table_) + std::to_string(lua_.Border(table_)); }
  static constexpr int kSteps = 90;

 private:
  bool Step(int step) {
    Objects& o = lua_.objects;
    Table* t = table_.get();
    if (step < 12) return vm::RawSet(o, t, strings_[step], lua_.Int(step), KeyOrigin::kConstant);
    if (step < 25) return vm::RawSetInteger(o, t, step - 11, lua_.Int(step));
    if (step == 25) return vm::SetMetatable(o, t, metatable_.get());
    if (step == 26) return vm::ReserveFields(o, t, 20);
    if (step == 27) return vm::RawSet(o, t, Value::Double(0.5), lua_.Int(step));
    if (step < 40) return vm::RawSetInteger(o, t, (int64_t{1} << 55) + step, lua_.Int(step));
    if (step == 40) return vm::SetMetatable(o, t, weak_.get());
    if (step < 58) return vm::RawSet(o, t, strings_[step - 29], lua_.Int(step));
    if (step == 58) return vm::ReserveArray(o, t, 30);
    if (step == 59) return vm::SetMetatable(o, t, nullptr);
    return vm::RawSetInteger(o, t, 131 - step, lua_.Int(step));  // downwards from 71
  }

  QuietObjects& lua_;
  Handle<Table> table_, metatable_, weak_;
  std::vector<Held> strings_;
};

// The root shapes, and what Writes makes beforehand: these must not fail.
constexpr uint64_t kFixtureAllocations = 41 + vm::kMaxInlineFields + 1;

TEST_SUITE("objects/no memory") {
  TEST_CASE("the nth allocation fails, for every n: a writer returns false and nothing changed") {
    for (const uint64_t forever : {0, 1}) {
      int failures = 0;
      for (uint64_t n = kFixtureAllocations + 1;; ++n) {
        CAPTURE(n);
        CAPTURE(forever);
        REQUIRE(n < 1000);
        QuietObjects lua([&](gc::Options& options) {
          options.debug.fail_alloc = n;
          options.debug.fail_alloc_forever = forever;
        });
        Writes writes(lua);
        const int done = writes.Run();
        REQUIRE(lua.Broken() == "");
        lua.FullGC();
        REQUIRE(lua.Broken() == "");
        if (done == Writes::kSteps) break;
        ++failures;
      }
      CHECK(failures > 60);
    }
  }
}

}  // namespace
}  // namespace neap::testing
