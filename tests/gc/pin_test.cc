// SPDX-License-Identifier: MIT
//
// A pinned object keeps its address and its life, and costs only itself: its neighbours still move.
#include <cstdint>
#include <memory>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::Pin;

TEST_SUITE("gc/pin") {
  TEST_CASE("a pinned young object stays, its neighbours are evacuated") {
    QuietHeap heap;
    Handle<Node> before = heap.MakeNode(1);
    Handle<Node> pinned = heap.MakeNode(2);
    Handle<Node> after = heap.MakeNode(3);
    const Node* before_address = before.get();
    const Node* after_address = after.get();
    Pin<Node> pin(heap.m, pinned.get());
    heap.MinorGC();
    CHECK(pinned.get() == pin.get());
    CHECK(before.get() != before_address);
    CHECK(after.get() != after_address);
    CHECK(before->key == 1);
    CHECK(pinned->key == 2);
    CHECK(after->key == 3);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a pin is a root: an object that nothing else holds lives, and all it reaches") {
    TinyHeap heap;
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = 42;
    Pin<Node> pin(heap.m, node);
    Node* child = heap.m.New<Node>(Node::Type());
    child->key = 43;
    heap.m.Store(pin.get(), pin->left.slot(), child);
    heap.Churn(64 << 10);
    heap.FullGC();
    CHECK(pin->key == 42);
    CHECK(pin->left->key == 43);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a pinned object keeps its address through every age and through a major cycle") {
    QuietHeap heap;
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = 5;
    Handle<Node> same = heap.Keep(node);
    Pin<Node> pin(heap.m, node);
    for (int round = 0; round < 6; ++round) {
      heap.MinorGC();
      heap.Churn(100 << 10);
      REQUIRE(same.get() == pin.get());
      REQUIRE(pin->key == 5);
    }
    heap.FullGC();
    CHECK(same.get() == pin.get());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("pins nest: the object stays until the last pin on it is gone") {
    QuietHeap heap;
    Handle<Node> node = heap.MakeNode(9);
    const Node* address = node.get();
    {
      Pin<Node> outer(heap.m, node.get());
      {
        Pin<Node> inner(heap.m, node.get());
        heap.MinorGC();
        CHECK(node.get() == address);
      }
      heap.MinorGC();
      CHECK(node.get() == address);
    }
    CHECK(heap.Broken() == "");
    heap.MinorGC(2);
    heap.FullGC();
    CHECK(node->key == 9);
    CHECK_FALSE(heap.IsYoung(node.get()));
  }

  TEST_CASE("an old, a large and a stationary object may be pinned too") {
    QuietHeap heap;
    Handle<Node> old = heap.MakeOldNode(1);
    Handle<gc::ByteArray> large = heap.Keep(heap.m.NewBytes(100 << 10));
    Handle<Object> stationary = heap.Keep(heap.m.TryAllocateStationary(Node::Type()));
    Pin<Node> a(heap.m, old.get());
    Pin<gc::ByteArray> b(heap.m, large.get());
    Pin<Object> c(heap.m, stationary.get());
    heap.MinorGC();
    heap.FullGC();
    CHECK(old.get() == a.get());
    CHECK(large.get() == b.get());
    CHECK(stationary.get() == c.get());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a pinned object that is dead after its pin is gone gives its memory back") {
    QuietHeap heap;
    {
      Pin<Node> pin(heap.m, heap.m.New<Node>(Node::Type()));
      heap.MinorGC();
    }
    heap.FullGC();
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE(
      "a storm of pins: one object in ten, released in reverse order, over many collections") {
    TinyHeap heap;
    Random random;
    const int rounds = heap.heap().options().debug.stress_alloc != 0 ? 3 : 20;
    for (int round = 0; round < rounds; ++round) {
      Handle<Node> list = heap.MakeList(200);
      std::vector<std::unique_ptr<Pin<Node>>> pins;
      for (Node* node = list.get(); node != nullptr; node = node->left.get()) {
        if (random.OneIn(10)) pins.push_back(std::make_unique<Pin<Node>>(heap.m, node));
      }
      std::vector<Node*> addresses;
      for (const auto& pin : pins) addresses.push_back(pin->get());
      heap.Churn(random.Below(20000));
      heap.MinorGC();
      REQUIRE(heap.ListIs(list, 200));
      size_t found = 0;
      for (Node* node = list.get(); node != nullptr; node = node->left.get()) {
        if (found < addresses.size() && addresses[found] == node) ++found;
      }
      CHECK(found == addresses.size());
      while (!pins.empty()) pins.pop_back();
      REQUIRE(heap.Broken() == "");
    }
  }

  TEST_CASE("an old object may hold a pinned young one for many minor collections") {
    QuietHeap heap;
    Handle<Node> old = heap.MakeOldNode(1);
    Node* young = heap.m.New<Node>(Node::Type());
    young->key = 77;
    Pin<Node> pin(heap.m, young);
    heap.SetLeft(old, pin.get());
    for (int i = 0; i < 5; ++i) {
      heap.MinorGC();
      REQUIRE(old->left.get() == pin.get());
      REQUIRE(heap.Broken() == "");
    }
    CHECK(old->left->key == 77);
  }
}

}  // namespace
}  // namespace neap::testing
