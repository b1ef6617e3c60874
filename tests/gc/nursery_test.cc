// SPDX-License-Identifier: MIT
//
// The young generation: aging, promotion, copy order, sizes, and the switches that make moving
// visible (no-room, poison, rotate).
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::Options;
using gc::SlotArray;

// Reads a word at an address that may be inaccessible or poisoned, past every tool: false when the
// kernel refuses.
bool PeekWord(const void* address, uint64_t* word) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const bool readable = syscall(SYS_write, ends[1], address, sizeof(*word)) == sizeof(*word);
  if (readable) REQUIRE(read(ends[0], word, sizeof(*word)) == sizeof(*word));
  close(ends[0]);
  close(ends[1]);
  return readable;
}

TEST_SUITE("gc/nursery") {
  TEST_CASE("a survivor moves, and every handle and slot follows it") {
    QuietHeap heap;
    Handle<Node> parent = heap.MakeNode(1);
    Handle<Node> child = heap.MakeNode(2);
    heap.SetLeft(parent, child.get());
    const Node* before = child.get();
    heap.MinorGC();
    CHECK(child.get() != before);
    CHECK(parent->left.get() == child.get());
    CHECK(child->key == 2);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an object is promoted on its second survival by default") {
    QuietHeap heap;
    Handle<Node> node = heap.MakeNode(1);
    CHECK(heap.IsYoung(node.get()));
    CHECK(node->age() == 0);
    heap.MinorGC();
    CHECK(heap.IsYoung(node.get()));
    CHECK(node->age() == 1);
    heap.MinorGC();
    CHECK_FALSE(heap.IsYoung(node.get()));
    const Node* old = node.get();
    heap.MinorGC();
    heap.FullGC();
    CHECK(node.get() == old);
  }

  TEST_CASE("tenure=N promotes on the Nth survival") {
    for (const uint32_t tenure : {1, 2, 3, 7, 15}) {
      CAPTURE(tenure);
      QuietHeap heap([&](Options& options) { options.tenure = tenure; });
      Handle<Node> node = heap.MakeNode(1);
      for (uint32_t survived = 1; survived < tenure; ++survived) {
        heap.MinorGC();
        CAPTURE(survived);
        CHECK(heap.IsYoung(node.get()));
        CHECK(node->age() == survived);
      }
      heap.MinorGC();
      CHECK_FALSE(heap.IsYoung(node.get()));
    }
  }

  TEST_CASE("a new tenure holds from the next minor collection on") {
    QuietHeap heap([](Options& options) { options.tenure = 5; });
    Handle<Node> node = heap.MakeNode(1);
    heap.MinorGC(2);
    CHECK(heap.IsYoung(node.get()));
    CHECK(heap.heap().SetTenure(1) == 5);
    heap.MinorGC();
    CHECK_FALSE(heap.IsYoung(node.get()));
  }

  TEST_CASE("only survivors are copied, and the figures are exact") {
    QuietHeap heap;
    heap.Churn(100 << 10);
    Handle<Node> list = heap.MakeList(10);
    const gc::Stats before = heap.stats();
    heap.MinorGC();
    const gc::Stats first = heap.stats();
    CHECK(first.minors - before.minors == 1);
    CHECK(first.copied_objects - before.copied_objects == 10);
    CHECK(first.copied_bytes - before.copied_bytes == 10 * sizeof(Node));
    CHECK(first.promoted_objects == before.promoted_objects);
    heap.MinorGC();
    const gc::Stats second = heap.stats();
    CHECK(second.copied_objects == first.copied_objects);
    CHECK(second.promoted_objects - first.promoted_objects == 10);
    CHECK(second.promoted_bytes - first.promoted_bytes == 10 * sizeof(Node));
    CHECK(heap.ListIs(list, 10));
  }

  TEST_CASE("a table's part is copied right behind its table, wherever it was allocated") {
    QuietHeap heap;
    HandleScope scope(heap.m);
    Handle<SlotArray> tables = scope.New(heap.m.NewSlots(100));
    for (uint64_t i = 0; i < 100; ++i) {
      auto* table = heap.m.New<toy::Dictionary>(toy::Dictionary::Type());
      heap.m.Store(tables.get(), tables->slots() + i, table);
    }
    for (uint64_t i = 100; i-- > 0;) {
      heap.Churn(256);
      Object* part = heap.m.Allocate(toy::Part::Type(), 8);
      auto* table = static_cast<toy::Dictionary*>(gc::ToObject(tables->slots()[i]));
      heap.m.Store(table, table->part.slot(), part);
    }
    heap.MinorGC();
    int beside = 0;
    for (uint64_t i = 0; i < 100; ++i) {
      auto* table = static_cast<toy::Dictionary*>(gc::ToObject(tables->slots()[i]));
      const auto distance =
          reinterpret_cast<intptr_t>(table->part.get()) - reinterpret_cast<intptr_t>(table);
      beside += std::abs(distance) <= 256 ? 1 : 0;
    }
    // A few pairs may straddle the end of a block.
    CHECK(beside >= 95);
  }

  TEST_CASE("a list that was built in random order is copied in list order") {
    QuietHeap heap;
    HandleScope scope(heap.m);
    constexpr uint64_t kNodes = 1000;
    Handle<SlotArray> nodes = scope.New(heap.m.NewSlots(kNodes));
    for (uint64_t i = 0; i < kNodes; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      heap.m.Store(nodes.get(), nodes->slots() + i, node);
    }
    Random random;
    for (uint64_t i = kNodes - 1; i > 0; --i) {
      std::swap(nodes->slots()[i], nodes->slots()[random.Below(i + 1)]);
    }
    Handle<Node> head = scope.New<Node>(nullptr);
    for (uint64_t i = kNodes; i-- > 0;) {
      Node* node = static_cast<Node*>(gc::ToObject(nodes->slots()[i]));
      heap.m.Store(node, node->left.slot(), head.get());
      head.set(node);
    }
    nodes.set(nullptr);
    heap.MinorGC();
    int neighbours = 0;
    for (const Node* node = head.get(); node->left.get() != nullptr; node = node->left.get()) {
      const auto distance =
          reinterpret_cast<intptr_t>(node->left.get()) - reinterpret_cast<intptr_t>(node);
      neighbours += std::abs(distance) <= 64 ? 1 : 0;
    }
    CHECK(neighbours >= 950);
  }

  TEST_CASE("nursery=off: everything is old from birth and nothing ever moves") {
    TinyHeap heap([](Options& options) { options.nursery = Options::Nursery::kOff; });
    Handle<Node> list = heap.MakeList(1000);
    const Node* head = list.get();
    CHECK_FALSE(heap.IsYoung(head));
    heap.MinorGC();
    CHECK(heap.heap().minors() == 0);
    heap.FullGC();
    heap.Churn(100 << 10);
    CHECK(list.get() == head);
    CHECK(heap.ListIs(list, 1000));
    CHECK(heap.Broken() == "");
    CHECK(heap.stats().young_alloc_bytes == 0);
  }

  TEST_CASE("a fixed nursery collects once per its size of allocation") {
    QuietHeap heap([](Options& options) { options.nursery_bytes = 64 << 10; });
    heap.Churn(64 << 10 << 6);
    const uint64_t minors = heap.heap().minors();
    CHECK(minors >= 60);
    CHECK(minors <= 68);
    CHECK(heap.heap().majors() == 0);
  }

  TEST_CASE("a 4 KiB nursery really collects every 4 KiB") {
    QuietHeap heap([](Options& options) { options.nursery_bytes = 4 << 10; });
    heap.Churn(4 << 10 << 6);
    CHECK(heap.heap().minors() >= 60);
    CHECK(heap.heap().minors() <= 68);
  }

  TEST_CASE("SetNurseryBytes fixes the size from the next minor collection on, or refuses") {
    QuietHeap heap;
    CHECK(heap.heap().SetNurseryBytes(heap.m, 32 << 10).ok());
    heap.MinorGC();
    const uint64_t minors = heap.heap().minors();
    heap.Churn(32 << 10 << 5);
    CHECK(heap.heap().minors() - minors >= 30);
    CHECK(heap.heap().minors() - minors <= 34);
    CHECK(heap.stats().nursery_bytes == 32 << 10);
    CHECK_FALSE(heap.heap().SetNurseryBytes(heap.m, 17).ok());
    CHECK(heap.stats().nursery_bytes == 32 << 10);
  }

  TEST_CASE("an adaptive nursery grows while nothing survives, up to its limit") {
    QuietHeap heap([](Options& options) {
      options.nursery = Options::Nursery::kAdaptive;
      options.nursery_bytes = 64 << 10;
      options.nursery_max_bytes = 1 << 20;
    });
    heap.Churn(64 << 20);
    CHECK(heap.stats().nursery_bytes > 64 << 10);
    CHECK(heap.stats().nursery_bytes <= 1 << 20);
  }

  TEST_CASE("an adaptive nursery grows as well where what dies is stationary or off-heap") {
    const auto adaptive = [](Options& options) {
      options.nursery = Options::Nursery::kAdaptive;
      options.nursery_bytes = 64 << 10;
      options.nursery_max_bytes = 1 << 20;
    };
    QuietHeap stationary(adaptive);
    for (int i = 0; i < 64 << 10; ++i) {
      REQUIRE(stationary.m.TryAllocateStationary(gc::ByteArray::Type(), 1000) != nullptr);
    }
    CHECK(stationary.stats().nursery_bytes == 1 << 20);
    QuietHeap off_heap(adaptive);
    for (int i = 0; i < 64 << 10; ++i) {
      REQUIRE(toy::Buffer::TryMake(off_heap.m, 1000) != nullptr);
    }
    CHECK(off_heap.stats().nursery_bytes == 1 << 20);
  }

  TEST_CASE("with no room anywhere objects stay in place and a pause still ends whole") {
    QuietHeap heap([](Options& options) { options.debug.no_room = 1; });
    Handle<Node> list = heap.MakeList(1000);
    const Node* head = list.get();
    heap.MinorGC();
    CHECK(list.get() == head);
    CHECK(heap.ListIs(list, 1000));
    CHECK(heap.Broken() == "");
    heap.MinorGC(2);
    heap.Churn(1 << 20);
    CHECK(heap.ListIs(list, 1000));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("room that runs out now and then mixes moved and unmoved objects safely") {
    for (const uint64_t nth : {2, 3, 7, 50}) {
      CAPTURE(nth);
      TinyHeap heap([&](Options& options) { options.debug.no_room = nth; });
      Handle<Node> tree = heap.MakeTree(8);
      heap.Churn(64 << 10);
      CHECK(heap.TreeIs(tree.get(), 8));
      heap.FullGC();
      CHECK(heap.TreeIs(tree.get(), 8));
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("poison: what a moved object leaves behind is overwritten") {
    QuietHeap heap([](Options& options) {
      options.debug.poison = 1;
      options.debug.rotate = 0;
    });
    Handle<Node> node = heap.MakeNode(0x1234567);
    const Node* stale = node.get();
    heap.MinorGC();
    REQUIRE(node.get() != stale);
    uint64_t word = 0;
    REQUIRE(PeekWord(&stale->key, &word));
    CHECK(word != 0x1234567);
    CHECK(word != 0);
    CHECK(node->key == 0x1234567);
  }

  TEST_CASE("rotate: a stale pointer into a retired nursery block faults") {
    QuietHeap heap([](Options& options) { options.debug.rotate = 8; });
    Handle<Node> node = heap.MakeNode(7);
    const Node* stale = node.get();
    heap.MinorGC();
    REQUIRE(node.get() != stale);
    uint64_t word = 0;
    CHECK_FALSE(PeekWord(&stale->key, &word));
    CHECK(errno == EFAULT);
    heap.Churn(4 << 20);
    CHECK(node->key == 7);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE(
      "a cohort that survives whole becomes old without being copied, and only when allowed") {
    for (const bool allowed : {true, false}) {
      CAPTURE(allowed);
      QuietHeap heap([&](Options& options) { options.in_place = allowed; });
      Handle<Node> list = heap.Keep<Node>(nullptr);
      for (int64_t i = 0; i < 400000; ++i) {
        Node* node = heap.m.New<Node>(Node::Type());
        node->key = i;
        heap.m.Store(node, node->left.slot(), list.get());
        list.set(node);
      }
      CHECK((heap.stats().in_place_bytes > 0) == allowed);
      int64_t expected = 400000;
      for (const Node* node = list.get(); node != nullptr; node = node->left.get()) {
        if (node->key != --expected) break;
      }
      CHECK(expected == 0);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("two workers copy the same graph that one does") {
    for (const uint32_t workers : {1, 2, 4}) {
      CAPTURE(workers);
      QuietHeap heap([&](Options& options) {
        options.workers = workers;
        options.debug.parallel_from = 0;
        options.nursery_bytes = 16 << 20;
      });
      Handle<Node> tree = heap.MakeTree(16);
      heap.MinorGC();
      CHECK(heap.TreeIs(tree.get(), 16));
      heap.MinorGC();
      CHECK(heap.TreeIs(tree.get(), 16));
      CHECK_FALSE(heap.IsYoung(tree.get()));
      CHECK(heap.stats().promoted_objects == (1 << 17) - 1);
      CHECK(heap.Broken() == "");
    }
  }
}

}  // namespace
}  // namespace neap::testing
