// SPDX-License-Identifier: MIT
//
// What the interpreter knows of the pools of scripts (sync_pool.h): a pool's userdata, and the two
// calls it makes without a frame when the pool's fast path has an answer. Whatever else there is to
// say (misses, options, errors) is said by the native functions themselves.
#ifndef NEAP_VM_LIBRARY_POOL_HANDLE_H_
#define NEAP_VM_LIBRARY_POOL_HANDLE_H_

#include "interpreter/state.h"
#include "neap/pool/word_pool.h"

namespace neap::vm {

class NativeCall;
class ScriptPool;

// The payload of a pool's userdata.
struct PoolHandle {
  pool::WordPool* words;     // null: the pool is gone (finalized)
  pool::WordPool* put_here;  // the same where a Put needs no function of the script; else null
  ScriptPool* pool;          // null: gone
};

inline constexpr char kPoolTag = 0;  // its address is the tag of such userdata

// Null: not a pool. (no safepoint)
inline PoolHandle* AsPool(Value v) {
  if (!IsUserdata(v) || AsUserdata(v)->tag != reinterpret_cast<uint64_t>(&kPoolTag)) return nullptr;
  return static_cast<PoolHandle*>(AsUserdata(v)->payload());
}

// Values that can be used again: what has an identity and a content.
inline bool IsPoolable(Value v) {
  return IsTable(v) || IsUserdata(v) || IsFunction(v) || IsCoroutine(v);
}

// pool:get() and pool:put(x).
NativeResult PoolGet(NativeCall& call);
NativeResult PoolPut(NativeCall& call);

// What word 2 of the inline cache of a method call says once it met a pool: the instruction asks
// the pool itself from then on. So a script that changes the metatable of pools, by the debug
// library, does not change what `pool:get()` does where it was called before.
inline constexpr uint64_t kGetsFromPool = ~uint64_t{1};
inline constexpr uint64_t kPutsIntoPool = ~uint64_t{0};
inline uint64_t PoolMethodOf(Word method) {
  if (!IsNativeClosure(Value::FromWord(method))) return 0;
  const NativeFunction function = static_cast<const NativeClosure*>(gc::ToObject(method))->function;
  return function == &PoolGet ? kGetsFromPool : function == &PoolPut ? kPutsIntoPool : 0;
}

// 0, or false: the native function has to do it. (no safepoint)
[[gnu::always_inline]] inline Word TakeQuickly(State& state, const PoolHandle* handle) {
  if (handle == nullptr || handle->words == nullptr) return 0;
  return handle->words->TakeFast(state.mutator().proc());
}
[[gnu::always_inline]] inline bool PutQuickly(State& state, const PoolHandle* handle, Value item) {
  if (handle == nullptr || handle->put_here == nullptr || !IsPoolable(item)) return false;
  return handle->put_here->PutFast(state.mutator().proc(), item.word());
}

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_POOL_HANDLE_H_
