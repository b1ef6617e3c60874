// SPDX-License-Identifier: MIT
//
// Weak slots, weak handles and ephemerons, in both generations.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::EphemeronTable;
using gc::SlotArray;
using gc::WeakBox;
using gc::WeakHandle;
using gc::Word;

Handle<WeakBox> MakeBox(TestHeap& heap, Handle<Object> target) {
  Handle<WeakBox> box = heap.Keep(static_cast<WeakBox*>(heap.m.Allocate(WeakBox::Type())));
  heap.m.Store(box.get(), &box->target, target.get());
  return box;
}

Handle<EphemeronTable> MakeTable(TestHeap& heap, uint64_t pairs) {
  return heap.Keep(static_cast<EphemeronTable*>(heap.m.Allocate(EphemeronTable::Type(), pairs)));
}

void SetPair(TestHeap& heap, Handle<EphemeronTable> table, uint64_t i, const Object* key,
             const Object* value) {
  heap.m.Store(table.get(), table->pairs() + 2 * i, key);
  heap.m.Store(table.get(), table->pairs() + 2 * i + 1, value);
}

// What interns strings does it like this: a list, and which of its entries are young.
class ToyWeakTable final : public gc::WeakTable {
 public:
  void Add(const Object* object) { young_.push_back(gc::ToWord(object)); }
  void SettleYoung(Fates& fates) override {
    std::vector<Word> young;
    for (const Word word : young_) {
      const Word now = fates.After(word);
      if (now != 0) (fates.IsYoung(now) ? young : old_).push_back(now);
    }
    young_.swap(young);
  }
  void SettleAll(Fates& fates) override {
    std::erase_if(young_, [&](Word word) { return fates.After(word) == 0; });
    std::erase_if(old_, [&](Word word) { return fates.After(word) == 0; });
  }
  void ForEach(const std::function<void(Word, bool)>& visit) override {
    for (const Word word : young_) visit(word, true);
    for (const Word word : old_) visit(word, false);
  }
  // As if it had forgotten which entries are young.
  void Mislay() {
    old_.insert(old_.end(), young_.begin(), young_.end());
    young_.clear();
  }
  std::vector<Word> Words() const {
    std::vector<Word> words = young_;
    words.insert(words.end(), old_.begin(), old_.end());
    return words;
  }

 private:
  std::vector<Word> young_, old_;
};

Node* ValueAt(Handle<EphemeronTable> table, uint64_t i) {
  return static_cast<Node*>(gc::ToObject(table->pairs()[2 * i + 1]));
}

template <typename T>
Handle<Object> AsObject(TestHeap& heap, Handle<T> handle) {
  return heap.Keep<Object>(handle.get());
}

TEST_SUITE("gc/weak") {
  TEST_CASE("a weak slot follows a live target and is cleared when a minor finds it dead") {
    QuietHeap heap;
    Handle<Object> target = AsObject(heap, heap.MakeNode(1));
    // The handle that MakeNode left behind would keep the target: work on a fresh object.
    target.set(heap.m.New<Node>(Node::Type()));
    Handle<WeakBox> box = MakeBox(heap, target);
    heap.MinorGC();
    CHECK(box->target == gc::ToWord(target.get()));
    target.set(nullptr);
    heap.MinorGC();
    CHECK(box->target == 0);
    CHECK(heap.stats().weak_cleared == 1);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an old weak box does not keep a young target alive, and follows a live one") {
    QuietHeap heap;
    Handle<Object> target = heap.Keep<Object>(nullptr);
    Handle<WeakBox> box = MakeBox(heap, target);
    heap.MinorGC(3);
    REQUIRE_FALSE(heap.IsYoung(box.get()));
    target.set(heap.m.New<Node>(Node::Type()));
    heap.m.Store(box.get(), &box->target, target.get());
    heap.MinorGC();
    CHECK(box->target == gc::ToWord(target.get()));
    CHECK(heap.Broken() == "");
    target.set(nullptr);
    heap.MinorGC();
    CHECK(box->target == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("an old target is cleared by a major cycle only") {
    QuietHeap heap;
    Handle<Object> target = heap.Keep<Object>(heap.m.New<Node>(Node::Type()));
    Handle<WeakBox> box = MakeBox(heap, target);
    heap.MinorGC(3);
    target.set(nullptr);
    heap.MinorGC();
    CHECK(box->target != 0);
    heap.FullGC();
    CHECK(box->target == 0);
  }

  TEST_CASE("a value (a string, a boxed number) is never cleared from a weak slot") {
    QuietHeap heap;
    Handle<Object> text = heap.Keep<Object>(toy::Text::Make(heap.m, "tide"));
    Handle<WeakBox> box = MakeBox(heap, text);
    text.set(nullptr);
    heap.MinorGC(3);
    heap.FullGC();
    REQUIRE(box->target != 0);
    CHECK(static_cast<toy::Text*>(gc::ToObject(box->target))->view() == "tide");
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a weak box that is itself dead is forgotten") {
    QuietHeap heap;
    Handle<Object> target = heap.Keep<Object>(heap.m.New<Node>(Node::Type()));
    Handle<WeakBox> box = MakeBox(heap, target);
    box.set(nullptr);
    heap.MinorGC();
    target.set(nullptr);
    heap.MinorGC();
    heap.FullGC();
    CHECK(heap.stats().weak_cleared == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("100,000 weak boxes: the live half follows, the dead half is cleared") {
    TinyHeap heap;
    const bool stress = heap.heap().options().debug.stress_alloc != 0;
    const uint64_t boxes = stress ? 200 : 100000;
    Handle<SlotArray> all = heap.Keep(heap.m.NewSlots(boxes));
    Handle<SlotArray> targets = heap.Keep(heap.m.NewSlots(boxes));
    for (uint64_t i = 0; i < boxes; ++i) {
      HandleScope scope(heap.m);
      Handle<Node> node = scope.New(heap.m.New<Node>(Node::Type()));
      node->key = static_cast<int64_t>(i);
      auto* box = static_cast<WeakBox*>(heap.m.Allocate(WeakBox::Type()));
      heap.m.Store(box, &box->target, node.get());
      heap.m.Store(all.get(), all->slots() + i, box);
      if (i % 2 == 0) heap.m.Store(targets.get(), targets->slots() + i, node.get());
    }
    heap.FullGC();
    for (uint64_t i = 0; i < boxes; ++i) {
      const auto* box = static_cast<WeakBox*>(gc::ToObject(all->slots()[i]));
      REQUIRE((box->target != 0) == (i % 2 == 0));
      if (i % 2 == 0) {
        REQUIRE(static_cast<Node*>(gc::ToObject(box->target))->key == static_cast<int64_t>(i));
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a weak handle is empty from the collection on that found its target dead") {
    QuietHeap heap;
    Handle<Object> target = heap.Keep<Object>(heap.m.New<Node>(Node::Type()));
    WeakHandle weak(heap.m, target.get());
    WeakHandle other = std::move(weak);
    CHECK(weak.get() == nullptr);
    heap.MinorGC();
    CHECK(other.get() == target.get());
    target.set(nullptr);
    CHECK(other.get() != nullptr);
    heap.MinorGC();
    CHECK(other.get() == nullptr);
    other.Reset();
    CHECK(heap.Broken() == "");
  }
}

TEST_SUITE("gc/ephemeron") {
  TEST_CASE("a value lives exactly as long as its key") {
    QuietHeap heap;
    Handle<Object> key = heap.Keep<Object>(heap.m.New<Node>(Node::Type()));
    Handle<EphemeronTable> table = MakeTable(heap, 4);
    Node* value = heap.m.New<Node>(Node::Type());
    value->key = 5;
    SetPair(heap, table, 2, key.get(), value);
    heap.MinorGC();
    CHECK(table->pairs()[4] == gc::ToWord(key.get()));
    CHECK(ValueAt(table, 2)->key == 5);
    heap.MinorGC(2);
    heap.FullGC();
    CHECK(ValueAt(table, 2)->key == 5);
    CHECK(heap.Broken() == "");
    key.set(nullptr);
    heap.FullGC();
    CHECK(table->pairs()[4] == 0);
    CHECK(table->pairs()[5] == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE(
      "what an ephemeron's value holds is copied with it, whichever way the key was reached") {
    // A value that is found in the fixpoint was once scanned as if it were a table of the fixpoint
    // itself, and what it held was left behind in from-space.
    for (const bool key_first : {true, false}) {
      CAPTURE(key_first);
      QuietHeap heap;
      Handle<Object> late = heap.Keep<Object>(nullptr);
      Handle<Object> early = heap.Keep<Object>(nullptr);
      Handle<EphemeronTable> table = MakeTable(heap, 1);
      (key_first ? early : late).set(heap.m.New<Node>(Node::Type()));
      Handle<Pair> holder = heap.Keep(heap.m.New<Pair>(Pair::Type()));
      // Reached through the holder, behind the table: when the table is met its key is not live
      // yet.
      heap.m.Store(holder.get(), holder->head.slot(), (key_first ? early : late).get());
      if (!key_first) late.set(nullptr);
      Handle<SlotArray> value = heap.Keep(heap.m.NewSlots(5));
      Handle<Node> inner = heap.MakeNode(77);
      Node* innermost = heap.m.New<Node>(Node::Type());
      innermost->key = 78;
      heap.SetLeft(inner, innermost);
      heap.m.Store(value.get(), value->slots() + 3, inner.get());
      SetPair(heap, table, 0, holder->head.get(), value.get());
      value.set(nullptr);
      inner.set(nullptr);
      for (int round = 0; round < 3; ++round) {
        heap.MinorGC();
        REQUIRE(heap.Broken() == "");
        auto* found = static_cast<SlotArray*>(gc::ToObject(table->pairs()[1]));
        const Node* node = static_cast<Node*>(gc::ToObject(found->slots()[3]));
        CHECK(node->key == 77);
        CHECK(node->left->key == 78);
      }
    }
  }

  TEST_CASE("a value that refers to its own key keeps neither alive") {
    QuietHeap heap;
    Handle<EphemeronTable> table = MakeTable(heap, 1);
    {
      HandleScope scope(heap.m);
      Handle<Node> key = scope.New(heap.m.New<Node>(Node::Type()));
      Node* value = heap.m.New<Node>(Node::Type());
      heap.m.Store(value, value->left.slot(), key.get());
      SetPair(heap, table, 0, key.get(), value);
    }
    heap.MinorGC();
    CHECK(table->pairs()[0] == 0);
    CHECK(table->pairs()[1] == 0);
  }

  TEST_CASE("an old table's young pair lives and dies at minors") {
    QuietHeap heap;
    Handle<EphemeronTable> table = MakeTable(heap, 8);
    heap.MinorGC(3);
    REQUIRE_FALSE(heap.IsYoung(table.get()));
    Handle<Object> key = heap.Keep<Object>(heap.m.New<Node>(Node::Type()));
    Node* value = heap.m.New<Node>(Node::Type());
    value->key = 8;
    SetPair(heap, table, 3, key.get(), value);
    heap.MinorGC();
    REQUIRE(table->pairs()[6] == gc::ToWord(key.get()));
    CHECK(ValueAt(table, 3)->key == 8);
    CHECK(heap.Broken() == "");
    key.set(nullptr);
    heap.MinorGC();
    CHECK(table->pairs()[6] == 0);
    CHECK(table->pairs()[7] == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE(
      "an old key keeps a young value of an old table, and an old value goes with a young key") {
    QuietHeap heap;
    Handle<EphemeronTable> table = MakeTable(heap, 2);
    Handle<Node> old_key = heap.MakeOldNode(1);
    Handle<Node> old_value = heap.MakeOldNode(2);
    while (heap.IsYoung(table.get())) heap.MinorGC();
    Node* young_value = heap.m.New<Node>(Node::Type());
    young_value->key = 3;
    SetPair(heap, table, 0, old_key.get(), young_value);
    {
      HandleScope scope(heap.m);
      Handle<Node> young_key = scope.New(heap.m.New<Node>(Node::Type()));
      SetPair(heap, table, 1, young_key.get(), old_value.get());
    }
    heap.MinorGC();
    CHECK(ValueAt(table, 0)->key == 3);
    CHECK(table->pairs()[2] == 0);
    CHECK(table->pairs()[3] == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("chains of ephemerons reach a fixpoint, in whatever order the tables are met") {
    for (const bool backwards : {false, true}) {
      for (const bool old_tables : {false, true}) {
        CAPTURE(backwards);
        CAPTURE(old_tables);
        QuietHeap heap;
        constexpr uint64_t kLinks = 1000;
        Handle<SlotArray> tables = heap.Keep(heap.m.NewSlots(kLinks));
        for (uint64_t i = 0; i < kLinks; ++i) {
          Object* table = heap.m.Allocate(EphemeronTable::Type(), 1);
          heap.m.Store(tables.get(), tables->slots() + i, table);
        }
        if (old_tables) heap.MinorGC(3);
        // Key i leads to key i+1 through table i, or through table kLinks-1-i.
        Handle<Node> first = heap.MakeNode(0);
        {
          HandleScope scope(heap.m);
          Handle<Node> key = scope.New(first.get());
          for (uint64_t i = 0; i < kLinks; ++i) {
            Node* next = heap.m.New<Node>(Node::Type());
            next->key = static_cast<int64_t>(i + 1);
            auto* table = static_cast<EphemeronTable*>(
                gc::ToObject(tables->slots()[backwards ? kLinks - 1 - i : i]));
            heap.m.Store(table, table->pairs(), key.get());
            heap.m.Store(table, table->pairs() + 1, next);
            key.set(next);
          }
        }
        for (int round = 0; round < 3; ++round) {
          round == 1 ? heap.FullGC() : heap.MinorGC();
          for (uint64_t i = 0; i < kLinks; ++i) {
            auto* table = static_cast<EphemeronTable*>(
                gc::ToObject(tables->slots()[backwards ? kLinks - 1 - i : i]));
            REQUIRE(table->pairs()[1] != 0);
            REQUIRE(static_cast<Node*>(gc::ToObject(table->pairs()[1]))->key ==
                    static_cast<int64_t>(i + 1));
          }
          REQUIRE(heap.Broken() == "");
        }
        first.set(nullptr);
        heap.FullGC();
        for (uint64_t i = 0; i < kLinks; ++i) {
          auto* table = static_cast<EphemeronTable*>(gc::ToObject(tables->slots()[i]));
          REQUIRE(table->pairs()[0] == 0);
        }
      }
    }
  }

  TEST_CASE("a key that is a value never dies, and its pair stays") {
    QuietHeap heap;
    Handle<EphemeronTable> table = MakeTable(heap, 1);
    {
      HandleScope scope(heap.m);
      Handle<toy::Text> text = scope.New(toy::Text::Make(heap.m, "key"));
      Node* value = heap.m.New<Node>(Node::Type());
      value->key = 6;
      SetPair(heap, table, 0, text.get(), value);
    }
    heap.MinorGC(3);
    heap.FullGC();
    REQUIRE(table->pairs()[0] != 0);
    CHECK(static_cast<toy::Text*>(gc::ToObject(table->pairs()[0]))->view() == "key");
    CHECK(ValueAt(table, 0)->key == 6);
  }

  TEST_CASE("numbers as keys are data: their pair is strong") {
    QuietHeap heap;
    Handle<EphemeronTable> table = MakeTable(heap, 1);
    Node* value = heap.m.New<Node>(Node::Type());
    value->key = 7;
    heap.m.Store(table.get(), table->pairs(), Word{12345});
    heap.m.Store(table.get(), table->pairs() + 1, value);
    heap.MinorGC(3);
    heap.FullGC();
    CHECK(table->pairs()[0] == 12345);
    CHECK(ValueAt(table, 0)->key == 7);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a weak table follows its objects, forgets the dead, and is verified") {
    TinyHeap heap;
    ToyWeakTable table;
    heap.heap().AddWeakTable(&table);
    Handle<Node> kept = heap.MakeNode(1);
    table.Add(kept.get());
    Handle<Node> brief = heap.MakeNode(2);
    table.Add(brief.get());
    brief.set(nullptr);
    Handle<Node> later = heap.MakeNode(3);
    table.Add(later.get());
    heap.MinorGC();
    CHECK(heap.Broken() == "");
    const std::vector<Word> words = table.Words();  // the young ones first, if stress left any
    CHECK(words.size() == 2);
    CHECK(std::ranges::count(words, gc::ToWord(kept.get())) == 1);
    heap.MinorGC(2);  // both are old now
    later.set(nullptr);
    heap.MinorGC();
    CHECK(table.Words().size() == 2);
    heap.FullGC();
    REQUIRE(table.Words().size() == 1);
    CHECK(table.Words()[0] == gc::ToWord(kept.get()));
    CHECK(heap.Broken() == "");
    table.Add(heap.m.New<Node>(Node::Type()));
    table.Mislay();
    CHECK(heap.Broken().substr(0, 4) == "N15:");
    heap.heap().RemoveWeakTable(&table);
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
