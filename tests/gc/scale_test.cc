// SPDX-License-Identifier: MIT
//
// Shapes that break collectors by their size: depth without recursion, width, many roots at once.
#include <cstdint>
#include <vector>

#include "collector.h"
#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::Options;
using gc::SlotArray;

// Seconds matter here: under stress these shapes would take hours, and smaller tests cover the
// modes.
QuietHeap BigHeap() {
  return QuietHeap([](Options& options) {
    options.nursery_bytes = 1 << 20;
    options.reserve_bytes = size_t{8} << 30;
    options.gogc = 100;
    options.debug.verify = 0;
  });
}

TEST_SUITE("gc/scale") {
  TEST_CASE("a list of a million nodes is copied and marked without recursion") {
    QuietHeap heap = BigHeap();
    Handle<Node> list = heap.MakeList(1000000);
    heap.FullGC();
    heap.FullGC();
    CHECK(heap.ListIs(list, 1000000));
    CHECK(heap.stats().marked_bytes == 1000000 * sizeof(Node));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a list of a million young nodes in one nursery survives one minor collection") {
    QuietHeap heap([](Options& options) { options.nursery_bytes = 64 << 20; });
    Handle<Node> list = heap.MakeList(1000000);
    REQUIRE(heap.heap().minors() == 0);
    heap.MinorGC();
    CHECK(heap.ListIs(list, 1000000));
    heap.MinorGC();
    CHECK(heap.ListIs(list, 1000000));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("one array of a million slots, all of them filled") {
    QuietHeap heap = BigHeap();
    Handle<SlotArray> wide = heap.Keep(heap.m.NewSlots(1000000));
    for (uint64_t i = 0; i < 1000000; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      heap.m.Store(wide.get(), wide->slots() + i, node);
    }
    heap.FullGC();
    for (uint64_t i = 0; i < 1000000; ++i) {
      REQUIRE(static_cast<Node*>(gc::ToObject(wide->slots()[i]))->key == static_cast<int64_t>(i));
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a store into a huge old array costs a card, not the array") {
    QuietHeap heap = BigHeap();
    Handle<SlotArray> huge = heap.Keep(heap.m.NewSlots(8 << 20));  // 64 MiB
    while (heap.IsYoung(huge.get())) heap.MinorGC();
    heap.MinorGC();
    const uint64_t scanned = heap.stats().remembered_objects;
    for (uint64_t i = 0; i < 100; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      heap.m.Store(huge.get(), huge->slots() + i * 80000, node);
      heap.MinorGC();
    }
    for (uint64_t i = 0; i < 100; ++i) {
      CHECK(static_cast<Node*>(gc::ToObject(huge->slots()[i * 80000]))->key ==
            static_cast<int64_t>(i));
    }
    CHECK(heap.stats().remembered_objects - scanned <= 300);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a random graph of half a million objects keeps every edge through many cycles") {
    QuietHeap heap = BigHeap();
    Random random;
    constexpr uint64_t kNodes = 500000;
    Handle<SlotArray> all = heap.Keep(heap.m.NewSlots(kNodes));
    for (uint64_t i = 0; i < kNodes; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      heap.m.Store(all.get(), all->slots() + i, node);
    }
    std::vector<uint64_t> left(kNodes);
    for (int round = 0; round < 2; ++round) {
      for (uint64_t i = 0; i < kNodes; ++i) {
        left[i] = random.Below(kNodes);
        Node* node = static_cast<Node*>(gc::ToObject(all->slots()[i]));
        heap.m.Store(node, node->left.slot(), gc::ToObject(all->slots()[left[i]]));
      }
      heap.FullGC();
      for (uint64_t i = 0; i < kNodes; ++i) {
        const Node* node = static_cast<Node*>(gc::ToObject(all->slots()[i]));
        REQUIRE(node->key == static_cast<int64_t>(i));
        REQUIRE(node->left->key == static_cast<int64_t>(left[i]));
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("the marker survives a mark stack that overflows, again and again: a star of stars") {
    QuietHeap heap = BigHeap();
    Handle<SlotArray> stars = heap.Keep(heap.m.NewSlots(300));
    for (uint64_t i = 0; i < 300; ++i) {
      Handle<SlotArray> star = heap.Keep(heap.m.NewSlots(1000));
      heap.m.Store(stars.get(), stars->slots() + i, star.get());
      for (uint64_t j = 0; j < 1000; ++j) {
        SlotArray* leaf = heap.m.NewSlots(1);
        heap.m.Store(star.get(), star->slots() + j, leaf);
      }
    }
    // A stack of 256 words drops most edges of an array; rescans find them again.
    heap.heap().collector().marker().stack().SetCapacityForTesting(256);
    heap.FullGC();
    CHECK(heap.heap().collector().marker().counts().overflows > 0);
    CHECK(heap.stats().marked_bytes == gc::BytesFor(SlotArray::Type(), 300) +
                                           300 * gc::BytesFor(SlotArray::Type(), 1000) +
                                           300000 * gc::BytesFor(SlotArray::Type(), 1));
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
