// SPDX-License-Identifier: MIT
//
// Objects that never move: large ones and stationary ones. They are born young, age and die as
// others do, and may own memory outside the heap.
#include <cstdint>
#include <cstring>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::Options;
using gc::SlotArray;
using toy::Buffer;

TEST_SUITE("gc/large") {
  TEST_CASE("a large object is born young, ages in place, and becomes old on its second survival") {
    QuietHeap heap;
    Handle<ByteArray> large = heap.Keep(heap.m.NewBytes(200 << 10));
    std::memset(large->data(), 0x5a, large->length);
    const ByteArray* address = large.get();
    CHECK(heap.heap().IsLarge(address));
    CHECK(heap.IsYoung(address));
    heap.MinorGC();
    CHECK(heap.IsYoung(large.get()));
    heap.MinorGC();
    CHECK_FALSE(heap.IsYoung(large.get()));
    CHECK(large.get() == address);
    CHECK(large->data()[199999] == 0x5a);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("tenure=N holds for large objects as well") {
    for (const uint32_t tenure : {1, 3, 15}) {
      CAPTURE(tenure);
      QuietHeap heap([&](Options& options) { options.tenure = tenure; });
      Handle<ByteArray> large = heap.Keep(heap.m.NewBytes(100 << 10));
      for (uint32_t survived = 1; survived < tenure; ++survived) heap.MinorGC();
      CHECK(heap.IsYoung(large.get()));
      heap.MinorGC();
      CHECK_FALSE(heap.IsYoung(large.get()));
    }
  }

  TEST_CASE("a large object that dies young is freed by a minor collection") {
    QuietHeap heap;
    heap.MinorGC();
    const uint64_t before = heap.stats().heap_bytes;
    heap.m.NewBytes(500 << 10);
    CHECK(heap.stats().heap_bytes >= before + (500 << 10));
    heap.MinorGC();
    CHECK(heap.stats().heap_bytes < before + (100 << 10));
    CHECK(heap.heap().majors() == 0);
  }

  TEST_CASE("young large bytes debit the nursery budget: 1 MiB of them starts a minor collection") {
    QuietHeap heap;
    const uint64_t minors = heap.heap().minors();
    for (int i = 0; i < 40; ++i) heap.m.NewBytes(256 << 10);
    CHECK(heap.heap().minors() - minors >= 8);
    CHECK(heap.heap().minors() - minors <= 14);
    CHECK(heap.stats().heap_bytes <= 4 << 20);
  }

  TEST_CASE("a young object held only by a young large array survives and is moved") {
    QuietHeap heap;
    Handle<SlotArray> large = heap.Keep(heap.m.NewSlots(20000));
    for (const uint64_t i : {0, 1, 9999, 19999}) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      heap.m.Store(large.get(), large->slots() + i, node);
    }
    for (int round = 0; round < 4; ++round) {
      heap.MinorGC();
      for (const uint64_t i : {0, 1, 9999, 19999}) {
        REQUIRE(static_cast<Node*>(gc::ToObject(large->slots()[i]))->key ==
                static_cast<int64_t>(i));
      }
      REQUIRE(heap.Broken() == "");
    }
  }

  TEST_CASE("a stationary object keeps its address from birth to old age") {
    QuietHeap heap;
    Handle<Node> node = heap.Keep(static_cast<Node*>(heap.m.TryAllocateStationary(Node::Type())));
    node->key = 3;
    const Node* address = node.get();
    CHECK(heap.IsYoung(address));
    Node* child = heap.m.New<Node>(Node::Type());
    child->key = 4;
    heap.m.Store(node.get(), node->left.slot(), child);
    for (int round = 0; round < 4; ++round) {
      heap.MinorGC();
      REQUIRE(node.get() == address);
      REQUIRE(node->left->key == 4);
      REQUIRE(heap.Broken() == "");
    }
    CHECK_FALSE(heap.IsYoung(address));
    heap.FullGC();
    CHECK(node.get() == address);
  }

  TEST_CASE(
      "drop runs once for each dead owner, in a minor for young ones, in a major for old ones") {
    const int64_t count = Buffer::live_count();
    QuietHeap heap;
    Handle<Buffer> kept = heap.Keep(Buffer::TryMake(heap.m, 1000));
    REQUIRE(Buffer::TryMake(heap.m, 1000) != nullptr);
    CHECK(Buffer::live_count() == count + 2);
    heap.MinorGC();
    CHECK(Buffer::live_count() == count + 1);
    heap.MinorGC(2);
    CHECK_FALSE(heap.IsYoung(kept.get()));
    kept.set(nullptr);
    heap.MinorGC();
    CHECK(Buffer::live_count() == count + 1);
    heap.FullGC();
    CHECK(Buffer::live_count() == count);
  }

  TEST_CASE("the end of the heap drops every owner that is left") {
    const int64_t count = Buffer::live_count();
    {
      QuietHeap heap;
      heap.Keep(Buffer::TryMake(heap.m, 10));
      heap.MinorGC(3);
      heap.Keep(Buffer::TryMake(heap.m, 10));
      REQUIRE(Buffer::TryMake(heap.m, 10) != nullptr);
      CHECK(Buffer::live_count() == count + 3);
    }
    CHECK(Buffer::live_count() == count);
  }

  TEST_CASE("off-heap bytes of live owners are a gauge, exact after every collection") {
    QuietHeap heap;
    Handle<Buffer> a = heap.Keep(Buffer::TryMake(heap.m, 10000));
    Handle<Buffer> b = heap.Keep(Buffer::TryMake(heap.m, 500));
    CHECK(heap.stats().off_heap_bytes == 10500);
    a->Resize(heap.m, 20000);
    CHECK(heap.stats().off_heap_bytes == 20500);
    heap.MinorGC(3);
    CHECK(heap.stats().off_heap_bytes == 20500);
    a->Resize(heap.m, 100);
    CHECK(heap.stats().off_heap_bytes == 600);
    b.set(nullptr);
    heap.FullGC();
    CHECK(heap.stats().off_heap_bytes == 100);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("young off-heap bytes start minor collections, so dead owners do not pile up") {
    const int64_t bytes = Buffer::live_bytes();
    QuietHeap heap;
    int64_t most = 0;
    for (int i = 0; i < 1000; ++i) {
      REQUIRE(Buffer::TryMake(heap.m, 64 << 10) != nullptr);
      heap.m.Poll();
      most = std::max(most, Buffer::live_bytes() - bytes);
    }
    CHECK(heap.heap().minors() >= 30);
    CHECK(most <= 4 << 20);
  }

  TEST_CASE(
      "with nursery=off stationary and large objects are old from birth and dropped by a major") {
    const int64_t count = Buffer::live_count();
    QuietHeap heap([](Options& options) { options.nursery = Options::Nursery::kOff; });
    Handle<Buffer> kept = heap.Keep(Buffer::TryMake(heap.m, 10));
    REQUIRE(Buffer::TryMake(heap.m, 10) != nullptr);
    heap.m.NewBytes(1 << 20);
    CHECK_FALSE(heap.IsYoung(kept.get()));
    heap.FullGC();
    CHECK(Buffer::live_count() == count + 1);
    CHECK(heap.stats().heap_bytes < 64 << 10);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("large objects of many sizes come and go without losing address space") {
    TinyHeap heap([](Options& options) {
      options.reserve_bytes = size_t{512} << 20;
      options.nursery_bytes = 1 << 20;
    });
    HandleScope scope(heap.m);
    std::vector<Handle<ByteArray>> live;
    for (int i = 0; i < 16; ++i) live.push_back(scope.New<ByteArray>(nullptr));
    // 3,000 objects of up to 4 MiB: about 4 GiB pass through 512 MiB.
    for (uint64_t i = 0; i < 3000; ++i) {
      const uint64_t bytes = 9000 + (i * 7919 % 4000) * 1024;
      ByteArray* array = static_cast<ByteArray*>(heap.m.TryAllocate(ByteArray::Type(), bytes));
      REQUIRE(array != nullptr);
      array->data()[0] = array->data()[bytes - 1] = static_cast<uint8_t>(i);
      live[i % 16].set(array);
    }
    for (uint64_t i = 3000 - 16; i < 3000; ++i) {
      const auto& array = live[i % 16];
      CHECK(array->data()[0] == static_cast<uint8_t>(i));
      CHECK(array->data()[array->length - 1] == static_cast<uint8_t>(i));
    }
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
