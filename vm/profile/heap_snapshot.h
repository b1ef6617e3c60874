// SPDX-License-Identifier: MIT
//
// A picture of the heap in a file: every reachable object, every reference, with the names that the
// script gave them. For `neap heap FILE`, and for the Memory panel of Chromium's developer tools,
// whose .heapsnapshot format it is.
//
//   absl::Status status = vm::WriteHeapSnapshot(state, "game.heapsnapshot");
//
// The format. One JSON object, on lines as the developer tools write it:
//
//   snapshot  meta (names and types of the columns that follow), node_count, edge_count, and what
//             is ours: neap = {version, process}. `process` is a random number of the
//             run: in two snapshots with the same one, equal ids are the same object
//   nodes     7 numbers each: type, name (index of strings), id, self_size, edge_count,
//             trace_node_id (0), detachedness (0). Node 0 is the root
//   edges     3 numbers each, in the order of their nodes: type, name_or_index, to_node (index of
//             its first number in nodes)
//   strings   the texts; bytes that are no UTF-8 become U+FFFD, long ones are cut
//
// An id is the object's identity, the number that tostring() shows: "table: 0x00000000002a" is node
// 42. Taking a snapshot gives every live object its number, which costs 16 bytes or so until it
// dies. self_size counts what an object owns outside the heap. An entry of a table with weak keys
// is held by its key.
#ifndef NEAP_VM_PROFILE_HEAP_SNAPSHOT_H_
#define NEAP_VM_PROFILE_HEAP_SNAPSHOT_H_

#include <string>

#include "absl/status/status.h"

namespace neap::vm {

class State;

// Of `neap` in a snapshot.
inline constexpr int kHeapSnapshotVersion = 1;

// Collects, so that only what is reachable is shown, then writes. The file is replaced.
// PermissionDenied and DataLoss name the path and what the system says. A safepoint.
absl::Status WriteHeapSnapshot(State& state, const std::string& path);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_HEAP_SNAPSHOT_H_
