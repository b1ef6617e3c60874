// SPDX-License-Identifier: MIT
//
// Frames: what stays on them, what goes to the heap, and that both end with the scope.
#include "neap/gc/frame_allocator.h"

#include <cstdint>
#include <cstring>

#include "doctest/doctest.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::FrameBuffer;
using gc::FrameScope;
using gc::FrameStack;

uint64_t ObjectsMade(TestHeap& heap) { return heap.stats().alloc_objects; }

TEST_SUITE("gc/frame_allocator") {
  TEST_CASE("one byte decides: 65,536 stay on the frame, 65,537 go to the heap") {
    TinyHeap heap;
    FrameStack stack(heap.m);
    FrameScope frame(stack);
    const uint64_t before = ObjectsMade(heap);
    const FrameBuffer small = frame.Bytes(65'536);
    CHECK_FALSE(small.is_on_heap);
    CHECK(ObjectsMade(heap) == before);
    const FrameBuffer large = frame.Bytes(65'537);
    CHECK(large.is_on_heap);
    CHECK(large.bytes.size() == 65'537);
    CHECK(ObjectsMade(heap) == before + 1);
    CHECK(stack.counts().frame_requests == 1);
    CHECK(stack.counts().heap_requests == 1);
  }

  TEST_CASE("both kinds are zeroed and stay valid through collections while the scope is open") {
    TinyHeap heap;
    FrameStack stack(heap.m);
    for (int round = 0; round < 3; ++round) {
      FrameScope frame(stack);
      const FrameBuffer small = frame.Bytes(1000);
      const FrameBuffer large = frame.Bytes(100'000);
      for (const FrameBuffer& buffer : {small, large}) {
        bool is_zero = true;
        for (const uint8_t byte : buffer.bytes) is_zero = is_zero && byte == 0;
        CHECK(is_zero);
        std::memset(buffer.bytes.data(), 0x5a, buffer.bytes.size());
      }
      heap.FullGC();
      heap.FullGC();
      CHECK(small.bytes[999] == 0x5a);
      CHECK(large.bytes[99'999] == 0x5a);
    }
  }

  TEST_CASE("an object of the heap is garbage once its scope has closed") {
    QuietHeap heap;
    FrameStack stack(heap.m);
    heap.FullGC();
    const uint64_t before = heap.heap().LiveEstimateBytes();
    {
      FrameScope frame(stack);
      (void)frame.Bytes(1 << 20);
      heap.FullGC();
      CHECK(heap.heap().LiveEstimateBytes() >= before + (1 << 20));
    }
    heap.FullGC();
    CHECK(heap.heap().LiveEstimateBytes() == before);
  }

  TEST_CASE("scopes nest over several segments, and memory is used again") {
    TinyHeap heap;
    FrameStack stack(heap.m);
    FrameScope outer(stack);
    const FrameBuffer mine = outer.Bytes(100);
    mine.bytes[0] = 7;
    for (int round = 0; round < 5; ++round) {
      FrameScope inner(stack);
      for (int i = 0; i < 10; ++i) inner.Bytes(60'000).bytes[0] = 1;
    }
    CHECK(mine.bytes[0] == 7);
    CHECK(stack.capacity_bytes() <= 4 * (256 << 10));
    FrameScope inner(stack);
    CHECK(inner.Bytes(16).bytes.data() - mine.bytes.data() == 112);
  }

  TEST_CASE("values on a frame are aligned and constructed") {
    struct Point {
      double x, y;
    };
    TinyHeap heap;
    FrameStack stack(heap.m);
    FrameScope frame(stack);
    (void)frame.Bytes(3);
    const Point* const point = frame.Make<Point>(1.5, 2.5);
    CHECK(reinterpret_cast<uintptr_t>(point) % alignof(Point) == 0);
    CHECK(point->x + point->y == 4);
  }

  TEST_CASE("a request that the heap refuses has no bytes") {
    QuietHeap heap([](gc::Options& options) { options.hard_limit_bytes = 1 << 20; });
    FrameStack stack(heap.m);
    FrameScope frame(stack);
    const FrameBuffer buffer = frame.Bytes(8 << 20);
    CHECK(buffer.is_on_heap);
    CHECK(buffer.bytes.data() == nullptr);
  }

  TEST_CASE("scopes that close out of order are a failed check") {
    CHECK(DiesWith("F1", [] {
      TinyHeap heap;
      FrameStack stack(heap.m);
      auto* outer = new FrameScope(stack);
      FrameScope inner(stack);
      delete outer;
    }));
  }
}

}  // namespace
}  // namespace neap::testing
