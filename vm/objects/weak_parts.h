// SPDX-License-Identifier: MIT
//
// How the collector reads the parts of weak tables (weak_parts.cc has the rules).
#ifndef NEAP_VM_OBJECTS_WEAK_PARTS_H_
#define NEAP_VM_OBJECTS_WEAK_PARTS_H_

#include "neap/gc/type.h"

namespace neap::vm {

void TraceWeakArrayPart(gc::Object* object, gc::Tracer& tracer);
void TraceWeakDictionary(gc::Object* object, gc::Tracer& tracer);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_WEAK_PARTS_H_
