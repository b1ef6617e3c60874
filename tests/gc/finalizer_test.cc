// SPDX-License-Identifier: MIT
//
// Finalizers: when an object is queued, in which order they run, what they may do, and how they
// meet weak slots.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::FinalizerQueue;
using gc::GlobalHandle;
using gc::Mutator;
using gc::WeakBox;

// A queue that writes down the keys of the nodes it finalizes.
struct Recorder {
  explicit Recorder(TestHeap& heap) : queue(heap.heap(), &Recorder::Finalize, this) {}

  static void Finalize(Mutator& m, Handle<Object> object, void* context) {
    Recorder* self = static_cast<Recorder*>(context);
    Node* node = static_cast<Node*>(object.get());
    self->keys.push_back(node->key);
    if (node->left.get() != nullptr) self->left_keys.push_back(node->left->key);
    if (self->throws) throw std::runtime_error("finalizer");
    if (self->allocates) {
      for (int i = 0; i < 1000; ++i) m.New<Node>(Node::Type());
    }
    if (self->again) self->queue.Register(m, object.get());
    if (self->keep) self->kept = GlobalHandle(m, object.get());
    if (self->nested) self->ran_inside += self->queue.Run(m);
  }

  std::vector<int64_t> keys;
  std::vector<int64_t> left_keys;
  bool throws = false;
  bool allocates = false;
  bool again = false;
  bool keep = false;
  bool nested = false;
  size_t ran_inside = 0;
  GlobalHandle kept;
  FinalizerQueue queue;
};

// A registered node that nothing holds.
void Abandon(TestHeap& heap, Recorder& recorder, int64_t key) {
  Node* node = heap.m.New<Node>(Node::Type());
  node->key = key;
  recorder.queue.Register(heap.m, node);
}

TEST_SUITE("gc/finalizer") {
  TEST_CASE("finalizers run in reverse order of registration, only when Run is called") {
    QuietHeap heap;
    Recorder recorder(heap);
    for (int64_t key = 1; key <= 5; ++key) Abandon(heap, recorder, key);
    CHECK(recorder.queue.pending() == 0);
    heap.MinorGC();
    CHECK(recorder.queue.pending() == 5);
    CHECK(recorder.keys.empty());
    CHECK(recorder.queue.Run(heap.m) == 5);
    CHECK(recorder.keys == std::vector<int64_t>{5, 4, 3, 2, 1});
    CHECK(recorder.queue.pending() == 0);
    heap.FullGC();
    CHECK(recorder.queue.pending() == 0);
    CHECK(heap.stats().finalizers_queued == 5);
    CHECK(heap.stats().marked_bytes == 0);
  }

  TEST_CASE("a reachable object is not queued, at any age") {
    QuietHeap heap;
    Recorder recorder(heap);
    Handle<Node> node = heap.MakeNode(1);
    recorder.queue.Register(heap.m, node.get());
    for (int i = 0; i < 4; ++i) heap.MinorGC();
    heap.FullGC();
    CHECK(recorder.queue.pending() == 0);
    node.set(nullptr);
    heap.MinorGC();
    CHECK(recorder.queue.pending() == 0);
    heap.FullGC();
    CHECK(recorder.queue.pending() == 1);
    recorder.queue.Run(heap.m);
    CHECK(recorder.keys == std::vector<int64_t>{1});
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("order holds across ages: an old registration and a young one die together") {
    QuietHeap heap;
    Recorder recorder(heap);
    Handle<Node> old = heap.MakeOldNode(1);
    recorder.queue.Register(heap.m, old.get());
    Abandon(heap, recorder, 2);
    old.set(nullptr);
    heap.FullGC();
    CHECK(recorder.queue.Run(heap.m) == 2);
    CHECK(recorder.keys == std::vector<int64_t>{2, 1});
  }

  TEST_CASE("order is that of registration, not of the moments at which the objects became old") {
    for (const bool all : {false, true}) {
      CAPTURE(all);
      QuietHeap heap;
      Recorder recorder(heap);
      Handle<Node> old = heap.MakeOldNode(2);
      Handle<Node> first = heap.Keep(heap.m.New<Node>(Node::Type()));
      first->key = 1;
      recorder.queue.Register(heap.m, first.get());
      recorder.queue.Register(heap.m, old.get());
      heap.MinorGC();
      heap.MinorGC();
      REQUIRE_FALSE(heap.IsYoung(first.get()));
      first.set(nullptr);
      old.set(nullptr);
      if (all) {
        recorder.queue.QueueAll(heap.m);
      } else {
        heap.FullGC();
      }
      CHECK(recorder.queue.Run(heap.m) == 2);
      CHECK(recorder.keys == std::vector<int64_t>{2, 1});
    }
  }

  TEST_CASE("what a pending object reaches lives on with it, through moves, until it ran") {
    QuietHeap heap;
    Recorder recorder(heap);
    {
      HandleScope scope(heap.m);
      Handle<Node> node = scope.New(heap.m.New<Node>(Node::Type()));
      node->key = 1;
      Node* child = heap.m.New<Node>(Node::Type());
      child->key = 11;
      heap.m.Store(node.get(), node->left.slot(), child);
      recorder.queue.Register(heap.m, node.get());
    }
    heap.MinorGC(3);
    heap.FullGC();
    CHECK(heap.Broken() == "");
    CHECK(recorder.queue.Run(heap.m) == 1);
    CHECK(recorder.left_keys == std::vector<int64_t>{11});
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
  }

  TEST_CASE("an object may be registered again from its own finalizer and runs once each time") {
    QuietHeap heap;
    Recorder recorder(heap);
    recorder.again = true;
    Abandon(heap, recorder, 7);
    for (size_t round = 1; round <= 4; ++round) {
      heap.FullGC();
      CHECK(recorder.queue.Run(heap.m) == 1);
      CHECK(recorder.keys.size() == round);
    }
    recorder.again = false;
    heap.FullGC();
    CHECK(recorder.queue.Run(heap.m) == 1);
    heap.FullGC();
    CHECK(recorder.queue.pending() == 0);
    CHECK(recorder.keys.size() == 5);
  }

  TEST_CASE("a resurrected object is an ordinary object again, without a finalizer") {
    QuietHeap heap;
    Recorder recorder(heap);
    recorder.keep = true;
    Abandon(heap, recorder, 3);
    heap.MinorGC();
    recorder.queue.Run(heap.m);
    heap.MinorGC(3);
    heap.FullGC();
    REQUIRE(recorder.kept.get() != nullptr);
    CHECK(recorder.kept.as<Node>()->key == 3);
    recorder.kept.Reset();
    heap.FullGC();
    CHECK(recorder.queue.pending() == 0);
    CHECK(heap.stats().marked_bytes == 0);
  }

  TEST_CASE("weak slots before finalizers are cleared first; those after keep the resurrected") {
    QuietHeap heap;
    Recorder recorder(heap);
    Handle<WeakBox> before = heap.Keep(static_cast<WeakBox*>(heap.m.Allocate(WeakBox::Type())));
    Handle<toy::WeakKeyBox> after =
        heap.Keep(static_cast<toy::WeakKeyBox*>(heap.m.Allocate(toy::WeakKeyBox::Type())));
    Node* node = heap.m.New<Node>(Node::Type());
    node->key = 4;
    heap.m.Store(before.get(), &before->target, node);
    heap.m.Store(after.get(), &after->target, node);
    recorder.queue.Register(heap.m, node);
    heap.MinorGC();
    CHECK(recorder.queue.pending() == 1);
    CHECK(before->target == 0);
    REQUIRE(after->target != 0);
    CHECK(static_cast<Node*>(gc::ToObject(after->target))->key == 4);
    CHECK(heap.Broken() == "");
    recorder.queue.Run(heap.m);
    heap.FullGC();
    CHECK(after->target == 0);
  }

  TEST_CASE("an ephemeron whose key is resurrected keeps its value until the key is gone") {
    QuietHeap heap;
    Recorder recorder(heap);
    auto table =
        heap.Keep(static_cast<gc::EphemeronTable*>(heap.m.Allocate(gc::EphemeronTable::Type(), 1)));
    {
      HandleScope scope(heap.m);
      Handle<Node> key = scope.New(heap.m.New<Node>(Node::Type()));
      key->key = 1;
      Node* value = heap.m.New<Node>(Node::Type());
      value->key = 2;
      heap.m.Store(table.get(), table->pairs(), key.get());
      heap.m.Store(table.get(), table->pairs() + 1, value);
      recorder.queue.Register(heap.m, key.get());
    }
    heap.MinorGC();
    REQUIRE(table->pairs()[0] != 0);
    CHECK(static_cast<Node*>(gc::ToObject(table->pairs()[1]))->key == 2);
    CHECK(heap.Broken() == "");
    recorder.queue.Run(heap.m);
    heap.FullGC();
    CHECK(table->pairs()[0] == 0);
    CHECK(table->pairs()[1] == 0);
  }

  TEST_CASE("a finalizer may allocate and collect") {
    TinyHeap heap;
    Recorder recorder(heap);
    recorder.allocates = true;
    for (int64_t key = 0; key < 20; ++key) Abandon(heap, recorder, key);
    heap.FullGC();
    size_t ran = 0;
    while (recorder.queue.pending() > 0) ran += recorder.queue.Run(heap.m);
    CHECK(ran == recorder.keys.size());
    CHECK(recorder.keys.size() == 20);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("Run inside a finalizer runs nothing") {
    QuietHeap heap;
    Recorder recorder(heap);
    recorder.nested = true;
    for (int64_t key = 0; key < 3; ++key) Abandon(heap, recorder, key);
    heap.MinorGC();
    CHECK(recorder.queue.Run(heap.m) == 3);
    CHECK(recorder.ran_inside == 0);
    CHECK(recorder.keys.size() == 3);
  }

  TEST_CASE("an exception passes through and leaves the rest pending") {
    QuietHeap heap;
    Recorder recorder(heap);
    for (int64_t key = 1; key <= 3; ++key) Abandon(heap, recorder, key);
    heap.MinorGC();
    recorder.throws = true;
    CHECK_THROWS_AS(recorder.queue.Run(heap.m), std::runtime_error);
    CHECK(recorder.keys == std::vector<int64_t>{3});
    CHECK(recorder.queue.pending() == 2);
    recorder.throws = false;
    CHECK(recorder.queue.Run(heap.m) == 2);
    CHECK(recorder.keys == std::vector<int64_t>{3, 2, 1});
  }

  TEST_CASE("Run(max) runs at most that many") {
    QuietHeap heap;
    Recorder recorder(heap);
    for (int64_t key = 1; key <= 10; ++key) Abandon(heap, recorder, key);
    heap.MinorGC();
    CHECK(recorder.queue.Run(heap.m, 4) == 4);
    CHECK(recorder.queue.pending() == 6);
    heap.FullGC();
    CHECK(recorder.queue.Run(heap.m) == 6);
    CHECK(recorder.keys == std::vector<int64_t>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  }

  TEST_CASE("QueueAll queues the reachable too, as a closing machine needs it") {
    QuietHeap heap;
    Recorder recorder(heap);
    Handle<Node> node = heap.MakeNode(1);
    recorder.queue.Register(heap.m, node.get());
    Abandon(heap, recorder, 2);
    recorder.queue.QueueAll(heap.m);
    CHECK(recorder.queue.pending() == 2);
    CHECK(recorder.queue.Run(heap.m) == 2);
    CHECK(recorder.keys == std::vector<int64_t>{2, 1});
    CHECK(node->key == 1);
  }

  TEST_CASE("a queue that is destroyed forgets what was registered and pending") {
    QuietHeap heap;
    {
      Recorder recorder(heap);
      Abandon(heap, recorder, 1);
      heap.MinorGC();
      Abandon(heap, recorder, 2);
      CHECK(recorder.queue.pending() == 1);
    }
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("with nursery=off the same order and resurrection hold") {
    QuietHeap heap([](gc::Options& options) { options.nursery = gc::Options::Nursery::kOff; });
    Recorder recorder(heap);
    for (int64_t key = 1; key <= 3; ++key) Abandon(heap, recorder, key);
    heap.FullGC();
    CHECK(recorder.queue.Run(heap.m) == 3);
    CHECK(recorder.keys == std::vector<int64_t>{3, 2, 1});
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
  }

  TEST_CASE("a queue for major cycles keeps what a minor finds dead, with all it holds") {
    QuietHeap heap;
    Recorder recorder(heap);
    recorder.queue.SetOnlyAtMajors(true);
    {
      HandleScope inner(heap.m);
      Handle<Node> held = inner.New(heap.m.New<Node>(Node::Type()));
      held->key = 20;
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = 2;
      heap.m.Store(node, node->left.slot(), held.get());
      recorder.queue.Register(heap.m, node);
    }
    Abandon(heap, recorder, 1);
    for (int i = 0; i < 4; ++i) {
      heap.MinorGC();
      CHECK(recorder.queue.pending() == 0);
      CHECK(heap.Broken() == "");
    }
    heap.FullGC();
    CHECK(recorder.queue.Run(heap.m) == 2);
    CHECK(recorder.keys == std::vector<int64_t>{1, 2});
    CHECK(recorder.left_keys == std::vector<int64_t>{20});
    recorder.queue.SetOnlyAtMajors(false);
    Abandon(heap, recorder, 3);
    heap.MinorGC();
    CHECK(recorder.queue.pending() == 1);
  }

  TEST_CASE("an object that was registered again is finalized once where the queue wants that") {
    QuietHeap heap;
    Recorder twice(heap), once(heap);
    once.queue.SetOnce(true);
    for (Recorder* recorder : {&twice, &once}) {
      HandleScope inner(heap.m);
      Handle<Node> first = inner.New(heap.m.New<Node>(Node::Type()));
      first->key = 1;
      recorder->queue.Register(heap.m, first.get());
      Abandon(heap, *recorder, 2);
      recorder->queue.Register(heap.m, first.get());
    }
    heap.MinorGC();
    twice.queue.Run(heap.m);
    once.queue.Run(heap.m);
    CHECK(twice.keys == std::vector<int64_t>{1, 2, 1});
    CHECK(once.keys == std::vector<int64_t>{2, 1});  // 1 was registered first, so it comes last
  }
}

}  // namespace
}  // namespace neap::testing
