// SPDX-License-Identifier: MIT
//
// Pools and typed storage of scripts as a host meets them: several Vms on a heap, limits, budgets,
// the end of a Vm, sandboxes. What scripts can say by themselves is in tests/lua.
#include <string>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "vm/api_fixture.h"

namespace neap::testing {
namespace {

TEST_SUITE("vm/api/pools") {
  TEST_CASE("a sandbox has pools and storage, and no knob of the heap") {
    ApiVm vm({.libraries = lua::Libraries::kSandbox});
    CHECK(vm.Say("return neap") == "nil");
    for (const char* name : {"sync.pool", "buffer.create", "soa.new", "table.clear", "table.new",
                             "table.clone", "table.create", "string.buffer.new"}) {
      CHECK_MESSAGE(vm.Say(std::string("return type(") + name + ")") == "function", name);
    }
    CHECK(vm.Say("local p = sync.pool{new = function() return {7} end} local x = p:get() p:put(x) "
                 "return p:get() == x") == "true");
  }

  TEST_CASE("storage outside the heap stops at the hard limit") {
    lua::VmOptions options{.libraries = lua::Libraries::kSandbox};
    options.heap.hard_limit_bytes = 8 << 20;
    ApiVm vm(options);
    const std::string no_memory = "error: not enough memory";
    CHECK(vm.Say("local t = {} for i = 1, 100 do t[i] = buffer.create(1 << 20) end") == no_memory);
    CHECK(vm.Say("local t = {} for i = 1, 100 do t[i] = string.buffer.new(1 << 20) end") ==
          no_memory);
    CHECK(vm.Say("local t = {} for i = 1, 100 do t[i] = soa.new({x = 'f64'}, 1 << 17) end") ==
          no_memory);
    CHECK(vm.Say("local b = string.buffer.new() for i = 1, 1e9 do b:put(('x'):rep(1000)) end") ==
          no_memory);
    CHECK(vm.Say("local s = soa.new{x = 'f64'} for i = 1, 1e9 do s:push() end") == no_memory);
    // What is garbage makes room.
    CHECK(vm.Say("for i = 1, 100 do string.buffer.new(1 << 20) end return 1") == "1");
    CHECK(vm.Say("for i = 1, 100 do soa.new({x = 'f64'}, 1 << 17) end return 2") == "2");
  }

  TEST_CASE("functions that pools call cannot outlast a budget") {
    for (const char* script :
         {"sync.pool{new = function() while true do end end}:get()",
          "local p = sync.pool{on_evict = function() while true do end end} p:put({}) p:close()",
          "sync.pool{reset = function() while true do end end}:put({})",
          "local p = sync.pool{on_evict = function() while true do end end, max_size = 1}\n"
          "while true do pcall(p.put, p, {}) end"}) {
      ApiVm vm({.libraries = lua::Libraries::kSandbox, .instruction_budget = 100'000});
      CHECK_MESSAGE(vm.Say(script) == "error: instruction budget used up", script);
    }
  }

  TEST_CASE("a Vm that ends takes its pools along, and calls on_evict only before") {
    gc::Heap heap(TinyOptions());
    int evicted = 0;
    int refused = 0;
    for (int round = 0; round < 3; ++round) {
      ApiVm vm(heap);
      vm.Register("note", [&] { ++evicted; });
      vm.Register("refused", [&] { ++refused; });
      vm.Run(
            "kept = sync.pool{on_evict = note} kept:put({})\n"
            "other = sync.pool{} other:put({other})\n"
            "-- a pool that is made while the Vm ends\n"
            "late = setmetatable({}, {__gc = function()\n"
            "  local ok, message = pcall(sync.pool)\n"
            "  if not ok and message:find('closes') then refused() end\n"
            "end})")
          .Check();
    }
    CHECK(evicted == 3);
    CHECK(refused == 3);
    gc::Mutator m(heap);
    heap.Collect(m);
    heap.Collect(m);
    CHECK(heap.Verify(m).ok());
  }

  TEST_CASE("a warning tells of an error in on_evict and in on_cycle") {
    std::string said;
    ApiVm vm({.warn = [&](std::string_view piece, bool) { said += std::string(piece) + "\n"; }});
    vm.Run(
          "local p = sync.pool{on_evict = function() error('bad end') end} p:put({}) p:close()\n"
          "neap.gc.on_cycle(function() error('bad cycle') end) neap.gc.collect()")
        .Check();
    CHECK(said.find("error in on_evict (") != std::string::npos);
    CHECK(said.find("bad end") != std::string::npos);
    CHECK(said.find("error in on_cycle (") != std::string::npos);
    CHECK(said.find("bad cycle") != std::string::npos);
  }

  TEST_CASE("Vms on threads of one heap empty each other's pools, and callbacks stay at home") {
    constexpr int kThreads = 3;
    gc::Options options = TinyOptions();
    options.procs = kThreads;
    options.nursery_bytes = 64 << 10;
    options.debug.verify = 1;
    gc::Heap heap(options);
    std::vector<std::string> said(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ApiVm vm(heap);
        const auto home = std::this_thread::get_id();
        bool astray = false;
        vm.Register("note", [&] { astray |= std::this_thread::get_id() != home; });
        said[static_cast<size_t>(i)] = vm.Say(
            "local p = sync.pool{new = function() return {n = 0, {}} end, on_evict = note}\n"
            "local q = sync.pool{checked = true, new = function() return {n = 0} end}\n"
            "for i = 1, 3000 do\n"
            "  local x, y = p:get(), q:get()\n"
            "  x.n = x.n + 1 x[1] = {i}\n"
            "  p:put(x) p:put({n = 1, {}}) q:put(y)\n"
            "  if i % 500 == 0 then neap.gc.collect() end\n"
            "end\n"
            "local s = p:stats()\n"
            "return s.gets == 3000 and s.puts == 6000 and "
            "s.puts + s.misses - s.gets == s.items_held + s.evictions");
        if (astray) said[static_cast<size_t>(i)] = "a callback ran on another thread";
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& each : said) CHECK(each == "true");
  }
}

}  // namespace
}  // namespace neap::testing
