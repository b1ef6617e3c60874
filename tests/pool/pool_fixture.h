// SPDX-License-Identifier: MIT
//
// The vocabulary of the pool's tests: a heap of several Ps and one thread that plays them all.
//
//   PoolHeap heap(4);
//   NodePool pool(heap, {.go_exact = true});
//   pool.Put(0, 7);                      // P 0 puts a node with key 7
//   CHECK(pool.Get(1) == 7);             // P 1 finds it; kMiss when it finds nothing
//
// Items go by their keys, so a test reads as a schedule. The schedule is explicit and the heap
// collects only when told: no test here depends on timing.
#ifndef NEAP_TESTS_POOL_POOL_FIXTURE_H_
#define NEAP_TESTS_POOL_POOL_FIXTURE_H_

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "neap/pool/pool.h"
#include "support/check_failure.h"
#include "support/heap_fixture.h"

namespace neap::testing {

inline constexpr int64_t kMiss = -1;

class PoolHeap : public QuietHeap {
 public:
  explicit PoolHeap(int procs = 1, gc::Options::Nursery nursery = gc::Options::Nursery::kFixed)
      : QuietHeap([&](gc::Options& options) {
          options.procs = procs;
          options.nursery = nursery;
        }) {}
  void SetProcs(int procs) { REQUIRE(heap().SetProcs(m, procs).ok()); }
};

class NodePool {
 public:
  explicit NodePool(TestHeap& heap, pool::Options<Node> options = {})
      : heap_(heap), pool_(heap.heap(), std::move(options)) {}

  // Makes a node with this key and puts it, on P `proc`.
  void Put(int proc, int64_t key) {
    Node* node = heap_.m.New<Node>(Node::Type());
    node->key = key;
    Put(proc, node);
  }
  void Put(int proc, Node* node, std::source_location here = std::source_location::current()) {
    pool_.words().PutOn(heap_.m, proc, gc::ToWord(node), here);
  }
  // The key of what P `proc` finds; the node is dropped.
  int64_t Get(int proc) {
    const Node* node = GetNode(proc);
    return node == nullptr ? kMiss : node->key;
  }
  Node* GetNode(int proc, std::source_location here = std::source_location::current()) {
    return reinterpret_cast<Node*>(pool_.words().TakeOn(heap_.m, proc, here));
  }
  std::vector<int64_t> Drain(int proc) {
    std::vector<int64_t> keys;
    for (int64_t key = Get(proc); key != kMiss; key = Get(proc)) keys.push_back(key);
    return keys;
  }

  // Empty when the pool is sound.
  std::string Broken() const {
    const absl::Status status = const_cast<pool::Pool<Node>&>(pool_).words().Verify();
    return status.ok() ? std::string() : std::string(status.message());
  }
  pool::Metrics metrics() const { return pool_.Snapshot(); }
  pool::Pool<Node>& pool() { return pool_; }

 private:
  TestHeap& heap_;
  pool::Pool<Node> pool_;
};

// A value that says when it is destroyed.
struct Tracked {
  explicit Tracked(int key_in = 0) : key(key_in) { ++alive; }
  ~Tracked() { --alive; }
  Tracked(const Tracked&) = delete;
  Tracked& operator=(const Tracked&) = delete;
  int key;
  uint64_t padding[4] = {};
  static inline int alive = 0;
};

using Keys = std::vector<int64_t>;

}  // namespace neap::testing

#endif  // NEAP_TESTS_POOL_POOL_FIXTURE_H_
