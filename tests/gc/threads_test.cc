// SPDX-License-Identifier: MIT
//
// Several mutators on one heap: allocation, shared objects under the barrier, blocking regions, and
// Ps that come and go. The suite `tsan` runs this file's cases under ThreadSanitizer.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "collector.h"
#include "doctest/doctest.h"
#include "neap/runtime/clock.h"
#include "support/heap_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using gc::BlockingRegion;
using gc::GlobalHandle;
using gc::Mutator;
using gc::Options;
using gc::SlotArray;
using gc::Word;

// The constructor's thread waits inside a blocking region: it must not hold the P others need.
void RunThreads(TestHeap& heap, int count, const std::function<void(Mutator&, int)>& body) {
  BlockingRegion waiting(heap.m);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&heap, &body, i] {
      Mutator m(heap.heap());
      body(m, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int64_t Steps(TestHeap& heap, int64_t steps) {
  const DebugSwitches& debug = heap.heap().options().debug;
  return debug.stress_alloc != 0 || debug.verify != 0 ? steps / 50 : steps;
}

// A list of n nodes whose keys sum to n(n-1)/2, built with the thread's own handles.
bool BuildAndCheckList(Mutator& m, int64_t n) {
  HandleScope scope(m);
  Handle<Node> head = scope.New<Node>(nullptr);
  for (int64_t i = 0; i < n; ++i) {
    Node* node = m.New<Node>(Node::Type());
    node->key = i;
    m.Store(node, node->left.slot(), head.get());
    head.set(node);
  }
  int64_t sum = 0;
  for (const Node* node = head.get(); node != nullptr; node = node->left.get()) sum += node->key;
  return sum == n * (n - 1) / 2;
}

// A large type whose first dropped object waits until another thread has asked for a stop.
struct StopDuringSweep {
  static gc::TypeId Type() {
    static const gc::TypeId type = gc::RegisterType(
        {.name = "stop-during-sweep", .base_bytes = 16, .element_shift = 0, .drop = Drop});
    return type;
  }
  static void Drop(Object*) {
    if (sweeper == nullptr) return;
    ++drops;
    drops_before_minor += heap->minors() == minors ? 1 : 0;
    const uint64_t give_up = MonotonicNanos() + 20'000'000'000;
    while (drops == 1 && !sweeper.load()->poll_requested() && MonotonicNanos() < give_up) {
      std::this_thread::yield();
    }
  }
  static inline gc::Heap* heap = nullptr;
  static inline std::atomic<Processor*> sweeper{nullptr};
  static inline std::atomic<int> drops{0};
  static inline int drops_before_minor = 0;
  static inline uint64_t minors = 0;
};

TEST_SUITE("gc/threads") {
  TEST_CASE("a stop that another thread asks for does not wait for the end of Idle's sweep") {
    QuietHeap heap([](Options& options) {
      options.procs = 2;
      options.tenure = 1;
      options.debug.stress_major = 1;  // CollectAsDue is a major that leaves its sweeping
    });
    Handle<SlotArray> array = heap.Keep(heap.m.NewSlots(100));
    for (uint64_t i = 0; i < 100; ++i) {
      Object* object = heap.m.Allocate(StopDuringSweep::Type(), 10000);
      heap.m.Store(array.get(), array->slots() + i, object);
    }
    heap.MinorGC();
    array.set(nullptr);
    heap.heap().collector().CollectAsDue(heap.m, gc::Cause::kStress);
    StopDuringSweep::heap = &heap.heap();
    StopDuringSweep::minors = heap.heap().minors();
    StopDuringSweep::drops = StopDuringSweep::drops_before_minor = 0;
    StopDuringSweep::sweeper = &heap.m.processor();
    std::thread other([&] {
      Mutator m(heap.heap());
      while (StopDuringSweep::drops == 0) std::this_thread::yield();
      heap.heap().CollectMinor(m);
    });
    CHECK(heap.heap().Idle(heap.m, MonotonicNanos() + 60'000'000'000));
    StopDuringSweep::sweeper = nullptr;
    CHECK(StopDuringSweep::drops == 100);
    CHECK(StopDuringSweep::drops_before_minor <= 16);  // one batch
    BlockingRegion waiting(heap.m);
    other.join();
  }

  TEST_CASE("threads allocate and collect side by side, more of them than Ps") {
    for (const int procs : {1, 2, 4}) {
      CAPTURE(procs);
      TinyHeap heap([&](Options& options) {
        options.procs = procs;
        options.nursery_bytes = 16 << 10;
      });
      const int64_t rounds = Steps(heap, 200);
      std::atomic<int> wrong{0};
      RunThreads(heap, 4, [&](Mutator& m, int) {
        for (int64_t round = 0; round < rounds; ++round) {
          if (!BuildAndCheckList(m, 100)) ++wrong;
        }
      });
      CHECK(wrong == 0);
      CHECK(heap.heap().minors() > 0);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("threads exchange objects through one old shared array, under the barrier") {
    for (const uint64_t length : {uint64_t{64}, uint64_t{4096}}) {
      CAPTURE(length);
      TinyHeap heap([](Options& options) {
        options.procs = 3;
        options.nursery_bytes = 16 << 10;
      });
      GlobalHandle shared(heap.m, heap.m.NewSlots(length));
      heap.MinorGC(3);
      const int64_t steps = Steps(heap, 20000);
      std::atomic<int> wrong{0};
      RunThreads(heap, 4, [&](Mutator& m, int id) {
        Random random(Seed() * 1000 + static_cast<uint64_t>(id));
        for (int64_t step = 0; step < steps; ++step) {
          Node* node = m.New<Node>(Node::Type());
          node->key = step * 8 + id;
          SlotArray* array = shared.as<SlotArray>();
          m.Store(array, array->slots() + random.Below(length), node);
          const Word word = gc::LoadSlot(array->slots() + random.Below(length));
          if (word != 0) {
            const Node* other = static_cast<Node*>(gc::ToObject(word));
            if (other->type() != Node::Type() || other->key % 8 >= 4) ++wrong;
          }
          if (random.OneIn(4000)) m.heap().CollectMinor(m);
          if (random.OneIn(8000)) m.heap().Collect(m);
          m.Poll();
        }
      });
      CHECK(wrong == 0);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("a collection does not wait for a thread inside a blocking region") {
    TinyHeap heap([](Options& options) { options.procs = 2; });
    std::mutex mutex;
    std::condition_variable changed;
    bool inside = false;
    bool collected = false;
    bool intact = false;
    std::thread other([&] {
      Mutator m(heap.heap());
      HandleScope scope(m);
      Handle<Node> node = scope.New(m.New<Node>(Node::Type()));
      node->key = 99;
      {
        BlockingRegion blocking(m);
        std::unique_lock<std::mutex> lock(mutex);
        inside = true;
        changed.notify_all();
        // Ends only after the collections below: were they to wait for us, nobody would go on.
        changed.wait(lock, [&] { return collected; });
      }
      intact = node->key == 99;
    });
    {
      BlockingRegion blocking(heap.m);
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return inside; });
    }
    heap.MinorGC(3);
    heap.FullGC();
    {
      std::lock_guard<std::mutex> lock(mutex);
      collected = true;
    }
    changed.notify_all();
    {
      BlockingRegion blocking(heap.m);
      other.join();
    }
    CHECK(intact);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("a runner that only polls is stopped by another thread's collection") {
    TinyHeap heap([](Options& options) { options.procs = 2; });
    std::atomic<bool> done{false};
    std::atomic<int64_t> polls{0};
    RunThreads(heap, 2, [&](Mutator& m, int id) {
      if (id == 0) {
        while (polls.load() == 0) m.Poll();
        for (int i = 0; i < 20; ++i) m.heap().Collect(m);
        done = true;
      } else {
        while (!done.load()) {
          m.Poll();
          polls.fetch_add(1);
        }
      }
    });
    CHECK(heap.heap().majors() >= 20);
    CHECK(polls.load() > 0);
  }

  TEST_CASE("several threads ask for collections at the same time; every call is a whole cycle") {
    TinyHeap heap([](Options& options) { options.procs = 4; });
    RunThreads(heap, 4, [&](Mutator& m, int) {
      for (int i = 0; i < 25; ++i) {
        m.New<Node>(Node::Type());
        m.heap().Collect(m);
      }
    });
    CHECK(heap.heap().majors() >= 25);
    CHECK(heap.stats().forced_majors >= 25);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("the number of Ps changes under load, up and down") {
    TinyHeap heap([](Options& options) {
      options.procs = 2;
      options.nursery_bytes = 16 << 10;
    });
    std::atomic<int> wrong{0};
    std::atomic<int> running{3};
    const int64_t rounds = Steps(heap, 300);
    RunThreads(heap, 4, [&](Mutator& m, int id) {
      if (id == 0) {
        for (int i = 0; running.load() > 0; ++i) {
          if (!m.heap().SetProcs(m, 1 + i % 5).ok()) ++wrong;
          if (!BuildAndCheckList(m, 10)) ++wrong;
        }
        return;
      }
      for (int64_t round = 0; round < rounds; ++round) {
        if (!BuildAndCheckList(m, 100)) ++wrong;
      }
      --running;
    });
    CHECK(wrong == 0);
    CHECK(heap.Broken() == "");
    CHECK_FALSE(heap.heap().SetProcs(heap.m, 0).ok());
    CHECK_FALSE(heap.heap().SetProcs(heap.m, kMaxProcs + 1).ok());
    CHECK(heap.heap().SetProcs(heap.m, 1).ok());
    CHECK(heap.m.proc() == 0);
    CHECK(BuildAndCheckList(heap.m, 1000));
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("MoveToProc moves a thread between Ps, with what it allocated on each") {
    TinyHeap heap([](Options& options) { options.procs = 4; });
    HandleScope scope(heap.m);
    Handle<Node> list = scope.New<Node>(nullptr);
    for (int64_t i = 0; i < 400; ++i) {
      heap.m.MoveToProc(static_cast<int>(i % 4));
      CHECK(heap.m.proc() == i % 4);
      Node* node = heap.m.New<Node>(Node::Type());
      node->key = i;
      heap.m.Store(node, node->left.slot(), list.get());
      list.set(node);
      if (i % 100 == 50) heap.MinorGC();
    }
    heap.FullGC();
    int64_t key = 400;
    for (const Node* node = list.get(); node != nullptr; node = node->left.get()) {
      CHECK(node->key == --key);
    }
    CHECK(key == 0);
    CHECK(heap.Broken() == "");
  }

  TEST_CASE("threads hash the same objects at the same time and agree") {
    TinyHeap heap([](Options& options) { options.procs = 4; });
    GlobalHandle shared(heap.m, heap.m.NewSlots(1000));
    for (uint64_t i = 0; i < 1000; ++i) {
      Node* node = heap.m.New<Node>(Node::Type());
      SlotArray* array = shared.as<SlotArray>();
      heap.m.Store(array, array->slots() + i, node);
    }
    std::vector<std::vector<uint32_t>> hashes(4, std::vector<uint32_t>(1000));
    RunThreads(heap, 4, [&](Mutator& m, int id) {
      for (size_t i = 0; i < 1000; ++i) {
        SlotArray* array = shared.as<SlotArray>();
        hashes[static_cast<size_t>(id)][i] = m.Hash(gc::ToObject(gc::LoadSlot(array->slots() + i)));
        if (i % 100 == 0) m.heap().CollectMinor(m);
      }
    });
    for (size_t id = 1; id < 4; ++id) CHECK(hashes[id] == hashes[0]);
  }

  TEST_CASE("each thread has its own scopes, pins and global handles across collections") {
    TinyHeap heap([](Options& options) {
      options.procs = 4;
      options.nursery_bytes = 16 << 10;
    });
    std::atomic<int> wrong{0};
    const int64_t rounds = Steps(heap, 300);
    RunThreads(heap, 4, [&](Mutator& m, int id) {
      for (int64_t round = 0; round < rounds; ++round) {
        HandleScope scope(m);
        Node* node = m.New<Node>(Node::Type());
        node->key = id;
        gc::Pin<Node> pin(m, node);
        GlobalHandle global(m, pin.get());
        Handle<Node> handle = scope.New(pin.get());
        for (int i = 0; i < 50; ++i) m.New<Node>(Node::Type());
        if (round % 10 == 0) m.heap().CollectMinor(m);
        if (handle.get() != pin.get() || global.get() != pin.get() || pin->key != id) ++wrong;
      }
    });
    CHECK(wrong == 0);
    CHECK(heap.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
