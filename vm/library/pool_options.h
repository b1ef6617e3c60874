// SPDX-License-Identifier: MIT
//
// The table that sync.pool takes, as options of the native pool. What each option means is said
// where scripts are told: vm/library/meta/sync.lua.
#ifndef NEAP_VM_LIBRARY_POOL_OPTIONS_H_
#define NEAP_VM_LIBRARY_POOL_OPTIONS_H_

#include "library/script_pool.h"

namespace neap::vm {

struct PoolSettings {
  pool::WordOptions words;
  uint64_t prewarm = 0;
};

// Reads argument 1: a table, or none. False: the error names the option, its value and what is
// allowed. (no safepoint but for the error)
[[nodiscard]] bool ReadPoolOptions(NativeCall& call, PoolSettings* settings);
// The option that holds the function for the role; nil: none. (no safepoint)
Value PoolFunctionOption(NativeCall& call, PoolRole role);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_POOL_OPTIONS_H_
