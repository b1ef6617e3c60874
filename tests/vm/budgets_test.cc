// SPDX-License-Identifier: MIT
//
// Limits: what a script cannot do, whatever it catches.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "doctest/doctest.h"
#include "vm/api_fixture.h"

namespace neap::testing {
namespace {

using lua::Any;
using lua::ErrorKind;
using lua::Result;

lua::VmOptions Limited(uint64_t bytes) {
  lua::VmOptions options;
  options.heap.hard_limit_bytes = bytes;
  return options;
}

TEST_SUITE("vm/budgets") {
  TEST_CASE("an endless loop ends with its instruction budget") {
    for (const std::string script :
         {"while true do end", "::a:: goto a", "repeat until false", "for i = 1, math.huge do end",
          "local function f() return f() end f()",
          "pcall(function() while true do end end) while true do end",
          "while true do pcall(function() while true do end end) end",
          "xpcall(function() while true do end end, function() while true do end end)",
          "coroutine.wrap(function() while true do end end)()",
          "coroutine.wrap(function() pcall(function() while true do end end) end)() missed = true",
          "local co = coroutine.create(function() while true do end end)"
          " coroutine.resume(co) missed = true",
          "local t = setmetatable({}, { __index = function(t, k) while true do end end })"
          " pcall(function() return t.x end) missed = true",
          "table.sort({ 3, 2, 1 }, function() while true do end end) missed = true",
          "string.gsub(('x'):rep(10), 'x', function() while true do end end) missed = true",
          "local t <close> = setmetatable({}, { __close = function() while true do end end })",
          "pcall(load, function() return ' ' end) missed = true",
          "local co = coroutine.create(function() local x <close> = setmetatable({}, {"
          " __close = function() while true do end end }) coroutine.yield() end)"
          " coroutine.resume(co) coroutine.close(co) missed = true",
          "while true do setmetatable({}, { __gc = function() while true do end end }) end"}) {
      CAPTURE(script);
      ApiVm vm({.instruction_budget = 50'000});
      const Result<Any> result = vm.Run(script);
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().kind == ErrorKind::kStop);
      CHECK(result.error().message == "instruction budget used up");
      CHECK(vm.instruction_budget() == 0);
      vm.SetInstructionBudget(50'000);
      CHECK(vm.Say("return missed") == "nil");
    }
  }

  TEST_CASE("a stop has a traceback") {
    ApiVm vm({.instruction_budget = 5000});
    const Result<Any> result = vm.Run("function spin() while true do end end pcall(spin)", "=game");
    CHECK(result.error().traceback.find("function 'spin'") != std::string::npos);
  }

  TEST_CASE("a used-up budget stops the next call, a new one lets scripts run") {
    ApiVm vm({.instruction_budget = 2000});
    CHECK(vm.Say("for i = 1, 1e6 do end") == "error: instruction budget used up");
    CHECK(vm.Say("for i = 1, 10 do end return 1") == "error: instruction budget used up");
    vm.SetInstructionBudget(100);
    CHECK(vm.Say("for i = 1, 10 do end return 1") == "1");
    CHECK(vm.instruction_budget() < 95);
    CHECK(vm.instruction_budget() > 80);
    CHECK(vm.Say("for i = 1, 100 do end return 1") == "error: instruction budget used up");
    vm.SetInstructionBudget(lua::kNoBudget);
    CHECK(vm.Say("for i = 1, 1e5 do end return 1") == "1");
  }

  TEST_CASE("a native function that swallows a stop does not save the script") {
    ApiVm vm({.instruction_budget = 10'000});
    vm.Register("swallow", lua::Native([](lua::Call& call) {
                  (void)call.Get(1).Call();
                  call.vm().SetInstructionBudget(10'000);
                  return call.Push(true);
                }));
    const Result<Any> result =
        vm.Run("swallow(function() while true do end end) reached = true return 'here'");
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::kStop);
    CHECK(vm.Say("return reached") == "nil");
  }

  TEST_CASE("the allocation budget stops scripts that allocate, caught or not") {
    for (const std::string script :
         {"while true do local t = {} end", "while true do pcall(function() local t = {} end) end",
          "local s = 'x' while true do pcall(string.rep, s, 10000) end"}) {
      CAPTURE(script);
      ApiVm vm({.allocation_budget = 1 << 20});
      const Result<Any> result = vm.Run(script);
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().kind == ErrorKind::kStop);
      CHECK(result.error().message == "allocation budget used up");
      CHECK(vm.allocation_budget() == 0);
      vm.SetAllocationBudget(1 << 20);
      CHECK(vm.Say("for i = 1, 1000 do local t = {} end return 1") == "1");
      CHECK(vm.allocation_budget() < (1 << 20) - 1000 * 32);
      CHECK(vm.allocation_budget() > (1 << 20) - 1000 * 200);
    }
  }

  TEST_CASE("growth beyond the hard limit is an error that leaves the Vm usable") {
    for (const std::string script :
         {"return string.rep('x', 1 << 30)", "local s = 'x' while true do s = s .. s end",
          "local t = {} for i = 1, math.huge do t[i] = i end",
          "local t = {} for i = 1, math.huge do t['k' .. i] = i end",
          "local t = {} for i = 1, math.huge do t[i] = {} end",
          "local t = {} for i = 1, 1e6 do t[i] = ('x'):rep(1000) end return table.concat(t)",
          "local s = ('x'):rep(100000) return table.concat({ s, s, s, s, s, s, s, s }, s:rep(20))",
          "return (('x'):rep(1000000):gsub('x', ('y'):rep(1000)))",
          "return string.format('%s', ('x'):rep(1 << 30))",
          "return ('x'):rep(1 << 20):upper():rep(64)",
          "local t = {} for i = 1, 200 do t[i] = coroutine.create(print)"
          " coroutine.wrap(function(...) local s = ('x'):rep(1e5) t[-i] = s .. i end)() end",
          "return load(function() return ('x'):rep(100000) end)"}) {
      CAPTURE(script);
      ApiVm vm(Limited(4 << 20));
      vm.Set("script", vm.Load(script).value()).Check();
      const Result<Any> caught = vm.Run("return select(2, pcall(script))");
      REQUIRE(caught.ok());
      CHECK(vm.Say("return #('x'):rep(1000)") == "1000");
      const Result<Any> result = vm.Get("script")->Call();
      if (!result.ok()) {
        CHECK(result.error().kind == ErrorKind::kMemory);
        CHECK(result.error().message == "not enough memory");
      }
      CHECK(vm.heap().Verify(vm.mutator()).ToString() == "OK");
      CHECK(vm.Say("local t = {} for i = 1, 1000 do t[i] = { i } end return #t") == "1000");
    }
  }

  TEST_CASE("a stack that the hard limit has no room for overflows, and is given back") {
    ApiVm vm(Limited(4 << 20));
    CHECK(vm.Say("return table.unpack({}, 1, 900000)") ==
          "error: test:1: too many results to unpack");
    CHECK(vm.Say("local function f() return 1 + f() end return f()").find("stack overflow") !=
          std::string::npos);
    CHECK(vm.Say("local function f(n) return n == 0 and 0 or 1 + f(n - 1) end return f(10000)") ==
          "10000");
    CHECK(vm.Say("local t = {} for i = 1, 1000 do t[i] = { i } end return #t") == "1000");
    vm.Collect();
    CHECK(vm.heap().Snapshot().off_heap_bytes < 1 << 20);
  }

  TEST_CASE("a string.rep bomb inside pcall is caught") {
    ApiVm vm(Limited(4 << 20));
    CHECK(vm.Say("return select(2, pcall(string.rep, 'x', 1 << 30))") == "not enough memory");
    const Result<Any> result = vm.Run("function bomb() return ('x'):rep(1 << 30) end bomb()");
    CHECK(result.error().kind == ErrorKind::kMemory);
    CHECK(result.error().traceback.find("bomb") != std::string::npos);
  }

  TEST_CASE("bytes that objects own count for the hard limit") {
    struct Blob {
      std::string bytes;
      void Grow() { bytes.resize(bytes.size() + 100'000); }
    };
    ApiVm vm(Limited(4 << 20));
    vm.Define(lua::Type<Blob>("blob").Method("grow", &Blob::Grow).Bytes([](const Blob& b) {
        return b.bytes.capacity();
      }))
        .Check();
    vm.Register("blob", [] { return Blob(); });
    CHECK(vm.Say("local b = blob() while true do b:grow() end") == "error: not enough memory");
    CHECK(vm.Say("for i = 1, 1000 do local b = blob() b:grow() end return 1") == "1");
  }

  TEST_CASE("an interrupt from another thread stops a script, caught or not") {
    for (const std::string script :
         {"started() while true do end",
          "started() while true do pcall(function() "
          "while true do end end) end",
          "started() coroutine.wrap(function() while true do end end)()"}) {
      ApiVm vm;
      std::atomic<bool> started = false;
      vm.Register("started", [&] { started = true; });
      std::thread watchdog([&] {
        while (!started) std::this_thread::yield();
        vm.Interrupt();
      });
      const Result<Any> result = vm.Run(script);
      watchdog.join();
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().kind == ErrorKind::kStop);
      CHECK(vm.Say("for i = 1, 10000 do end return 1") == "1");
    }
  }

  TEST_CASE("an interrupt that came too late is taken back") {
    ApiVm vm;
    vm.Interrupt();
    vm.ForgetInterrupt();
    CHECK(vm.Say("for i = 1, 10000 do end return 1") == "1");
    vm.Interrupt();
    CHECK(vm.Say("for i = 1, 10000 do end return 1") == "error: interrupted!");
  }

  TEST_CASE("finalizers at the end of a Vm obey its budget") {
    ApiVm vm({.instruction_budget = 20'000});
    vm.Run(
          "for i = 1, 10 do x = setmetatable({ x }, { __gc = function() while true do end end }) "
          "end")
        .Check();
  }

  TEST_CASE("a frame loop idles between scripts") {
    ApiVm vm;
    const Any update =
        vm.Run("return function() for i = 1, 100 do local t = { i } end end").value();
    for (int frame = 0; frame < 50; ++frame) {
      update.Call().value();
      (void)vm.Idle(MonotonicNanos() + 1'000'000);
    }
    CHECK(vm.Say("return 1") == "1");
  }
}

}  // namespace
}  // namespace neap::testing
