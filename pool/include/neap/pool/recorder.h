// SPDX-License-Identifier: MIT
//
// A record of every operation on one pool, in order, for the oracle (neap/pool/oracle.h). The pool
// writes it when Options::recorder is set; it costs a mutex per operation. Under one thread that
// moves from P to P (Mutator::MoveToProc) the order is the order of the operations. Free-running
// threads have no total order: their record is good for conservation checks only.
//
// It is not the event trace: with a listener on the heap a recorded pool emits the same operations
// as PoolOp events as well.
#ifndef NEAP_POOL_RECORDER_H_
#define NEAP_POOL_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace neap::pool {

enum class Op : uint8_t { kGet = 1, kPut = 2 };

// Where a Get found its item, and where a Put left it.
#define NEAP_POOL_PLACES(X)                                                    \
  X(kNone, "none")                    /* Get: a miss */                        \
  X(kPrivate, "private")              /* own private slot */                   \
  X(kShared, "shared")                /* own queue */                          \
  X(kSteal, "steal")                  /* another P's queue */                  \
  X(kVictimPrivate, "victim-private") /* own private slot of a victim */       \
  X(kVictimShared, "victim-shared")   /* any queue of a victim */              \
  X(kRescue, "rescue")                /* another P's private slot (default) */ \
  X(kDropped, "dropped")              /* Put: refused */

enum class Place : uint8_t {
#define NEAP_DECLARE_PLACE(name, text) name,
  NEAP_POOL_PLACES(NEAP_DECLARE_PLACE)
#undef NEAP_DECLARE_PLACE
};
const char* PlaceName(Place place);

struct OpRecord {
  Op op = Op::kGet;
  Place place = Place::kNone;
  uint16_t proc = 0;    // the P
  uint16_t procs = 0;   // Ps that existed then (array size that sync.Pool would choose)
  uint64_t object = 0;  // identity; 0 for a miss. Managed: Mutator::Identity. Values: the address
  uint64_t cycle = 0;   // major cycles started before the operation
  bool operator==(const OpRecord&) const = default;
};

class Recorder {
 public:
  // Checks that no more than `max_records` are added: a record with a hole proves nothing.
  explicit Recorder(size_t max_records = size_t{1} << 24) : max_records_(max_records) {}

  void Add(const OpRecord& record);
  // The operations so far. Copy it, or stop using the pool while you read.
  const std::vector<OpRecord>& records() const { return records_; }
  void Clear();

 private:
  const size_t max_records_;
  std::mutex mutex_;
  std::vector<OpRecord> records_;  // guarded by mutex_ while the pool is in use
};

}  // namespace neap::pool

#endif  // NEAP_POOL_RECORDER_H_
