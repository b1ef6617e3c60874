// SPDX-License-Identifier: MIT
//
// Free-running threads: no order is promised, so these tests check conservation. Every object is
// with one user, in the pool, or dropped; none is handed to two users; what its last user wrote is
// what the next one reads (which is what ThreadSanitizer checks too: T10).
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "chain.h"
#include "doctest/doctest.h"
#include "pool_fixture.h"
#include "ring.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::BlockingRegion;
using gc::Mutator;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kScale = 10;
#else
constexpr int kScale = 1;
#endif

void RunThreads(PoolHeap& heap, int count, const std::function<void(Mutator&, int)>& body) {
  BlockingRegion waiting(heap.m);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&heap, &body, i] {
      Mutator m(heap.heap());
      body(m, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// T6 and T7: one producer that pops its head now and then, consumers at the tail; every value is
// seen exactly once.
template <typename Push, typename PopHead, typename PopTail>
void OneProducerManyConsumers(Push push, PopHead pop_head, PopTail pop_tail) {
  constexpr uint64_t kValues = 200'000 / kScale;
  constexpr int kConsumers = 3;
  std::vector<std::atomic<uint32_t>> seen(kValues + 1);
  std::atomic<bool> finished{false};
  std::vector<std::thread> consumers;
  for (int i = 0; i < kConsumers; ++i) {
    consumers.emplace_back([&] {
      // One more round after the end, for what was pushed last.
      for (bool last = false; !last;) {
        last = finished.load(std::memory_order_acquire);
        while (uint64_t value = pop_tail()) {
          seen[value].fetch_add(1, std::memory_order_relaxed);
          last = false;
        }
        std::this_thread::yield();
      }
    });
  }
  for (uint64_t value = 1; value <= kValues; ++value) {
    while (!push(value)) std::this_thread::yield();
    if (value % 10 != 0) continue;
    if (uint64_t popped = pop_head()) seen[popped].fetch_add(1, std::memory_order_relaxed);
  }
  finished.store(true, std::memory_order_release);
  for (std::thread& thread : consumers) thread.join();
  while (uint64_t value = pop_tail()) seen[value].fetch_add(1, std::memory_order_relaxed);
  uint64_t exactly_once = 0;
  for (uint64_t value = 1; value <= kValues; ++value) exactly_once += seen[value] == 1 ? 1 : 0;
  CHECK(exactly_once == kValues);
}

TEST_SUITE("pool/threads") {
  TEST_CASE("T6: one producer and three consumers of a ring see each value once") {
    auto* ring = pool::internal::Ring::Create(16);
    ring->SetPositionForTesting(0u - 5000);  // the counters wrap on the way
    OneProducerManyConsumers([&](uint64_t v) { return ring->PushHead(v); },
                             [&] { return ring->PopHead(); }, [&] { return ring->PopTail(); });
    pool::internal::Ring::Free(ring);
  }

  TEST_CASE("T7: one producer and three consumers of a chain see each value once") {
    pool::internal::BasicChainEnds<pool::internal::NoSteps> ends;
    pool::internal::Chain chain(ends);
    OneProducerManyConsumers([&](uint64_t v) { return chain.PushHead(v); },
                             [&] { return chain.PopHead(); }, [&] { return chain.PopTail(); });
    chain.Clear();
  }

  TEST_CASE("T5 and T10: each node has one user at a time, through collections and moves") {
    for (const bool go_exact : {true, false}) {
      PoolHeap heap(3);
      std::atomic<int64_t> made{0};
      pool::Pool<Node> pool(heap.heap(), {.make =
                                              [&](Mutator& m) {
                                                Node* node = m.New<Node>(Node::Type());
                                                node->key = 0;
                                                made.fetch_add(1);
                                                return node;
                                              },
                                          .go_exact = go_exact});
      std::atomic<int64_t> shared{0};
      RunThreads(heap, 4, [&](Mutator& m, int id) {
        Random random(static_cast<uint64_t>(id) + 1);
        HandleScope scope(m);
        std::vector<Handle<Node>> held;
        for (int i = 0; i < 8; ++i) held.push_back(scope.New<Node>(nullptr));
        for (int step = 0; step < 40'000 / kScale; ++step) {
          Handle<Node>& slot = held[random.Below(held.size())];
          if (slot.get() == nullptr) {
            slot.set(pool.Get(m));
            // Plain accesses: a second user of the node would race here.
            if (slot->key != 0) shared.fetch_add(1);
            slot->key = id + 1;
          } else {
            if (slot->key != id + 1) shared.fetch_add(1);
            slot->key = 0;
            Node* node = slot.get();
            slot.set(nullptr);
            pool.Put(m, node);
          }
          if (id == 0 && step % 2000 == 0) heap.heap().Collect(m);
          if (id == 1 && step % 700 == 0) heap.heap().CollectMinor(m);
          m.Poll();
        }
        for (Handle<Node>& slot : held) {
          if (slot.get() != nullptr) slot->key = 0;
          if (slot.get() != nullptr) pool.Put(m, slot.get());
          slot.set(nullptr);
        }
      });
      CHECK(shared.load() == 0);
      const pool::Metrics metrics = pool.Snapshot();
      CHECK(metrics.misses == static_cast<uint64_t>(made.load()));
      CHECK(metrics.puts == metrics.gets);
      // A fresh node for each miss; what is not held any more was evicted.
      CHECK(metrics.items_held + metrics.evictions == static_cast<uint64_t>(made.load()));
      CHECK(pool.words().Verify().message() == "");
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("values: none is lost, leaked or destroyed twice under eviction by other threads") {
    struct Counted {
      explicit Counted(std::atomic<int64_t>& alive_in) : alive(alive_in) { alive.fetch_add(1); }
      ~Counted() { alive.fetch_sub(1); }
      std::atomic<int64_t>& alive;
      int user = 0;
    };
    PoolHeap heap(3);
    std::atomic<int64_t> alive{0};
    std::atomic<int64_t> shared{0};
    std::atomic<int64_t> evicted{0};
    {
      pool::Pool<Counted> pool(heap.heap(),
                               {.make = [&](Mutator&) { return std::make_unique<Counted>(alive); },
                                .retention = pool::Retention::Flush(),
                                .on_evict = [&](Counted&) { evicted.fetch_add(1); }});
      RunThreads(heap, 4, [&](Mutator& m, int id) {
        std::vector<std::unique_ptr<Counted>> held;
        for (int step = 0; step < 20'000 / kScale; ++step) {
          held.push_back(pool.Get(m));
          if (std::exchange(held.back()->user, id + 1) != 0) shared.fetch_add(1);
          if (held.size() == 6) {
            for (auto& value : held) {
              if (std::exchange(value->user, 0) != id + 1) shared.fetch_add(1);
              pool.Put(m, std::move(value));
            }
            held.clear();
          }
          if (id == 0 && step % 500 == 0) heap.heap().Collect(m);
          m.Poll();
        }
        for (auto& value : held) value->user = 0;
        for (auto& value : held) pool.Put(m, std::move(value));
      });
      const pool::Metrics metrics = pool.Snapshot();
      CHECK(metrics.items_held + metrics.evictions == metrics.misses);
      CHECK(pool.words().Verify().message() == "");
    }
    CHECK(shared.load() == 0);
    CHECK(alive.load() == 0);
    CHECK(evicted.load() > 0);
  }

  TEST_CASE("bounds hold at every moment, and growth of the number of Ps loses nothing") {
    PoolHeap heap(1);
    pool::Pool<Node> pool(heap.heap(), {.max_items = 50});
    std::atomic<uint64_t> most{0};
    RunThreads(heap, 3, [&](Mutator& m, int id) {
      for (int step = 0; step < 6000 / kScale; ++step) {
        pool.Put(m, m.New<Node>(Node::Type()));
        if (step % 3 == 0) pool.TryGet(m);
        if (id == 0 && step % 512 == 0) {
          const int procs = 1 + step / 512 % 4;
          REQUIRE(heap.heap().SetProcs(m, procs).ok());
        }
        const uint64_t held = pool.Snapshot().items_held;
        for (uint64_t seen = most.load(); held > seen && !most.compare_exchange_weak(seen, held);) {
        }
        m.Poll();
      }
    });
    CHECK(most.load() <= 50 + 3);  // a snapshot may see a Put before the Get that made room
    CHECK(pool.Snapshot().items_held <= 50);
    CHECK(pool.words().Verify().message() == "");
  }
}

}  // namespace
}  // namespace neap::testing
