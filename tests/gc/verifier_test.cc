// SPDX-License-Identifier: MIT
//
// The verifier finds what it is for: each case breaks one rule of a sound heap by hand, sees it
// named, and mends it. A verifier that has never found anything proves nothing.
#include <cstdint>
#include <string>

#include "collector.h"
#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::SlotArray;

bool Names(const std::string& finding, const char* invariant) {
  INFO(finding);
  return finding.rfind(std::string(invariant) + ":", 0) == 0;
}

// A heap with an old node, a young node, an old large array: all sound, nothing pending.
struct Subject : QuietHeap {
  Subject()
      : QuietHeap([](gc::Options& options) { options.debug.verify = 0; }),
        old(MakeOldNode(1)),
        array(Keep(m.NewSlots(5000))) {
    while (IsYoung(array.get())) MinorGC();
    MinorGC();
    young = MakeNode(2);
    REQUIRE(Broken() == "");
  }
  gc::HeapRange& range() { return heap().collector().range(); }

  Handle<Node> old;
  Handle<SlotArray> array;
  Handle<Node> young;
};

TEST_SUITE("gc/verifier") {
  TEST_CASE("a sound heap passes in every state: fresh, aged, old, half swept, with nursery=off") {
    QuietHeap heap([](gc::Options& options) {
      options.nursery_bytes = 64 << 10;
      options.gogc = 100;
      options.min_heap_bytes = 1 << 20;
      options.tenure = 1;
    });
    CHECK(heap.Broken() == "");
    Handle<Node> list = heap.MakeList(100000);
    CHECK(heap.heap().majors() > 0);
    // Major cycles that the pacer starts leave their sweeping to allocation.
    for (int i = 0; i < 50; ++i) {
      list = heap.MakeList(2000);
      CHECK(heap.Broken() == "");
    }
    QuietHeap off([](gc::Options& options) { options.nursery = gc::Options::Nursery::kOff; });
    Handle<Node> other = off.MakeList(1000);
    CHECK(off.Broken() == "");
    off.FullGC();
    CHECK(off.Broken() == "");
    CHECK(off.ListIs(other, 1000));
  }

  TEST_CASE("N1: a forwarded header outside a pause") {
    Subject heap;
    const uint64_t header = heap.young->header();
    heap.young->set_header(gc::ToWord(heap.old.get()) | Object::kForwardedBit);
    CHECK(Names(heap.Broken(), "N1"));
    heap.young->set_header(header);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N2: an old object that is logged and in no buffer") {
    Subject heap;
    REQUIRE(heap.old->log_state() == gc::LogState::kUnlogged);
    heap.old->set_log_state(gc::LogState::kLogged);
    CHECK(Names(heap.Broken(), "N2"));
    heap.old->set_log_state(gc::LogState::kUnlogged);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N2: a young object whose barrier is armed") {
    Subject heap;
    heap.young->set_log_state(gc::LogState::kUnlogged);
    CHECK(Names(heap.Broken(), "N2"));
    heap.young->set_log_state(gc::LogState::kLogged);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N2: a card that was cleaned too early") {
    Subject heap;
    heap.m.Store(heap.array.get(), heap.array->slots() + 3000, heap.young.get());
    REQUIRE(heap.Broken() == "");
    uint8_t* cards = gc::LargeHeader::Of(heap.array.get())->cards;
    uint8_t* card = cards + (16 + 3000 * 8) / gc::kCardBytes;
    REQUIRE(*card != 0);
    *card = 0;
    CHECK(Names(heap.Broken(), "N2"));
    *card = 1;
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N3: a reference into a free block, or beyond the heap in use") {
    Subject heap;
    gc::HeapRange& range = heap.range();
    size_t free_block = 0;
    while (range.space(free_block) != gc::kSpaceNone) ++free_block;
    for (const gc::Word word : {reinterpret_cast<gc::Word>(range.BlockStart(free_block)),
                                reinterpret_cast<gc::Word>(range.base()) + range.bytes() - 8}) {
      gc::InitSlot(heap.young->left.slot(), word);
      CHECK(Names(heap.Broken(), "N3"));
    }
    gc::InitSlot(heap.young->left.slot(), 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a reference to the middle of an object, or to an address that is not aligned") {
    Subject heap;
    gc::InitSlot(heap.young->left.slot(), gc::ToWord(heap.old.get()) + 4);
    CHECK(Names(heap.Broken(), "N3"));
    // The key of the old node is 1: as a header it has no known type.
    gc::InitSlot(heap.young->left.slot(), gc::ToWord(heap.old.get()) + 24);
    CHECK(heap.Broken() != "");
    // Made to look like an object, it still has no start bit.
    heap.old->key = static_cast<int64_t>(Object::MakeHeader(Node::Type()));
    CHECK(Names(heap.Broken(), "N8"));
    gc::InitSlot(heap.young->left.slot(), 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N5: a bit of a minor that was left behind, young or old") {
    Subject heap;
    for (Object* object :
         {static_cast<Object*>(heap.young.get()), static_cast<Object*>(heap.old.get())}) {
      for (const uint64_t bit : {Object::kReachedBit, Object::kPinnedBit}) {
        const uint64_t header = object->header();
        object->set_header(header | bit);
        CHECK(Names(heap.Broken(), "N5"));
        object->set_header(header);
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N8: an old object without its start bit, and a start bit in the nursery") {
    Subject heap;
    heap.range().ClearStart(heap.old.get());
    CHECK(heap.Broken() != "");
    heap.range().SetStart(heap.old.get());
    CHECK(heap.Broken() == "");
    heap.range().SetStart(heap.young.get());
    CHECK(Names(heap.Broken(), "N8"));
    heap.range().ClearStart(heap.young.get());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N9: a mark bit that was left behind") {
    Subject heap;
    (void)heap.range().TestAndMark(heap.old.get());
    CHECK(Names(heap.Broken(), "N9"));
    heap.range().ClearMark(heap.old.get());
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("sums: an object that the counters do not know") {
    Subject heap;
    Handle<gc::ByteArray> bytes = heap.Keep(heap.m.NewBytes(100));
    heap.MinorGC(2);
    REQUIRE_FALSE(heap.IsYoung(bytes.get()));
    REQUIRE(heap.Broken() == "");
    bytes->length = 80;
    CHECK(Names(heap.Broken(), "sums"));
    bytes->length = 100;
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("O1: an object that outgrows its cell") {
    Subject heap;
    Handle<gc::ByteArray> bytes = heap.Keep(heap.m.NewBytes(100));
    heap.MinorGC(2);
    bytes->length = 5000;
    CHECK(heap.Broken() != "");
    bytes->length = 100;
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("two live young objects that share bytes") {
    Subject heap;
    Handle<gc::ByteArray> first = heap.Keep(heap.m.NewBytes(16));
    Handle<gc::ByteArray> second = heap.Keep(heap.m.NewBytes(16));
    REQUIRE(gc::ToWord(second.get()) - gc::ToWord(first.get()) == 32);
    first->length = 17;
    CHECK(Names(heap.Broken(), "overlap"));
    first->length = 16;
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("verify=1 stops the program at the collection that finds the heap broken") {
    QuietHeap heap([](gc::Options& options) { options.debug.verify = 1; });
    Handle<Node> old = heap.MakeOldNode(1);
    heap.MinorGC(2);
    CHECK(DiesWith("N2", [&] {
      Node* young = heap.m.New<Node>(Node::Type());
      gc::InitSlot(old->left.slot(), gc::ToWord(young));
      heap.MinorGC();
    }));
  }
}

}  // namespace
}  // namespace neap::testing
