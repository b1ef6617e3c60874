// SPDX-License-Identifier: MIT
//
// The ring and the chain, step by step: every interleaving of small histories must be explained by
// a plain deque (see ring.h, Q1-Q4, and chain.h, N1-N4).
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "chain.h"
#include "deque_spec.h"
#include "doctest/doctest.h"
#include "interleaving.h"
#include "ring.h"
#include "support/check_failure.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using pool::internal::BasicChain;
using pool::internal::BasicChainEnds;
using pool::internal::BasicRing;
using pool::internal::kFirstRingSlots;
using pool::internal::kMaxRingSlots;
using TestRing = BasicRing<TestSteps>;
using Kind = DequeOp::Kind;

// The queue under test, the operations done on it, and what is allowed.
template <typename Queue>
struct Trial {
  Queue queue;
  std::deque<uint64_t> initial;
  DequeAllowance allowance;
  std::vector<DequeOp> ops;
  uint64_t failed_pushes = 0;

  void Run(Kind kind, uint64_t value = 0) {
    DequeOp op{.kind = kind, .value = value, .begin = Interleaver::Now()};
    switch (kind) {
      case Kind::kPushHead:
        op.ok = queue.PushHead(value);
        if (!op.ok) ++failed_pushes;
        break;
      case Kind::kPopHead:
        op.value = queue.PopHead();
        break;
      case Kind::kPopTail:
        op.value = queue.PopTail();
        break;
    }
    op.end = Interleaver::Now();
    ops.push_back(op);
  }
  void Verify() {
    std::deque<uint64_t> left;
    while (uint64_t value = queue.PopTail()) left.push_back(value);
    REQUIRE(DequeSpec(ops, initial, allowance).Explains(left));
  }
};

struct RingQueue {
  std::unique_ptr<TestRing, void (*)(TestRing*)> ring{nullptr, &TestRing::Free};
  bool PushHead(uint64_t v) { return ring->PushHead(v); }
  uint64_t PopHead() { return ring->PopHead(); }
  uint64_t PopTail() { return ring->PopTail(); }
};

struct ChainQueue {
  std::unique_ptr<BasicChainEnds<TestSteps>> ends = std::make_unique<BasicChainEnds<TestSteps>>();
  BasicChain<TestSteps> chain{*ends};
  ~ChainQueue() { chain.Clear(); }
  bool PushHead(uint64_t v) { return chain.PushHead(v); }
  uint64_t PopHead() { return chain.PopHead(); }
  uint64_t PopTail() { return chain.PopTail(); }
};

// A ring of `slots` at `position`, with `items` values 1, 2, ... in it.
std::shared_ptr<Trial<RingQueue>> MakeRing(uint32_t slots, uint64_t items, uint32_t position = 0) {
  auto trial = std::make_shared<Trial<RingQueue>>();
  trial->queue.ring.reset(TestRing::Create(slots));
  trial->queue.ring->SetPositionForTesting(position);
  for (uint64_t v = 1; v <= items; ++v) {
    REQUIRE(trial->queue.PushHead(v));
    trial->initial.push_back(v);
  }
  trial->allowance = {.capacity = slots, .spurious_full = true};
  return trial;
}

std::shared_ptr<Trial<ChainQueue>> MakeChain(uint64_t pushed, uint64_t stolen) {
  auto trial = std::make_shared<Trial<ChainQueue>>();
  for (uint64_t v = 1; v <= pushed; ++v) REQUIRE(trial->queue.PushHead(v));
  for (uint64_t v = 1; v <= stolen; ++v) REQUIRE(trial->queue.PopTail() == v);
  for (uint64_t v = stolen + 1; v <= pushed; ++v) trial->initial.push_back(v);
  trial->allowance = {.spurious_empty = true};
  return trial;
}

struct Call {
  Kind kind;
  uint64_t value = 0;
};
using Calls = std::vector<Call>;

template <typename Queue>
History HistoryOf(std::shared_ptr<Trial<Queue>> trial, const std::vector<Calls>& threads) {
  History history;
  for (const Calls& calls : threads) {
    history.bodies.push_back([trial, calls] {
      for (const Call& call : calls) trial->Run(call.kind, call.value);
    });
  }
  history.verify = [trial] { trial->Verify(); };
  return history;
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kFibers = false;  // TSan does not follow swapcontext; the protocol is the same
#else
constexpr bool kFibers = true;
#endif

TEST_SUITE("pool/ring") {
  TEST_CASE("every interleaving of an owner and a thief is that of a deque" *
            doctest::skip(!kFibers)) {
    const std::vector<Calls> threads = {
        {{Kind::kPushHead, 11}, {Kind::kPushHead, 12}, {Kind::kPopHead}},
        {{Kind::kPopTail}, {Kind::kPopTail}}};
    const uint64_t empty = ExploreAll([&] { return HistoryOf(MakeRing(2, 0), threads); });
    const uint64_t half = ExploreAll([&] { return HistoryOf(MakeRing(2, 1), threads); });
    CHECK(empty > 100);
    CHECK(half > 1000);
    MESSAGE("interleavings: ", empty, " from empty, ", half, " from half full");
  }

  TEST_CASE("two thieves and the owner never take the same item" * doctest::skip(!kFibers)) {
    const std::vector<Calls> threads = {{{Kind::kPopHead}}, {{Kind::kPopTail}}, {{Kind::kPopTail}}};
    for (uint64_t items = 1; items <= 3; ++items) {
      CHECK(ExploreAll([&] { return HistoryOf(MakeRing(4, items), threads); }) > 300);
    }
  }

  TEST_CASE("the last item goes to the owner or to a thief, and both can win" *
            doctest::skip(!kFibers)) {
    std::set<uint64_t> winners;
    ExploreAll([&] {
      auto trial = MakeRing(2, 1);
      History history = HistoryOf(trial, {{{Kind::kPopHead}}, {{Kind::kPopTail}}});
      history.verify = [trial, &winners] {
        trial->Verify();
        for (const DequeOp& op : trial->ops) {
          if (op.value == 1) winners.insert(static_cast<uint64_t>(op.kind));
        }
      };
      return history;
    });
    CHECK(winners.size() == 2);
  }

  TEST_CASE("Q2: a push meets a slot that a thief still empties and fails although there is room" *
            doctest::skip(!kFibers)) {
    uint64_t spurious = 0;
    ExploreAll([&] {
      auto trial = MakeRing(2, 2);
      History history = HistoryOf(trial, {{{Kind::kPushHead, 11}}, {{Kind::kPopTail}}});
      history.verify = [trial, &spurious] {
        trial->Verify();
        // The thief's compare-exchange made room before the push looked.
        const DequeOp& push = trial->ops[trial->ops[0].kind == Kind::kPushHead ? 0 : 1];
        if (!push.ok && trial->ops[0].kind == Kind::kPushHead) ++spurious;
      };
      return history;
    });
    CHECK(spurious > 0);
  }

  TEST_CASE("the counters wrap at 2^32 without losing or repeating an item" *
            doctest::skip(!kFibers)) {
    const std::vector<Calls> threads = {
        {{Kind::kPushHead, 11}, {Kind::kPushHead, 12}, {Kind::kPopHead}},
        {{Kind::kPopTail}, {Kind::kPopTail}}};
    for (uint32_t before : {1u, 2u, 3u}) {
      ExploreAll([&] { return HistoryOf(MakeRing(4, 1, 0u - before), threads); });
    }
  }

  TEST_CASE("a ring at the wrap is full, empty and ordered as elsewhere") {
    auto* ring = TestRing::Create(4);
    ring->SetPositionForTesting(0u - 2);
    for (uint64_t v = 1; v <= 4; ++v) CHECK(ring->PushHead(v));
    CHECK_FALSE(ring->PushHead(5));
    CHECK(ring->count() == 4);
    CHECK(ring->PopHead() == 4);
    for (uint64_t v = 1; v <= 3; ++v) CHECK(ring->PopTail() == v);
    CHECK(ring->PopTail() == 0);
    CHECK(ring->PopHead() == 0);
    TestRing::Free(ring);
  }

  TEST_CASE("Q3: popped slots are cleared") {
    auto* ring = TestRing::Create(4);
    for (uint64_t v = 1; v <= 4; ++v) CHECK(ring->PushHead(v));
    ring->PopHead();
    ring->PopTail();
    CHECK(*ring->slot(0) == 0);
    CHECK(*ring->slot(3) == 0);
    CHECK(*ring->slot(1) == 2);
    TestRing::Free(ring);
  }

  TEST_CASE("Q4: the low-water mark covers what was pushed after it, also after pops below it") {
    auto* ring = TestRing::Create(8);
    ring->SetPositionForTesting(0u - 3);
    for (uint64_t v = 1; v <= 6; ++v) CHECK(ring->PushHead(v));
    ring->set_low_water(ring->head());
    CHECK(ring->low_water() == ring->head());
    for (int i = 0; i < 4; ++i) ring->PopHead();
    const uint32_t lowest = ring->head();
    for (uint64_t v = 11; v <= 13; ++v) CHECK(ring->PushHead(v));
    CHECK(ring->low_water() == lowest);
    std::vector<uint64_t> seen;
    ring->VisitFrom(ring->low_water(), [&](gc::Word* first, size_t count) {
      seen.insert(seen.end(), first, first + count);
    });
    CHECK(seen == std::vector<uint64_t>{11, 12, 13});
    while (ring->PopTail() != 0) {
    }
    CHECK(ring->low_water() == ring->tail());
    TestRing::Free(ring);
  }

  TEST_CASE("a ring of a size that is no power of two is refused") {
    CHECK_THROWS_WITH_AS(TestRing::Create(6), doctest::Contains("Q1"), CheckFailure);
    CHECK_THROWS_WITH_AS(TestRing::Create(kMaxRingSlots * 2), doctest::Contains("Q1"),
                         CheckFailure);
  }
}

TEST_SUITE("pool/chain") {
  TEST_CASE("the chain starts with 8 slots and doubles") {
    ChainQueue queue;
    uint64_t next = 0;
    for (uint32_t slots = kFirstRingSlots; slots <= 1024; slots *= 2) {
      for (uint32_t i = 0; i < slots; ++i) {
        CHECK(queue.PushHead(++next));
        CHECK(queue.ends->newest.load()->size() == slots);
      }
    }
    for (uint64_t v = next; v > next / 2; --v) CHECK(queue.PopHead() == v);
    for (uint64_t v = 1; v <= next / 2; ++v) CHECK(queue.PopTail() == v);
    CHECK(queue.PopHead() == 0);
    CHECK(queue.PopTail() == 0);
  }

  TEST_CASE("the owner's pushes, pops and a thief's pops agree with a deque, at random") {
    Random random;
    ChainQueue queue;
    std::deque<uint64_t> model;
    for (uint64_t v = 1; v <= 200'000; ++v) {
      // Phases of growth and of decay, so that the chain gets long and is drained again.
      if (random.Below(1000) < ((v / 4096) % 2 == 0 ? 600u : 400u)) {
        REQUIRE(queue.PushHead(v));
        model.push_back(v);
      } else if (random.OneIn(2)) {
        const uint64_t expected = model.empty() ? 0 : model.back();
        REQUIRE(queue.PopHead() == expected);
        if (!model.empty()) model.pop_back();
      } else {
        const uint64_t expected = model.empty() ? 0 : model.front();
        REQUIRE(queue.PopTail() == expected);
        if (!model.empty()) model.pop_front();
      }
    }
  }

  TEST_CASE("N1: every interleaving of a push that grows the chain and a thief" *
            doctest::skip(!kFibers)) {
    const std::vector<Calls> threads = {{{Kind::kPushHead, 101}}, {{Kind::kPopTail}}};
    CHECK(ExploreAll([&] { return HistoryOf(MakeChain(8, 0), threads); }) > 50);
  }

  TEST_CASE("N2: every interleaving of two thieves that leave an emptied ring" *
            doctest::skip(!kFibers)) {
    // One item in the first ring, one in the second.
    const std::vector<Calls> threads = {{{Kind::kPopTail}}, {{Kind::kPopTail}}};
    CHECK(ExploreAll([&] { return HistoryOf(MakeChain(9, 7), threads); }) > 50);
  }

  TEST_CASE("N3: every interleaving of the owner's pops and a thief that unlinks the older ring" *
            doctest::skip(!kFibers)) {
    const std::vector<Calls> threads = {{{Kind::kPopHead}, {Kind::kPopHead}}, {{Kind::kPopTail}}};
    CHECK(ExploreAll([&] { return HistoryOf(MakeChain(9, 7), threads); }) > 50);
  }

  TEST_CASE("random interleavings of an owner and two thieves across three rings" *
            doctest::skip(!kFibers)) {
    Random random;
    const std::vector<Calls> threads = {
        {{Kind::kPushHead, 101}, {Kind::kPushHead, 102}, {Kind::kPopHead}, {Kind::kPushHead, 103}},
        {{Kind::kPopTail}, {Kind::kPopTail}},
        {{Kind::kPopTail}, {Kind::kPopTail}}};
    ExploreRandomly([&] { return HistoryOf(MakeChain(24, 22), threads); }, 3000, random);
    ExploreRandomly([&] { return HistoryOf(MakeChain(8, 6), threads); }, 3000, random);
  }

  // The thief finds the ring empty; then the owner fills it and links another. Had the thief read
  // `next` only now, it would leave a full ring behind for ever.
  TEST_CASE("N2: a ring that was filled after a thief found it empty is not left behind" *
            doctest::skip(!kFibers)) {
    Random random;
    Calls owner;
    for (uint64_t v = 101; v <= 109; ++v) owner.push_back({Kind::kPushHead, v});
    ExploreInLongRuns(
        [&] {
          return HistoryOf(MakeChain(8, 8), {owner, {{Kind::kPopTail}}});
        },
        20'000, random);
  }

  TEST_CASE("C7: a spurious full grows the chain without need" * doctest::skip(!kFibers)) {
    uint64_t grown_needlessly = 0;
    ExploreAll([&] {
      auto trial = MakeChain(8, 0);
      History history = HistoryOf(trial, {{{Kind::kPushHead, 101}}, {{Kind::kPopTail}}});
      history.verify = [trial, &grown_needlessly] {
        const auto* newest = trial->queue.ends->newest.load();
        const auto* oldest = trial->queue.ends->last_created->created_before;
        // The thief had taken its item before the new ring was made.
        if (oldest != nullptr && newest->count() == 1 && oldest->count() == 7 &&
            trial->ops.front().kind == Kind::kPopTail) {
          ++grown_needlessly;
        }
        trial->Verify();
      };
      return history;
    });
    CHECK(grown_needlessly > 0);
  }
}

}  // namespace
}  // namespace neap::testing
