// SPDX-License-Identifier: MIT
//
// Memory that cannot be had: every request either succeeds or returns null to a caller whose heap
// is intact. The workload below fails its nth allocation for every n.
#include <cstdint>
#include <string_view>
#include <vector>

#include "doctest/doctest.h"
#include "neap/runtime/log.h"
#include "neap/runtime/os_memory.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::EphemeronTable;
using gc::Options;
using gc::SlotArray;

// Builds a little of everything with TryAllocate only and says how far it came. Whatever was built
// before the failure must be whole afterwards.
struct Workload {
  explicit Workload(TestHeap& heap_in)
      : heap(heap_in), list(heap.Keep<Node>(nullptr)), array(heap.Keep<SlotArray>(nullptr)) {}

  bool PushNode(int64_t key) {
    auto* node = static_cast<Node*>(heap.m.TryAllocate(Node::Type()));
    if (node == nullptr) return false;
    node->key = key;
    heap.m.Store(node, node->left.slot(), list.get());
    list.set(node);
    ++nodes;
    return true;
  }
  bool Push(gc::TypeId type, uint64_t length, bool stationary = false) {
    Object* object =
        stationary ? heap.m.TryAllocateStationary(type, length) : heap.m.TryAllocate(type, length);
    if (object == nullptr) return false;
    heap.m.Store(array.get(), array->slots() + objects++, object);
    return true;
  }
  bool Run() {
    auto* slots = static_cast<SlotArray*>(heap.m.TryAllocate(SlotArray::Type(), 64));
    if (slots == nullptr) return false;
    array.set(slots);
    for (int64_t i = 0; i < 30; ++i) {
      if (!PushNode(i)) return false;
    }
    for (uint64_t i = 0; i < 6; ++i) {
      if (!Push(ByteArray::Type(), 100 << i)) return false;
      if (!Push(SlotArray::Type(), 10 << (2 * i))) return false;
      if (!Push(ByteArray::Type(), 32, true)) return false;
      if (!Push(EphemeronTable::Type(), i)) return false;
      heap.MinorGC();
    }
    return true;
  }
  bool Intact() const {
    int64_t key = nodes;
    for (const Node* node = list.get(); node != nullptr; node = node->left.get()) {
      if (node->key != --key) return false;
    }
    for (uint64_t i = 0; i < objects; ++i) {
      if (array->slots()[i] == 0) return false;
    }
    return key == 0;
  }

  TestHeap& heap;
  Handle<Node> list;
  Handle<SlotArray> array;
  int64_t nodes = 0;
  uint64_t objects = 0;
};

// How many blocks of `bytes` a heap gives before it says no.
size_t FillUp(TestHeap& heap, Handle<SlotArray> keep, uint64_t bytes) {
  size_t count = 0;
  while (count < keep->length) {
    Object* object = heap.m.TryAllocate(ByteArray::Type(), bytes);
    if (object == nullptr) break;
    heap.m.Store(keep.get(), keep->slots() + count++, object);
  }
  return count;
}

// Counts what is logged as a warning while it lives.
struct Warnings {
  Warnings() {
    SetLogSink(
        [](LogLevel level, std::string_view, void* context) {
          static_cast<Warnings*>(context)->count += level == LogLevel::kWarning ? 1 : 0;
        },
        this);
  }
  ~Warnings() { SetLogSink(nullptr, nullptr); }
  int count = 0;
};

struct Reserve {
  static bool Release(void* context, uint64_t request_bytes, uint64_t) {
    Reserve* self = static_cast<Reserve*>(context);
    ++self->asked;
    self->last_request_bytes = request_bytes;
    if (self->held.get() == nullptr) return false;
    self->held.Reset();
    return true;
  }
  gc::GlobalHandle held;
  int asked = 0;
  uint64_t last_request_bytes = 0;
};

// One array that is four times the soft limit, from its birth to the return of its pages. A soft
// limit is never a reason to refuse.
void ExceedSoftLimit(uint64_t limit_bytes) {
  Warnings warnings;
  QuietHeap heap([&](Options& options) {
    options.gogc = 100;
    options.memory_limit_bytes = limit_bytes;
    options.reserve_bytes = size_t{4} << 30;
    options.nursery_bytes = 1 << 20;
    options.tenure = 1;
    options.debug.verify = 0;
  });
  Handle<Node> list = heap.MakeList(1000);
  const uint64_t slots = limit_bytes * 4 / sizeof(gc::Word);
  Handle<SlotArray> array = heap.Keep<SlotArray>(nullptr);
  array.set(static_cast<SlotArray*>(heap.m.TryAllocate(SlotArray::Type(), slots)));
  REQUIRE(array.get() != nullptr);
  CHECK(array->length == slots);
  for (const uint64_t i : {uint64_t{0}, slots / 2, slots - 1}) {
    REQUIRE(array->slots()[i] == 0);
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = static_cast<int64_t>(i);
    heap.m.Store(array.get(), array->slots() + i, node);
  }
  heap.Churn(2 << 20);
  heap.FullGC();
  for (const uint64_t i : {uint64_t{0}, slots / 2, slots - 1}) {
    REQUIRE(static_cast<Node*>(gc::ToObject(array->slots()[i]))->key == static_cast<int64_t>(i));
  }
  CHECK(heap.ListIs(list, 1000));
  CHECK(heap.stats().mapped_bytes > 4 * limit_bytes);
  CHECK(heap.stats().out_of_memory == 0);
  CHECK(warnings.count == 1);
  CHECK(heap.Broken() == "");
  array.set(nullptr);
  heap.FullGC();
  CHECK(heap.stats().mapped_bytes < limit_bytes);
  CHECK(heap.ListIs(list, 1000));
  CHECK(heap.Broken() == "");
}

TEST_SUITE("gc/out-of-memory") {
  TEST_CASE("a hard limit refuses a request of a GiB without touching its pages") {
    QuietHeap heap([](Options& options) {
      options.hard_limit_bytes = 256 << 20;
      options.memory_limit_bytes = 256 << 20;
      options.reserve_bytes = size_t{4} << 30;
    });
    Reserve reserve;
    heap.heap().SetOutOfMemoryFunction(Reserve::Release, &reserve);
    Handle<Node> list = heap.MakeList(1000);
    const uint64_t resident_bytes = OsResidentBytes();
    constexpr uint64_t kGiB = uint64_t{1} << 30;
    CHECK(heap.m.TryAllocate(ByteArray::Type(), kGiB) == nullptr);
    CHECK(heap.m.TryAllocate(SlotArray::Type(), kGiB / sizeof(gc::Word)) == nullptr);
    CHECK(heap.m.TryAllocateStationary(ByteArray::Type(), kGiB - 64) == nullptr);
    CHECK(reserve.asked == 3);
    CHECK(reserve.last_request_bytes >= kGiB - 64);
    CHECK(heap.stats().out_of_memory == 3);
    CHECK(OsResidentBytes() < resident_bytes + (100 << 20));
    CHECK(heap.ListIs(list, 1000));
    CHECK(heap.Broken() == "");
    // What fits under the limit is still given.
    CHECK(heap.m.TryAllocate(ByteArray::Type(), 1 << 20) != nullptr);
    CHECK(heap.m.TryAllocate(Node::Type()) != nullptr);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an array of four times the soft limit is given, lives on, and its pages go back") {
    ExceedSoftLimit(16 << 20);
  }

  TEST_CASE("an array of a GiB under a soft limit of 256 MiB (slow)") {
    ExceedSoftLimit(256 << 20);
  }

  TEST_CASE("the nth allocation fails, for every n of a workload, and the heap stays whole") {
    for (const auto nursery : {Options::Nursery::kFixed, Options::Nursery::kOff}) {
      for (const uint64_t forever : {0, 1}) {
        bool finished = false;
        uint64_t n = 0;
        while (!finished) {
          ++n;
          CAPTURE(n);
          CAPTURE(forever);
          QuietHeap heap([&](Options& options) {
            options.nursery = nursery;
            options.nursery_bytes = 4 << 10;
            options.debug.fail_alloc = n;
            options.debug.fail_alloc_forever = forever;
          });
          Workload workload(heap);
          finished = workload.Run();
          REQUIRE(workload.Intact());
          REQUIRE(heap.Broken() == "");
          heap.FullGC();
          REQUIRE(workload.Intact());
          REQUIRE(heap.Broken() == "");
          REQUIRE(n < 1000);
        }
        // 1 array, 30 nodes, 6 x 4 objects: the last n is the first that fails nothing.
        CHECK(n == 1 + 30 + 24 + 1);
      }
    }
  }

  TEST_CASE("the operating system refuses memory at every point, and the heap stays whole") {
    for (uint64_t commits = 0; commits < 40; ++commits) {
      CAPTURE(commits);
      QuietHeap heap([](Options& options) {
        options.nursery_bytes = 64 << 10;
        options.tenure = 1;
      });
      Handle<SlotArray> keep = heap.Keep(heap.m.NewSlots(2000));
      Handle<Node> list = heap.MakeList(100);
      SetOsFailureForTesting(commits);
      const size_t count = FillUp(heap, keep, 20000);
      SetOsFailureForTesting(UINT64_MAX);
      REQUIRE(heap.Broken() == "");
      REQUIRE(heap.ListIs(list, 100));
      // Memory that is given back can be used again.
      for (size_t i = 0; i < count; ++i) heap.m.Store(keep.get(), keep->slots() + i, gc::Word{0});
      heap.FullGC();
      REQUIRE(heap.m.TryAllocate(ByteArray::Type(), 20000) != nullptr);
      REQUIRE(heap.Broken() == "");
    }
  }

  TEST_CASE("a hard limit refuses what would pass it, small, large and stationary") {
    for (const uint64_t bytes : {100, 3000, 50000, 1000000}) {
      CAPTURE(bytes);
      QuietHeap heap([](Options& options) {
        options.hard_limit_bytes = 16 << 20;
        options.nursery_bytes = 64 << 10;
      });
      Handle<SlotArray> keep = heap.Keep(heap.m.NewSlots(200000));
      gc::LimitEvent told;
      const int listener = heap.heap().AddEventListener([&told](const Event& event) {
        if (event.kind != static_cast<uint16_t>(gc::EventKind::kLimit)) return;
        told = {event.payload[0], event.payload[1], event.payload[2], event.payload[3]};
      });
      const size_t count = FillUp(heap, keep, bytes);
      heap.heap().RemoveEventListener(listener);  // drains
      CHECK(told.what == 3);                      // out-of-memory
      CHECK(told.limit_bytes == 16 << 20);
      CHECK(told.request_bytes >= bytes);
      CHECK(count * bytes <= 16 << 20);
      CHECK(count * bytes >= 8 << 20);
      CHECK(heap.stats().out_of_memory >= 1);
      CHECK(heap.Broken() == "");
      for (size_t i = 0; i < count; ++i) heap.m.Store(keep.get(), keep->slots() + i, gc::Word{0});
      CHECK(heap.m.TryAllocate(ByteArray::Type(), bytes) != nullptr);
    }
  }

  TEST_CASE("a hard limit counts off-heap bytes") {
    QuietHeap heap([](Options& options) {
      options.hard_limit_bytes = 16 << 20;
      options.nursery_bytes = 64 << 10;
    });
    Handle<SlotArray> keep = heap.Keep(heap.m.NewSlots(100));
    size_t count = 0;
    for (; count < 100; ++count) {
      toy::Buffer* buffer = toy::Buffer::TryMake(heap.m, 1 << 20);
      if (buffer == nullptr) break;
      heap.m.Store(keep.get(), keep->slots() + count, buffer);
    }
    CHECK(count >= 12);
    CHECK(count <= 17);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("the out-of-memory function is asked, may free something, and is obeyed") {
    QuietHeap heap([](Options& options) {
      options.hard_limit_bytes = 16 << 20;
      options.nursery_bytes = 64 << 10;
    });
    Reserve reserve;
    reserve.held = gc::GlobalHandle(heap.m, heap.m.NewBytes(6 << 20));
    heap.heap().SetOutOfMemoryFunction(Reserve::Release, &reserve);
    Handle<ByteArray> first = heap.Keep(heap.m.NewBytes(6 << 20));
    CHECK(reserve.asked == 0);
    Object* second = heap.m.TryAllocate(ByteArray::Type(), 6 << 20);
    CHECK(second != nullptr);
    CHECK(reserve.asked == 1);
    CHECK(reserve.last_request_bytes >= 6 << 20);
    CHECK(reserve.held.get() == nullptr);
    // Nothing is left to free: it is asked once more, says no, and the request fails.
    Handle<Object> keep = heap.Keep<Object>(second);
    CHECK(heap.m.TryAllocate(ByteArray::Type(), 8 << 20) == nullptr);
    CHECK(reserve.asked == 2);
    CHECK(gc::ObjectBytes(keep.get()) > 6 << 20);
    CHECK(heap.Broken() == "");
    CHECK(first->length == 6 << 20);
  }

  TEST_CASE("an out-of-memory function that always says yes does not loop for ever") {
    QuietHeap heap([](Options& options) {
      options.hard_limit_bytes = 8 << 20;
      options.nursery_bytes = 64 << 10;
    });
    static int asked = 0;
    asked = 0;
    heap.heap().SetOutOfMemoryFunction(
        [](void*, uint64_t, uint64_t) {
          ++asked;
          return true;
        },
        nullptr);
    CHECK(heap.m.TryAllocate(ByteArray::Type(), 32 << 20) == nullptr);
    CHECK(asked >= 1);
    CHECK(asked <= 4);
  }

  TEST_CASE("an exhausted heap first collects: garbage is never the reason for a null") {
    QuietHeap heap([](Options& options) {
      options.hard_limit_bytes = 8 << 20;
      options.nursery_bytes = 64 << 10;
      options.tenure = 1;
    });
    Handle<ByteArray> slot = heap.Keep<ByteArray>(nullptr);
    for (int i = 0; i < 200; ++i) {
      auto* block = static_cast<ByteArray*>(heap.m.TryAllocate(ByteArray::Type(), 3 << 20));
      REQUIRE(block != nullptr);
      slot.set(block);
      for (int64_t key = 0; key < 100; ++key) {
        REQUIRE(heap.m.TryAllocate(Node::Type()) != nullptr);
      }
    }
    CHECK(heap.heap().majors() > 0);
  }

  TEST_CASE("Allocate ends the process with a clear message when nothing can be had") {
    QuietHeap heap([](Options& options) { options.hard_limit_bytes = 8 << 20; });
    CHECK(DiesWith("out of memory", [&] { heap.m.Allocate(ByteArray::Type(), 64 << 20); }));
  }
}

}  // namespace
}  // namespace neap::testing
