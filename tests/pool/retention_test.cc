// SPDX-License-Identifier: MIT
//
// Retention: the rule by itself (pure arithmetic, simulated), then in pools under real collections.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "doctest/doctest.h"
#include "neap/runtime/clock.h"
#include "pool_fixture.h"
#include "retention_rule.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using pool::Retention;
using pool::internal::CleanupFacts;
using pool::internal::DecidePrimary;
using pool::internal::Fate;
using pool::internal::GenerationFacts;
using pool::internal::KeepsVictim;
using pool::internal::PrimaryFacts;

// A pool of which only the times of Puts are known. Says how long items lived.
struct RuleSimulation {
  explicit RuleSimulation(Retention retention_in) : retention(retention_in) {}

  // `first`, `last`: times of the oldest and the newest Put in a generation.
  struct Generation {
    uint64_t demoted_cycle, demoted_at, first, last;
  };
  void Put(uint64_t now) {
    if (!occupied) first = now;
    occupied = true;
    last = now;
  }
  void Cleanup(uint64_t cycle, uint64_t now) {
    const CleanupFacts facts{.cycle = cycle, .now = now};
    std::erase_if(generations, [&](const Generation& g) {
      if (KeepsVictim(retention, facts,
                      {.demoted_cycle = g.demoted_cycle, .demoted_at = g.demoted_at, .items = 1},
                      false)) {
        return false;
      }
      shortest = std::min(shortest, now - g.last);
      longest = std::max(longest, now - g.first);
      return true;
    });
    most = std::max(most, generations.size());
    if (!occupied) return;
    const Fate fate =
        DecidePrimary(retention, facts,
                      {.last_demoted_at = last_demoted_at,
                       .ever_demoted = ever,
                       .generations_kept = static_cast<uint32_t>(generations.size())});
    if (fate == Fate::kKeep) return;
    occupied = false;
    if (fate == Fate::kDrop) return;
    generations.push_front({cycle, now, first, last});
    last_demoted_at = now;
    ever = true;
    most = std::max(most, generations.size());
  }

  const Retention retention;
  std::deque<Generation> generations;
  bool occupied = false;
  bool ever = false;
  uint64_t first = 0, last = 0, last_demoted_at = 0;
  uint64_t shortest = UINT64_MAX, longest = 0;
  size_t most = 0;
};

TEST_SUITE("pool/retention") {
  TEST_CASE("time: an item lives at least ttl and not much longer, at any rate of collections") {
    Random random;
    for (uint64_t period : {1, 3, 10, 50, 100, 333, 999}) {
      RuleSimulation simulation(Retention::Time(1000));
      uint64_t now = 0;
      for (uint64_t cycle = 1; now < 50'000; ++cycle) {
        simulation.Put(now);
        now += 1 + random.Below(2 * period);
        simulation.Put(now);
        simulation.Cleanup(cycle, now);
      }
      CHECK(simulation.shortest >= 1000);
      // ttl, one step of the rule (ttl / 7) and the gaps to the next cleanups
      CHECK(simulation.longest <= 1000 + 1000 / 7 + 4 * period + 4);
      CHECK(simulation.most <= Retention::kMaxGenerations);
    }
  }

  TEST_CASE("victim(k): exactly k cycles, at most k generations") {
    for (uint32_t k = 1; k <= Retention::kMaxGenerations; ++k) {
      RuleSimulation simulation(Retention::Victim(k));
      for (uint64_t cycle = 1; cycle < 100; ++cycle) {
        simulation.Put(cycle);
        simulation.Cleanup(cycle, cycle);
      }
      CHECK(simulation.shortest == k);
      CHECK(simulation.longest == k);
      CHECK(simulation.most == k);
    }
  }

  TEST_CASE("flush keeps no victim; a closed pool keeps nothing whatever the policy") {
    CHECK(DecidePrimary(Retention::Flush(), {}, {}) == Fate::kDrop);
    for (Retention r : {Retention::Victim(3), Retention::Time(10), Retention::Bytes(10)}) {
      CHECK(DecidePrimary(r, {.empties = true}, {}) == Fate::kDrop);
      CHECK_FALSE(KeepsVictim(r, {.empties = true}, {.items = 1}, true));
    }
  }

  TEST_CASE("bytes: generations are made in eighths, and go oldest first under pressure") {
    const Retention budget = Retention::Bytes(800);
    CHECK(DecidePrimary(budget, {}, {.bytes = 100}) == Fate::kKeep);
    CHECK(DecidePrimary(budget, {}, {.bytes = 101}) == Fate::kDemote);
    CHECK(DecidePrimary(budget, {}, {.bytes = 101, .generations_kept = 8}) == Fate::kKeep);
    CHECK(DecidePrimary(budget, {.pressed = true}, {.bytes = 1}) == Fate::kDemote);
    CHECK(KeepsVictim(budget, {}, {.items = 1}, true));
    CHECK_FALSE(KeepsVictim(budget, {}, {.items = 0}, true));
    CHECK_FALSE(KeepsVictim(budget, {.pressed = true}, {.items = 1}, true));
    CHECK(KeepsVictim(budget, {.pressed = true}, {.items = 1}, false));
  }

  TEST_CASE("a pool with victim(k) keeps items through k collections, newest generation first") {
    PoolHeap heap(1);
    for (uint32_t k : {1u, 3u, 8u}) {
      NodePool pool(heap, {.retention = Retention::Victim(k)});
      for (uint32_t i = 0; i < k; ++i) {
        pool.Put(0, i);
        heap.FullGC();
      }
      CHECK(pool.metrics().items_held == k);
      heap.FullGC();
      CHECK(pool.metrics().items_held == k - 1);
      Keys expected;
      for (int64_t key = k - 1; key >= 1; --key) expected.push_back(key);
      CHECK(pool.Drain(0) == expected);
      CHECK(pool.Broken() == "");
    }
  }

  TEST_CASE("a pool with flush loses everything at each collection") {
    PoolHeap heap(2);
    NodePool pool(heap, {.retention = Retention::Flush()});
    for (int round = 0; round < 3; ++round) {
      for (int64_t key = 0; key < 10; ++key) pool.Put(static_cast<int>(key % 2), key);
      heap.FullGC();
      CHECK(pool.Get(0) == kMiss);
    }
    CHECK(pool.metrics().evictions == 30);
  }

  TEST_CASE("a pool with a time to live keeps items through any number of collections within it") {
    QuietHeap heap([](gc::Options& options) {
      options.procs = 1;
      options.clock = Clock::Kind::kVirtual;
    });
    const uint64_t ttl = uint64_t{1} << 40;
    NodePool pool(heap, {.retention = Retention::Time(ttl)});
    for (int64_t key = 0; key < 20; ++key) pool.Put(0, key);
    for (int i = 0; i < 30; ++i) heap.FullGC();
    CHECK(pool.metrics().items_held == 20);
    heap.heap().clock().Skip(ttl + ttl / 2);
    heap.FullGC();
    CHECK(pool.metrics().items_held == 0);
    CHECK(pool.metrics().evictions == 20);
    CHECK(pool.Broken() == "");
  }

  TEST_CASE("a pool with a byte budget stays under it, and makes room for what is in use") {
    PoolHeap heap(1);
    const uint64_t budget = 16 * sizeof(Node);
    NodePool pool(heap, {.retention = Retention::Bytes(budget)});
    for (int64_t key = 0; key < 10; ++key) pool.Put(0, key);
    for (int i = 0; i < 20; ++i) heap.FullGC();
    CHECK(pool.metrics().items_held == 10);  // collections alone take nothing
    for (int64_t key = 10; key < 30; ++key) pool.Put(0, key);
    CHECK(pool.metrics().bytes_held == budget);
    CHECK(pool.metrics().drops == 14);
    heap.FullGC();  // a Put was refused: the oldest generation, keys 0 to 9, makes room
    CHECK(pool.metrics().items_held == 6);
    for (int64_t key = 30; key < 40; ++key) pool.Put(0, key);
    CHECK(pool.metrics().items_held == 16);
    CHECK(pool.Broken() == "");
    CHECK(pool.Drain(0).size() == 16);
    CHECK(pool.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
