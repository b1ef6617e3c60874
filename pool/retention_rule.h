// SPDX-License-Identifier: MIT
//
// Retention as arithmetic: facts about a generation in, its fate out. No clock, no pool, no
// atomics.
//
//   call order at a cleanup, for one pool:
//     1. KeepsVictim for each victim generation, oldest first; those it refuses are dropped
//     2. DecidePrimary, once
//
// Time: a generation demoted at time d holds items put before d, and is dropped at the first
// cleanup at or after d + ttl; so an item lives at least ttl after its Put. To stay within
// kMaxGenerations the primary is demoted only when the last demotion is ttl / (kMaxGenerations - 1)
// ago, which adds at most that to an item's life.
//
// Bytes: Puts beyond the budget are refused, so the budget holds at any moment. The cleanup makes
// room for items that are in use in place of items that are not: when a Put was refused since the
// last cycle, the oldest generation that holds something goes. A generation is made when the
// primary holds more than budget / kMaxGenerations, so that room is made in small steps, or when
// one is needed.
#ifndef NEAP_POOL_RETENTION_RULE_H_
#define NEAP_POOL_RETENTION_RULE_H_

#include <cstdint>

#include "neap/pool/retention.h"

namespace neap::pool::internal {

// The present cleanup.
struct CleanupFacts {
  uint64_t cycle = 0;    // major cycles started, this one included
  uint64_t now = 0;      // heap clock
  bool empties = false;  // closed, or unused for too long
  bool pressed = false;  // a Put was refused for want of budget since the last cycle
};

struct GenerationFacts {
  uint64_t demoted_cycle = 0;
  uint64_t demoted_at = 0;
  uint64_t items = 0;  // kBytes only
};

struct PrimaryFacts {
  uint64_t bytes = 0;            // kBytes only
  uint64_t last_demoted_at = 0;  // of the newest generation ever made
  bool ever_demoted = false;
  uint32_t generations_kept = 0;  // after step 1
};

enum class Fate : uint8_t {
  kKeep,    // stays the primary
  kDemote,  // becomes the newest victim generation
  kDrop,    // is evicted
};

// `oldest_with_items`: no older generation that is kept holds anything.
bool KeepsVictim(const Retention& retention, const CleanupFacts& cleanup,
                 const GenerationFacts& generation, bool oldest_with_items);
Fate DecidePrimary(const Retention& retention, const CleanupFacts& cleanup,
                   const PrimaryFacts& primary);

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_RETENTION_RULE_H_
