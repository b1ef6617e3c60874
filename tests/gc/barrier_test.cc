// SPDX-License-Identifier: MIT
//
// The write barrier and the remembered set: no reference from old space into the nursery is missed,
// whatever the holder is; an object is logged once; and a barrier that is left out is found by the
// verifier.
#include <cstdint>
#include <cstring>
#include <string>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::LogState;
using gc::Options;
using gc::SlotArray;
using gc::Word;

int64_t KeyAt(Handle<SlotArray> array, uint64_t i) {
  return static_cast<Node*>(gc::ToObject(gc::LoadSlot(array->slots() + i)))->key;
}

Node* NewNode(TestHeap& heap, int64_t key) {
  Node* node = heap.m.New<Node>(Node::Type());
  node->key = key;
  return node;
}

// Has one slot, which lies elsewhere.
struct Shelf : gc::Object {
  Word* outside = nullptr;

  static gc::TypeId Type() {
    static const gc::TypeId type =
        gc::RegisterType({.name = "shelf",
                          .layout = gc::Layout::kCustom,
                          .base_bytes = sizeof(Shelf),
                          .trace = [](gc::Object* object, gc::Tracer& tracer) {
                            auto* shelf = static_cast<Shelf*>(object);
                            if (shelf->outside != nullptr) tracer.VisitSlot(shelf->outside);
                          }});
    return type;
  }
};

// An old array: large and carded, or small, by its length.
Handle<SlotArray> OldArray(TestHeap& heap, uint64_t length) {
  Handle<SlotArray> array = heap.Keep(heap.m.NewSlots(length));
  while (heap.IsYoung(array.get())) heap.MinorGC();
  return array;
}

TEST_SUITE("gc/barrier") {
  TEST_CASE("a store that neither overwrites nor brings a reference logs nothing") {
    // Above 2^47 no word is an address.
    constexpr Word kNumber = Word{0x7ff8} << 48;
    for (const uint64_t length : {10, 100000}) {  // small, and carded
      CAPTURE(length);
      QuietHeap heap;
      Handle<SlotArray> array = OldArray(heap, length);
      const auto logged = [&] { return heap.heap().Snapshot().logged_objects; };
      const auto store = [&](uint64_t i, Word word) {
        heap.m.Store(array.get(), array->slots() + i, word);
        heap.m.Store(array.get(), i + 1, word);
      };
      const uint64_t before = logged();
      for (uint64_t i = 0; i + 1 < length; i += 2) store(i, kNumber + i);
      CHECK(logged() == before);
      Node* young = NewNode(heap, 7);
      heap.m.Store(array.get(), array->slots(), young);  // over a number
      CHECK(logged() == before + 1);
      CHECK(heap.Broken() == "");
      heap.MinorGC();
      CHECK(KeyAt(array, 0) == 7);
      while (heap.IsYoung(gc::ToObject(gc::LoadSlot(array->slots())))) heap.MinorGC();
      heap.MinorGC();
      heap.m.Store(array.get(), uint64_t{0}, kNumber);  // over a reference: a snapshot wants it
      CHECK(logged() == before + 2);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("a young object reached only from an old small object survives a minor collection") {
    QuietHeap heap;
    Handle<Node> old = heap.MakeOldNode(1);
    Node* young = NewNode(heap, 2);
    heap.SetLeft(old, young);
    CHECK(heap.Broken() == "");
    heap.MinorGC();
    CHECK(old->left.get() != young);
    CHECK(old->left->key == 2);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("the same from old arrays of every size, carded or not, at every end of a card") {
    for (const uint64_t length : {1, 10, 100, 500, 1000, 2000, 10000, 100000}) {
      CAPTURE(length);
      QuietHeap heap;
      Handle<SlotArray> array = OldArray(heap, length);
      for (const uint64_t i : {uint64_t{0}, uint64_t{61}, uint64_t{62}, uint64_t{63}, uint64_t{64},
                               length / 2, length - 2, length - 1}) {
        if (i >= length) continue;
        Node* node = NewNode(heap, static_cast<int64_t>(i));
        heap.m.Store(array.get(), array->slots() + i, node);
        REQUIRE(heap.Broken() == "");
        heap.MinorGC();
        REQUIRE(KeyAt(array, i) == static_cast<int64_t>(i));
      }
      heap.MinorGC(3);
      REQUIRE(heap.Broken() == "");
    }
  }

  TEST_CASE("an old table with a young part, and an old part with a young value") {
    QuietHeap heap;
    HandleScope scope(heap.m);
    Handle<toy::Dictionary> table = toy::Dictionary::Make(heap.m, scope, 64);
    Handle<Node> key = heap.MakeNode(1);
    heap.MinorGC(3);
    REQUIRE_FALSE(heap.IsYoung(table->part.get()));
    Node* value = NewNode(heap, 2);
    table->Put(heap.m, key.get(), gc::ToWord(value));
    heap.MinorGC();
    CHECK(static_cast<Node*>(gc::ToObject(table->Get(heap.m, key.get())))->key == 2);
    // Growth: a fresh part in the old table.
    Object* part = heap.m.Allocate(toy::Part::Type(), 128);
    heap.m.Store(table.get(), table->part.slot(), part);
    heap.MinorGC();
    CHECK(table->part->length == 128);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an old object is logged once until the next minor collection") {
    QuietHeap heap;
    Handle<Node> old = heap.MakeOldNode(1);
    REQUIRE(old->log_state() == LogState::kUnlogged);
    const uint64_t logged = heap.stats().logged_objects;
    for (int i = 0; i < 100; ++i) {
      Node* young = NewNode(heap, i);
      heap.SetLeft(old, young);
    }
    CHECK(old->log_state() == LogState::kLogged);
    CHECK(heap.stats().logged_objects == logged + 1);
    heap.MinorGC();
    // The referent is still young: the holder stays retained, so no store needs to log it again.
    CHECK(old->log_state() == LogState::kLogged);
    CHECK(old->left->key == 99);
    heap.MinorGC();
    // The referent is old by now: the holder is clean again.
    CHECK(heap.IsYoung(old->left.get()) == false);
    heap.MinorGC();
    CHECK(old->log_state() == LogState::kUnlogged);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("stores into young objects and of non-references into logged ones log nothing") {
    QuietHeap heap;
    Handle<Node> young = heap.MakeNode(1);
    const uint64_t logged = heap.stats().logged_objects;
    for (int i = 0; i < 10; ++i) {
      Node* other = NewNode(heap, i);
      heap.SetLeft(young, other);
    }
    CHECK(heap.stats().logged_objects == logged);
  }

  TEST_CASE("an object promoted while its child stays young is retained and scanned again") {
    QuietHeap heap;
    Handle<Node> parent = heap.MakeNode(1);
    heap.MinorGC();
    Node* child = NewNode(heap, 2);
    heap.SetLeft(parent, child);
    heap.MinorGC();
    REQUIRE_FALSE(heap.IsYoung(parent.get()));
    REQUIRE(heap.IsYoung(parent->left.get()));
    CHECK(heap.Broken() == "");
    heap.MinorGC();
    CHECK(parent->left->key == 2);
    CHECK_FALSE(heap.IsYoung(parent->left.get()));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an overwritten reference no longer keeps its old target alive") {
    QuietHeap heap;
    Handle<Node> old = heap.MakeOldNode(1);
    Node* first = NewNode(heap, 2);
    heap.SetLeft(old, first);
    gc::WeakHandle weak(heap.m, old->left.get());
    heap.SetLeft<Node>(old, nullptr);
    heap.MinorGC();
    CHECK(weak.get() == nullptr);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("LogRange covers a bulk move inside an old array") {
    for (const uint64_t length : {20, 5000, 50000}) {
      CAPTURE(length);
      QuietHeap heap;
      Handle<SlotArray> array = OldArray(heap, length);
      const uint64_t half = length / 2;
      for (uint64_t i = 0; i < 10; ++i) {
        Node* node = NewNode(heap, static_cast<int64_t>(i));
        heap.m.Store(array.get(), array->slots() + i, node);
      }
      heap.m.LogRange(array.get(), array->slots() + half, 10);
      std::memmove(array->slots() + half, array->slots(), 10 * sizeof(Word));
      for (uint64_t i = 0; i < 10; ++i) heap.m.Store(array.get(), array->slots() + i, Word{0});
      CHECK(heap.Broken() == "");
      heap.MinorGC();
      for (uint64_t i = 0; i < 10; ++i) CHECK(KeyAt(array, half + i) == static_cast<int64_t>(i));
      heap.MinorGC(2);
      for (uint64_t i = 0; i < 10; ++i) CHECK(KeyAt(array, half + i) == static_cast<int64_t>(i));
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("Log covers slots that an old object reports but does not contain") {
    QuietHeap heap;
    Word outside = 0;
    Handle<Shelf> shelf = heap.Keep(heap.m.New<Shelf>(Shelf::Type()));
    while (heap.IsYoung(shelf.get())) heap.MinorGC();
    shelf->outside = &outside;
    for (int64_t i = 0; i < 5; ++i) {
      heap.m.Log(shelf.get());
      outside = gc::ToWord(NewNode(heap, i));
      CHECK(shelf->log_state() == LogState::kLogged);
      CHECK(heap.Broken() == "");
      heap.MinorGC();
      CHECK(static_cast<Node*>(gc::ToObject(outside))->key == i);
      heap.MinorGC(2);
      CHECK(shelf->log_state() == LogState::kUnlogged);
      CHECK(static_cast<Node*>(gc::ToObject(outside))->key == i);
    }
    shelf->outside = nullptr;
  }

  TEST_CASE("a store into an object that became old in place is remembered") {
    QuietHeap heap([](Options& options) {
      options.debug.no_room = 1;
      options.tenure = 1;
    });
    Handle<Node> node = heap.MakeNode(1);
    heap.MinorGC();
    REQUIRE_FALSE(heap.IsYoung(node.get()));
    Node* young = NewNode(heap, 2);
    heap.SetLeft(node, young);
    CHECK(heap.Broken() == "");
    heap.MinorGC();
    CHECK(node->left->key == 2);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("random stores into old objects of all kinds never lose a young one") {
    TinyHeap heap;
    Random random;
    constexpr uint64_t kHolders = 32;
    Handle<SlotArray> holders = heap.Keep(heap.m.NewSlots(kHolders));
    for (uint64_t i = 0; i < kHolders; ++i) {
      SlotArray* holder = heap.m.NewSlots(uint64_t{1} << (i % 14));
      heap.m.Store(holders.get(), holders->slots() + i, holder);
    }
    heap.MinorGC(3);
    const int steps = heap.heap().options().debug.verify != 0 ? 2000 : 50000;
    for (int step = 0; step < steps; ++step) {
      Node* node = NewNode(heap, step);
      auto* holder =
          static_cast<SlotArray*>(gc::ToObject(holders->slots()[random.Below(kHolders)]));
      heap.m.Store(holder, holder->slots() + random.Below(holder->length), node);
      if (random.OneIn(500)) heap.MinorGC();
      if (random.OneIn(5000)) heap.FullGC();
    }
    for (uint64_t i = 0; i < kHolders; ++i) {
      auto* holder = static_cast<SlotArray*>(gc::ToObject(holders->slots()[i]));
      for (uint64_t j = 0; j < holder->length; ++j) {
        if (holder->slots()[j] == 0) continue;
        const Node* node = static_cast<Node*>(gc::ToObject(holder->slots()[j]));
        REQUIRE(node->type() == Node::Type());
        REQUIRE(node->key < steps);
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N2: the verifier catches a barrier that is left out, for each kind of holder") {
    for (const uint64_t length : {1, 1000, 100000}) {
      CAPTURE(length);
      QuietHeap heap([](Options& options) {
        options.debug.drop_barrier = 1;
        options.debug.verify = 0;
      });
      Handle<SlotArray> array = OldArray(heap, length);
      REQUIRE(heap.Broken() == "");
      Node* young = NewNode(heap, 1);
      heap.m.Store(array.get(), array->slots() + length / 2, young);
      const std::string broken = heap.Broken();
      CAPTURE(broken);
      CHECK(broken.find("N2") != std::string::npos);
      // Undone before the heap closes: nothing may collect over the hole.
      gc::InitSlot(array->slots() + length / 2, 0);
    }
  }

  TEST_CASE("N2: a plain store that bypasses the barrier is caught as well") {
    QuietHeap heap([](Options& options) { options.debug.verify = 0; });
    Handle<Node> old = heap.MakeOldNode(1);
    Node* young = NewNode(heap, 2);
    gc::InitSlot(old->left.slot(), gc::ToWord(young));
    CHECK(heap.Broken().find("N2") != std::string::npos);
    gc::InitSlot(old->left.slot(), 0);
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
