// SPDX-License-Identifier: MIT
//
// The pool on a TinyHeap, which obeys NEAP_DEBUG: collections at every allocation or safepoint,
// evacuations that find no room, poisoned and unmapped dead memory. Whatever the mode, an object
// that a Get returns is one that was put, whole, and nobody else's.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "pool_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

// A node with a child that proves it: child key == -key.
void PutPair(TestHeap& heap, NodePool& pool, int proc, int64_t key) {
  HandleScope scope(heap.m);
  Handle<Node> node = scope.New(heap.m.New<Node>(Node::Type()));
  node->key = key;
  Node* child = heap.m.New<Node>(Node::Type());
  child->key = -key;
  heap.m.Store(node.get(), node->left.slot(), child);
  pool.Put(proc, node.get());
}

void RunStress(pool::Options<Node> options) {
  Random random;
  TinyHeap heap([](gc::Options& o) { o.procs = 3; });
  NodePool pool(heap, std::move(options));
  std::set<int64_t> out;
  int64_t next = 0;
  for (int step = 0; step < 1500; ++step) {
    const int proc = static_cast<int>(random.Below(3));
    if (random.Below(100) < 55) {
      PutPair(heap, pool, proc, ++next);
    } else if (Node* node = pool.GetNode(proc)) {
      REQUIRE(node->key > 0);
      REQUIRE(node->key <= next);
      REQUIRE(node->left->key == -node->key);
      REQUIRE(out.insert(node->key).second);
    }
    if (random.OneIn(4)) heap.Churn(200);
    heap.m.Poll();
    if (random.OneIn(400)) heap.FullGC();
    if (random.OneIn(100)) REQUIRE(pool.Broken() == "");
  }
  REQUIRE(pool.Broken() == "");
  CHECK(heap.Broken() == "");
  CHECK(out.size() > 10);
}

TEST_SUITE("pool/stress") {
  TEST_CASE("items survive whatever the collector does: go_exact") {
    RunStress({.go_exact = true});
  }
  TEST_CASE("items survive whatever the collector does: default, three generations") {
    RunStress({.retention = pool::Retention::Victim(3)});
  }
  TEST_CASE("items survive whatever the collector does: callbacks") {
    int64_t wrong = 0;
    RunStress({.on_evict = [&](Node& node) { wrong += node.left->key == -node.key ? 0 : 1; }});
    CHECK(wrong == 0);
  }
  TEST_CASE("items survive whatever the collector does: checked mode") {
    int64_t violations = 0;
    RunStress({.checked = true, .on_violation = [&](const pool::Violation&) { ++violations; }});
    CHECK(violations == 0);
  }
}

}  // namespace
}  // namespace neap::testing
