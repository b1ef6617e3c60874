// SPDX-License-Identifier: MIT
//
// What a pool counts. Counters are kept per P without atomic read-modify-writes; a snapshot taken
// while other threads use the pool is a sum of values that were all true at some moment.
#ifndef NEAP_POOL_METRICS_H_
#define NEAP_POOL_METRICS_H_

#include <cstdint>

namespace neap::pool {

// X(field, "sentence"). Counters never fall; gauges say so.
//   gets == private_hits + shared_hits + steals + victim_hits + misses
#define NEAP_POOL_METRICS(X)                                                              \
  X(gets, "Get and TryGet calls")                                                         \
  X(private_hits, "found in the P's own private slot")                                    \
  X(shared_hits, "found in the P's own queue")                                            \
  X(steals, "found in the queue of another P")                                            \
  X(victim_hits, "found in a victim generation, any place")                               \
  X(misses, "found nowhere: New was called, or null returned")                            \
  X(puts, "Put calls with an item, refused ones included")                                \
  X(drops, "refused Puts: bounds, budget, oversize, closed, dirty, chaos")                \
  X(oversize_drops, "of these, items larger than max_item_bytes")                         \
  X(evictions, "items dropped by cleanups, by Close or by a swap of the array on growth") \
  X(cleanups, "major cycles that found something of this pool to demote or drop")         \
  X(rescues, "hits that sync.Pool would have missed (never in go_exact mode)")            \
  X(victim_marked_empty, "times a Get found nothing and marked the victim empty")         \
  X(stranded_private, "items that could no longer be reached when that happened")         \
  X(swapped_out, "items lost because the number of Ps grew (go_exact mode only)")         \
  X(items_held, "gauge: items in the pool, victims included")                             \
  X(bytes_held, "gauge: bytes of these; 0 unless bytes are accounted (Options::account_bytes)")

struct Metrics {
#define NEAP_DECLARE_METRIC(field, sentence) uint64_t field = 0;
  NEAP_POOL_METRICS(NEAP_DECLARE_METRIC)
#undef NEAP_DECLARE_METRIC
};

}  // namespace neap::pool

#endif  // NEAP_POOL_METRICS_H_
