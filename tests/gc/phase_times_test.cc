// SPDX-License-Identifier: MIT
//
// How long the phases of a minor collection took, as its event says.
#include <cstdint>
#include <cstring>
#include <vector>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::MinorEvent;
using gc::Options;
using gc::SlotArray;

// The minor events of a heap, from now on.
class Minors {
 public:
  explicit Minors(TestHeap& heap) : heap_(heap) {
    id_ = heap.heap().AddEventListener([this](const Event& event) {
      if (event.kind != static_cast<uint16_t>(gc::EventKind::kMinor)) return;
      REQUIRE(event.payload.size_bytes() == sizeof(MinorEvent));
      std::memcpy(static_cast<void*>(&events_.emplace_back()), event.payload.data(),
                  sizeof(MinorEvent));
    });
  }
  ~Minors() { heap_.heap().RemoveEventListener(id_); }
  // Of the minor that runs now.
  MinorEvent Run() {
    heap_.heap().DrainEvents();
    events_.clear();
    heap_.MinorGC();
    heap_.heap().DrainEvents();
    REQUIRE(events_.size() == 1);
    return events_[0];
  }

 private:
  TestHeap& heap_;
  int id_;
  std::vector<MinorEvent> events_;
};

TEST_SUITE("gc/phase_times") {
  TEST_CASE("what scans the remembered set is told apart from roots and copying") {
    constexpr uint64_t kOld = 20'000;
    for (const uint64_t workers : {1, 2}) {
      CAPTURE(workers);
      QuietHeap heap([&](Options& options) {
        options.nursery_bytes = 8 << 20;
        options.workers = static_cast<uint32_t>(workers);
        options.debug.parallel_from = 0;
        options.tenure = 1;
      });
      Handle<SlotArray> all = heap.Keep(heap.m.NewSlots(kOld));
      for (uint64_t i = 0; i < kOld; ++i) {
        heap.m.Store(all.get(), all->slots() + i, heap.m.New<Node>(Node::Type()));
      }
      heap.FullGC();
      heap.FullGC();
      Minors minors(heap);
      for (uint64_t i = 0; i < kOld; ++i) {
        Node* young = heap.m.New<Node>(Node::Type());
        Node* old = static_cast<Node*>(gc::ToObject(all->slots()[i]));
        REQUIRE_FALSE(heap.IsYoung(old));
        heap.m.Store(old, old->left.slot(), young);
      }
      const MinorEvent event = minors.Run();
      CHECK(event.workers == workers);
      CHECK(event.remembered_objects >= kOld);
      CHECK(event.promoted_objects >= kOld);
      CHECK(event.remembered_ns > 0);
      CHECK(event.roots_ns + event.remembered_ns + event.copy_ns + event.weak_ns +
                event.finish_ns <=
            event.pause_ns);
      CHECK(heap.Broken() == "");
    }
  }
}

}  // namespace
}  // namespace neap::testing
