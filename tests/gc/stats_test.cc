// SPDX-License-Identifier: MIT
//
// The figures of a heap: identities that hold at any time, counters that never fall, names.
#include "neap/gc/stats.h"

#include <cstdint>
#include <set>
#include <string>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::Stats;

bool IsGauge(const gc::StatName& name) {
  return std::string(name.sentence).rfind("gauge", 0) == 0 ||
         std::string(name.field) == "max_pause_ns";
}

// Identities between figures, and counters against an earlier snapshot.
void CheckIdentities(const Stats& before, const Stats& now) {
  CHECK(now.alloc_bytes == now.young_alloc_bytes + now.old_alloc_bytes);
  CHECK(now.heap_bytes == now.old_bytes + now.young_bytes);
  CHECK(now.heap_bytes <= now.mapped_bytes);
  CHECK(now.minor_pause_ns <= now.pause_ns);
  CHECK(now.max_pause_ns <= now.pause_ns);
  CHECK(now.forced_majors <= now.majors);
  CHECK(now.trigger_bytes <= now.goal_bytes);
  for (const gc::StatName& name : gc::StatNames()) {
    CAPTURE(name.field);
    if (!IsGauge(name)) CHECK(now.*name.value >= before.*name.value);
  }
}

TEST_SUITE("gc/stats") {
  TEST_CASE("every figure has a field, a path with a unit, and a sentence, each once") {
    std::set<std::string> paths;
    for (const gc::StatName& name : gc::StatNames()) {
      CAPTURE(name.field);
      CHECK(std::string(name.path).front() == '/');
      CHECK(std::string(name.path).find(':') != std::string::npos);
      CHECK(std::string(name.sentence).size() > 10);
      CHECK(paths.insert(name.path).second);
    }
    CHECK(paths.size() == sizeof(Stats) / sizeof(uint64_t));
  }

  TEST_CASE("identities hold through a random program in every nursery mode") {
    for (const auto nursery : {gc::Options::Nursery::kFixed, gc::Options::Nursery::kAdaptive,
                               gc::Options::Nursery::kOff}) {
      TinyHeap heap([&](gc::Options& options) { options.nursery = nursery; });
      Random random;
      HandleScope scope(heap.m);
      Handle<Object> kept[20];
      for (auto& handle : kept) handle = scope.New<Object>(nullptr);
      Stats before = heap.stats();
      for (int i = 0; i < 60; ++i) {
        for (int j = 0; j < 20; ++j) {
          const uint64_t bytes = random.OneIn(20) ? random.Below(100000) : random.Below(200);
          kept[random.Below(20)].set(heap.m.NewBytes(bytes));
        }
        if (random.OneIn(4)) heap.MinorGC();
        if (random.OneIn(10)) heap.FullGC();
        const Stats now = heap.stats();
        CheckIdentities(before, now);
        before = now;
      }
    }
  }

  TEST_CASE("allocated bytes and objects are exact") {
    QuietHeap heap;
    const Stats before = heap.stats();
    for (int i = 0; i < 1000; ++i) heap.m.New<Node>(Node::Type());
    heap.m.NewBytes(100 << 10);
    const Stats after = heap.stats();
    CHECK(after.alloc_bytes - before.alloc_bytes == 1000 * sizeof(Node) + 16 + (100 << 10));
    heap.MinorGC();
    const Stats later = heap.stats();
    CHECK(later.alloc_bytes == after.alloc_bytes);
  }

  TEST_CASE("after Collect the heap is exactly what is reachable, in every nursery mode") {
    for (const auto nursery : {gc::Options::Nursery::kFixed, gc::Options::Nursery::kOff}) {
      QuietHeap heap([&](gc::Options& options) { options.nursery = nursery; });
      Handle<Node> tree = heap.MakeTree(10);
      Handle<ByteArray> large = heap.Keep(heap.m.NewBytes(50000));
      heap.Churn(200 << 10);
      uint64_t bytes = 0;
      uint64_t objects = 0;
      heap.FullGC();
      heap.heap().WalkReachable(heap.m, [&](Object* object) {
        bytes += gc::ObjectBytes(object);
        ++objects;
      });
      CHECK(objects == (1 << 11) - 1 + 1);
      CHECK(bytes == ((1 << 11) - 1) * sizeof(Node) + gc::ObjectBytes(large.get()));
      CHECK(heap.stats().marked_bytes == bytes);
      CHECK(heap.stats().heap_bytes == bytes);
      CHECK(heap.heap().LiveEstimateBytes() == bytes);
      CHECK(heap.TreeIs(tree.get(), 10));
    }
  }

  TEST_CASE("a tiny heap obeys NEAP_DEBUG: the stress runs stress") {
    TinyHeap heap;
    const DebugSwitches& debug = heap.heap().options().debug;
    const uint64_t collections = heap.heap().minors() + heap.heap().majors();
    for (int i = 0; i < 1000; ++i) {
      heap.m.New<Node>(Node::Type());
      heap.m.Poll();
    }
    // 32,000 bytes through a nursery of 4 KiB are at least 7 collections in any mode.
    uint64_t expected = 7;
    if (debug.stress_alloc != 0) expected = 1000 / debug.stress_alloc;
    if (debug.stress_safepoint != 0) expected = 1000 / debug.stress_safepoint;
    CHECK(heap.heap().minors() + heap.heap().majors() - collections >= expected);
  }

  TEST_CASE("the live estimate follows allocation between collections") {
    QuietHeap heap;
    heap.FullGC();
    const uint64_t before = heap.heap().LiveEstimateBytes();
    heap.Churn(100 << 10);
    const uint64_t after = heap.heap().LiveEstimateBytes();
    CHECK(after - before >= 99 << 10);
    CHECK(after - before <= 101 << 10);
  }

  TEST_CASE("a live object is walked once, whatever the shape of the graph") {
    TinyHeap heap;
    Handle<Node> a = heap.MakeNode(1);
    Handle<Node> b = heap.MakeNode(2);
    heap.SetLeft(a, b.get());
    heap.SetLeft(b, a.get());
    heap.m.Store(a.get(), a->right.slot(), a.get());
    std::multiset<int64_t> keys;
    heap.heap().WalkReachable(
        heap.m, [&](Object* object) { keys.insert(static_cast<Node*>(object)->key); });
    CHECK(keys == std::multiset<int64_t>{1, 2});
  }
}

}  // namespace
}  // namespace neap::testing
