// SPDX-License-Identifier: MIT
//
// The walk over the graph of the heap: against what the test built, and against the verifier's
// independent traversal.
#include "neap/gc/heap_walk.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::EdgeKind;
using gc::EphemeronTable;
using gc::HeapEdge;
using gc::WeakBox;

class Graph final : public gc::HeapVisitor {
 public:
  void VisitObject(Object* object, size_t bytes) override {
    CHECK(objects.emplace(object, bytes).second);
  }
  void VisitEdge(const HeapEdge& edge) override {
    if (edge.from != nullptr && edge.kind == EdgeKind::kStrong) CHECK(objects.contains(edge.from));
    edges.emplace(std::pair(edge.from, edge.to), edge.kind);
  }
  size_t Count(const Object* from, const Object* to, EdgeKind kind) const {
    size_t count = 0;
    const auto [begin, end] = edges.equal_range({from, to});
    for (auto it = begin; it != end; ++it) count += it->second == kind;
    return count;
  }
  std::map<const Object*, size_t> objects;
  std::multimap<std::pair<const Object*, const Object*>, EdgeKind> edges;
};

TEST_SUITE("gc/heap_walk") {
  TEST_CASE("the walk reports each reachable object once, and each reference") {
    TinyHeap heap;
    Handle<Node> list = heap.MakeList(3);
    heap.m.Store(list->left.get(), list->left->right.slot(), list.get());
    Graph graph;
    gc::WalkHeap(heap.m, graph);
    CHECK(graph.objects.size() == 3);
    CHECK(graph.objects.at(list.get()) == sizeof(Node));
    CHECK(graph.Count(nullptr, list.get(), EdgeKind::kStrong) == 1);
    CHECK(graph.Count(list.get(), list->left.get(), EdgeKind::kStrong) == 1);
    CHECK(graph.Count(list->left.get(), list.get(), EdgeKind::kStrong) == 1);
    CHECK(graph.Count(list.get(), nullptr, EdgeKind::kStrong) == 0);
  }

  TEST_CASE("a weak reference is an edge only while others keep its target") {
    QuietHeap heap;
    Handle<Node> node = heap.MakeNode(1);
    Handle<WeakBox> box = heap.Keep(static_cast<WeakBox*>(heap.m.Allocate(WeakBox::Type())));
    heap.m.Store(box.get(), &box->target, node.get());
    Graph with;
    gc::WalkHeap(heap.m, with);
    CHECK(with.Count(box.get(), node.get(), EdgeKind::kWeak) == 1);
    CHECK(with.Count(box.get(), node.get(), EdgeKind::kStrong) == 0);
    node.set(nullptr);
    Graph without;
    gc::WalkHeap(heap.m, without);
    CHECK(without.objects.size() == 1);
    CHECK(without.edges.size() == 1);
  }

  TEST_CASE("the value of an ephemeron is held by its key, through chains of keys") {
    QuietHeap heap;
    Handle<Node> key = heap.MakeNode(1);
    Handle<Node> middle = heap.MakeNode(2);
    Handle<Node> last = heap.MakeNode(3);
    Handle<EphemeronTable> table =
        heap.Keep(static_cast<EphemeronTable*>(heap.m.Allocate(EphemeronTable::Type(), 3)));
    // In the order that needs several rounds; the third pair's key is held by nothing.
    heap.m.Store(table.get(), table->pairs() + 0, middle.get());
    heap.m.Store(table.get(), table->pairs() + 1, last.get());
    heap.m.Store(table.get(), table->pairs() + 2, key.get());
    heap.m.Store(table.get(), table->pairs() + 3, middle.get());
    const Node* const lost = heap.m.New<Node>(Node::Type());
    heap.m.Store(table.get(), table->pairs() + 4, lost);
    heap.m.Store(table.get(), table->pairs() + 5, lost);
    middle.set(nullptr);
    last.set(nullptr);
    Graph graph;
    gc::WalkHeap(heap.m, graph);
    CHECK(graph.objects.size() == 4);
    const auto* second = reinterpret_cast<const Object*>(table->pairs()[0]);
    const auto* third = reinterpret_cast<const Object*>(table->pairs()[1]);
    CHECK(graph.Count(key.get(), second, EdgeKind::kEphemeron) == 1);
    CHECK(graph.Count(second, third, EdgeKind::kEphemeron) == 1);
    CHECK(graph.Count(table.get(), key.get(), EdgeKind::kWeak) == 1);
    CHECK(graph.Count(table.get(), second, EdgeKind::kStrong) == 0);
    CHECK_FALSE(graph.objects.contains(lost));
  }

  TEST_CASE("the walk finds what the verifier's traversal finds, after any history") {
    TinyHeap heap;
    Random random;
    std::vector<Handle<Node>> nodes;
    for (int i = 0; i < 50; ++i) nodes.push_back(heap.Keep<Node>(nullptr));
    for (int i = 0; i < 2000; ++i) {
      Handle<Node> at = nodes[random.Below(nodes.size())];
      Node* fresh = heap.m.New<Node>(Node::Type());
      heap.m.Store(fresh, fresh->left.slot(), nodes[random.Below(nodes.size())].get());
      heap.m.Store(fresh, fresh->right.slot(), nodes[random.Below(nodes.size())].get());
      at.set(random.OneIn(5) ? nullptr : fresh);
    }
    std::set<const Object*> reachable;
    heap.heap().WalkReachable(heap.m, [&](Object* object) { reachable.insert(object); });
    Graph graph;
    gc::WalkHeap(heap.m, graph);
    CHECK(graph.objects.size() == reachable.size());
    for (const auto& [object, bytes] : graph.objects) CHECK(reachable.contains(object));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("bytes that an object owns outside the heap count for it") {
    QuietHeap heap;
    Handle<toy::Buffer> buffer = heap.Keep(toy::Buffer::TryMake(heap.m, 1000));
    Graph graph;
    gc::WalkHeap(heap.m, graph);
    CHECK(graph.objects.at(buffer.get()) == gc::ObjectBytes(buffer.get()) + 1000);
  }
}

}  // namespace
}  // namespace neap::testing
