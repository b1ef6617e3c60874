// SPDX-License-Identifier: MIT
//
// The hot part of the type descriptors, one cache line each, indexed by the type in the header.
#ifndef NEAP_GC_TYPE_TABLE_H_
#define NEAP_GC_TYPE_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/type.h"

namespace neap::gc {

struct alignas(64) TypeInfo {
  Layout layout = Layout::kNone;
  uint8_t element_shift = TypeDescriptor::kFixedSize;
  bool is_value = false;
  bool has_weak_slots = false;
  uint32_t base_bytes = 0;
  uint32_t first_slot_bytes = 0;
  uint64_t slot_bitmap = 0;
  void (*trace)(Object*, Tracer&) = nullptr;
  size_t (*off_heap_bytes)(const Object*) = nullptr;
  void (*drop)(Object*) = nullptr;
};
static_assert(sizeof(TypeInfo) == 64);

inline constexpr size_t kMaxTypes = 65536;
extern TypeInfo type_table[kMaxTypes];

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

}  // namespace neap::gc

#endif  // NEAP_GC_TYPE_TABLE_H_
