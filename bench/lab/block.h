// SPDX-License-Identifier: MIT
//
// The buffer that bursts pass through a pool: a fixed-size managed object without references,
// zeroed at allocation as every managed byte buffer is.
//
//   byte   0        8        16          24                 8 + payload
//          +--------+--------+-----------+------------------+
//          | header | number | put_cycle | the rest, zeroed |
//          +--------+--------+-----------+------------------+
#ifndef NEAP_BENCH_LAB_BLOCK_H_
#define NEAP_BENCH_LAB_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/mutator.h"
#include "neap/gc/object.h"
#include "neap/gc/type.h"

namespace neap::lab {

struct Block : gc::Object {
  uint64_t number;     // which block it is, from 1, for the oracle
  uint64_t put_cycle;  // major cycles started before its last Put
};
static_assert(sizeof(Block) == 24);

// The type of blocks with `payload_bytes` after the header (at least 16, a multiple of 8). The same
// size gives the same type.
gc::TypeId BlockType(size_t payload_bytes);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BLOCK_H_
