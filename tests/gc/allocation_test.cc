// SPDX-License-Identifier: MIT
//
// What an allocation promises: zeroed, aligned, of its type, at the size its descriptor says, and
// its bytes unharmed by whatever the collector does later.
#include <cstdint>
#include <cstring>
#include <vector>

#include "doctest/doctest.h"
#include "poison.h"
#include "support/check_failure.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::SlotArray;
using gc::TypeId;
using gc::Word;

bool BodyIsZero(const Object* object, size_t skip_bytes) {
  const size_t bytes = gc::ObjectBytes(object);
  const uint8_t* start = reinterpret_cast<const uint8_t*>(object);
  for (size_t i = gc::kHeaderBytes + skip_bytes; i < bytes; ++i) {
    if (start[i] != 0) return false;
  }
  return true;
}

uint8_t PatternByte(uint64_t length, uint64_t i) {
  return static_cast<uint8_t>(length * 31 + i * 7 + 1);
}

void FillPattern(ByteArray* array) {
  for (uint64_t i = 0; i < array->length; ++i) array->data()[i] = PatternByte(array->length, i);
}

bool HasPattern(ByteArray* array, uint64_t length) {
  if (array->length != length) return false;
  for (uint64_t i = 0; i < length; ++i) {
    if (array->data()[i] != PatternByte(length, i)) return false;
  }
  return true;
}

TEST_SUITE("gc/allocation") {
  TEST_CASE("a new object is zeroed, aligned, and knows its type and size") {
    TinyHeap heap;
    for (const TypeId type : {Node::Type(), Pair::Type(), toy::WeakKeyBox::Type()}) {
      Object* object = heap.m.Allocate(type);
      CHECK(reinterpret_cast<uintptr_t>(object) % gc::kObjectAlignment == 0);
      CHECK(object->type() == type);
      CHECK(gc::ObjectBytes(object) == gc::BytesFor(type, 0));
      CHECK(BodyIsZero(object, 0));
    }
    for (const uint64_t length : {0, 1, 7, 8, 9, 63, 500}) {
      CAPTURE(length);
      ByteArray* bytes = heap.m.NewBytes(length);
      CHECK(bytes->length == length);
      CHECK(BodyIsZero(bytes, 8));
      SlotArray* slots = heap.m.NewSlots(length);
      CHECK(slots->length == length);
      CHECK(gc::ObjectBytes(slots) == 16 + 8 * length);
      CHECK(BodyIsZero(slots, 8));
    }
  }

  TEST_CASE("memory that the nursery and the old space use again is zeroed again") {
    TinyHeap heap([](gc::Options& options) { options.tenure = 1; });
    HandleScope scope(heap.m);
    Handle<ByteArray> kept = scope.New<ByteArray>(nullptr);
    for (int i = 0; i < 4000; ++i) {
      ByteArray* dirty = heap.m.NewBytes(40 + static_cast<uint64_t>(i % 300));
      REQUIRE(BodyIsZero(dirty, 8));
      std::memset(dirty->data(), 0xff, dirty->length);
      if (i % 16 == 0) kept.set(dirty);
      if (i % 1000 == 999) heap.FullGC();
    }
  }

  TEST_CASE("with nursery=off a cell that is used again is zeroed again") {
    TinyHeap heap([](gc::Options& options) { options.nursery = gc::Options::Nursery::kOff; });
    for (int i = 0; i < 4000; ++i) {
      ByteArray* dirty = heap.m.NewBytes(40 + static_cast<uint64_t>(i % 300));
      REQUIRE(BodyIsZero(dirty, 8));
      std::memset(dirty->data(), 0xff, dirty->length);
      if (i % 500 == 499) heap.FullGC();
    }
  }

  TEST_CASE("objects allocated one after the other stand side by side") {
    QuietHeap heap;
    const Node* first = heap.m.New<Node>(Node::Type());
    const Node* second = heap.m.New<Node>(Node::Type());
    const Node* third = heap.m.New<Node>(Node::Type());
    CHECK(second == first + 1);
    CHECK(third == first + 2);
  }

  TEST_CASE("every size from nothing to large keeps its bytes through copying and promotion") {
    TinyHeap heap;
    std::vector<uint64_t> lengths;
    for (uint64_t length = 0; length < 300; ++length) lengths.push_back(length);
    for (uint64_t length = 301; length < 70000; length = length * 9 / 8) lengths.push_back(length);
    std::vector<Handle<ByteArray>> arrays;
    for (const uint64_t length : lengths) {
      arrays.push_back(heap.Keep(heap.m.NewBytes(length)));
      FillPattern(arrays.back().get());
    }
    for (int round = 0; round < 4; ++round) {
      round == 2 ? heap.FullGC() : heap.MinorGC();
      for (size_t i = 0; i < lengths.size(); ++i) {
        CAPTURE(lengths[i]);
        REQUIRE(HasPattern(arrays[i].get(), lengths[i]));
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a structure far bigger than the nursery survives being built in it") {
    TinyHeap heap;
    const int64_t nodes = heap.heap().options().debug.stress_alloc != 0 ? 500 : 50000;
    Handle<Node> list = heap.MakeList(nodes);
    CHECK(heap.ListIs(list, nodes));
    Handle<Node> tree = heap.MakeTree(heap.heap().options().debug.stress_alloc != 0 ? 6 : 12);
    CHECK(heap.TreeIs(tree.get(), static_cast<int>(tree->key)));
    heap.FullGC();
    CHECK(heap.ListIs(list, nodes));
  }

  TEST_CASE("a length whose size overflows is refused and harms nothing") {
    TinyHeap heap;
    Handle<Node> list = heap.MakeList(10);
    for (const uint64_t length : {UINT64_MAX, UINT64_MAX / 8, uint64_t{1} << 61}) {
      CAPTURE(length);
      CHECK(gc::BytesFor(SlotArray::Type(), length) == 0);
      CHECK(heap.m.TryAllocate(SlotArray::Type(), length) == nullptr);
      CHECK(heap.m.TryAllocateStationary(ByteArray::Type(), length) == nullptr);
    }
    CHECK(heap.ListIs(list, 10));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a request larger than the reserved address space is refused") {
    TinyHeap heap([](gc::Options& options) { options.reserve_bytes = 256 << 20; });
    CHECK(heap.m.TryAllocate(ByteArray::Type(), uint64_t{1} << 30) == nullptr);
    CHECK(heap.m.TryAllocate(ByteArray::Type(), 1000) != nullptr);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a type descriptor that contradicts itself is a failed check") {
    CHECK_THROWS_AS(
        gc::RegisterType(
            {.name = "custom-without-trace", .layout = gc::Layout::kCustom, .base_bytes = 16}),
        CheckFailure);
    CHECK_THROWS_AS(gc::RegisterType({.name = "bitmap-beyond-the-object",
                                      .layout = gc::Layout::kBitmap,
                                      .base_bytes = 24,
                                      .slot_bitmap = 0b100}),
                    CheckFailure);
  }

  TEST_CASE("raw words of a custom-traced object are neither followed nor changed") {
    TinyHeap heap;
    HandleScope scope(heap.m);
    Handle<toy::Mixed> mixed =
        scope.New(static_cast<toy::Mixed*>(heap.m.Allocate(toy::Mixed::Type(), 50)));
    std::vector<Word> raw;
    for (uint64_t i = 0; i < 50; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      heap.m.Store(mixed.get(), mixed->slot(i), node);
      // A word that looks exactly like a reference to an object that soon is elsewhere.
      *mixed->raw(i) = gc::ToWord(node);
      raw.push_back(gc::ToWord(node));
    }
    heap.MinorGC();
    heap.FullGC();
    heap.Churn(10000);
    for (uint64_t i = 0; i < 50; ++i) {
      CHECK(*mixed->raw(i) == raw[i]);
      CHECK(static_cast<Node*>(gc::ToObject(*mixed->slot(i)))->key == static_cast<int64_t>(i));
    }
    // The verifier must not look at the raw words either: they are dangling by now.
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a hash is stable, never 0, moves with its object, and finds its key again") {
    TinyHeap heap;
    HandleScope scope(heap.m);
    Handle<toy::Dictionary> table = toy::Dictionary::Make(heap.m, scope, 256);
    Handle<SlotArray> keys = scope.New(heap.m.NewSlots(200));
    std::vector<uint32_t> hashes;
    for (uint64_t i = 0; i < 200; ++i) {
      Node* key = heap.m.New<Node>(Node::Type());
      heap.m.Store(keys.get(), keys->slots() + i, key);
      hashes.push_back(heap.m.Hash(key));
      CHECK(hashes.back() != 0);
      table->Put(heap.m, key, 2 * i + 1);
    }
    for (int round = 0; round < 3; ++round) {
      for (uint64_t i = 0; i < 200; ++i) {
        Object* key = gc::ToObject(gc::LoadSlot(keys->slots() + i));
        REQUIRE(heap.m.Hash(key) == hashes[i]);
        REQUIRE(table->Get(heap.m, key) == 2 * i + 1);
      }
      round == 1 ? heap.FullGC() : heap.MinorGC();
    }
  }

  TEST_CASE("an identity is unique, stable, and not used again after its object died") {
    TinyHeap heap;
    Handle<Node> a = heap.MakeNode(1);
    Handle<Node> b = heap.MakeNode(2);
    const uint64_t identity_a = heap.m.Identity(a.get());
    const uint64_t identity_b = heap.m.Identity(b.get());
    CHECK(identity_a != identity_b);
    heap.MinorGC(3);
    heap.FullGC();
    CHECK(heap.m.Identity(a.get()) == identity_a);
    CHECK(heap.m.Identity(b.get()) == identity_b);
    b.set(nullptr);
    heap.FullGC();
    Handle<Node> c = heap.MakeNode(3);
    CHECK(heap.m.Identity(c.get()) != identity_a);
    CHECK(heap.m.Identity(c.get()) != identity_b);
    CHECK(heap.Broken() == "");
  }

#if defined(__SANITIZE_ADDRESS__)
  TEST_CASE("a heap that ends takes its AddressSanitizer poison along") {
    const void* freed = nullptr;
    {
      QuietHeap heap;
      freed = heap.m.NewBytes(100);
      heap.MinorGC();  // its block goes back to the pool, poisoned
      CHECK(__asan_address_is_poisoned(freed));
    }
    CHECK_FALSE(__asan_address_is_poisoned(freed));
  }
#endif
}

}  // namespace
}  // namespace neap::testing
