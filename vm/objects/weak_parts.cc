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
// holds them strongly in every weak slot, while their entry lives.
//
//   W1  Every weak slot is cleared to nil. An entry whose key or whose value is nil is absent:
//       lookups never match a nil key, next() and rehashing skip both.
//   W2  The key of an entry without value is weak in every mode, even a string: nothing but a
//       next() that stands on it may still need it, and that one holds the key.
//   W3  In mode "kv" a string as a key lives only while the value does: it goes with it at once.
//
// W2 makes what is reported depend on the value, which an earlier pass of the same collection may
// have cleared. That is sound: such a key was reported as strong before, so it is alive.
#include "weak_parts.h"

#include "table.h"
#include "types.h"
#include "value.h"

namespace neap::vm {
namespace {

using Weakness = gc::Tracer::Weakness;

// Does the word lead to a string, a box, light userdata?
bool IsData(Value v) {
  if (!v.is_object()) return false;
  const gc::TypeId type = gc::Tracer::TypeOf(v.word());
  return IsStringType(type) || type == kBoxedIntegerType || type == kLightUserdataType;
}

void TraceEntry(Dictionary::Entry& entry, uint8_t mode, gc::Tracer& tracer) {
  if (mode == kWeakKeys) {
    tracer.VisitEphemeron(&entry.key, &entry.value, Value::kNil);
    return;
  }
  const Value key = Value::FromWord(gc::LoadSlot(&entry.key));
  const Value value = Value::FromWord(gc::LoadSlot(&entry.value));
  if (value.is_nil()) {
    tracer.VisitWeak(&entry.key, Value::kNil, Weakness::kEvenValues);
  } else if (mode == kWeakBoth && value.is_object() && IsData(key) && !IsData(value)) {
    tracer.VisitEphemeron(&entry.value, &entry.key, Value::kNil);
  } else if (mode == kWeakBoth) {
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
