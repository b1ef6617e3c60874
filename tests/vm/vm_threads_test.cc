// SPDX-License-Identifier: MIT
//
// Vms on several threads, over one heap and over heaps of their own. Each test's own thread uses no
// heap that others collect, so that nobody waits for it.
#include <string>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "vm/api_fixture.h"

namespace neap::testing {
namespace {

constexpr const char* kHeavy =
    "local keep = {}\n"
    "for i = 1, ... do\n"
    "  local t = { i, name = 'n' .. i, f = function() return i end }\n"
    "  keep[i % 100 + 1] = t\n"
    "  if i % 50 == 0 then coroutine.wrap(function() coroutine.yield(t) end)() end\n"
    "end\n"
    "local sum = 0\n"
    "for _, t in ipairs(keep) do sum = sum + t.f() + #t.name end\n"
    "return sum";

gc::Options SharedOptions(int procs) {
  gc::Options options = TinyOptions();
  options.procs = procs;
  options.nursery_bytes = 64 << 10;
  return options;
}

TEST_SUITE("vm/threads") {
  TEST_CASE("Vms on two threads share a heap that is verified at every collection") {
    constexpr int kThreads = 2;
    gc::Options options = SharedOptions(kThreads);
    options.debug.verify = 1;
    gc::Heap heap(options);
    std::vector<std::string> said(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ApiVm vm(heap, {.hash_seed = static_cast<uint64_t>(i)});
        const lua::Result<lua::Any> result = vm.Load(kHeavy, "=heavy")->Call(5000);
        said[static_cast<size_t>(i)] =
            result.ok() ? result->ToDisplay().value() : result.error().ToString();
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(said[0] == said[1]);
    CHECK(said[0].find_first_not_of("0123456789") == std::string::npos);
    CHECK(heap.minors() > 0);
  }

  TEST_CASE("Vms with heaps of their own know nothing of each other") {
    std::vector<std::string> said(3);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < said.size(); ++i) {
      threads.emplace_back([&, i] {
        ApiVm vm;
        vm.Set("me", static_cast<int64_t>(i)).Check();
        vm.Load(kHeavy)->Call(2000).value();
        said[i] = vm.Say("return me");
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(said == std::vector<std::string>{"0", "1", "2"});
  }

  TEST_CASE("a budget counts the bytes of its own Vm only") {
    gc::Heap heap(SharedOptions(2));
    std::string modest, greedy;
    std::thread one([&] {
      ApiVm vm(heap, {.allocation_budget = 4 << 20});
      modest = vm.Say("for i = 1, 20000 do local t = {} end return 'done'");
    });
    std::thread two([&] {
      ApiVm vm(heap, {.allocation_budget = 64 << 20});
      greedy = vm.Say("while true do local t = {} end");
    });
    one.join();
    two.join();
    CHECK(modest == "done");
    CHECK(greedy == "error: allocation budget used up");
  }

  TEST_CASE("a thread that blocks says so, and others collect meanwhile") {
    gc::Heap heap(SharedOptions(2));
    ApiVm vm(heap);
    std::string said;
    {
      gc::BlockingRegion region(vm.mutator());
      std::thread([&] {
        ApiVm other(heap);
        other.Load(kHeavy)->Call(2000).value();
        other.Collect();
        said = other.Say("return 'collected'");
      }).join();
    }
    CHECK(said == "collected");
    CHECK(vm.Say("return 1") == "1");
  }
}

}  // namespace
}  // namespace neap::testing
