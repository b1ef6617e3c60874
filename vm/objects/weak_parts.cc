// SPDX-License-Identifier: MIT
//
// Weak tables, as the collector sees them (reference manual, section 2.5.4).
//
//    mode   key                              value
//    "k"    ephemeron: the value lives through the pair only while the key does
//    "v"    strong, while there is a value   weak, gone before finalizers run
//    "kv"   weak, gone after finalizers ran  weak, gone before finalizers run
//
// So an object that is about to be finalized leaves weak values before its finalizer runs, and is
// still found as a weak key by it. Strings, boxes and light userdata are values: the collector
// holds them strongly in every weak slot.
//
//   W1  Every weak slot is cleared to nil. An entry whose key or whose value is nil is absent:
//       lookups never match a nil key, next() and rehashing skip both.
//   W2  The key of an entry without value is weak in every mode: nothing but a next() that stands
//       on it may still need it, and that one holds the key.
//
// W2 makes what is reported depend on the value, which an earlier pass of the same collection may
// have cleared. That is sound: such a key was reported as strong before, so it is alive.
#include "weak_parts.h"

#include "table.h"

namespace neap::vm {
namespace {

using Weakness = gc::Tracer::Weakness;

void TraceEntry(Dictionary::Entry& entry, uint8_t mode, gc::Tracer& tracer) {
  if (mode == kWeakKeys) {
    tracer.VisitEphemeron(&entry.key, &entry.value, Value::kNil);
    return;
  }
  if (mode == kWeakBoth || gc::LoadSlot(&entry.value) == Value::kNil) {
    tracer.VisitWeak(&entry.key, Value::kNil, Weakness::kAfterFinalizers);
  } else {
    tracer.VisitSlot(&entry.key);
  }
  tracer.VisitWeak(&entry.value, Value::kNil, Weakness::kBeforeFinalizers);
}

}  // namespace

void TraceWeakArrayPart(gc::Object* object, gc::Tracer& tracer) {
  auto* array = static_cast<ArrayPart*>(object);
  for (uint64_t i = 0; i < array->length; ++i) {
    tracer.VisitWeak(array->slots() + i, Value::kNil, Weakness::kBeforeFinalizers);
  }
}

void TraceWeakDictionary(gc::Object* object, gc::Tracer& tracer) {
  auto* dictionary = static_cast<Dictionary*>(object);
  tracer.VisitSlot(&dictionary->index);
  for (uint32_t i = 0; i < dictionary->used; ++i) {
    TraceEntry(dictionary->entries()[i], dictionary->weak_mode, tracer);
  }
}

}  // namespace neap::vm
