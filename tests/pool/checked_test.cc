// SPDX-License-Identifier: MIT
//
// Checked mode finds what users of pools get wrong: put twice, used after Put, never put back, put
// back dirty. Each with the places of the calls.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "pool_fixture.h"

namespace neap::testing {
namespace {

using pool::Pool;
using pool::Unreturned;
using pool::Violation;
using Kind = pool::Violation::Kind;

struct Log {
  std::vector<Violation> seen;
  pool::ViolationFunction function() {
    return [this](const Violation& violation) { seen.push_back(violation); };
  }
};

pool::Options<Node> Checked(Log& log) {
  return {.make = [](gc::Mutator& m) { return m.New<Node>(Node::Type()); },
          .checked = true,
          .on_violation = log.function()};
}

TEST_SUITE("pool/checked") {
  TEST_CASE("correct use raises nothing and changes no item, through moves and evictions") {
    PoolHeap heap(2);
    Log log;
    NodePool pool(heap, Checked(log));
    Handle<Node> child = heap.MakeNode(1000);
    for (int round = 0; round < 200; ++round) {
      Handle<Node> node = heap.Keep(pool.pool().Get(heap.m));
      if (node->left.get() != nullptr) {
        REQUIRE(node->key == round - 1);
        REQUIRE(node->left.get() == child.get());
      }
      node->key = round;
      heap.SetLeft(node, child.get());
      pool.pool().Put(heap.m, node.get());
      node.set(nullptr);
      if (round % 3 == 0) heap.MinorGC();
      if (round % 20 == 0) heap.FullGC();
      REQUIRE(pool.Broken() == "");
    }
    heap.FullGC();
    heap.FullGC();
    pool.Get(0);
    CHECK(log.seen.empty());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("P7: a second Put of an item is refused and reported with all three places") {
    PoolHeap heap(1);
    Log log;
    NodePool pool(heap, Checked(log));
    Handle<Node> node = heap.Keep(pool.pool().Get(heap.m));
    const unsigned get_line = __LINE__ - 1;
    pool.pool().Put(heap.m, node.get());
    const unsigned put_line = __LINE__ - 1;
    heap.MinorGC();  // it moves in between
    pool.pool().Put(heap.m, node.get());
    REQUIRE(log.seen.size() == 1);
    CHECK(log.seen[0].kind == Kind::kDoublePut);
    CHECK(log.seen[0].get.line() == get_line);
    CHECK(log.seen[0].put.line() == put_line);
    CHECK(log.seen[0].here.line() == put_line + 3);
    CHECK(std::string(log.seen[0].here.file_name()).find("checked_test.cc") != std::string::npos);
    CHECK(pool.metrics().items_held == 1);
    CHECK(pool.metrics().drops == 1);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("without a violation function a check fails that names rule, pool and places") {
    PoolHeap heap(1);
    NodePool pool(heap, {.name = "requests", .checked = true});
    Handle<Node> node = heap.MakeNode(1);
    pool.pool().Put(heap.m, node.get());
    CHECK_THROWS_WITH_AS(pool.pool().Put(heap.m, node.get()), doctest::Contains("P7"),
                         CheckFailure);
    CHECK_THROWS_WITH_AS(pool.pool().Put(heap.m, node.get()), doctest::Contains("requests"),
                         CheckFailure);
  }

  TEST_CASE("a reader after Put sees poison, references stay valid") {
    PoolHeap heap(1);
    Log log;
    NodePool pool(heap, Checked(log));
    Handle<Node> node = heap.MakeNode(1234);
    heap.SetLeft(node, heap.m.New<Node>(Node::Type()));
    pool.pool().Put(heap.m, node.get());
    CHECK(node->key == static_cast<int64_t>(0xdbdbdbdbdbdbdbdbull));
    CHECK(node->left.get() != nullptr);
    heap.FullGC();
    CHECK(heap.Broken() == "");
    Node* again = pool.pool().Get(heap.m);
    CHECK(again == node.get());
    CHECK(again->key == 1234);
    CHECK(log.seen.empty());
  }

  TEST_CASE("T9: a write after Put is reported by the next Get, with the place of the Put") {
    PoolHeap heap(1);
    Log log;
    NodePool pool(heap, Checked(log));
    Handle<Node> node = heap.MakeNode(1234);
    pool.pool().Put(heap.m, node.get());
    const unsigned put_line = __LINE__ - 1;
    node->key = 5;
    heap.FullGC();
    pool.pool().Get(heap.m);
    REQUIRE(log.seen.size() == 1);
    CHECK(log.seen[0].kind == Kind::kUseAfterPut);
    CHECK(log.seen[0].put.line() == put_line);
  }

  TEST_CASE("values are poisoned and restored, also when they are evicted or the pool dies") {
    PoolHeap heap(1);
    Log log;
    {
      // A short string keeps its bytes inside itself: the poison covers them.
      Pool<std::string> pool(heap.heap(), {.checked = true, .on_violation = log.function()});
      auto text = std::make_unique<std::string>("short");
      std::string* alias = text.get();
      pool.Put(heap.m, std::move(text));
      const auto* bytes = reinterpret_cast<const uint8_t*>(alias);
      CHECK(bytes[0] == pool::kPoisonByte);
      CHECK(bytes[sizeof(std::string) - 1] == pool::kPoisonByte);
      text = pool.Get(heap.m);
      CHECK(*text == "short");
      *text = "a string that is too long for the inside of a string object";
      pool.Put(heap.m, std::move(text));
      heap.FullGC();
      heap.FullGC();
      pool.TryGet(heap.m);  // evicts
      pool.Put(heap.m, std::make_unique<std::string>("left in the pool, which frees it whole"));
    }
    CHECK(log.seen.empty());
  }

  TEST_CASE("never returned: the place of the Get, the oldest first, and whether it is dead") {
    PoolHeap heap(1);
    Log log;
    NodePool pool(heap, Checked(log));
    Handle<Node> kept = heap.Keep(pool.pool().Get(heap.m));
    const unsigned kept_line = __LINE__ - 1;
    pool.pool().Get(heap.m);
    const unsigned lost_line = __LINE__ - 1;
    Handle<Node> returned = heap.Keep(pool.pool().Get(heap.m));
    pool.pool().Put(heap.m, returned.get());
    heap.FullGC();
    std::vector<Unreturned> unreturned = pool.pool().FindUnreturned(heap.m);
    REQUIRE(unreturned.size() == 2);
    CHECK(unreturned[0].get.line() == kept_line);
    CHECK_FALSE(unreturned[0].dead);
    CHECK(unreturned[1].get.line() == lost_line);
    CHECK(unreturned[1].dead);
    pool.pool().Put(heap.m, kept.get());
    CHECK(pool.pool().FindUnreturned(heap.m).size() == 1);
    CHECK(log.seen.empty());
  }

  TEST_CASE("a dirty item is reported, refused, and does not reach the next user") {
    PoolHeap heap(1);
    Log log;
    Pool<std::string> pool(heap.heap(),
                           {.make = [](gc::Mutator&) { return std::make_unique<std::string>(); },
                            .checked = true,
                            .is_clean = [](const std::string& s) { return s.empty(); },
                            .on_violation = log.function()});
    auto text = pool.Get(heap.m);
    *text = "user=ada secret=hunter2";
    pool.Put(heap.m, std::move(text));
    REQUIRE(log.seen.size() == 1);
    CHECK(log.seen[0].kind == Kind::kDirtyPut);
    CHECK(log.seen[0].here.line() == __LINE__ - 3);
    CHECK(pool.Get(heap.m)->empty());
    CHECK(pool.Snapshot().drops == 1);
  }

  TEST_CASE("a reset hook runs before the question whether an item is clean") {
    PoolHeap heap(1);
    Log log;
    pool::Options<Node> options = Checked(log);
    options.reset = [](Node& node) { node.key = 0; };
    options.is_clean = [](const Node& node) { return node.key == 0; };
    NodePool pool(heap, std::move(options));
    pool.Put(0, 7);
    CHECK(log.seen.empty());
    CHECK(pool.Get(0) == 0);
  }

  TEST_CASE("the account and the guard see the item, not the poison") {
    PoolHeap heap(1);
    Log log;
    pool::Options<Node> options = Checked(log);
    options.size_of = [](const Node& node) { return static_cast<size_t>(node.key); };
    options.max_bytes = 1000;
    NodePool pool(heap, std::move(options));
    for (int64_t key : {100, 200, 300}) pool.Put(0, key);
    CHECK(pool.metrics().bytes_held == 600);
    CHECK(pool.Get(0) == 100);
    CHECK(pool.metrics().bytes_held == 500);
    CHECK(pool.pool().Close(heap.m).ok());
    CHECK(pool.metrics().bytes_held == 0);
    CHECK(log.seen.empty());
  }

  TEST_CASE("objects with off-heap memory are not poisoned: the collector reads them") {
    PoolHeap heap(1);
    Log log;
    Pool<toy::Buffer> pool(heap.heap(), {.checked = true, .on_violation = log.function()});
    toy::Buffer* buffer = toy::Buffer::TryMake(heap.m, 100);
    pool.Put(heap.m, buffer);
    CHECK(buffer->bytes == 100);
    heap.FullGC();
    CHECK(pool.Get(heap.m)->bytes == 100);
  }

  TEST_CASE("a value that was freed by its user is not taken for its successor at that address") {
    PoolHeap heap(1);
    Log log;
    Pool<Tracked> pool(heap.heap(),
                       {.make = [](gc::Mutator&) { return std::make_unique<Tracked>(1); },
                        .checked = true,
                        .on_violation = log.function()});
    for (int i = 0; i < 20; ++i) pool.Get(heap.m).reset();
    auto value = pool.Get(heap.m);
    pool.Put(heap.m, std::move(value));
    CHECK(log.seen.empty());
  }

  TEST_CASE("a fingerprint takes the place of poison: items stay as they are") {
    PoolHeap heap;
    Log log;
    pool::WordOptions options{.name = "prints", .checked = true, .on_violation = log.function()};
    options.fingerprint = [](gc::Word item) {
      return static_cast<uint64_t>(reinterpret_cast<Node*>(item)->key);
    };
    pool::WordPool pool(heap.heap(), options);
    Handle<Node> node = heap.MakeNode(7);
    pool.Put(heap.m, gc::ToWord(node.get()), pool::CallPlace("script", 3));
    CHECK(node->key == 7);
    heap.MinorGC();
    CHECK(pool.Take(heap.m, {}) == gc::ToWord(node.get()));
    CHECK(log.seen.empty());
    pool.Put(heap.m, gc::ToWord(node.get()), pool::CallPlace("script", 4));
    node->key = 8;
    CHECK(pool.Take(heap.m, {}) == gc::ToWord(node.get()));
    REQUIRE(log.seen.size() == 1);
    CHECK(log.seen[0].kind == Kind::kUseAfterPut);
    CHECK(std::string(log.seen[0].put.file_name()) == "script");
    CHECK(log.seen[0].put.line() == 4);
    CHECK(node->key == 8);
  }

  TEST_CASE("own items only: a Put of what was not handed out is refused") {
    PoolHeap heap;
    Log log;
    pool::WordOptions options{.checked = true, .own_items_only = true};
    options.on_violation = log.function();
    pool::WordPool pool(heap.heap(), options);
    Handle<Node> stranger = heap.MakeNode(1);
    pool.Put(heap.m, gc::ToWord(stranger.get()), {});
    REQUIRE(log.seen.size() == 1);
    CHECK(log.seen[0].kind == Kind::kForeignPut);
    CHECK(pool.Snapshot().items_held == 0);
    CHECK(pool.FindBadPut(heap.m, gc::ToWord(stranger.get()), {})->kind == Kind::kForeignPut);
    pool.NoteMade(heap.m, gc::ToWord(stranger.get()), {});
    CHECK_FALSE(pool.FindBadPut(heap.m, gc::ToWord(stranger.get()), {}).has_value());
    pool.Put(heap.m, gc::ToWord(stranger.get()), {});
    CHECK(pool.FindBadPut(heap.m, gc::ToWord(stranger.get()), {})->kind == Kind::kDoublePut);
    CHECK(log.seen.size() == 1);
    CHECK(pool.Take(heap.m, {}) == gc::ToWord(stranger.get()));
  }

  TEST_CASE("a pool that nobody uses for idle_cycles is emptied, whatever it retains") {
    PoolHeap heap;
    pool::WordOptions options{.retention = pool::Retention::Bytes(1 << 20), .idle_cycles = 4};
    pool::WordPool pool(heap.heap(), options);
    for (int round = 0; round < 10; ++round) {
      pool.Put(heap.m, gc::ToWord(heap.m.New<Node>(Node::Type())), {});
      for (int cycle = 0; cycle < 3; ++cycle) heap.FullGC();
      CHECK(pool.Snapshot().items_held == 1);
      CHECK(pool.Take(heap.m, {}) != 0);
    }
    pool.Put(heap.m, gc::ToWord(heap.m.New<Node>(Node::Type())), {});
    for (int cycle = 0; cycle < 4; ++cycle) heap.FullGC();
    CHECK(pool.Snapshot().items_held == 1);
    heap.FullGC();
    CHECK(pool.Snapshot().items_held == 0);
    CHECK(pool.Take(heap.m, {}) == 0);
    CHECK(pool.Verify().ok());
  }
}

}  // namespace
}  // namespace neap::testing
