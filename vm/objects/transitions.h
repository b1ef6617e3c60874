// SPDX-License-Identifier: MIT
//
// The children of a shape, by transition key; held weakly.
//
//     0        8          16      20        24
//    +--------+----------+-------+---------+--------------------------+
//    | header | capacity | taken | counted | children 0..capacity-1   |
//    +--------+----------+-------+---------+--------------------------+
//
// Up to kLinear places are searched in order; more are an open addressing table, a power of two of
// places, at most 3/4 taken. A place is 0 (never taken), a child, or kDead: the collector found the
// child unreachable.
#ifndef NEAP_VM_OBJECTS_TRANSITIONS_H_
#define NEAP_VM_OBJECTS_TRANSITIONS_H_

#include <cstdint>

#include "neap/gc/handle.h"
#include "shape.h"

namespace neap::vm {

struct Transitions : Object {
  uint64_t length;   // places
  uint32_t taken;    // places that are not 0
  uint32_t counted;  // live children when they were last counted or changed

  static constexpr uint64_t kLinear = 8;
  static constexpr Word kDead = 1;
  Word* children() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(Transitions));
  }
};
static_assert(sizeof(Transitions) == 24);

void TraceTransitions(gc::Object* object, gc::Tracer& tracer);

// The child with this transition key and this weak mode, or null. (no safepoint)
Shape* FindChild(Objects& objects, const Shape* shape, Word key, WeakMode mode);
// Has the shape `limit` live children or more? (no safepoint)
bool HasChildren(const Shape* shape, uint32_t limit);
// Makes room for one more child; false: no memory. A safepoint.
bool ReserveChild(Objects& objects, gc::Handle<Shape> shape);
// Room was made, and no safepoint reached since. (no safepoint)
void AddChild(Objects& objects, Shape* shape, Shape* child);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_TRANSITIONS_H_
