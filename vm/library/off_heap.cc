// SPDX-License-Identifier: MIT
//
// off_heap.h. Userdata never move, so an owner that is reachable stays where it is.
#include "library/off_heap.h"

#include <utility>

namespace neap::vm {

bool HasRoomOffHeap(State& state, const Userdata* owner, size_t bytes) {
  if (bytes <= owner->off_heap_bytes) return true;
  // Memory that nobody has could be promised, by the system and by an allocator.
  if (bytes > state.heap().options().reserve_bytes) return state.MemoryError();
  const size_t more = bytes - owner->off_heap_bytes;
  if (state.heap().Fits(more)) return true;
  state.heap().Collect(state.mutator());
  return state.heap().Fits(more) || state.MemoryError();
}

void NoteOffHeap(State& state, Userdata* owner, size_t bytes) {
  const uint64_t before = std::exchange(owner->off_heap_bytes, bytes);
  if (bytes == before) return;
  state.mutator().OffHeapChanged(owner, static_cast<int64_t>(bytes - before));
}

}  // namespace neap::vm
