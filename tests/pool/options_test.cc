// SPDX-License-Identifier: MIT
//
// Every option of a pool, for managed objects and for values: what it does when on, and what bad
// values get.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "pool_fixture.h"

namespace neap::testing {
namespace {

using pool::Pool;
using pool::Retention;

TEST_SUITE("pool/options") {
  TEST_CASE("impossible options are named in the status") {
    PoolHeap heap(1);
    auto message = [&](pool::Options<Node> options) {
      return std::string(Pool<Node>::Create(heap.heap(), std::move(options)).status().message());
    };
    CHECK(message({.retention = Retention::Victim(0)}).find("victim(0)") != std::string::npos);
    CHECK(message({.retention = Retention::Victim(9)}).find("1 to 8") != std::string::npos);
    CHECK(message({.retention = Retention::Time(0)}).find("time(0)") != std::string::npos);
    CHECK(message({.retention = Retention::Bytes(0)}).find("bytes(0)") != std::string::npos);
    CHECK(message({.max_item_bytes = 0}).find("max_item_bytes=0") != std::string::npos);
    CHECK(message({.max_items = 0}).find("max_items=0") != std::string::npos);
    CHECK(message({.max_bytes = 0}).find("max_bytes=0") != std::string::npos);
    CHECK(Pool<Node>::Create(heap.heap()).ok());
    CHECK_THROWS_WITH_AS(NodePool(heap, {.max_items = 0}), doctest::Contains("max_items=0"),
                         CheckFailure);
  }

  TEST_CASE("reset runs on Put, before the item can be seen") {
    PoolHeap heap(1);
    NodePool pool(heap, {.reset = [](Node& node) { node.key = 0; }});
    pool.Put(0, 55);
    CHECK(pool.Get(0) == 0);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("the oversize guard refuses large items and counts them") {
    PoolHeap heap(1);
    std::vector<std::string> evicted;
    Pool<std::string> pool(heap.heap(),
                           {.size_of = [](const std::string& s) { return s.capacity(); },
                            .max_item_bytes = 1000,
                            .on_evict = [&](std::string& s) { evicted.push_back(s); }});
    pool.Put(heap.m, std::make_unique<std::string>(500, 'a'));
    pool.Put(heap.m, std::make_unique<std::string>(5000, 'b'));
    CHECK(pool.Snapshot().items_held == 1);
    CHECK(pool.Snapshot().oversize_drops == 1);
    CHECK(pool.Snapshot().drops == 1);
    CHECK(pool.Snapshot().puts == 2);
    CHECK(evicted == std::vector<std::string>{std::string(5000, 'b')});
    CHECK(pool.Get(heap.m)->size() == 500);
  }

  TEST_CASE("managed objects count their off-heap bytes by default") {
    PoolHeap heap(1);
    Pool<toy::Buffer> pool(heap.heap(), {.max_item_bytes = 4096});
    Pool<toy::Buffer> accounted(heap.heap(), {.account_bytes = true});
    pool.Put(heap.m, toy::Buffer::TryMake(heap.m, 8192));
    pool.Put(heap.m, toy::Buffer::TryMake(heap.m, 2048));
    CHECK(pool.Snapshot().items_held == 1);
    accounted.Put(heap.m, toy::Buffer::TryMake(heap.m, 8192));
    CHECK(accounted.Snapshot().bytes_held == 8192 + sizeof(toy::Buffer));
    accounted.Get(heap.m);
    CHECK(accounted.Snapshot().bytes_held == 0);
  }

  TEST_CASE("max_items and max_bytes hold over all Ps and over victims") {
    PoolHeap heap(4);
    NodePool items(heap, {.max_items = 10});
    NodePool bytes(heap, {.max_bytes = 10 * sizeof(Node)});
    for (int64_t key = 0; key < 6; ++key) {
      items.Put(static_cast<int>(key % 4), key);
      bytes.Put(static_cast<int>(key % 4), key);
    }
    heap.FullGC();
    for (int64_t key = 6; key < 20; ++key) {
      items.Put(static_cast<int>(key % 4), key);
      bytes.Put(static_cast<int>(key % 4), key);
    }
    for (NodePool* pool : {&items, &bytes}) {
      CHECK(pool->metrics().items_held == 10);
      CHECK(pool->metrics().bytes_held == 10 * sizeof(Node));
      CHECK(pool->metrics().drops == 10);
      CHECK(pool->Broken() == "");
    }
    heap.FullGC();
    CHECK(items.metrics().items_held == 4);
    items.Put(0, 100);
    CHECK(items.metrics().items_held == 5);
    CHECK(items.Broken() == "");
  }

  TEST_CASE("evicted values are destroyed on a mutator, not in the pause") {
    PoolHeap heap(2);
    REQUIRE(Tracked::alive == 0);
    {
      Pool<Tracked> pool(heap.heap());
      for (int i = 0; i < 20; ++i) pool.Put(heap.m, std::make_unique<Tracked>(i));
      heap.FullGC();
      CHECK(Tracked::alive == 20);
      heap.FullGC();
      CHECK(Tracked::alive == 20);  // dropped, but nobody came by
      CHECK(pool.Snapshot().items_held == 0);
      CHECK(pool.Snapshot().evictions == 20);
      CHECK(pool.TryGet(heap.m) == nullptr);
      CHECK(Tracked::alive == 0);
      CHECK(pool.Snapshot().evictions == 20);
      pool.Put(heap.m, std::make_unique<Tracked>(1));
    }
    CHECK(Tracked::alive == 0);  // destroyed with the pool
  }

  TEST_CASE("DrainEvicted empties pools that nobody uses any more") {
    PoolHeap heap(1);
    Pool<Tracked> one(heap.heap()), two(heap.heap());
    CHECK(pool::DrainEvicted(heap.m) == 0);
    for (int i = 0; i < 5; ++i) one.Put(heap.m, std::make_unique<Tracked>(i));
    for (int i = 0; i < 7; ++i) two.Put(heap.m, std::make_unique<Tracked>(i));
    heap.FullGC();
    CHECK(pool::DrainEvicted(heap.m) == 0);
    heap.FullGC();
    CHECK(pool::DrainEvicted(heap.m) == 12);
    CHECK(Tracked::alive == 0);
    CHECK(pool::DrainEvicted(heap.m) == 0);
  }

  TEST_CASE("values that are taken belong to the caller") {
    PoolHeap heap(1);
    Pool<Tracked> pool(heap.heap(),
                       {.make = [](gc::Mutator&) { return std::make_unique<Tracked>(9); }});
    auto value = pool.Get(heap.m);
    CHECK(value->key == 9);
    value->key = 3;
    pool.Put(heap.m, std::move(value));
    value = pool.Get(heap.m);
    CHECK(value->key == 3);
    heap.FullGC();
    heap.FullGC();
    pool.TryGet(heap.m);
    CHECK(Tracked::alive == 1);
    value.reset();
    CHECK(Tracked::alive == 0);
  }

  TEST_CASE(
      "on_evict is called once for each managed item, which is intact and lives one cycle on") {
    PoolHeap heap(2);
    std::vector<int64_t> evicted;
    NodePool pool(heap,
                  {.on_evict = [&](Node& node) { evicted.push_back(node.key + node.left->key); }});
    for (int64_t key = 1; key <= 3; ++key) {
      Handle<Node> node = heap.MakeNode(10 * key);
      heap.SetLeft(node, heap.m.New<Node>(Node::Type()));
      node->left->key = key;
      pool.Put(static_cast<int>(key % 2), node.get());
      node.set(nullptr);
    }
    heap.FullGC();
    heap.FullGC();
    CHECK(evicted.empty());
    heap.MinorGC();
    CHECK(heap.Broken() == "");
    CHECK(pool.Get(0) == kMiss);
    std::sort(evicted.begin(), evicted.end());
    CHECK(evicted == Keys{11, 22, 33});
    heap.FullGC();
    pool.Get(0);
    CHECK(evicted.size() == 3);
  }

  TEST_CASE("evicted items that wait for their callback survive further collections") {
    PoolHeap heap(1);
    std::vector<int64_t> evicted;
    NodePool pool(heap, {.on_evict = [&](Node& node) { evicted.push_back(node.key); }});
    for (int64_t key = 0; key < 50; ++key) pool.Put(0, key);
    for (int i = 0; i < 5; ++i) heap.FullGC();
    CHECK(pool::DrainEvicted(heap.m) == 50);
    std::sort(evicted.begin(), evicted.end());
    for (int64_t key = 0; key < 50; ++key) CHECK(evicted[static_cast<size_t>(key)] == key);
  }

  TEST_CASE("Close evicts, refuses and finds nothing; a second Close is an error") {
    PoolHeap heap(2);
    int evicted = 0;
    Pool<Tracked> pool(heap.heap(),
                       {.make = [](gc::Mutator&) { return std::make_unique<Tracked>(1); },
                        .account_bytes = true,
                        .on_evict = [&](Tracked&) { ++evicted; }});
    for (int i = 0; i < 10; ++i) pool.Put(heap.m, std::make_unique<Tracked>(i));
    heap.FullGC();
    for (int i = 0; i < 10; ++i) pool.Put(heap.m, std::make_unique<Tracked>(i));
    CHECK_FALSE(pool.closed());
    CHECK(pool.Close(heap.m).ok());
    CHECK(pool.closed());
    CHECK(evicted == 20);
    CHECK(Tracked::alive == 0);
    CHECK(pool.Close(heap.m).code() == absl::StatusCode::kFailedPrecondition);
    pool.Put(heap.m, std::make_unique<Tracked>(5));
    CHECK(Tracked::alive == 0);
    CHECK(pool.TryGet(heap.m) == nullptr);
    CHECK(pool.Get(heap.m)->key == 1);
    CHECK(pool.Snapshot().drops == 1);
    CHECK(pool.Snapshot().bytes_held == 0);
    CHECK(pool.words().Verify().message() == "");
  }

  TEST_CASE("what other Ps hold in private goes at the cycle after Close") {
    PoolHeap heap(2);
    NodePool pool(heap, {.go_exact = true});
    pool.Put(0, 1);
    pool.Put(1, 2);
    heap.m.MoveToProc(0);
    CHECK(pool.pool().Close(heap.m).ok());
    CHECK(pool.metrics().items_held == 1);
    heap.FullGC();
    CHECK(pool.metrics().items_held == 0);
    CHECK(pool.metrics().evictions == 2);
  }

  TEST_CASE("Prewarm makes items that Gets then find") {
    PoolHeap heap(1);
    int made = 0;
    NodePool pool(heap, {.make = [&](gc::Mutator& m) {
                    ++made;
                    return m.New<Node>(Node::Type());
                  }});
    pool.pool().Prewarm(heap.m, 30);
    CHECK(made == 30);
    for (int i = 0; i < 30; ++i) CHECK(pool.pool().Get(heap.m) != nullptr);
    CHECK(made == 30);
    NodePool bare(heap);
    CHECK_THROWS_WITH_AS(bare.pool().Prewarm(heap.m, 1), doctest::Contains("P5"), CheckFailure);
  }

  TEST_CASE("chaos misses and drops at the asked rate, the same for the same seed") {
    auto run = [](uint64_t seed, pool::Metrics* metrics) {
      PoolHeap heap(2);
      NodePool pool(heap, {.chaos = {.seed = seed, .miss_one_in = 4, .drop_one_in = 8}});
      std::vector<int64_t> keys;
      for (int64_t key = 0; key < 8000; ++key) {
        pool.Put(static_cast<int>(key % 2), key);
        keys.push_back(pool.Get(static_cast<int>(key % 2)));
      }
      *metrics = pool.metrics();
      CHECK(pool.Broken() == "");
      return keys;
    };
    pool::Metrics metrics, other;
    const std::vector<int64_t> first = run(7, &metrics);
    CHECK(metrics.drops > 800);
    CHECK(metrics.drops < 1200);
    CHECK(metrics.misses > 1600);
    CHECK(metrics.misses < 2800);
    CHECK(run(7, &other) == first);
    CHECK(run(8, &other) != first);
  }

  TEST_CASE("shuffle changes which item comes, and loses none") {
    PoolHeap heap(4);
    NodePool pool(heap, {.chaos = {.seed = 3, .shuffle = true}});
    std::vector<int64_t> expected;
    for (int64_t key = 0; key < 40; ++key) {
      pool.Put(static_cast<int>(key % 4), key);
      expected.push_back(key);
    }
    std::vector<int64_t> got;
    for (int proc = 0; proc < 4; ++proc) {
      for (int64_t key : pool.Drain(proc)) got.push_back(key);
    }
    CHECK(got.size() == 40);
    CHECK(got[0] != 0);  // without chaos P 0 starts with its private item
    std::sort(got.begin(), got.end());
    CHECK(got == expected);
  }

  TEST_CASE("features are free when off: a plain pool takes the fast path, any feature closes it") {
    PoolHeap heap(1);
    auto slow = [&](pool::Options<Node> options) {
      NodePool pool(heap, std::move(options));
      pool.Put(0, 1);
      Node* node = reinterpret_cast<Node*>(pool.pool().words().TakeFast(0));
      return node == nullptr;
    };
    CHECK_FALSE(slow({}));
    CHECK_FALSE(slow({.go_exact = true}));
    CHECK_FALSE(slow({.retention = Retention::Time(5)}));
    CHECK_FALSE(slow({.on_evict = [](Node&) {}}));
    CHECK(slow({.reset = [](Node&) {}}));
    CHECK(slow({.account_bytes = true}));
    CHECK(slow({.max_item_bytes = 100}));
    CHECK(slow({.checked = true}));
    CHECK(slow({.chaos = {.shuffle = true}}));
  }
}

}  // namespace
}  // namespace neap::testing
