// SPDX-License-Identifier: MIT
#include "retention_rule.h"

namespace neap::pool::internal {

bool KeepsVictim(const Retention& retention, const CleanupFacts& cleanup,
                 const GenerationFacts& generation, bool oldest_with_items) {
  if (cleanup.empties) return false;
  switch (retention.kind) {
    case Retention::Kind::kFlush:
      return false;
    case Retention::Kind::kVictim:
      return cleanup.cycle - generation.demoted_cycle < retention.generations;
    case Retention::Kind::kTime:
      return cleanup.now - generation.demoted_at < retention.ttl;
    case Retention::Kind::kBytes:
      return generation.items != 0 && !(cleanup.pressed && oldest_with_items);
  }
  return false;
}

Fate DecidePrimary(const Retention& retention, const CleanupFacts& cleanup,
                   const PrimaryFacts& primary) {
  if (cleanup.empties) return Fate::kDrop;
  const bool full = primary.generations_kept >= Retention::kMaxGenerations;
  switch (retention.kind) {
    case Retention::Kind::kFlush:
      return Fate::kDrop;
    case Retention::Kind::kVictim:
      return Fate::kDemote;
    case Retention::Kind::kTime: {
      const uint64_t step = retention.ttl / (Retention::kMaxGenerations - 1);
      const bool due = !primary.ever_demoted || cleanup.now - primary.last_demoted_at >= step;
      return due && !full ? Fate::kDemote : Fate::kKeep;
    }
    case Retention::Kind::kBytes: {
      const bool large = primary.bytes > retention.bytes / Retention::kMaxGenerations;
      const bool wanted = cleanup.pressed && primary.generations_kept == 0;
      return (large || wanted) && !full ? Fate::kDemote : Fate::kKeep;
    }
  }
  return Fate::kDrop;
}

}  // namespace neap::pool::internal
