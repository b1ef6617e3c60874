// SPDX-License-Identifier: MIT
//
// The verifier finds what it is for: each case breaks one rule of a sound heap by hand, sees it
// named, and mends it. A verifier that has never found anything proves nothing.
#include <cstdint>
#include <memory>
#include <string>

#include "collector.h"
#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::Finalizers;
using gc::FinalizerState;
using gc::IdentityTable;
using gc::Mutator;
using gc::Options;
using gc::SlotArray;
using gc::Word;
using toy::Buffer;

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
  Finalizers& finalizers() { return heap().collector().finalizers(); }
  IdentityTable& identities() { return heap().collector().identities(); }
  Word FreeBlock() {
    size_t index = 0;
    while (range().space(index) != gc::kSpaceNone) ++index;
    return reinterpret_cast<Word>(range().BlockStart(index));
  }
  std::shared_ptr<FinalizerState> OpenQueue() {
    auto queue = std::make_shared<FinalizerState>();
    finalizers().AddQueue(queue);
    return queue;
  }

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
    for (const gc::Word word :
         {heap.FreeBlock(), reinterpret_cast<gc::Word>(range.base()) + range.bytes() - 8}) {
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

  TEST_CASE("N12: a registered or pending finalizer whose object does not exist") {
    Subject heap;
    const Word nowhere = reinterpret_cast<Word>(heap.range().base()) + heap.range().bytes() - 8;
    const Word no_start = gc::ToWord(heap.old.get()) + 8;
    for (const Word word : {heap.FreeBlock(), nowhere, no_start, no_start + 1, Word{0}}) {
      CAPTURE(word);
      auto queue = heap.OpenQueue();
      heap.finalizers().Register(gc::ToObject(word), queue);
      CHECK(Names(heap.Broken(), "N12"));
      heap.finalizers().CloseQueue(queue);
      CHECK(heap.Broken() == "");
      queue = heap.OpenQueue();
      queue->pending.push_back(word);
      queue->pending_count = 1;
      CHECK(Names(heap.Broken(), "N12"));
      heap.finalizers().CloseQueue(queue);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("N12, N13: an object that the last mark found dead, in a block that is not swept yet") {
    QuietHeap heap([](Options& options) {
      options.debug.verify = 0;
      options.debug.stress_major = 1;  // CollectAsDue is a major that leaves its sweeping
    });
    gc::Collector& collector = heap.heap().collector();
    Handle<Node> list = heap.MakeOldNode(1);
    Node* dead = list.get();
    list.set(nullptr);
    collector.CollectAsDue(heap.m, gc::Cause::kStress);
    REQUIRE(collector.old_space().unswept_blocks() > 0);
    REQUIRE(heap.Broken() == "");
    auto queue = std::make_shared<FinalizerState>();
    collector.finalizers().AddQueue(queue);
    collector.finalizers().Register(dead, queue);
    CHECK(Names(heap.Broken(), "N12"));
    collector.finalizers().CloseQueue(queue);
    (void)heap.m.Identity(dead);
    CHECK(Names(heap.Broken(), "N13"));
    heap.FullGC();
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N12: the finalizer of a young object in the list that no minor reads") {
    Subject heap;
    const auto queue = heap.OpenQueue();
    heap.finalizers().Register(heap.young.get(), queue);
    CHECK(heap.Broken() == "");
    // A collection that takes every object for live and old.
    (void)heap.finalizers().QueueUnreachable(
        Finalizers::Which::kAll, [](Word) { return true; }, [](Word*) {},
        [](Word*) { return false; });
    CHECK(Names(heap.Broken(), "N12"));
    heap.finalizers().CloseQueue(queue);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N12: a finalizer of a closed queue, and a wrong number of pending objects") {
    Subject heap;
    const auto queue = heap.OpenQueue();
    heap.finalizers().Register(heap.old.get(), queue);
    CHECK(heap.Broken() == "");
    queue->closed = true;
    CHECK(Names(heap.Broken(), "N12"));
    queue->closed = false;
    heap.finalizers().QueueAll(queue);
    CHECK(heap.Broken() == "");
    queue->pending_count = 2;
    CHECK(Names(heap.Broken(), "N12"));
    queue->pending_count = 1;
    CHECK(heap.Broken() == "");
    heap.finalizers().CloseQueue(queue);
  }

  TEST_CASE("N13: a number of an object that does not exist") {
    Subject heap;
    const Word no_start = gc::ToWord(heap.old.get()) + 8;
    for (const Word word : {heap.FreeBlock(), no_start, Word{8}}) {
      CAPTURE(word);
      (void)heap.identities().Get(gc::ToObject(word), /*young=*/false);
      CHECK(Names(heap.Broken(), "N13"));
      heap.identities().Purge([&](Word key) { return key != word; });
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("N13: a young object with a number that is not listed as young, or listed twice") {
    Subject heap;
    const Word young = gc::ToWord(heap.young.get());
    (void)heap.identities().Get(heap.young.get(), /*young=*/false);
    CHECK(Names(heap.Broken(), "N13"));
    heap.identities().Purge([](Word) { return false; });
    (void)heap.m.Identity(heap.young.get());
    (void)heap.m.Identity(heap.Keep(heap.m.New<Node>(Node::Type())).get());
    CHECK(heap.Broken() == "");
    // A minor that copies both to one address.
    heap.identities().UpdateYoung([&](Word) { return young; }, [](Word) { return true; });
    CHECK(Names(heap.Broken(), "N13"));
    heap.identities().Purge([](Word) { return false; });
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("N13: a young object that is listed and has no number") {
    Subject heap;
    (void)heap.m.Identity(heap.young.get());
    bool live = false;
    // A purge that changes its mind between the list and the numbers.
    heap.identities().Purge([&](Word) { return live = !live; });
    REQUIRE(heap.identities().size() == 0);
    CHECK(Names(heap.Broken(), "N13"));
    heap.identities().Purge([](Word) { return false; });
    CHECK(heap.Broken() == "");
  }

  TEST_CASE(
      "N14: off-heap bytes that were not reported, of a young owner, a dead one, an old one") {
    Subject heap;
    Handle<Buffer> buffer = heap.Keep(Buffer::TryMake(heap.m, 1000));
    Buffer* dead = Buffer::TryMake(heap.m, 500);
    CHECK(heap.Broken() == "");
    for (Buffer* owner : {buffer.get(), dead}) {
      owner->bytes += 8;
      CHECK(Names(heap.Broken(), "N14"));
      owner->bytes -= 8;
    }
    heap.m.OffHeapChanged(buffer.get(), 8);
    CHECK(Names(heap.Broken(), "N14"));
    heap.m.OffHeapChanged(buffer.get(), -8);
    CHECK(heap.Broken() == "");
    heap.MinorGC();
    CHECK(heap.heap().collector().young_off_heap_bytes() == 1000);
    heap.MinorGC();
    REQUIRE_FALSE(heap.IsYoung(buffer.get()));
    CHECK(heap.Broken() == "");
    buffer->bytes -= 8;
    CHECK(Names(heap.Broken(), "N14"));
    buffer->bytes += 8;
    // Unreachable, but no mark has said so: it still counts.
    buffer.set(nullptr);
    CHECK(heap.Broken() == "");
    heap.FullGC();
    CHECK(heap.heap().collector().old_off_heap_bytes() == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("off-heap bytes of an owner that becomes old for lack of room are old ones") {
    // In a child: a type is for the whole process, and this one makes the check of N14 a bound.
    CHECK(DiesWith("old: 100, in all: 100", [] {
      const gc::TypeId type = gc::RegisterType(
          {.name = "moving-owner",
           .base_bytes = 16,
           .off_heap_bytes = [](const Object* object) -> size_t { return *object->body<Word>(); }});
      QuietHeap heap([](Options& options) { options.debug.no_room = 1; });
      Handle<Object> owner = heap.Keep(heap.m.Allocate(type));
      *owner->body<Word>() = 100;
      heap.m.OffHeapChanged(owner.get(), 100);
      heap.MinorGC();
      const auto old = static_cast<int>(heap.heap().collector().old_off_heap_bytes());
      heap.MinorGC();
      NEAP_CHECK(false, "finding", "old: %d, in all: %d", old,
                 static_cast<int>(heap.stats().off_heap_bytes));
    }));
  }

  TEST_CASE("N14: of owners that move the young gauge may say more than is found, never less") {
    // In a child: a type is for the whole process, and this one makes the check of N14 a bound.
    CHECK(DiesWith("N14: young objects own 100 bytes off the heap, the gauge says 60", [] {
      const gc::TypeId type = gc::RegisterType(
          {.name = "moving-owner",
           .base_bytes = 16,
           .off_heap_bytes = [](const Object* object) -> size_t { return *object->body<Word>(); }});
      Subject heap;
      const auto make = [&](Word bytes) {
        Object* owner = heap.m.Allocate(type);
        *owner->body<Word>() = bytes;
        heap.m.OffHeapChanged(owner, static_cast<int64_t>(bytes));
        return owner;
      };
      Handle<Object> owner = heap.Keep(make(100));
      (void)make(50);  // dead, in eden: in the gauge until the next minor
      NEAP_CHECK(heap.Broken() == "", "a dead owner in eden is no fault");
      heap.MinorGC();
      NEAP_CHECK(heap.Broken() == "", "a survivor is counted once");
      heap.m.OffHeapChanged(owner.get(), -40);
      NEAP_CHECK(false, "finding", "%s", heap.Broken().c_str());
    }));
  }

  TEST_CASE("N12, N13, N14 hold at every step of a random program, in every mode") {
    Random random;
    TinyHeap heap([](Options& options) { options.min_heap_bytes = 64 << 10; });
    Mutator& m = heap.m;
    // Every other object that is finalized is registered again.
    gc::FinalizerQueue queue(
        heap.heap(),
        [](Mutator& mutator, Handle<Object> object, void* context) {
          if (mutator.Identity(object.get()) % 2 != 0) return;
          static_cast<gc::FinalizerQueue*>(context)->Register(mutator, object.get());
        },
        &queue);
    constexpr uint64_t kSlots = 64;
    Handle<SlotArray> keep = heap.Keep(m.NewSlots(kSlots));
    for (int step = 0; step < 800; ++step) {
      CAPTURE(step);
      HandleScope scope(m);
      Word* slot = keep->slots() + random.Below(kSlots);
      Handle<Object> object = scope.New(gc::ToObject(*slot));
      const uint64_t action = random.Below(100);
      if (action < 25) {
        object.set(m.New<Node>(Node::Type()));
      } else if (action < 40) {
        object.set(Buffer::TryMake(m, random.Below(5000)));
      } else if (action < 45) {
        object.set(m.NewBytes(9000));
      } else if (action < 50) {
        object.set(nullptr);
      } else if (action < 60 && object.get() != nullptr) {
        queue.Register(m, object.get());
      } else if (action < 75 && object.get() != nullptr) {
        (void)m.Identity(object.get());
      } else if (action < 85 && object.get() != nullptr && object->type() == Buffer::Type()) {
        static_cast<Buffer*>(object.get())->Resize(m, random.Below(5000));
      } else if (action < 92) {
        heap.heap().collector().CollectAsDue(m, gc::Cause::kForced);
      } else if (action < 94) {
        heap.FullGC();
      } else if (action < 96) {
        (void)queue.Run(m, 3);
      } else if (action < 97) {
        heap.Churn(2000);
      }
      slot = keep->slots() + random.Below(kSlots);
      m.Store(keep.get(), slot, object.get());
      REQUIRE(heap.Broken() == "");
    }
    CHECK(heap.heap().majors() > 5);
    CHECK(heap.stats().finalizers_queued > 5);
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
