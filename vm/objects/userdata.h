// SPDX-License-Identifier: MIT
//
// Full userdata: a payload of bytes for native code, 16-byte aligned, at an address that never
// changes, with a metatable, user values and a count of bytes that it owns outside the heap.
#ifndef NEAP_VM_OBJECTS_USERDATA_H_
#define NEAP_VM_OBJECTS_USERDATA_H_

#include <cstddef>
#include <cstdint>

#include "types.h"
#include "value.h"

namespace neap::vm {

struct Table;

struct Userdata : Object {
  uint64_t length;  // bytes of payload
  gc::Ref<Table> metatable;
  Word user_values;  // SlotArray, or 0
  uint64_t off_heap_bytes;
  void (*drop)(void* payload);  // called when the object is freed; may be null. May release memory
                                // and nothing else: the world may be stopped
  uint64_t tag;                 // which native type the payload is (an address unique to it)

  void* payload() { return reinterpret_cast<char*>(this) + Offset(); }
  static constexpr size_t Offset() { return 64; }
};
static_assert(sizeof(Userdata) == 56);

inline Userdata* AsUserdata(Value v) { return static_cast<Userdata*>(v.object()); }

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_USERDATA_H_
