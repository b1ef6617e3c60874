// SPDX-License-Identifier: MIT
//
// The vocabulary of the heap's tests: a heap, the one mutator of the test's thread, a scope, and a
// dozen words.
//
//   TinyHeap heap;                                   // 4 KiB nursery, stressed as NEAP_DEBUG says
//   Handle<Node> list = heap.MakeList(100);
//   heap.MinorGC();
//   CHECK(heap.ListIs(list, 100));
//
// Two presets. A TinyHeap obeys NEAP_DEBUG, so the same test is repeated with a collection at every
// allocation, without room to evacuate, and so on: it says what must hold in every mode. A
// QuietHeap collects only when told (roomy nursery, pacer off, stress switches off; verification
// and poisoning are still obeyed): it is for sentences about one collection, such as ages and
// counts.
#ifndef NEAP_TESTS_SUPPORT_HEAP_FIXTURE_H_
#define NEAP_TESTS_SUPPORT_HEAP_FIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "neap/gc/finalizer.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/gc/options.h"
#include "neap/runtime/check.h"
#include "support/toy_objects.h"

namespace neap::testing {

using gc::Handle;
using gc::HandleScope;
using gc::Object;
using toy::Node;
using toy::Pair;

// NEAP_DEBUG over the defaults.
inline DebugSwitches SwitchesFromEnvironment() {
  const auto switches = DebugSwitchesFromEnvironment();
  NEAP_CHECK(switches.ok(), "NEAP_DEBUG is well formed");
  return *switches;
}

inline gc::Options TinyOptions() {
  gc::Options options;
  options.nursery = gc::Options::Nursery::kFixed;
  options.nursery_bytes = 4 << 10;
  options.min_heap_bytes = 64 << 10;
  options.reserve_bytes = size_t{2} << 30;
  options.huge_pages = false;
  options.procs = 1;
  options.debug = SwitchesFromEnvironment();
  return options;
}

inline gc::Options QuietOptions() {
  gc::Options options = TinyOptions();
  options.nursery_bytes = 1 << 20;
  options.gogc = gc::Options::kGogcOff;
  options.in_place = false;
  options.periodic_major_s = 0;
  const DebugSwitches asked = options.debug;
  options.debug = DebugSwitches{};
  options.debug.verify = asked.verify;
  options.debug.poison = asked.poison;
  options.debug.rotate = asked.rotate;
  return options;
}

class TestHeap {
 public:
  explicit TestHeap(const gc::Options& options) : heap_(options), m(heap_), scope(m) {}

  gc::Heap& heap() { return heap_; }
  gc::Stats stats() const { return heap_.Snapshot(); }

  void MinorGC() { heap_.CollectMinor(m); }
  void MinorGC(int times) {
    for (int i = 0; i < times; ++i) heap_.CollectMinor(m);
  }
  void FullGC() { heap_.Collect(m); }
  bool IsYoung(const Object* object) const { return heap_.IsYoung(object); }
  // Empty when the heap is sound, otherwise the verifier's sentence.
  std::string Broken() {
    const absl::Status status = heap_.Verify(m);
    return status.ok() ? std::string() : std::string(status.message());
  }

  template <typename T>
  Handle<T> Keep(T* object) {
    return scope.New(object);
  }
  Handle<Node> MakeNode(int64_t key) {
    Handle<Node> node = scope.New(m.New<Node>(Node::Type()));
    node->key = key;
    return node;
  }
  // A node that has become old; everything else young in the heap ages with it.
  Handle<Node> MakeOldNode(int64_t key) {
    Handle<Node> node = MakeNode(key);
    FullGC();
    while (IsYoung(node.get())) FullGC();
    return node;
  }
  template <typename T>
  void SetLeft(Handle<Node> holder, T* value) {
    m.Store(holder.get(), holder->left.slot(), value);
  }

  // Nodes 0 .. n-1 linked through `left`; the head has key 0.
  Handle<Node> MakeList(int64_t n) {
    Handle<Node> head = scope.New<Node>(nullptr);
    for (int64_t key = n - 1; key >= 0; --key) {
      Node* node = m.New<Node>(Node::Type());
      node->key = key;
      m.Store(node, node->left.slot(), head.get());
      head.set(node);
    }
    return head;
  }
  static bool ListIs(Handle<Node> head, int64_t n) {
    int64_t key = 0;
    for (const Node* node = head.get(); node != nullptr; node = node->left.get()) {
      if (node->key != key++) return false;
    }
    return key == n;
  }

  // A full binary tree; a leaf has depth 0, the key is the depth.
  Handle<Node> MakeTree(int depth) {
    Handle<Node> root = scope.New<Node>(nullptr);
    {
      HandleScope inner(m);
      Handle<Node> left = inner.New<Node>(depth > 0 ? MakeTreeRaw(depth - 1) : nullptr);
      Handle<Node> right = inner.New<Node>(depth > 0 ? MakeTreeRaw(depth - 1) : nullptr);
      root.set(JoinTree(depth, left, right));
    }
    return root;
  }
  static bool TreeIs(const Node* root, int depth) {
    if (root->key != depth) return false;
    if (depth == 0) return root->left.get() == nullptr && root->right.get() == nullptr;
    return TreeIs(root->left.get(), depth - 1) && TreeIs(root->right.get(), depth - 1);
  }

  // Allocates about `bytes` of nodes that die at once.
  void Churn(size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(Node); ++i) m.New<Node>(Node::Type());
  }

 private:
  Node* MakeTreeRaw(int depth) {
    HandleScope inner(m);
    Handle<Node> left = inner.New<Node>(depth > 0 ? MakeTreeRaw(depth - 1) : nullptr);
    Handle<Node> right = inner.New<Node>(depth > 0 ? MakeTreeRaw(depth - 1) : nullptr);
    return JoinTree(depth, left, right);
  }
  Node* JoinTree(int depth, Handle<Node> left, Handle<Node> right) {
    Node* node = m.New<Node>(Node::Type());
    node->key = depth;
    m.Store(node, node->left.slot(), left.get());
    m.Store(node, node->right.slot(), right.get());
    return node;
  }

  gc::Heap heap_;

 public:
  gc::Mutator m;
  HandleScope scope;
};

class TinyHeap : public TestHeap {
 public:
  explicit TinyHeap(const std::function<void(gc::Options&)>& change = nullptr)
      : TestHeap(Changed(TinyOptions(), change)) {}

 private:
  friend class QuietHeap;
  static gc::Options Changed(gc::Options options, const std::function<void(gc::Options&)>& change) {
    if (change) change(options);
    return options;
  }
};

class QuietHeap : public TestHeap {
 public:
  explicit QuietHeap(const std::function<void(gc::Options&)>& change = nullptr)
      : TestHeap(TinyHeap::Changed(QuietOptions(), change)) {}
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_HEAP_FIXTURE_H_
