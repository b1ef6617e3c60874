// SPDX-License-Identifier: MIT
//
// The parts of the base library, which base_library.cc puts into the table of globals.
#ifndef NEAP_VM_LIBRARY_BASE_PARTS_H_
#define NEAP_VM_LIBRARY_BASE_PARTS_H_

#include "interpreter/native_call.h"

namespace neap::vm {

// base_tables.cc. BasePairs and BaseIpairs are closures over what they return first.
NativeResult BaseGetMetatable(NativeCall& call);
NativeResult BaseSetMetatable(NativeCall& call);
NativeResult BaseRawEqual(NativeCall& call);
NativeResult BaseRawGet(NativeCall& call);
NativeResult BaseRawLen(NativeCall& call);
NativeResult BaseRawSet(NativeCall& call);
NativeResult BasePairs(NativeCall& call);
NativeResult BaseIpairs(NativeCall& call);
// base_calls.cc
NativeResult BaseAssert(NativeCall& call);
NativeResult BaseError(NativeCall& call);
NativeResult BasePcall(NativeCall& call);
NativeResult BaseXpcall(NativeCall& call);
// base_loading.cc
NativeResult BaseDoFile(NativeCall& call);
NativeResult BaseLoad(NativeCall& call);
NativeResult BaseLoadFile(NativeCall& call);
// base_collecting.cc
NativeResult BaseCollectGarbage(NativeCall& call);
// Counts; all else is done by nobody and answered with 0.
NativeResult BaseCollectGarbageInSandbox(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_BASE_PARTS_H_
