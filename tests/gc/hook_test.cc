// SPDX-License-Identifier: MIT
//
// Cleanup hooks, root providers, events: what happens around a collection, in which order, and what
// is refused there.
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "neap/gc/event.h"
#include "neap/runtime/clock.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::EventKind;
using gc::Options;
using gc::Word;

template <typename Record>
Record Read(const Event& event) {
  Record record;
  uint64_t* words = reinterpret_cast<uint64_t*>(&record);
  REQUIRE(event.payload.size() == sizeof(Record) / 8);
  for (size_t i = 0; i < event.payload.size(); ++i) words[i] = event.payload[i];
  return record;
}

// Keeps every event of a heap.
struct Log {
  explicit Log(TestHeap& heap_in) : heap(heap_in.heap()) {
    id = heap.AddEventListener([this](const Event& event) { Add(event); });
  }
  ~Log() { heap.RemoveEventListener(id); }
  void Add(const Event& event) {
    switch (static_cast<EventKind>(event.kind)) {
      case EventKind::kMinor:
        minors.push_back(Read<gc::MinorEvent>(event));
        break;
      case EventKind::kMajor:
        majors.push_back(Read<gc::MajorEvent>(event));
        break;
      case EventKind::kHook:
        hooks.push_back(Read<gc::HookEvent>(event));
        break;
      default:
        ++others;
    }
  }
  gc::Heap& heap;
  int id = 0;
  std::vector<gc::MinorEvent> minors;
  std::vector<gc::MajorEvent> majors;
  std::vector<gc::HookEvent> hooks;
  int others = 0;
};

struct Call {
  int hook;
  uint64_t cycle;
  bool operator==(const Call&) const = default;
};
std::vector<Call> calls;

void HookOne(void*, uint64_t cycle) { calls.push_back({1, cycle}); }
void HookTwo(void*, uint64_t cycle) { calls.push_back({2, cycle}); }

// A cache as a pool is one: it holds one object strongly until a cleanup drops it.
struct OneSlotCache : gc::RootProvider {
  void VisitRoots(gc::Tracer& tracer) override {
    ++visits;
    tracer.VisitSlot(&slot);
  }
  static void Cleanup(void* context, uint64_t) { static_cast<OneSlotCache*>(context)->slot = 0; }
  Word slot = 0;
  int visits = 0;
};

TEST_SUITE("gc/hook") {
  TEST_CASE("hooks run once per major cycle, in order of registration, never at minors") {
    QuietHeap heap;
    calls.clear();
    const int one = heap.heap().AddCleanupHook("one", HookOne, nullptr);
    heap.heap().AddCleanupHook("two", HookTwo, nullptr);
    heap.MinorGC(3);
    CHECK(calls.empty());
    heap.FullGC();
    heap.FullGC();
    CHECK(calls == std::vector<Call>{{1, 1}, {2, 1}, {1, 2}, {2, 2}});
    heap.heap().RemoveCleanupHook(one);
    calls.clear();
    heap.FullGC();
    CHECK(calls == std::vector<Call>{{2, 3}});
  }

  TEST_CASE("hooks run before any root is captured: what a hook drops dies in the same cycle") {
    QuietHeap heap;
    OneSlotCache cache;
    heap.heap().AddRootProvider(&cache);
    const int id = heap.heap().AddCleanupHook("cache", OneSlotCache::Cleanup, &cache);
    cache.slot = gc::ToWord(heap.m.New<Node>(Node::Type()));
    gc::WeakHandle weak(heap.m, gc::ToObject(cache.slot));
    heap.MinorGC();
    CHECK(weak.get() == gc::ToObject(cache.slot));
    CHECK(weak.get() != nullptr);
    heap.FullGC();
    CHECK(weak.get() == nullptr);
    CHECK(cache.slot == 0);
    heap.heap().RemoveCleanupHook(id);
    heap.heap().RemoveRootProvider(&cache);
    const int visits = cache.visits;
    heap.FullGC();
    CHECK(cache.visits == visits);
  }

  TEST_CASE("a root provider's slots are roots and follow their objects") {
    TinyHeap heap;
    OneSlotCache cache;
    heap.heap().AddRootProvider(&cache);
    Handle<Node> list = heap.MakeList(100);
    cache.slot = list.word();
    list.set(nullptr);
    heap.Churn(64 << 10);
    heap.FullGC();
    list.set(static_cast<Node*>(gc::ToObject(cache.slot)));
    CHECK(heap.ListIs(list, 100));
    CHECK(heap.Broken() == "");
    heap.heap().RemoveRootProvider(&cache);
  }

  TEST_CASE("A2: a hook may not allocate, collect, verify or change the number of Ps") {
    static TestHeap* current = nullptr;
    QuietHeap heap;
    current = &heap;
    using Hook = void (*)(void*, uint64_t);
    const std::pair<const char*, Hook> misuses[] = {
        {"allocate", [](void*, uint64_t) { current->m.New<Node>(Node::Type()); }},
        {"allocate a lot", [](void*, uint64_t) { current->Churn(8 << 20); }},
        {"allocate large", [](void*, uint64_t) { current->m.NewBytes(1 << 20); }},
        {"collect", [](void*, uint64_t) { current->FullGC(); }},
        {"collect minor", [](void*, uint64_t) { current->MinorGC(); }},
        {"set procs", [](void*, uint64_t) { (void)current->heap().SetProcs(current->m, 2); }},
        {"verify", [](void*, uint64_t) { (void)current->Broken(); }},
        {"idle", [](void*, uint64_t) { current->heap().Idle(current->m, UINT64_MAX); }},
    };
    for (const auto& [name, hook] : misuses) {
      CAPTURE(name);
      CHECK(DiesWith("A2", [&, hook = hook] {
        heap.heap().AddCleanupHook("misuse", hook, nullptr);
        heap.FullGC();
      }));
    }
  }

  TEST_CASE("hooks are timed by name and a slow one is reported") {
    QuietHeap heap([](Options& options) { options.debug.slow_hook_us = 2000; });
    Log log(heap);
    heap.heap().AddCleanupHook(
        "quick", [](void*, uint64_t) {}, nullptr);
    heap.heap().AddCleanupHook(
        "slow",
        [](void*, uint64_t) {
          const uint64_t end = MonotonicNanos() + 4'000'000;
          const uint64_t cpu_end = ThreadCpuNanos() + 4'000'000;
          while (MonotonicNanos() < end || ThreadCpuNanos() < cpu_end) {
          }
        },
        nullptr);
    heap.FullGC();
    heap.heap().DrainEvents();
    REQUIRE(log.hooks.size() == 2);
    CHECK(std::string(reinterpret_cast<const char*>(log.hooks[0].name)) == "quick");
    CHECK(std::string(reinterpret_cast<const char*>(log.hooks[1].name)) == "slow");
    CHECK(log.hooks[1].slow == 1);
    CHECK(log.hooks[1].duration_ns >= 4'000'000);
    CHECK(log.hooks[1].cycle == 1);
    CHECK(heap.stats().hook_ns >= 4'000'000);
    REQUIRE(log.majors.size() == 1);
    CHECK(log.majors[0].hooks == 2);
    CHECK(log.majors[0].hooks_ns >= 4'000'000);
  }

  TEST_CASE("a hook that loses its CPU for a while is not reported: its own CPU time is judged") {
    QuietHeap heap([](Options& options) { options.debug.slow_hook_us = 2000; });
    Log log(heap);
    heap.heap().AddCleanupHook(
        "preempted",
        [](void*, uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); },
        nullptr);
    heap.FullGC();
    heap.heap().DrainEvents();
    REQUIRE(log.hooks.size() == 1);
    CHECK(log.hooks[0].slow == 0);
    CHECK(log.hooks[0].duration_ns >= 4'000'000);
  }
}

TEST_SUITE("gc/event") {
  TEST_CASE("every collection is one event, numbered without gaps, with its cause") {
    QuietHeap heap;
    Log log(heap);
    heap.MinorGC();
    heap.FullGC();
    heap.MinorGC();
    heap.heap().DrainEvents();
    REQUIRE(log.minors.size() == 3);
    REQUIRE(log.majors.size() == 1);
    for (size_t i = 0; i < 3; ++i) CHECK(log.minors[i].number == i + 1);
    CHECK(log.minors[0].cause == static_cast<uint64_t>(gc::Cause::kForced));
    CHECK(log.minors[1].cause == static_cast<uint64_t>(gc::Cause::kMajor));
    CHECK(log.minors[1].pause_ns == 0);
    CHECK(log.minors[2].cause == static_cast<uint64_t>(gc::Cause::kForced));
    CHECK(log.majors[0].number == 1);
    CHECK(log.majors[0].forced == 1);
    CHECK(log.majors[0].cause == static_cast<uint64_t>(gc::Cause::kForced));
  }

  TEST_CASE("a minor event's figures add up to what the program did") {
    QuietHeap heap;
    Log log(heap);
    Handle<Node> list = heap.MakeList(50);
    heap.Churn(100 * sizeof(Node));
    heap.MinorGC();
    heap.MinorGC();
    heap.heap().DrainEvents();
    REQUIRE(log.minors.size() == 2);
    CHECK(log.minors[0].eden_bytes == 150 * sizeof(Node));
    CHECK(log.minors[0].copied_objects == 50);
    CHECK(log.minors[0].copied_bytes == 50 * sizeof(Node));
    CHECK(log.minors[0].promoted_objects == 0);
    CHECK(log.minors[0].survived_age1_bytes == 50 * sizeof(Node));
    CHECK(log.minors[0].pause_ns > 0);
    CHECK(log.minors[1].eden_bytes == 0);
    CHECK(log.minors[1].promoted_objects == 50);
    CHECK(log.minors[1].promoted_bytes == 50 * sizeof(Node));
    CHECK(log.minors[1].survived_age2_bytes == 50 * sizeof(Node));
    CHECK(log.minors[1].tenure == 2);
    CHECK(log.minors[1].workers == 1);
    CHECK(heap.ListIs(list, 50));
  }

  TEST_CASE("a listener that is removed hears nothing more; without one nobody pays") {
    QuietHeap heap;
    CHECK_FALSE(heap.heap().HasListeners());
    {
      Log log(heap);
      CHECK(heap.heap().HasListeners());
    }
    CHECK_FALSE(heap.heap().HasListeners());
    heap.FullGC();
    heap.heap().DrainEvents();
  }

  TEST_CASE("a ring that nobody drains loses events and counts them") {
    QuietHeap heap([](Options& options) { options.nursery_bytes = 4 << 10; });
    Log log(heap);
    heap.Churn(4 << 20);
    heap.heap().DrainEvents();
    CHECK(log.minors.size() + heap.stats().lost_events >= heap.heap().minors());
  }

  TEST_CASE("with blocking events nothing is lost") {
    QuietHeap heap([](Options& options) {
      options.nursery_bytes = 4 << 10;
      options.blocking_events = true;
    });
    Log log(heap);
    heap.Churn(8 << 20);
    heap.heap().DrainEvents();
    CHECK(heap.stats().lost_events == 0);
    CHECK(log.minors.size() == heap.heap().minors());
    CHECK(log.minors.size() > 1000);
  }

  TEST_CASE("a program's own event reaches the listeners") {
    QuietHeap heap;
    Log log(heap);
    heap.heap().Emit(heap.m, EventKind::kProcs, gc::ProcsEvent{.before = 1, .after = 2});
    heap.heap().DrainEvents();
    CHECK(log.others == 1);
  }
}

}  // namespace
}  // namespace neap::testing
