// SPDX-License-Identifier: MIT
//
// Handles, scopes, borders and global handles, and what their misuse gets.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/dies_with.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::GlobalHandle;

TEST_SUITE("gc/handle") {
  TEST_CASE("a scope's handles are roots while it is open, and no longer") {
    QuietHeap heap;
    gc::WeakHandle weak;
    {
      HandleScope scope(heap.m);
      Handle<Node> node = scope.New(heap.m.New<Node>(Node::Type()));
      weak = gc::WeakHandle(heap.m, node.get());
      heap.MinorGC(2);
      heap.FullGC();
      CHECK(weak.get() == node.get());
    }
    heap.FullGC();
    CHECK(weak.get() == nullptr);
  }

  TEST_CASE("a handle may hold null and be set to another object") {
    TinyHeap heap;
    Handle<Node> handle = heap.Keep<Node>(nullptr);
    heap.MinorGC();
    CHECK(handle.get() == nullptr);
    Handle<Node> other = heap.MakeNode(5);
    handle.set(other.get());
    heap.FullGC();
    CHECK(handle.get() == other.get());
    CHECK(handle->key == 5);
  }

  TEST_CASE("H1: a handle whose scope is closed is a failed check") {
    QuietHeap heap;
    Handle<Node> leaked;
    {
      HandleScope scope(heap.m);
      leaked = scope.New(heap.m.New<Node>(Node::Type()));
    }
    CHECK_THROWS_WITH_AS(leaked.get(), doctest::Contains("H1"), CheckFailure);
  }

  TEST_CASE("nested scopes close in reverse order and leave the outer handles alone") {
    TinyHeap heap;
    Handle<Node> outer = heap.MakeNode(1);
    for (int i = 0; i < 100; ++i) {
      HandleScope middle(heap.m);
      Handle<Node> a = middle.New(heap.m.New<Node>(Node::Type()));
      a->key = 2;
      {
        HandleScope inner(heap.m);
        Handle<Node> b = inner.New(heap.m.New<Node>(Node::Type()));
        b->key = 3;
        heap.MinorGC();
        CHECK(b->key == 3);
      }
      CHECK(a->key == 2);
      CHECK(outer->key == 1);
    }
  }

  TEST_CASE("100,000 handles in one scope are all updated") {
    TinyHeap heap;
    const int64_t count = heap.heap().options().debug.stress_alloc != 0 ? 300 : 100000;
    HandleScope scope(heap.m);
    std::vector<Handle<Node>> handles;
    for (int64_t i = 0; i < count; ++i) {
      handles.push_back(scope.New(heap.m.New<Node>(Node::Type())));
      handles.back()->key = i;
    }
    heap.FullGC();
    for (int64_t i = 0; i < count; ++i) {
      REQUIRE(handles[static_cast<size_t>(i)]->key == i);
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a border restores handle, pin and no-safepoint heights whatever happened inside") {
    QuietHeap heap;
    const gc::Mutator::Heights saved = heap.m.SaveHeights();
    // A protected call that is left by longjmp runs no destructor: these objects are never
    // destroyed.
    alignas(HandleScope) unsigned char scope_memory[sizeof(HandleScope)];
    alignas(gc::Pin<Node>) unsigned char pin_memory[sizeof(gc::Pin<Node>)];
    auto* scope = new (scope_memory) HandleScope(heap.m);
    Handle<Node> leaked = scope->New(heap.m.New<Node>(Node::Type()));
    new (pin_memory) gc::Pin<Node>(heap.m, leaked.get());
    CHECK(heap.m.SaveHeights().handles == saved.handles + 1);
    CHECK(heap.m.SaveHeights().pins == saved.pins + 1);
    heap.m.RestoreHeights(saved);
    CHECK(heap.m.SaveHeights().handles == saved.handles);
    CHECK(heap.m.SaveHeights().pins == saved.pins);
    CHECK(heap.m.SaveHeights().no_safepoint == saved.no_safepoint);
    CHECK_THROWS_WITH_AS(leaked.get(), doctest::Contains("H1"), CheckFailure);
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
  }

  TEST_CASE("a global handle outlives scopes, is moved, set and reset") {
    QuietHeap heap;
    GlobalHandle global;
    CHECK(global.get() == nullptr);
    {
      HandleScope scope(heap.m);
      Handle<Node> node = scope.New(heap.m.New<Node>(Node::Type()));
      node->key = 9;
      global = GlobalHandle(heap.m, node.get());
    }
    heap.MinorGC();
    heap.FullGC();
    REQUIRE(global.get() != nullptr);
    CHECK(global.as<Node>()->key == 9);
    GlobalHandle moved = std::move(global);
    CHECK(global.get() == nullptr);
    CHECK(moved.as<Node>()->key == 9);
    moved.set(nullptr);
    heap.FullGC();
    CHECK(heap.stats().marked_bytes == 0);
    moved.Reset();
    CHECK(moved.get() == nullptr);
  }

  TEST_CASE("global and weak handles come and go in any order") {
    TinyHeap heap;
    std::vector<std::unique_ptr<GlobalHandle>> globals(500);
    std::vector<std::unique_ptr<gc::WeakHandle>> weaks(500);
    const size_t steps = heap.heap().options().debug.stress_alloc != 0 ? 500 : 5000;
    for (size_t i = 0; i < steps; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = static_cast<int64_t>(i);
      globals[i * 7 % 500] = std::make_unique<GlobalHandle>(heap.m, node);
      weaks[i * 11 % 500] = std::make_unique<gc::WeakHandle>(heap.m, node);
      if (i % 3 == 0) globals[i * 13 % 500].reset();
      if (i % 5 == 0) weaks[i * 17 % 500].reset();
    }
    heap.FullGC();
    for (const auto& global : globals) {
      if (global != nullptr) REQUIRE(global->as<Node>()->key < static_cast<int64_t>(steps));
    }
    for (const auto& weak : weaks) {
      if (weak != nullptr && weak->get() != nullptr) {
        REQUIRE(weak->get()->type() == Node::Type());
      }
    }
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("two heaps in one process know nothing of each other") {
    TinyHeap a;
    TinyHeap b;
    Handle<Node> in_a = a.MakeList(100);
    Handle<Node> in_b = b.MakeList(50);
    CHECK(a.heap().Contains(in_a.get()));
    CHECK_FALSE(a.heap().Contains(in_b.get()));
    a.FullGC();
    b.MinorGC();
    a.Churn(64 << 10);
    b.FullGC();
    CHECK(a.ListIs(in_a, 100));
    CHECK(b.ListIs(in_b, 50));
    CHECK(a.Broken() == "");
    CHECK(b.Broken() == "");
  }

#ifndef NDEBUG
  TEST_CASE("a safepoint inside a no-safepoint scope is a failed check") {
    QuietHeap heap;
    CHECK(DiesWith("safepoint", [&] {
      gc::NoSafepointScope none(heap.m);
      heap.MinorGC();
    }));
  }

  TEST_CASE("H2: pins released out of order are a failed check") {
    QuietHeap heap;
    Handle<Node> a = heap.MakeNode(1);
    Handle<Node> b = heap.MakeNode(2);
    CHECK(DiesWith("H2", [&] {
      std::optional<gc::Pin<Node>> first;
      std::optional<gc::Pin<Node>> second;
      first.emplace(heap.m, a.get());
      second.emplace(heap.m, b.get());
      first.reset();
    }));
  }
#endif
}

}  // namespace
}  // namespace neap::testing
