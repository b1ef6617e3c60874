// SPDX-License-Identifier: MIT
//
// Memory outside the heap that belongs to a userdata: its bytes count for the heap's limits and
// pace, and it is freed when the userdata is (Userdata::drop is the owner's to set).
#ifndef NEAP_VM_LIBRARY_OFF_HEAP_H_
#define NEAP_VM_LIBRARY_OFF_HEAP_H_

#include <cstddef>

#include "interpreter/state.h"

namespace neap::vm {

// Whether the owner may have `bytes` in place of what it has: no more than a whole heap may, and
// within the hard limit, near which the heap collects first. False: "not enough memory" is set. A
// safepoint.
[[nodiscard]] bool HasRoomOffHeap(State& state, const Userdata* owner, size_t bytes);
// The owner has `bytes` now. (no safepoint)
void NoteOffHeap(State& state, Userdata* owner, size_t bytes);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_OFF_HEAP_H_
