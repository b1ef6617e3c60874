// SPDX-License-Identifier: MIT
//
// The hot part of the type descriptors, one cache line each, indexed by the type in the header.
#ifndef NEAP_GC_TYPE_TABLE_H_
#define NEAP_GC_TYPE_TABLE_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "neap/gc/type.h"

namespace neap::gc {

// How the inner loops of both collections scan an object.
enum class Scan : uint8_t {
  kNothing,  // no slots
  kRun,      // fixed size, run_slots slots in a row from first_slot_bytes on
  kSlots,    // slots from first_slot_bytes to the end
  kBitmap,   // fixed size, slots where the bitmap says
  kSlow,     // a trace function, or off-heap bytes to be added up
};

// All zero until the type is registered: the table costs no bytes of the program.
struct alignas(64) TypeInfo {
  Layout layout = Layout::kNone;
  uint8_t element_shift = 0;
  bool is_value = false;
  bool has_weak_slots = false;
  Scan scan = Scan::kNothing;
  uint32_t base_bytes = 0;
  uint32_t first_slot_bytes = 0;
  uint32_t run_slots = 0;  // kBitmap whose slots stand in a row: how many; otherwise 0
  uint64_t slot_bitmap = 0;
  void (*trace)(Object*, Tracer&) = nullptr;
  size_t (*off_heap_bytes)(const Object*) = nullptr;
  void (*drop)(Object*) = nullptr;
  // Written last: null means no type. Never freed: ids live as long as the process.
  std::atomic<const TypeDescriptor*> descriptor = nullptr;
};
static_assert(sizeof(TypeInfo) == 64);

inline constexpr size_t kMaxTypes = 65536;
extern TypeInfo type_table[kMaxTypes];

// Whether some type owns off-heap bytes and has no drop function: its objects may move.
bool OwnersMayMove();

inline constexpr size_t RoundToObject(size_t bytes) {
  return (bytes + kObjectAlignment - 1) & ~(kObjectAlignment - 1);
}

inline size_t ObjectBytesOf(const Object* object, const TypeInfo& type) {
  size_t bytes = type.base_bytes;
  if (type.element_shift != TypeDescriptor::kFixedSize) {
    bytes = RoundToObject(bytes + (object->body<uint64_t>()[0] << type.element_shift));
  }
  return bytes;
}

// Reports every slot of the object. `tracer` is a final class, so that its VisitSlots is inlined.
template <typename FinalTracer>
inline void ScanSlots(Object* object, const TypeInfo& type, FinalTracer& tracer) {
  char* start = reinterpret_cast<char*>(object);
  switch (type.layout) {
    case Layout::kNone:
      return;
    case Layout::kSlots: {
      const size_t bytes = ObjectBytesOf(object, type);
      tracer.VisitSlots(reinterpret_cast<Word*>(start + type.first_slot_bytes),
                        (bytes - type.first_slot_bytes) / sizeof(Word));
      return;
    }
    case Layout::kBitmap:
      if (type.run_slots != 0) {
        tracer.VisitSlots(reinterpret_cast<Word*>(start + type.first_slot_bytes), type.run_slots);
        return;
      }
      for (uint64_t bits = type.slot_bitmap; bits != 0; bits &= bits - 1) {
        tracer.VisitSlots(reinterpret_cast<Word*>(start + kHeaderBytes) + std::countr_zero(bits),
                          1);
      }
      return;
    case Layout::kCustom:
      type.trace(object, tracer);
      return;
  }
}

}  // namespace neap::gc

#endif  // NEAP_GC_TYPE_TABLE_H_
