// SPDX-License-Identifier: MIT
#include "neap/gc/type.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "neap/runtime/check.h"
#include "type_table.h"

namespace neap::gc {

constinit TypeInfo type_table[kMaxTypes];

namespace {

constexpr uint64_t kMaxLengthBytes = uint64_t{1} << 47;

std::atomic<bool> moving_owners = false;

struct Registry {
  std::mutex mutex;
  TypeId next = 1;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

void TraceWeakBox(Object* object, Tracer& tracer) {
  tracer.VisitWeak(&static_cast<WeakBox*>(object)->target, 0, Tracer::Weakness::kBeforeFinalizers);
}

void TraceEphemerons(Object* object, Tracer& tracer) {
  auto* table = static_cast<EphemeronTable*>(object);
  for (uint64_t i = 0; i < table->length; ++i) {
    tracer.VisitEphemeron(&table->pairs()[2 * i], &table->pairs()[2 * i + 1], 0);
  }
}

}  // namespace

namespace {

// The slots that the descriptor names lie inside the object.
void CheckLayout(const TypeDescriptor& descriptor) {
  if (descriptor.layout == Layout::kBitmap) {
    const uint32_t words = (descriptor.base_bytes - uint32_t{kHeaderBytes}) / 8;
    NEAP_CHECK(words >= 64 || (descriptor.slot_bitmap >> words) == 0,
               "T7: a bitmap names words of the fixed part only", "type=%s bitmap=%llx words=%u",
               descriptor.name, static_cast<unsigned long long>(descriptor.slot_bitmap), words);
  } else if (descriptor.layout == Layout::kSlots) {
    const uint32_t first = descriptor.first_slot_bytes;
    NEAP_CHECK(
        first >= kHeaderBytes && first % 8 == 0 && first <= RoundToObject(descriptor.base_bytes),
        "T8: the first slot lies inside the object, at a multiple of 8", "type=%s first=%u",
        descriptor.name, first);
    NEAP_CHECK(
        descriptor.element_shift == TypeDescriptor::kFixedSize || descriptor.element_shift >= 3,
        "T9: elements of a slot layout are whole words", "type=%s", descriptor.name);
  }
}

// How many slots a bitmap names, when they stand in a row; otherwise 0.
int RunOf(const TypeDescriptor& descriptor) {
  if (descriptor.layout != Layout::kBitmap || descriptor.slot_bitmap == 0) return 0;
  const uint64_t from_first = descriptor.slot_bitmap >> std::countr_zero(descriptor.slot_bitmap);
  const int run = std::countr_one(from_first);
  return run == std::popcount(descriptor.slot_bitmap) ? run : 0;
}

Scan ScanOf(const TypeDescriptor& descriptor) {
  if (descriptor.off_heap_bytes != nullptr) return Scan::kSlow;
  switch (descriptor.layout) {
    case Layout::kNone:
      return Scan::kNothing;
    case Layout::kSlots:
      return Scan::kSlots;
    case Layout::kBitmap:
      return descriptor.slot_bitmap == 0 ? Scan::kNothing : Scan::kBitmap;
    case Layout::kCustom:
      return Scan::kSlow;
  }
  return Scan::kSlow;
}

// Under the registry's lock.
void Publish(TypeId id, const TypeDescriptor& descriptor) {
  TypeInfo& info = type_table[id];
  info.layout = descriptor.layout;
  info.element_shift = descriptor.element_shift;
  info.is_value = descriptor.is_value;
  info.has_weak_slots = descriptor.has_weak_slots;
  info.base_bytes = descriptor.base_bytes;
  if (descriptor.element_shift == TypeDescriptor::kFixedSize) {
    info.base_bytes =
        static_cast<uint32_t>(std::max(RoundToObject(descriptor.base_bytes), kMinObjectBytes));
  } else {
    NEAP_CHECK(descriptor.base_bytes >= kMinObjectBytes && descriptor.element_shift < 32,
               "T5: a variable-size type has room for its length", "type=%s", descriptor.name);
  }
  info.first_slot_bytes = descriptor.first_slot_bytes;
  info.slot_bitmap = descriptor.slot_bitmap;
  info.trace = descriptor.trace;
  info.off_heap_bytes = descriptor.off_heap_bytes;
  info.drop = descriptor.drop;
  info.scan = ScanOf(descriptor);
  if (const int run = RunOf(descriptor); run > 0) {
    info.first_slot_bytes = static_cast<uint32_t>(
        kHeaderBytes +
        sizeof(Word) * static_cast<size_t>(std::countr_zero(descriptor.slot_bitmap)));
    info.run_slots = static_cast<uint32_t>(run);
    if (info.scan == Scan::kBitmap) info.scan = Scan::kRun;
  }
  if (descriptor.off_heap_bytes != nullptr && descriptor.drop == nullptr) moving_owners = true;
  info.descriptor = new TypeDescriptor(descriptor);
}

void CheckDescriptor(const TypeDescriptor& descriptor) {
  NEAP_CHECK(descriptor.base_bytes >= kHeaderBytes,
             "T1: a type's base size holds at least the header", "type=%s base=%u", descriptor.name,
             descriptor.base_bytes);
  NEAP_CHECK(descriptor.layout != Layout::kCustom || descriptor.trace != nullptr,
             "T2: a custom layout needs a trace function", "type=%s", descriptor.name);
  NEAP_CHECK(!descriptor.has_weak_slots || descriptor.layout == Layout::kCustom,
             "T3: weak slots are reported by a custom trace function", "type=%s", descriptor.name);
  CheckLayout(descriptor);
}

}  // namespace

TypeId RegisterType(const TypeDescriptor& descriptor) {
  CheckDescriptor(descriptor);
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  NEAP_CHECK(r.next < kFirstChosenType, "T4: at most 32,767 types", "type=%s", descriptor.name);
  Publish(r.next, descriptor);
  return r.next++;
}

void RegisterTypeAs(TypeId id, const TypeDescriptor& descriptor) {
  NEAP_CHECK(id >= kFirstChosenType, "T10: chosen type ids start at 0x8000", "type=%s id=%u",
             descriptor.name, id);
  CheckDescriptor(descriptor);
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const TypeDescriptor* known = FindType(id);
  if (known == nullptr) return Publish(id, descriptor);
  NEAP_CHECK(*known == descriptor, "T11: a chosen type id stands for one type",
             "id=%u old=%s new=%s", id, known->name, descriptor.name);
}

const TypeDescriptor* FindType(TypeId id) { return type_table[id].descriptor; }

bool OwnersMayMove() { return moving_owners; }

const TypeDescriptor& GetType(TypeId id) {
  const TypeDescriptor* type = FindType(id);
  NEAP_CHECK(type != nullptr, "T6: an object's type is registered", "type=%u", id);
  return *type;
}

size_t ObjectBytes(const Object* object) {
  return ObjectBytesOf(object, type_table[object->type()]);
}

size_t BytesFor(TypeId type, uint64_t length) {
  const TypeInfo& info = type_table[type];
  if (info.element_shift == TypeDescriptor::kFixedSize) return info.base_bytes;
  if (length > (kMaxLengthBytes >> info.element_shift)) return 0;
  return RoundToObject(info.base_bytes + (length << info.element_shift));
}

TypeId ByteArray::Type() {
  static const TypeId id =
      RegisterType({.name = "bytes", .base_bytes = sizeof(ByteArray), .element_shift = 0});
  return id;
}
TypeId SlotArray::Type() {
  static const TypeId id = RegisterType({.name = "slots",
                                         .layout = Layout::kSlots,
                                         .base_bytes = sizeof(SlotArray),
                                         .element_shift = 3,
                                         .first_slot_bytes = sizeof(SlotArray)});
  return id;
}
TypeId WeakBox::Type() {
  static const TypeId id = RegisterType({.name = "weak-box",
                                         .layout = Layout::kCustom,
                                         .base_bytes = sizeof(WeakBox),
                                         .trace = TraceWeakBox,
                                         .has_weak_slots = true});
  return id;
}
TypeId EphemeronTable::Type() {
  static const TypeId id = RegisterType({.name = "ephemerons",
                                         .layout = Layout::kCustom,
                                         .base_bytes = sizeof(EphemeronTable),
                                         .element_shift = 4,
                                         .trace = TraceEphemerons,
                                         .has_weak_slots = true});
  return id;
}

}  // namespace neap::gc
