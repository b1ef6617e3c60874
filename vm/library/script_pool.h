// SPDX-License-Identifier: MIT
//
// A pool of a script: the native pool (neap/pool/word_pool.h) that parks values of one state.
//
//    userdata --------> functions of the script: new, reset, is_clean, on_evict (user values)
//       | payload (pool_handle.h)
//       v
//    ScriptPool -- WordPool ==> items          PoolSet: all of a state, and what was evicted
//
// Who keeps what alive:
//   - The items are roots as long as the pool holds them, the functions are not: they hang on the
//     userdata. So a function that refers to its pool keeps nothing alive.
//   - An item that refers to its pool keeps the pool until it is evicted: two cycles later, unless
//     Retention says otherwise. A pool that keeps items without end (budget of bytes) is emptied
//     when nobody used it for kIdleCycles, so such a ring goes, too.
//   - A userdata that nobody refers to is finalized at a poll: the pool is closed, what is in it
//     is evicted. What no finalizer reaches (a metatable that was taken away) the next cycle's poll
//     finds by its missing userdata.
//   - A pool and its values belong to one state, and are used by its thread only; but any thread of
//     the heap may drain what a cycle evicted. Hence the lock around the queue.
//
// on_evict is never called where the item is evicted, but at the next poll, in the order of
// eviction, like a finalizer: an error in it becomes a warning.
#ifndef NEAP_VM_LIBRARY_SCRIPT_POOL_H_
#define NEAP_VM_LIBRARY_SCRIPT_POOL_H_

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interpreter/attachment.h"
#include "interpreter/state.h"
#include "library/pool_handle.h"
#include "neap/pool/word_pool.h"

namespace neap::vm {

class PoolSet;

// Functions of the script; the indices of the userdata's user values.
enum class PoolRole : uint8_t { kNew, kReset, kIsClean, kOnEvict };
inline constexpr int kPoolRoles = 4;

// Cycles without a Get or Put after which a pool with a budget of bytes is emptied. Larger: what
// refers to its own pool lives longer; smaller: a pause in the use of a pool costs its items.
inline constexpr uint32_t kIdleCycles = 8;

class ScriptPool {
 public:
  // `userdata` has the pool's tag, and its functions as user values. The options are valid.
  ScriptPool(State& state, PoolSet& set, Userdata* userdata, pool::WordOptions options);
  ScriptPool(const ScriptPool&) = delete;
  ScriptPool& operator=(const ScriptPool&) = delete;

  pool::WordPool& words() { return *words_; }
  const std::string& name() const { return words_->options().name; }
  Userdata* userdata() const { return userdata_; }
  // nil: none. (no safepoint)
  Value Function(PoolRole role) const;
  // What the last operation found wrong in checked mode, once.
  std::optional<pool::Violation> TakeViolation();
  // The userdata is gone.
  void Orphan() { userdata_ = nullptr; }
  // Outside the heap, about; what is in the pool is the heap's.
  static constexpr size_t Bytes() {
    constexpr size_t kShardBytes = 1024;  // an array of some shards, and a ring
    return sizeof(ScriptPool) + sizeof(pool::WordPool) + kShardBytes;
  }

  size_t index = 0;  // PoolSet's

 private:
  Userdata* userdata_;  // never moves
  std::optional<pool::Violation> violation_;
  std::unique_ptr<pool::WordPool> words_;
};

class PoolSet final : public Attachment, public gc::RootProvider {
 public:
  // The state's; made when there is none.
  static PoolSet& Of(State& state);
  explicit PoolSet(State& state);
  ~PoolSet() override;

  ScriptPool* Add(Userdata* userdata, pool::WordOptions options);
  // Destroys the pool; what is in it is evicted. Its handle knows it no more.
  void Remove(ScriptPool* pool);
  // Calls on_evict for what is waiting by now; stops early when the state is stopped. A safepoint.
  void RunEvicted();
  // The place of the Lua function that called the native one that runs. (no safepoint)
  pool::CallPlace PlaceOfCaller();

  // Any thread that holds a P. (no safepoint)
  void NoteEvicted(Word function, Word item);

  void AfterCycle(State& state) override;
  void VisitRoots(gc::Tracer& tracer) override;

 private:
  struct Evicted {
    Word function;
    Word item;
  };
  bool TakeEvicted(Evicted* evicted);
  size_t CountEvicted();

  State& state_;
  std::vector<std::unique_ptr<ScriptPool>> pools_;
  std::set<std::string> chunk_names_;  // places refer to them
  std::mutex mutex_;                   // evicted_
  std::deque<Evicted> evicted_;
  bool runs_evicted_ = false;
  bool is_ending_ = false;
};

// Bytes of a value: the object, the parts of a table, what it owns outside the heap. (no safepoint)
size_t BytesOfItem(Word item);
// Changes when a table's content does, not when it moves. (no safepoint)
uint64_t FingerprintOf(State& state, Word item);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_SCRIPT_POOL_H_
