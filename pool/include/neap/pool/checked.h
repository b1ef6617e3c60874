// SPDX-License-Identifier: MIT
//
// What checked mode and chaos mode are told and tell.
//
// Checked mode finds the ways in which pools go wrong: an object put twice (two users share it),
// used after its Put, never put back, put back dirty, or (where that is asked for) not the pool's.
// It costs a mutex, a table entry and a copy of the object's plain bytes per operation.
//
// While an item is parked its plain bytes (everything but reference slots and the length) read
// kPoisonByte; Get and eviction put the bytes back. So a reader after Put sees poison, and a writer
// after Put is caught at the next Get of that item, with the places of both. An embedder whose
// objects must stay as they are gives a fingerprint instead, which is compared.
#ifndef NEAP_POOL_CHECKED_H_
#define NEAP_POOL_CHECKED_H_

#include <cstdint>
#include <functional>
#include <source_location>

namespace neap::pool {

inline constexpr uint8_t kPoisonByte = 0xdb;

// Where a call of the pool stands: in C++ code, or in a script of the embedder's.
class CallPlace {
 public:
  CallPlace() = default;
  CallPlace(const std::source_location& place)  // NOLINT: every caller in C++ has one of these
      : file_name_(place.file_name()), line_(place.line()) {}
  // `file_name` outlives the pool.
  CallPlace(const char* file_name, uint32_t line) : file_name_(file_name), line_(line) {}

  const char* file_name() const { return file_name_; }
  uint32_t line() const { return line_; }  // 0: no place

 private:
  const char* file_name_ = "";
  uint32_t line_ = 0;
};

struct Violation {
  enum class Kind : uint8_t {
    kDoublePut,    // the item is in the pool already
    kUseAfterPut,  // its bytes changed while it was in the pool
    kDirtyPut,     // Options::is_clean said no; the item was refused
    kForeignPut,   // the pool has not handed it out; refused (WordOptions::own_items_only)
  };
  Kind kind = Kind::kDoublePut;
  const char* pool = "";
  uint64_t object = 0;  // identity, as in OpRecord
  CallPlace here;       // the call that found it
  CallPlace get;        // where the item was last taken out; line 0: never
  CallPlace put;        // where it was last put; line 0: never
};
const char* ViolationName(Violation::Kind kind);

// Called on the thread that found it, under no lock; may throw. Without one, a check fails.
using ViolationFunction = std::function<void(const Violation&)>;

// An item that was taken out and has not come back.
struct Unreturned {
  uint64_t object = 0;
  CallPlace get;      // the place of the Get
  bool dead = false;  // collected since (managed items only): it can never come back
};

// Random misbehaviour that sync.Pool's contract allows: code that breaks under it relied on luck.
// Deterministic for a seed and an order of operations.
struct Chaos {
  uint64_t seed = 0;         // 0: the heap's debug seed
  uint32_t miss_one_in = 0;  // this share of Gets finds nothing; 0: none
  uint32_t drop_one_in = 0;  // this share of Puts is dropped (4: as Go's race mode); 0: none
  bool shuffle = false;      // Gets look in the places in random order
};

}  // namespace neap::pool

#endif  // NEAP_POOL_CHECKED_H_
