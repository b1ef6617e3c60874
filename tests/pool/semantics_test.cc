// SPDX-License-Identifier: MIT
//
// What Get finds and in which order, where Put leaves items, what a cleanup does with them: the
// tests of sync.Pool (T1, T2, T8 of src/sync/pool_test.go) on explicit schedules, and its corner
// cases (C1-C15), each in go_exact mode and, where the default repairs it, in the default.
#include <cstdint>
#include <stdexcept>

#include "doctest/doctest.h"
#include "pool_fixture.h"

namespace neap::testing {
namespace {

const pool::Options<Node> kGo = {.go_exact = true};

TEST_SUITE("pool/semantics") {
  TEST_CASE("T1: an item is found by Get, after one collection too, but not after two") {
    PoolHeap heap(1);
    NodePool pool(heap, kGo);
    CHECK(pool.Get(0) == kMiss);
    pool.Put(0, 1);
    pool.Put(0, 2);
    CHECK(pool.Get(0) == 1);
    CHECK(pool.Get(0) == 2);
    CHECK(pool.Get(0) == kMiss);
    for (int i = 0; i < 100; ++i) pool.Put(0, 3);
    heap.FullGC();
    CHECK(pool.Get(0) == 3);
    CHECK(pool.Broken() == "");
    heap.FullGC();
    CHECK(pool.Get(0) == kMiss);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("T2: make is called exactly when nothing is found") {
    PoolHeap heap(1);
    int64_t made = 0;
    pool::Pool<Node> pool(heap.heap(), {.make = [&](gc::Mutator& m) {
                            Node* node = m.New<Node>(Node::Type());
                            node->key = ++made;
                            return node;
                          }});
    CHECK(pool.Get(heap.m)->key == 1);
    CHECK(pool.Get(heap.m)->key == 2);
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = 42;
    pool.Put(heap.m, node);
    CHECK(pool.Get(heap.m)->key == 42);
    CHECK(pool.Get(heap.m)->key == 3);
    CHECK(pool.TryGet(heap.m) == nullptr);
    CHECK(made == 3);
  }

  TEST_CASE("T8: nothing is put by a Put of null, and a pool without make gives null") {
    PoolHeap heap(1);
    NodePool pool(heap);
    pool.pool().Put(heap.m, nullptr);
    CHECK(pool.metrics().puts == 0);
    CHECK(pool.pool().Get(heap.m) == nullptr);
    pool::Pool<Tracked> values(heap.heap());
    values.Put(heap.m, nullptr);
    CHECK(values.Get(heap.m) == nullptr);
    CHECK(values.Snapshot().puts == 0);
  }

  TEST_CASE("Get looks into private, own queue, other queues from P + 1 on, then the victim") {
    PoolHeap heap(4);
    NodePool pool(heap, kGo);
    for (int64_t key : {1, 2}) pool.Put(1, key);        // 1 private, 2 queue
    heap.FullGC();                                      // these are the victim
    for (int64_t key : {10, 11, 12}) pool.Put(1, key);  // 10 private, 11 12 queue
    for (int64_t key : {20, 21}) pool.Put(0, key);
    for (int64_t key : {30, 31}) pool.Put(3, key);
    // own private; own queue, newest first; queue of P 3, then of P 0; victim private, victim queue
    CHECK(pool.Drain(1) == Keys{10, 12, 11, 31, 21, 1, 2});
    const pool::Metrics metrics = pool.metrics();
    CHECK(metrics.private_hits == 1);
    CHECK(metrics.shared_hits == 2);
    CHECK(metrics.steals == 2);
    CHECK(metrics.victim_hits == 2);
    CHECK(metrics.misses == 1);
    CHECK(metrics.gets == 8);
    CHECK(metrics.puts == 9);
    CHECK(metrics.items_held == 2);  // the private items of P 0 and P 3
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("victim queues are searched from the own one on, oldest first") {
    PoolHeap heap(3);
    NodePool pool(heap, kGo);
    for (int proc = 0; proc < 3; ++proc) {
      for (int64_t i = 0; i < 3; ++i) pool.Put(proc, 10 * proc + i);
    }
    heap.FullGC();
    CHECK(pool.Drain(1) == Keys{10, 11, 12, 21, 22, 1, 2});
  }

  TEST_CASE("C1: private victims of other Ps are unreachable; the default takes them") {
    PoolHeap heap(2);
    NodePool exact(heap, kGo);
    NodePool repaired(heap);
    exact.Put(0, 1);
    repaired.Put(0, 1);
    heap.FullGC();
    CHECK(exact.Get(1) == kMiss);
    CHECK(repaired.Get(1) == 1);
    CHECK(repaired.metrics().rescues == 1);
  }

  TEST_CASE("C2: one starving Get marks the victim empty and strands the private items") {
    PoolHeap heap(4);
    NodePool pool(heap, kGo);
    for (int proc = 0; proc < 3; ++proc) pool.Put(proc, proc);
    pool.Put(0, 10);
    heap.FullGC();
    CHECK(pool.Get(3) == 10);  // queues are drained first
    CHECK(pool.metrics().victim_marked_empty == 0);
    CHECK(pool.Get(3) == kMiss);
    CHECK(pool.metrics().victim_marked_empty == 1);
    CHECK(pool.metrics().stranded_private == 3);
    CHECK(pool.Get(3) == kMiss);
    CHECK(pool.metrics().victim_marked_empty == 1);  // once
  }

  TEST_CASE("C3: after that even the owner cannot get its item back, though it is alive") {
    PoolHeap heap(2);
    NodePool exact(heap, kGo);
    NodePool repaired(heap);
    exact.Put(0, 1);
    repaired.Put(0, 1);
    gc::WeakHandle item(heap.m, exact.GetNode(0));
    exact.Put(0, static_cast<Node*>(item.get()));
    heap.FullGC();
    CHECK(exact.Get(1) == kMiss);
    CHECK(exact.Get(0) == kMiss);
    bool seen = false;
    heap.heap().WalkReachable(heap.m, [&](Object* object) { seen |= object == item.get(); });
    CHECK(item.get() != nullptr);
    CHECK(seen);
    heap.FullGC();
    CHECK(item.get() == nullptr);
    // The default has nothing to strand: P 1 gets the item instead.
    CHECK(repaired.metrics().items_held == 0);
    CHECK(repaired.metrics().stranded_private == 0);
  }

  TEST_CASE("C4: a Get from the victim leaves the primary empty until the caller puts") {
    PoolHeap heap(1);
    NodePool pool(heap, kGo);
    pool.Put(0, 1);
    heap.FullGC();
    Handle<Node> node = heap.Keep(pool.GetNode(0));
    CHECK(node->key == 1);
    CHECK(pool.metrics().items_held == 0);
    heap.FullGC();
    CHECK(pool.Get(0) == kMiss);
    pool.Put(0, node.get());
    heap.FullGC();
    CHECK(pool.Get(0) == 1);  // re-armed
  }

  TEST_CASE("C5: puts a, b, c come back as a, c, b") {
    PoolHeap heap(1);
    NodePool pool(heap, kGo);
    for (int64_t key : {1, 2, 3}) pool.Put(0, key);
    CHECK(pool.Drain(0) == Keys{1, 3, 2});
  }

  TEST_CASE("C6: a thief gets the oldest of the queue, the owner the newest") {
    PoolHeap heap(2);
    NodePool pool(heap, kGo);
    for (int64_t key = 0; key < 5; ++key) pool.Put(0, key);
    CHECK(pool.Get(1) == 1);
    CHECK(pool.Get(0) == 0);
    CHECK(pool.Get(0) == 4);
    CHECK(pool.Get(1) == 2);
  }

  TEST_CASE("C8: a P beyond the victim's size looks at no victim and marks nothing") {
    PoolHeap heap(2);
    NodePool exact(heap, kGo);
    NodePool repaired(heap);
    for (int64_t key : {1, 2}) {
      exact.Put(0, key);
      repaired.Put(0, key);
    }
    heap.SetProcs(4);
    heap.FullGC();
    CHECK(exact.Get(3) == kMiss);
    CHECK(exact.metrics().victim_marked_empty == 0);
    CHECK(exact.Get(1) == 2);  // the others still look
    CHECK(repaired.Get(3) == 2);
    CHECK(repaired.Get(3) == 1);
  }

  TEST_CASE("C9: growth between collections loses the primary; the default loses nothing") {
    PoolHeap heap(2);
    NodePool exact(heap, kGo);
    NodePool repaired(heap);
    for (int64_t key = 0; key < 100; ++key) {
      exact.Put(static_cast<int>(key % 2), key);
      repaired.Put(static_cast<int>(key % 2), key);
    }
    heap.SetProcs(4);
    CHECK(exact.Get(1) == 1);  // Ps that fit into the old array still use it
    exact.Put(1, 1);
    CHECK(exact.Get(3) == kMiss);
    CHECK(exact.Get(0) == kMiss);
    CHECK(exact.metrics().swapped_out == 100);
    CHECK(exact.metrics().items_held == 0);
    CHECK(repaired.Drain(3).size() == 98);  // all but two private slots
    CHECK(repaired.Get(0) == 0);
    CHECK(repaired.Get(1) == 1);
    CHECK(repaired.metrics().swapped_out == 0);
    CHECK(exact.Broken() == "");
    CHECK(repaired.Broken() == "");
    heap.FullGC();
    CHECK(exact.Get(0) == kMiss);
    CHECK(exact.Broken() == "");
  }

  TEST_CASE("after growth the new Ps park items of their own, found by the old ones") {
    PoolHeap heap(1);
    NodePool pool(heap);
    pool.Put(0, 1);
    heap.SetProcs(3);
    for (int64_t key : {20, 21, 22}) pool.Put(2, key);
    CHECK(pool.Get(2) == 20);
    CHECK(pool.Get(0) == 1);
    CHECK(pool.Get(1) == 21);
    heap.FullGC();
    CHECK(pool.Get(0) == 22);
    CHECK(pool.Get(2) == kMiss);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("shrinking keeps queues reachable and strands private items; the default takes them") {
    PoolHeap heap(4);
    NodePool exact(heap, kGo);
    NodePool repaired(heap);
    for (int64_t key : {1, 2}) {
      exact.Put(3, key);
      repaired.Put(3, key);
    }
    heap.SetProcs(2);
    CHECK(exact.Drain(0) == Keys{2});
    CHECK(repaired.Drain(0) == Keys{2, 1});
    CHECK(repaired.metrics().rescues == 1);
    heap.FullGC();
    CHECK(exact.Get(0) == kMiss);
    heap.FullGC();
    CHECK(exact.metrics().items_held == 0);
    CHECK(exact.metrics().evictions == 1);
  }

  TEST_CASE("C11: make may use the pool, collect, and throw; the pool stays sound") {
    PoolHeap heap(1);
    NodePool* inner = nullptr;
    int depth = 0;
    bool fail = false;
    NodePool pool(heap, {.make = [&](gc::Mutator& m) {
                    if (fail) throw std::runtime_error("no more nodes");
                    if (++depth < 3) {
                      Node* nested = inner->pool().Get(m);
                      inner->pool().Put(m, nested);
                    }
                    heap.FullGC();
                    Node* node = m.New<Node>(Node::Type());
                    node->key = 5;
                    return node;
                  }});
    inner = &pool;
    CHECK(pool.pool().Get(heap.m)->key == 5);
    CHECK(pool.Broken() == "");
    pool.Drain(0);
    fail = true;
    CHECK_THROWS_AS(pool.pool().Get(heap.m), std::runtime_error);
    CHECK(pool.Broken() == "");
    pool.Put(0, 6);
    CHECK(pool.pool().Get(heap.m)->key == 6);
  }

  TEST_CASE("C12: without checked mode a double Put hands one object to two users") {
    PoolHeap heap(1);
    NodePool pool(heap, kGo);
    pool.Put(0, 1);
    Node* node = pool.GetNode(0);
    pool.Put(0, node);
    pool.Put(0, node);
    CHECK(pool.Broken().find("P4") != std::string::npos);
    CHECK(pool.GetNode(0) == pool.GetNode(0));
  }

  TEST_CASE("C13: an object that was made elsewhere may be put") {
    PoolHeap heap(1);
    NodePool pool(heap, {.make = [](gc::Mutator& m) { return m.New<Node>(Node::Type()); }});
    Handle<Node> foreign = heap.MakeNode(77);
    pool.Put(0, foreign.get());
    CHECK(pool.pool().Get(heap.m) == foreign.get());
  }

  TEST_CASE(
      "C15: a worker that moves to another P strands its private item, no collection needed") {
    PoolHeap heap(2);
    pool::Pool<Node> pool(heap.heap(), {.go_exact = true});
    heap.m.MoveToProc(0);
    pool.Put(heap.m, heap.m.New<Node>(Node::Type()));
    heap.m.MoveToProc(1);
    CHECK(pool.TryGet(heap.m) == nullptr);
    heap.m.MoveToProc(0);
    CHECK(pool.TryGet(heap.m) != nullptr);
  }

  TEST_CASE("a worker that stays on its P never misses, whatever the number of collections") {
    PoolHeap heap(4);
    pool::Pool<Node> pool(heap.heap(), {.go_exact = true});
    heap.m.MoveToProc(2);
    pool.Put(heap.m, heap.m.New<Node>(Node::Type()));
    for (int i = 0; i < 50; ++i) {
      heap.FullGC();
      Node* node = pool.TryGet(heap.m);
      REQUIRE(node != nullptr);
      pool.Put(heap.m, node);
    }
  }

  TEST_CASE("without stealing a P finds only its own items") {
    PoolHeap heap(2);
    NodePool pool(heap, {.steal = false});
    for (int64_t key : {1, 2, 3}) pool.Put(0, key);
    CHECK(pool.Get(1) == kMiss);
    CHECK(pool.Get(0) == 1);
    heap.FullGC();
    CHECK(pool.Get(1) == kMiss);
    CHECK(pool.Drain(0) == Keys{2, 3});
    CHECK(pool.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
