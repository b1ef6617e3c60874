// SPDX-License-Identifier: MIT
//
// The parts of the debug library, which debug_library.cc puts together.
#ifndef NEAP_VM_LIBRARY_DEBUG_PARTS_H_
#define NEAP_VM_LIBRARY_DEBUG_PARTS_H_

#include "interpreter/native_call.h"

namespace neap::vm {

// Functions that begin with an optional coroutine: the coroutine (the running one when there is
// none), and how many arguments it took.
struct ThreadArgument {
  Coroutine* co;
  int taken;
};
inline ThreadArgument OptThread(NativeCall& call) {
  if (IsCoroutine(call.arg(1))) return {AsCoroutine(call.arg(1)), 1};
  return {call.state().running(), 0};
}

// debug_values.cc
NativeResult DebugGetMetatable(NativeCall& call);
NativeResult DebugSetMetatable(NativeCall& call);
NativeResult DebugGetUpvalue(NativeCall& call);
NativeResult DebugSetUpvalue(NativeCall& call);
NativeResult DebugUpvalueId(NativeCall& call);
NativeResult DebugUpvalueJoin(NativeCall& call);
NativeResult DebugGetUserValue(NativeCall& call);
NativeResult DebugSetUserValue(NativeCall& call);
// debug_frames.cc
NativeResult DebugGetInfo(NativeCall& call);
NativeResult DebugGetLocal(NativeCall& call);
NativeResult DebugSetLocal(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_DEBUG_PARTS_H_
