// SPDX-License-Identifier: MIT
//
// snapshot(path): the heap snapshot that a script takes of itself. True; or nil and a message when
// the file cannot be written.
//
// It is not put into any table here: a library that has a place for it pushes it and sets the
// field.
#ifndef NEAP_VM_PROFILE_SNAPSHOT_FUNCTION_H_
#define NEAP_VM_PROFILE_SNAPSHOT_FUNCTION_H_

#include "interpreter/native_call.h"

namespace neap::vm {

// The native function itself: one argument, a path.
NativeResult TakeHeapSnapshot(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_SNAPSHOT_FUNCTION_H_
