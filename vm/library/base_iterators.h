// SPDX-License-Identifier: MIT
//
// The steps of `pairs` and `ipairs`. The interpreter compares the function of a generic loop with
// these addresses and walks plain tables itself.
#ifndef NEAP_VM_LIBRARY_BASE_ITERATORS_H_
#define NEAP_VM_LIBRARY_BASE_ITERATORS_H_

#include "interpreter/native_call.h"

namespace neap::vm {

// next(table, key)
NativeResult BaseNext(NativeCall& call);
// What ipairs(t) returns first: step(t, i)
NativeResult BaseIpairsStep(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_BASE_ITERATORS_H_
