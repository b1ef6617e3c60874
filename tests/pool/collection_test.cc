// SPDX-License-Identifier: MIT
//
// The pool inside the collector: roots that move, young items, minors that evict nothing, cleanups
// in order and in O(pools), events.
#include <cstdint>
#include <memory>
#include <vector>

#include "doctest/doctest.h"
#include "neap/gc/event.h"
#include "neap/gc/finalizer.h"
#include "neap/runtime/clock.h"
#include "pool_fixture.h"
#include "registry.h"
#include "support/dies_with.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::WeakHandle;

// Puts 100 nodes on Ps in turn; the handles say which of them live.
std::vector<WeakHandle> PutHundred(PoolHeap& heap, NodePool& pool, int procs) {
  std::vector<WeakHandle> weak;
  for (int i = 0; i < 100; ++i) {
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = i;
    weak.emplace_back(heap.m, node);
    pool.Put(i % procs, node);
  }
  return weak;
}

int Alive(const std::vector<WeakHandle>& weak) {
  int alive = 0;
  for (const WeakHandle& handle : weak) alive += handle.get() != nullptr ? 1 : 0;
  return alive;
}

TEST_SUITE("pool/collection") {
  TEST_CASE("T3: the pool keeps no pointer to what it handed out") {
    PoolHeap heap(2);
    NodePool pool(heap);
    for (int round = 0; round < 3; ++round) {
      std::vector<WeakHandle> weak = PutHundred(heap, pool, 2);
      for (int proc : {0, 1}) pool.Drain(proc);
      heap.FullGC();
      CHECK(Alive(weak) == 0);
    }
  }

  TEST_CASE("T4: the pool lets go of what nobody takes, in the second collection") {
    PoolHeap heap(2);
    NodePool pool(heap);
    for (int round = 0; round < 3; ++round) {
      std::vector<WeakHandle> weak = PutHundred(heap, pool, 2);
      heap.FullGC();
      CHECK(Alive(weak) == 100);
      heap.FullGC();
      CHECK(Alive(weak) == 0);
    }
    CHECK(pool.metrics().evictions == 300);
  }

  TEST_CASE("T3 and T4 with finalizers: each dropped object is finalized once") {
    PoolHeap heap(1);
    static int finalized;
    finalized = 0;
    gc::FinalizerQueue queue(
        heap.heap(), [](gc::Mutator&, Handle<Object>, void*) { ++finalized; }, nullptr);
    NodePool pool(heap);
    for (int i = 0; i < 100; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      queue.Register(heap.m, node);
      pool.Put(0, node);
    }
    heap.FullGC();
    CHECK(queue.Run(heap.m) == 0);
    heap.FullGC();
    CHECK(queue.Run(heap.m) == 100);
    CHECK(finalized == 100);
  }

  TEST_CASE("C10: an item lives two collections at most, and its pool need not live at all") {
    PoolHeap heap(1);
    auto pool = std::make_unique<NodePool>(heap);
    std::vector<WeakHandle> weak = PutHundred(heap, *pool, 1);
    heap.FullGC();
    pool.reset();  // registered, with a victim
    heap.FullGC();
    CHECK(Alive(weak) == 0);
  }

  TEST_CASE("C14: what a parked object refers to lives as long as it does") {
    PoolHeap heap(1);
    NodePool pool(heap);
    Handle<Node> parent = heap.MakeNode(1);
    heap.SetLeft(parent, heap.m.New<Node>(Node::Type()));
    WeakHandle child(heap.m, parent->left.get());
    pool.Put(0, parent.get());
    parent.set(nullptr);
    heap.FullGC();
    CHECK(child.get() != nullptr);
    heap.FullGC();
    CHECK(child.get() == nullptr);
  }

  TEST_CASE("C16: minor collections evict nothing and count no cycle") {
    PoolHeap heap(1);
    NodePool pool(heap);
    for (int64_t key = 0; key < 20; ++key) pool.Put(0, key);
    heap.MinorGC(10);
    CHECK(pool.metrics().cleanups == 0);
    CHECK(pool.Drain(0).size() == 20);
  }

  TEST_CASE("C17 and C18: young items in any slot survive and move, at random") {
    Random random;
    PoolHeap heap(3);
    NodePool pool(heap, {.retention = pool::Retention::Victim(2)});
    int64_t next = 0;
    int64_t taken = 0;
    for (int step = 0; step < 20'000; ++step) {
      const int proc = static_cast<int>(random.Below(3));
      if (random.Below(100) < 55) {
        pool.Put(proc, next++);
      } else if (Node* node = pool.GetNode(proc)) {
        REQUIRE(node->key >= 0);
        REQUIRE(node->key < next);
        node->key = kMiss;  // a second Get of the same object would be seen
        ++taken;
      }
      if (random.OneIn(200)) heap.MinorGC();
      if (random.OneIn(2000)) heap.FullGC();
      if (random.OneIn(500)) REQUIRE(pool.Broken() == "");
    }
    CHECK(taken > 1000);
    CHECK(heap.Broken() == "");
    const pool::Metrics metrics = pool.metrics();
    CHECK(metrics.private_hits + metrics.shared_hits + metrics.steals + metrics.victim_hits ==
          static_cast<uint64_t>(taken));
  }

  TEST_CASE("P6: a minor collection looks at what was put since the last one, not at old items") {
    struct CountingTracer final : gc::Tracer {
      void VisitSlots(gc::Word*, size_t count) override { slots += count; }
      void VisitWeak(gc::Word*, gc::Word, Weakness) override {}
      void VisitEphemeron(gc::Word*, gc::Word*, gc::Word) override {}
      size_t slots = 0;
    };
    PoolHeap heap(1);
    NodePool pool(heap);
    for (int64_t key = 0; key < 1000; ++key) pool.Put(0, key);
    heap.MinorGC(4);  // all old by now
    std::shared_ptr<pool::Registry> registry = pool::Registry::Find(heap.heap());
    CountingTracer idle;
    registry->VisitYoungRoots(idle);
    CHECK(idle.slots == 0);
    for (int64_t key = 0; key < 5; ++key) pool.Put(0, key);
    CountingTracer busy;
    registry->VisitYoungRoots(busy);
    CHECK(busy.slots == 5);
    CHECK(pool.Broken() == "");
    heap.MinorGC();
    CHECK(pool.Drain(0).size() == 1005);
  }

  TEST_CASE("an item that has become old in its private slot is taken and put as before") {
    PoolHeap heap(2);
    NodePool pool(heap);
    pool.Put(0, 1);
    heap.MinorGC(4);
    pool.Put(0, 2);  // the private slot is taken by the old item
    CHECK(pool.metrics().items_held == 2);
    CHECK(pool.Broken() == "");
    heap.MinorGC(4);
    CHECK(pool.Get(0) == 1);
    CHECK(pool.Get(1) == 2);
    pool.Put(0, 3);
    heap.MinorGC();
    CHECK(pool.Get(0) == 3);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("C19: a pinned item may outlive the drop, and only it") {
    PoolHeap heap(1);
    NodePool pool(heap);
    std::vector<WeakHandle> weak = PutHundred(heap, pool, 1);
    gc::Pin<Node> pin(heap.m, static_cast<Node*>(weak[50].get()));
    heap.FullGC();
    heap.FullGC();
    CHECK(Alive(weak) == 1);
    CHECK(pin->key == 50);
  }

  TEST_CASE("C20: what a cleanup drops is freed by the cycle that drops it") {
    for (auto nursery : {gc::Options::Nursery::kFixed, gc::Options::Nursery::kOff}) {
      PoolHeap heap(1, nursery);
      NodePool pool(heap, {.retention = pool::Retention::Flush()});
      std::vector<WeakHandle> weak = PutHundred(heap, pool, 1);
      heap.FullGC();
      CHECK(Alive(weak) == 0);
    }
  }

  TEST_CASE("without a nursery the pool works as with one") {
    PoolHeap heap(2, gc::Options::Nursery::kOff);
    NodePool pool(heap, {.go_exact = true});
    std::vector<WeakHandle> weak = PutHundred(heap, pool, 2);
    heap.FullGC();
    CHECK(Alive(weak) == 100);
    CHECK(pool.Drain(0).size() == 99);  // all but the private item of P 1
    CHECK(pool.Broken() == "");
    heap.FullGC();
    CHECK(Alive(weak) == 0);
  }
}

TEST_SUITE("pool/cleanup") {
  TEST_CASE("three pools with staggered use are cleaned independently and in every order") {
    PoolHeap heap(1);
    NodePool a(heap), b(heap), c(heap);
    a.Put(0, 1);
    heap.FullGC();  // a: victim
    b.Put(0, 2);
    heap.FullGC();  // a: gone; b: victim
    c.Put(0, 3);
    a.Put(0, 4);
    heap.FullGC();  // b: gone; a, c: victims
    CHECK(b.Get(0) == kMiss);
    CHECK(a.Get(0) == 4);
    CHECK(c.Get(0) == 3);
    CHECK(a.metrics().evictions == 1);
    CHECK(b.metrics().evictions == 1);
    CHECK(c.metrics().evictions == 0);
    CHECK(pool::Registry::Find(heap.heap())->Verify().ok());
    heap.FullGC();
    heap.FullGC();
    heap.FullGC();
    CHECK(pool::Registry::Find(heap.heap())->Verify().ok());
  }

  TEST_CASE("pools come and go in any order while registered") {
    Random random;
    PoolHeap heap(2);
    std::vector<std::unique_ptr<NodePool>> pools;
    for (int step = 0; step < 3000; ++step) {
      const uint64_t choice = random.Below(100);
      if (choice < 20) {
        pools.push_back(std::make_unique<NodePool>(heap));
      } else if (choice < 35 && !pools.empty()) {
        std::swap(pools[random.Below(pools.size())], pools.back());
        pools.pop_back();
      } else if (choice < 38) {
        heap.FullGC();
      } else if (choice < 45) {
        heap.MinorGC();
      } else if (!pools.empty()) {
        NodePool& pool = *pools[random.Below(pools.size())];
        const int proc = static_cast<int>(random.Below(2));
        random.OneIn(2) ? pool.Put(proc, step) : static_cast<void>(pool.Get(proc));
      }
      if (!pools.empty() && random.OneIn(50)) {
        REQUIRE(pool::Registry::Find(heap.heap())->Verify().ok());
        REQUIRE(pools.back()->Broken() == "");
      }
    }
    pools.clear();
    CHECK(pool::Registry::Find(heap.heap()) == nullptr);
    heap.FullGC();
  }

  TEST_CASE("a pool's Get and Put inside a cleanup hook are refused") {
    CHECK(DiesWith("P2", [] {
      PoolHeap heap(1);
      NodePool pool(heap);
      pool.Put(0, 1);
      struct Context {
        PoolHeap* heap;
        NodePool* pool;
      } context{&heap, &pool};
      heap.heap().AddCleanupHook(
          "misuse",
          [](void* raw, uint64_t) {
            auto* c = static_cast<Context*>(raw);
            c->pool->pool().TryGet(c->heap->m);
          },
          &context);
      heap.FullGC();
    }));
    CHECK(DiesWith("P2", [] {
      PoolHeap heap(1);
      NodePool pool(heap);
      Handle<Node> node = heap.MakeNode(1);
      struct Context {
        PoolHeap* heap;
        NodePool* pool;
        Handle<Node> node;
      } context{&heap, &pool, node};
      heap.heap().AddCleanupHook(
          "misuse",
          [](void* raw, uint64_t) {
            auto* c = static_cast<Context*>(raw);
            c->pool->pool().Put(c->heap->m, c->node.get());
          },
          &context);
      heap.FullGC();
    }));
  }

  // Every item is still in the slot it was put into, so nobody has walked them.
  TEST_CASE("the hook swaps arrays: it does not look at items") {
    PoolHeap heap(1);
    NodePool pool(heap);
    for (int64_t key = 0; key < 20'000; ++key) pool.Put(0, key);
    std::shared_ptr<pool::Registry> registry = pool::Registry::Find(heap.heap());
    registry->CleanUpForTesting(1);
    CHECK(pool.metrics().items_held == 20'000);
    CHECK(pool.metrics().cleanups == 1);
    CHECK(pool.Get(0) == 0);  // from the victim, in place
    registry->CleanUpForTesting(2);
    registry->CleanUpForTesting(3);
    CHECK(pool.metrics().items_held == 0);
    CHECK(pool.metrics().evictions == 19'999);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("100,000 pools are cleaned in one stop, and unused ones cost nothing later") {
    PoolHeap heap(1);
    std::vector<std::unique_ptr<pool::Pool<Node>>> pools;
    for (int i = 0; i < 100'000; ++i) {
      pools.push_back(std::make_unique<pool::Pool<Node>>(heap.heap()));
      pools.back()->Put(heap.m, heap.m.New<Node>(Node::Type()));
    }
    std::shared_ptr<pool::Registry> registry = pool::Registry::Find(heap.heap());
    const uint64_t start_ns = MonotonicNanos();
    heap.FullGC();
    const uint64_t ns = MonotonicNanos() - start_ns;
    MESSAGE("whole cycle with 100,000 pools: ", ns / 1000, " us");
    CHECK(pools[77'777]->Snapshot().items_held == 1);
    CHECK(pools[77'777]->TryGet(heap.m) != nullptr);
    heap.FullGC();
    CHECK(pools[5]->Snapshot().items_held == 0);
    heap.FullGC();
    heap.FullGC();
    CHECK(pools[5]->Snapshot().cleanups == 1);
    CHECK(registry->Verify().ok());
  }

  TEST_CASE("a cleanup reports each pool as an event, with what happened since the last") {
    PoolHeap heap(1);
    NodePool pool(heap, {.name = "reported", .account_bytes = true});
    std::vector<gc::PoolEvent> events;
    const int id = heap.heap().AddEventListener([&](const Event& event) {
      if (event.kind != static_cast<uint16_t>(gc::EventKind::kPool)) return;
      gc::PoolEvent record;
      REQUIRE(event.payload.size() == sizeof(record) / 8);
      std::copy(event.payload.begin(), event.payload.end(), reinterpret_cast<uint64_t*>(&record));
      events.push_back(record);
    });
    for (int64_t key = 0; key < 3; ++key) pool.Put(0, key);
    pool.Get(0);
    heap.FullGC();
    heap.FullGC();
    heap.heap().DrainEvents();
    REQUIRE(events.size() == 2);
    CHECK(std::string(reinterpret_cast<const char*>(events[0].name)) == "reported");
    CHECK(events[0].gets == 1);
    CHECK(events[0].private_hits == 1);
    CHECK(events[0].puts == 3);
    CHECK(events[0].demoted == 2);
    CHECK(events[0].evicted == 0);
    CHECK(events[0].bytes_held == 2 * sizeof(Node));
    CHECK(events[1].gets == 0);
    CHECK(events[1].evicted == 2);
    CHECK(events[1].bytes_held == 0);
    heap.heap().RemoveEventListener(id);
  }
}

}  // namespace
}  // namespace neap::testing
